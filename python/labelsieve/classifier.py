"""A classifier for scikit-learn."""
from __future__ import annotations

import json
from copy import copy
from inspect import signature
from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import (_check_sample_weight, check_array, check_consistent_length,
                                      check_is_fitted, column_or_1d)

from . import _library as lib
from . import _tables as tables
from ._arrays import is_sparse
from ._labels import (array_of_names, candidates_of, one_class_per_row, rows_by_labels,
                      unasked_as_candidates)
from ._watch import Verbose, Watch
from ._work import DEPRECATED, RandomState, seed_of, threads_of
from .data import Data
from .model import Budget, Model, fit as fit_model, method_options

if TYPE_CHECKING:
    from ._options import Method

_REAL = (np.float32, np.float64)


def validated(estimator: Any, X: Any, **options: Any) -> Any:
    """X as scikit-learn's conventions want it; its features and their names are noted, or compared."""
    settings = {"accept_sparse": "csr", "dtype": _REAL, **options}
    try:
        from sklearn.utils.validation import validate_data  # 1.6 and later
    except ImportError:
        return estimator._validate_data(X, **settings)
    return validate_data(estimator, X, **settings)


def watch_of(estimator: Any) -> Watch:
    """A call with the estimator's random_state, n_jobs and verbose."""
    return Watch(seed=seed_of(estimator.random_state, getattr(estimator, "seed", DEPRECATED)),
                 threads=threads_of(estimator.n_jobs, getattr(estimator, "threads", DEPRECATED)),
                 verbose=estimator.verbose)


