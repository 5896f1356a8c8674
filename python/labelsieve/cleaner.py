"""Which labels are wrong, which are missing, and whom to trust."""
from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _library as lib
from . import _tables as tables
from ._watch import Verbose
from ._work import DEPRECATED, RandomState
from ._labels import rows_by_labels
from .classifier import validated, watch_of
from .claims import Claim
from .data import Data, check_unread
from .model import Budget, method_options
from .votes import flat, renamed, table, warn_of_names

if TYPE_CHECKING:
    from ._options import Method


class LabelCleaner(BaseEstimator):
    """Judges every candidate label by models that have not seen its row, and by who ticked what.

    Parameters
    ----------
    method : str, default="default"
        As for `LabelSieveClassifier`. By default as `sieve clean` does: "blend", and with votes a linear
        regression, unless options are given.
    options, budget, random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.
    folds : int, default=5
        How many models judge the others' rows; methods that judge rows they did not see need none.
    threshold : float, "f1" or "hamming", optional
        Less probable candidates are not among `labels_`; a row keeps its best one, unless annotators
        leave rows without labels. "f1" and
        "hamming" choose what is best for that measure. By default as `sieve clean` does: 0.5 without
        votes, and less is removed of labels that features may miss; with votes what is best for F1,
        at most 0.5; where annotators cannot be compared, as without votes. Of two labels that nobody
        ticks together, `labels_` has the likelier one at most. The one that was chosen is
        `threshold_`.
    missing : float, default=0
        Without votes: the share of the right labels that nobody ticked. With 0, `missing_` is None.

    Attributes
    ----------
    probabilities_ : array of float32, rows x labels
        The probability that each candidate is right; 0 where there is no candidate.
    labels_ : array of 0 and 1, rows x labels
        The candidates that are kept.
    noise_rates_ : array, one per label
        The share of a label's candidates that are wrong, as `noise_claims_` has it; NaN where nothing
        is claimed.
    noise_claim_ : Claim or None
        The share of all candidates that are wrong, as a guess. None where nothing can be claimed.
    noise_claims_ : list of Claim or None, one per label
        The same of each label.
    missing_ : table of row, label, probability
        Labels that nobody ticked but that are likely right, the likeliest first. None without votes,
        unless `missing` was given.
    annotators_ : table, one row per annotator
        Rates at which they tick right and wrong labels, with the ranges of guesses. None without votes, and
        where too few rows have two annotations to compare annotators: a warning then says so, and
        the labels are judged as if there were no votes.
    report_ : dict
        All that `sieve clean --json` tells.

    `people_` and `confidence_` are earlier names of `annotators_` and `probabilities_`.

    Tables have a column `id`, too, where rows are called something: the index of a table X, or the items
    of votes by name. They are DataFrames where pandas is installed, else lists of dicts.

    Examples
    --------
    >>> from labelsieve import LabelCleaner, make_crowd
    >>> data = make_crowd(rows=200, labels=6, votes=True)
    >>> cleaner = LabelCleaner(method="forest", options={"trees": 30}).fit(data)
    >>> cleaner.probabilities_.shape, len(cleaner.annotators_)
    ((200, 6), 9)
    >>> len(cleaner.suspects(3))
    3
    """

    def __init__(self, method: Union["Method", Literal["default"]] = "default", *,
                 options: Optional[Mapping[str, Any]] = None, budget: Optional[Budget] = None, folds: int = 5,
                 threshold: Union[float, Literal["f1", "hamming"], None] = None, missing: float = 0,
                 random_state: RandomState = 1, n_jobs: Optional[int] = None, verbose: Verbose = 0,
                 seed: Any = DEPRECATED, threads: Any = DEPRECATED):
        self.method = method
        self.options = options
        self.budget = budget
        self.folds = folds
        self.threshold = threshold
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any = None, y: Any = None, *, votes: Any = None, looked: Any = None, gold: Any = None,
            annotators: Optional[Sequence[Any]] = None, label_names: Optional[Sequence[Any]] = None,
            ids: Optional[Sequence[Any]] = None, people: Optional[Sequence[Any]] = None) -> "LabelCleaner":
        """Judges the candidates y of the rows X, or what annotators ticked.

        Parameters
        ----------
        X : array, sparse matrix, table or Data, optional
            Data brings candidates and votes along. Without features, votes alone judge.
        y : candidates, optional
            As for `LabelSieveClassifier`, but without NaN: what nobody assigned cannot be wrong.
        votes : table with the columns item, annotator and label, optional
            Or (row, annotator, label), and `looked` (row, annotator), counted from 0; see `Data`.
        gold : table with the columns item, label and true, optional
            Cells that an expert decided; or (row, label, 0 or 1). They count where votes say
            something else.

        Returns
        -------
        LabelCleaner
            This one.

        Raises
        ------
        DataError
            For votes or gold of unknown items, or a cell decided in two ways.
        """
        annotators = people if annotators is None else annotators
        votes = tables.votes_table(votes)
        if isinstance(X, Data):
            more = {"y": y, "votes": votes, "looked": looked, "annotators": annotators,
                    "label_names": label_names, "ids": ids}
            check_unread({name: one for name, one in more.items() if one is not None})
            data, self.label_names_, self._ids = X, X.label_names, X.ids
        else:
            data = self._data(X, y, votes, looked, annotators, label_names, ids)
        self._candidates = data.y
        names = tables.row_names(X, self._ids, len(data))
        self._take(self._judged(data, tables.gold_cells(gold, names, self.label_names_)), votes)
        return self

    def _data(self, X: Any, y: Any, votes: Any, looked: Any, annotators: Optional[Sequence[Any]],
              label_names: Optional[Sequence[Any]], ids: Optional[Sequence[Any]]) -> Data:
        """Of what fit() was given; notes what labels and rows are called there."""
        if isinstance(X, (str, os.PathLike)):
            raise TypeError(f"X is a table, an array or Data, not the name of a file; labelsieve.read({os.fspath(X)!r})"
                            " reads one")
        if y is None and votes is None:
            raise ValueError("there is nothing to clean: give candidates y, votes, or both")
        if X is None and votes is None:
            raise ValueError("candidates alone cannot be judged: give features X or votes")
        tables.warn_of_order(X, y, 3)
        if y is not None:
            y, called = rows_by_labels(y)
            label_names = called if label_names is None else label_names
        index = tables.index_of(X)
        if ids is None and tables.goes_by_name(votes, tables.VOTES) and tables.is_table(X):
            ids = list(X.index)
        if X is not None:
            X = validated(self, X)
        data = Data(X, y, votes=votes, looked=looked, annotators=annotators,
                    label_names=label_names, ids=ids)
        self.label_names_ = list(label_names) if label_names is not None else \
            tables.as_given(votes, "label", data.label_names)
        self._ids = list(ids) if ids is not None else index if data.ids is None else \
            tables.as_given(votes, "item", data.ids)
        return data

    def _judged(self, data: Data, gold: Any) -> lib.Handle:
        watch = watch_of(self)
        method = lib.text(self.method, "method") if data.shape[1] else None
        folds = lib.whole_number(self.folds, "folds", len(data) if method else 2 ** 32)
        return lib.Handle("ls_free_cleaning", "ls_clean", data._handle, method,
                          lib.settings(method_options(self.options, self.budget)),
                          folds, float(self.missing), gold, len(gold), c.byref(watch.run), by=watch)

    def _take(self, cleaning: lib.Handle, votes: Any) -> None:
        shape = self._candidates.shape
        self.probabilities_ = np.empty(shape, np.float32)
        self.labels_ = np.empty(shape, np.uint8)
        self.threshold_ = self._chosen_threshold(cleaning)
        usual = self.threshold is None
        threshold = float("-inf") if usual else self.threshold_
        lib.call("ls_cleaning_cells", cleaning, threshold, self.probabilities_.ctypes.data,
                 self.labels_.ctypes.data)
        self.report_ = lib.json_of("ls_cleaning_info", cleaning, threshold)
        self.noise_rates_ = np.array([float("nan") if one["estimated_noise"] is None else
                                      one["estimated_noise"] for one in self.report_["per_label"]])
        self.noise_claim_, *self.noise_claims_ = [
            Claim._of(one["noise_claim"]) if one.get("noise_claim") else None
            for one in (self.report_, *self.report_["per_label"])]
        warn_of_names(self.report_.get("names_ignored"), 3)
        known = "annotators" in self.report_
        self.annotators_ = table(renamed([flat(one) for one in self.report_["annotators"]], votes,
                                         annotator="annotator")) if known else None
        self.missing_ = self._cells(_missing_cells(cleaning), "probability") \
            if known or self.missing else None

    def _chosen_threshold(self, cleaning: lib.Handle) -> float:
        if self.threshold is not None and not isinstance(self.threshold, str):
            return float(self.threshold)
        chosen = c.c_double()
        lib.call("ls_cleaning_threshold", cleaning,
                 None if self.threshold is None else lib.text(self.threshold, "threshold"),
                 c.byref(chosen))
        return chosen.value

    def suspects(self, most: Optional[int] = None) -> Any:
        """The candidates, the most suspicious first.

        Parameters
        ----------
        most : int, optional
            At most this many.

        Returns
        -------
        table of row, label and probability
            And of `id`, as above.
        """
        check_is_fitted(self, "probabilities_")
        cells = self._candidates.tocoo()
        probability = self.probabilities_[cells.row, cells.col]
        order = np.lexsort((cells.col, cells.row, probability))[:most]
        return self._cells(zip(cells.row[order].tolist(), cells.col[order].tolist(),
                               probability[order].tolist()), "probability")

    @property
    def people_(self) -> Any:
        """The earlier name of `annotators_`."""
        return self.annotators_

    @property
    def confidence_(self) -> Any:
        """The earlier name of `probabilities_`."""
        return self.probabilities_

    def _cells(self, cells: Any, number: str) -> Any:
        return table([{**({"id": self._ids[row]} if self._ids else {}), "row": row,
                       "label": self.label_names_[label], number: value}
                      for row, label, value in cells],
                     [*(["id"] if self._ids else []), "row", "label", number])

    def _more_tags(self) -> dict:
        return {"X_types": ["2darray", "sparse"], "requires_y": False}


def _missing_cells(cleaning: lib.Handle) -> list[tuple[int, int, float]]:
    cells, count = c.POINTER(lib.Cell)(), c.c_size_t()
    lib.call("ls_cleaning_missing", cleaning, c.byref(cells), c.byref(count))
    return [(cells[i].row, cells[i].label, cells[i].value) for i in range(count.value)]