class BaseClassifier(ClassifierMixin, BaseEstimator):
    """What all classifiers of LabelSieve have in common: they differ in their parameters."""

    def _method(self) -> str:
        raise NotImplementedError

    def _settings(self) -> dict:
        """The options of the method that are not at their defaults."""
        raise NotImplementedError

    model_: Model
    classes_: np.ndarray[Any, Any]
    n_features_in_: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, votes: Any = None,
            gold: Any = None, unlabelled: Any = None) -> "BaseClassifier":
        """Learns from X and the candidates y, or from what annotators said.

        Parameters
        ----------
        X : array, sparse matrix or table, rows x features
        y : candidates, optional where there are votes
            0 and 1 for rows x labels: an array, a table or a sparse matrix. Or a list with a set or
            list of names for each row. Or one class per row. NaN in a column of 0 and 1 says that
            nobody was asked: the label may be right, so it counts as a candidate.
        sample_weight : array of numbers from 0 on, optional
            How much each row counts; only their ratios matter, and a row of weight 0 is left out.
            Where weights differ, rows are learnt from in the order of their content, so that it does
            not matter where they stand. Methods other than blend, forest, mlp, mlp-noise and pml-gan
            take whole numbers, and learn from a row that often. Not with votes.
        votes : table with the columns item, annotator and label, optional
            What each annotator said; see `Data`. The model learns from what the votes make probable.
        gold : table with the columns item, label and true, optional
            Cells that an expert decided, which are learnt as they are; or (row, label, 0 or 1).
        unlabelled : array, sparse matrix or table, rows x features, optional
            Rows that nobody annotated, with the columns of X: blend learns from them, too.

        Returns
        -------
        The classifier itself, fitted.

        Raises
        ------
        ValueError
            For what scikit-learn has conventions for; `DataError`, which is one, for the rest.
        """
        if y is None and votes is None:
            raise ValueError(f"y is missing: {type(self).__name__} requires y to be passed, but the "
                             "target y is None")
        if sample_weight is not None and votes is not None:
            raise ValueError("sample_weight cannot be given together with votes")
        tables.warn_of_order(X, y, 2)
        votes = tables.votes_table(votes)
        table, X = X, validated(self, X)
        rows_called = tables.row_names(table, None, X.shape[0])
        if y is not None:
            check_consistent_length(X, y)
        candidates: Any = None
        names: Optional[list[str]] = None
        if y is not None:
            candidates, names = self._candidates(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        data = Data(X, candidates, votes=votes, label_names=names,
                    ids=rows_called if tables.goes_by_name(votes, tables.VOTES) else None,
                    feature_names=getattr(self, "feature_names_in_", None))
        if y is None:
            self._one_per_row = False
            self.classes_ = array_of_names(tables.as_given(votes, "label", data.label_names))
        self.model_ = fit_model(data, self._method(), lib.settings(self._settings()), watch_of(self),
                                tables.gold_cells(gold, rows_called, list(self.classes_)), sample_weight,
                                None if unlabelled is None else self._others(unlabelled))
        return self

    def _others(self, unlabelled: Any) -> Data:
        """Rows without labels, with the columns of X."""
        return Data(validated(self, unlabelled, reset=False),
                    feature_names=getattr(self, "feature_names_in_", None))

    def _candidates(self, y: Any) -> tuple[Any, Optional[list[str]]]:
        """Rows x labels, and the names of the labels if they have any. Sets classes_."""
        y, columns = candidates_of(y)
        names = list(map(str, columns)) if columns else None
        y = unasked_as_candidates(y, columns)
        if is_sparse(y):
            y = check_array(y, accept_sparse="csr", ensure_min_features=0, input_name="y")
            self._one_per_row = False
        else:
            y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
            self._one_per_row = y.ndim == 1 or y.shape[1] == 1
        if not self._one_per_row:
            self.classes_ = array_of_names(columns) if columns else np.arange(y.shape[1])
            return _indicators(y), names
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        ones, self.classes_ = one_class_per_row(y)
        if len(self.classes_) < 2:
            raise ValueError("a 1-D y needs at least 2 classes, and there is one class: "
                             f"{self.classes_[0]!r}")
        names = [str(one) for one in self.classes_]
        return ones, names if all(name.strip() for name in names) else None

    def _probabilities(self, X: Any) -> np.ndarray[Any, Any]:
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        return self.model_.probabilities(X, n_jobs=self.n_jobs, threads=getattr(self, "threads", DEPRECATED)).astype(np.float64)

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """The probability of each label.

        Parameters
        ----------
        X : array, sparse matrix or table

        Returns
        -------
        array of rows x labels
            Strictly between 0 and 1. Of a 1-D y, the classes of a row sum to 1.

        Raises
        ------
        ValueError
            For other features than those of the fit.
        """
        found = self._probabilities(X)
        return found / found.sum(axis=1, keepdims=True) if self._one_per_row else found

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """The log-odds of each label.

        Parameters
        ----------
        X : array, sparse matrix or table

        Returns
        -------
        array of rows x labels
            Of a 1-D y with two classes, one number per row: of the second class.
        """
        found = self._probabilities(X)
        if self._one_per_row and found.shape[1] == 2:
            return np.log(found[:, 1]) - np.log(found[:, 0])
        return np.log(found) - np.log1p(-found)

    def predict(self, X: Any, *, guarantee: Optional[str] = None) -> np.ndarray[Any, Any]:
        """The labels that the model decides on.

        Parameters
        ----------
        X : array, sparse matrix or table
        guarantee : str, optional
            "precision=0.9": by the thresholds that keep this promise; see `guarantee`.

        Returns
        -------
        array of 0 and 1, rows x labels
            Of a 1-D y, the most probable class of each row.
        """
        check_is_fitted(self)
        if guarantee is not None:
            self._check_promises()
        if self._one_per_row:
            return self.classes_[self._probabilities(X).argmax(axis=1)]
        X = validated(self, X, reset=False)
        return self.model_.predict(X, guarantee=guarantee, n_jobs=self.n_jobs,
                                   threads=getattr(self, "threads", DEPRECATED)).astype(np.int64)

    def _check_promises(self) -> None:
        if self._one_per_row:
            raise lib.UsageError("promises are about labels, and here each row has one class",
                                 "fit with y of 0 and 1 for rows x labels")

    def guarantee(self, goal: str, X: Any, y: Any, *, level: float = 0.9) -> Any:
        """The same classifier with thresholds that keep a promise about its predictions.

        Parameters
        ----------
        goal : str
            "precision=0.9": of the rows that get a label, at least 90 % have it; "recall=0.9": of
            the rows that have a label, at least 90 % get it; "fdr=0.1" is a precision of 0.9.
        X : array, sparse matrix or table
            Rows drawn at random that the classifier did not learn from.
        y : right labels of these rows, in one of the forms that `fit` takes
        level : float
            The probability that the promise holds.

        Returns
        -------
        A fitted copy
            Whose `predict(X, guarantee=goal)` decides by these thresholds.

        Raises
        ------
        DataError
            Where nothing can be promised: it says how many rows are needed.
        """
        check_is_fitted(self)
        self._check_promises()
        right, names = rows_by_labels(y)
        rows = Data(validated(self, X, reset=False), right,
                    feature_names=getattr(self, "feature_names_in_", None),
                    label_names=self.model_.label_names if names is None else names)
        promising = copy(self)
        promising.model_ = self.model_.guarantee(goal, rows, level=level, n_jobs=self.n_jobs)
        return promising

    def to_onnx(self) -> bytes:
        """The fitted model as an ONNX graph: from `features`, float [rows, columns], to
        `probabilities`, within 1e-5 of `predict_proba`, and `labels` (0 and 1); of a 1-D y to
        `probabilities` and `label`, what `predict` gives.

        Returns
        -------
        bytes

        Raises
        ------
        ModelError
            For what ONNX cannot express: kernels, text that became features.
        """
        check_is_fitted(self)
        if not self._one_per_row:
            return self.model_.to_onnx()
        whole = self.classes_.dtype.kind in "iub"
        classes: Any = {"numbers": [int(one) for one in self.classes_]} if whole else \
            {"names": [str(one) for one in self.classes_]}
        return lib.bytes_of("ls_model_to_onnx", self.model_._handle, json.dumps(classes).encode())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose labels are all right.

        Parameters
        ----------
        X : array, sparse matrix or table
        y : right labels
        sample_weight : array, optional

        Returns
        -------
        float
        """
        return super().score(X, y, sample_weight)

    def _more_tags(self) -> dict:
        return {"multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


class LabelSieveClassifier(BaseClassifier):
    """Learns from candidate labels, some of which are wrong, by any method.

    `BlendClassifier`, `ForestClassifier` and the like have the options of one method as parameters.

    Parameters
    ----------
    method : str, default="blend"
        One of `labelsieve.methods()`.
    options : dict, optional
        Options of the method, as in `{"epochs": 30}`; `labelsieve.methods()[method]["options"]` lists
        them.
    budget : {"fast", "normal", "thorough"}, optional
        How much time to spend, for methods that have a choice.
    random_state : int, RandomState or None, default=1
        The same number and data give the same model, bit for bit. None draws a new one each time.
    n_jobs : int or None
        How many threads work; results do not depend on it. None is OMP_NUM_THREADS, or else, as -1,
        all cores that this process may use.
    verbose : int or callable, default=0
        1 shows progress; a function is told (stage, done, total, note). Ctrl-C stops a fit.

    Attributes
    ----------
    model_ : Model
    classes_ : array
        The labels: the columns of y (their names, if y is a table), or the values of a 1-D y.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where X is a table whose columns are named.

    Examples
    --------
    >>> from labelsieve import LabelSieveClassifier, make_crowd
    >>> data = make_crowd(rows=300, seed=1)
    >>> classifier = LabelSieveClassifier(method="forest", options={"trees": 50})
    >>> classifier.fit(data.X, data.y).predict_proba(data.X).shape
    (300, 12)
    """

    def __init__(self, method: "Method" = "blend", *,
                 options: Optional[Mapping[str, Any]] = None, budget: Optional[Budget] = None, random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0, seed: Any = DEPRECATED,
                 threads: Any = DEPRECATED):
        self.method = method
        self.options = options
        self.budget = budget
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.seed = seed
        self.threads = threads

    def _method(self) -> str:
        return self.method

    def _settings(self) -> dict:
        return method_options(self.options, self.budget)


class MethodClassifier(BaseClassifier):
    """A classifier whose parameters are the options of one method; see estimators.py."""

    _name: str

    def _method(self) -> str:
        return self._name

    def _settings(self) -> dict:
        of_work = ("random_state", "n_jobs", "verbose")
        parameters = signature(type(self).__init__).parameters
        return {name.replace("_", "-"): value for name, value in self.get_params(deep=False).items()
                if name not in of_work and not _same(value, parameters[name].default)}


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _indicators(y: Any) -> Any:
    """Labels as 0 and 1, else what is wrong with them as scikit-learn says it."""
    values = y.data if is_sparse(y) else y
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        check_classification_targets(y)
        raise ValueError("y of several columns has to be 0 and 1, one column per label; "
                         "multiclass-multioutput is not supported")
    return y

