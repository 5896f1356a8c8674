"""Models: training, predicting, measuring, keeping."""
from __future__ import annotations

import ctypes as c
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Dict, Literal, Mapping, Optional, Union

import numpy as np

if TYPE_CHECKING:
    from ._options import Method

from . import _arrays as arrays
from . import _library as lib
from . import _tables as tables
from ._labels import candidates_of, rows_by_labels, unasked_as_candidates
from ._watch import Verbose, Watch
from ._work import DEPRECATED, RandomState, seed_of, threads_of
from .data import Data, Path, as_data, read, read_unlabelled

Budget = Literal["fast", "normal", "thorough"]
_MANY_ROWS = 65536  # fewer are predicted in one go, which nothing can stop


class Model:
    """What a training yields. Never changes; any number of threads may use it at once.

    Pickles and model files hold the same bytes; `sieve predict` reads the files, too.

    Attributes
    ----------
    info : dict
        Method, options, notes on the training, names of features and labels.
    method : str
    label_names : list of str

    Examples
    --------
    >>> from labelsieve import Model, make_crowd, train
    >>> crowd = make_crowd(rows=200, seed=1)
    >>> model = train(crowd, method="forest", options={"trees": 10})
    >>> again = Model.from_bytes(model.to_bytes())
    >>> bool((again.scores(crowd) == model.scores(crowd)).all())
    True
    >>> model.predict(crowd).shape, model.probabilities(crowd).max() < 1, len(model.to_onnx()) > 1000
    ((200, 12), True, True)
    """

    _handle: lib.Handle

    def __init__(self) -> None:
        raise TypeError("models come from labelsieve.train() and Model.load()")

    @classmethod
    def _of(cls, handle: lib.Handle) -> "Model":
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @classmethod
    def load(cls, path: Path) -> "Model":
        """Reads a model file, as `sieve train` or `save` wrote it."""
        return cls._of(lib.Handle("ls_free_model", "ls_model_load", os.fsencode(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model that `to_bytes` wrote. ModelError for damaged bytes."""
        return cls._of(lib.Handle("ls_free_model", "ls_model_from_bytes", bytes(data), len(data)))

    def to_bytes(self) -> bytes:
        """The bytes of a model file."""
        return lib.bytes_of("ls_model_to_bytes", self._handle)

    def save(self, path: Path, *, force: bool = False) -> None:
        """Writes a model file, which appears only when it is complete. An existing one is replaced
        only with `force`."""
        lib.call("ls_model_save", self._handle, os.fsencode(path), int(force))

    def export(self, path: Path, *, force: bool = False) -> None:
        """Writes what `to_onnx` gives to a file, which appears only when it is complete. An existing
        one is replaced only with `force`."""
        lib.call("ls_model_export", self._handle, os.fsencode(path), int(force))

    def to_onnx(self) -> bytes:
        """The model as an ONNX graph, for other runtimes: from `features`, float [rows, columns], to
        `scores`, `probabilities` and `labels`. ModelError names what ONNX cannot express, such as
        text that becomes features."""
        return lib.bytes_of("ls_model_to_onnx", self._handle, None)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    @cached_property
    def info(self) -> dict:
        """Method, options, notes on the training, names of features and labels."""
        return lib.json_of("ls_model_info", self._handle)

    @property
    def method(self) -> str:
        return self.info["method"]

    @property
    def label_names(self) -> list[str]:
        return self.info["labels"]

    def _predict(self, X: Any, jobs: tuple, verbose: Verbose, function: str, dtype: Any,
                 places: Callable[[int, int], tuple], *by: bytes) -> np.ndarray[Any, Any]:
        threads = threads_of(*jobs)
        if not isinstance(X, Data):
            X = read(X, model=self) if isinstance(X, (str, os.PathLike)) else Data(X)
        out = np.empty((len(X), len(self.label_names)), dtype)
        arguments = (self._handle, X._handle, *by)
        into = places(out.ctypes.data, out.shape[1])
        if len(out) > _MANY_ROWS or verbose:
            watch = Watch(threads=threads, verbose=verbose)
            watch(function, *arguments, c.byref(watch.run), *into)
        else:
            lib.call(function, *arguments, c.byref(lib.Run(1, threads)), *into)
        return out

    def scores(self, X: Any, *, n_jobs: Optional[int] = None, verbose: Verbose = 0,
               threads: Any = DEPRECATED) -> np.ndarray[Any, Any]:
        """How relevant each label is, rows x labels of float32; larger is more.

        X is an array, a sparse matrix, Data, or a file.
        """
        return self._predict(X, (n_jobs, threads), verbose, "ls_predict", np.float32,
                             lambda out, stride: (out, stride, None, 0))

    def predict(self, X: Any, *, guarantee: Optional[str] = None, n_jobs: Optional[int] = None,
                verbose: Verbose = 0, threads: Any = DEPRECATED) -> np.ndarray[Any, Any]:
        """The labels the model decides on, rows x labels of 0 and 1; with `guarantee`, those that
        its thresholds for this promise switch on (see the method `guarantee`)."""
        if guarantee is not None:
            return self._predict(X, (n_jobs, threads), verbose, "ls_predict_guaranteed", np.uint8,
                                 lambda out, stride: (out, stride), lib.text(guarantee, "guarantee"))
        return self._predict(X, (n_jobs, threads), verbose, "ls_predict", np.uint8,
                             lambda out, stride: (None, 0, out, stride))

    def probabilities(self, X: Any, *, n_jobs: Optional[int] = None, verbose: Verbose = 0,
                      threads: Any = DEPRECATED) -> np.ndarray[Any, Any]:
        """The probability that each label is right, strictly between 0 and 1."""
        return self._predict(X, (n_jobs, threads), verbose, "ls_predict_probabilities", np.float32,
                             lambda out, stride: (out, stride))

    def guarantee(self, goal: str, decided: Any, y: Any = None, *, gold: Any = None,
                  level: float = 0.9, n_jobs: Optional[int] = None, **reading: Any) -> "Model":
        """The same model with thresholds that keep a promise about its predictions.

        Parameters
        ----------
        goal : str
            "precision=0.9": of the rows that get a label, at least 90 % have it; "recall=0.9": of
            the rows that have a label, at least 90 % get it; "fdr=0.1" is a precision of 0.9.
        decided : Data, a file, or features
            Rows drawn at random that the model was not trained on, with their right labels (the
            truth, where there is one). A file is read with options of `read`.
        y : labels, optional
            Of features.
        gold : table with the columns item, label and true, optional
            Cells of these rows that an expert decided: they alone count then.
        level : float
            The probability that a promise holds.
        n_jobs
            As for `LabelSieveClassifier`.

        Returns
        -------
        Model
            `predict(X, guarantee=goal)` decides by the thresholds; they are kept in files, too, and
            listed in `info["guarantees"]`.

        Raises
        ------
        DataError
            Where nothing can be promised: it says how many rows are needed.

        Examples
        --------
        >>> from labelsieve import make_crowd, train
        >>> crowd = make_crowd(rows=600)
        >>> model = train(crowd.X[:300], crowd.y[:300], method="pml-ni")
        >>> promising = model.guarantee("recall=0.8", crowd.X[300:], crowd.truth[300:])
        >>> promising.predict(crowd.X[:50], guarantee="recall=0.8").shape
        (50, 12)
        """
        rows = as_data(decided, y, **reading) if not isinstance(decided, (str, os.PathLike)) \
            else read(decided, model=self, **reading)
        cells = None if gold is None else tables.gold_cells(
            gold, tables.row_names(decided, rows.ids, len(rows)), rows.label_names)
        return Model._of(lib.Handle("ls_free_model", "ls_model_guarantee", self._handle,
                                    rows._handle, cells, 0 if cells is None else len(cells),
                                    lib.text(goal, "goal"), level, c.byref(lib.Run(1, threads_of(n_jobs)))))

    def __repr__(self) -> str:
        return (f"<labelsieve.Model: {self.method}, {self.info['features']} features, "
                f"{len(self.label_names)} labels>")


def method_options(options: Optional[Mapping[str, Any]], budget: Optional[str]) -> dict:
    """Options of a method by their keys; `learning_rate` is read as `learning-rate`."""
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f'options are a dict such as {{"trees": 50}}, not {options!r}')
    given = {str(key).replace("_", "-"): value for key, value in (options or {}).items()}
    return {**given, **({"budget": budget} if budget is not None else {})}


def fit(data: Data, method: str, settings: bytes, watch: Watch, gold: Any,
        weights: Optional[np.ndarray[Any, Any]] = None, unlabelled: Optional[Data] = None) -> Model:
    """`gold` are cells as C has them, `weights` one per row."""
    numbers = None if weights is None else np.ascontiguousarray(weights, np.float64)
    training = lib.Training(lib.text(method, "method"), settings, gold, len(gold),
                            None if numbers is None else numbers.ctypes.data,
                            None if unlabelled is None else unlabelled._handle.address)
    return Model._of(lib.Handle("ls_free_model", "ls_train", data._handle, c.byref(training),
                                c.byref(watch.run), by=watch))


def train(data: Union[Data, Path, Any], y: Any = None, *, method: "Method" = "blend",
          options: Optional[Mapping[str, Any]] = None, budget: Optional[Budget] = None,
          random_state: RandomState = 1, n_jobs: Optional[int] = None, verbose: Verbose = 0,
          gold: Any = None, unlabelled: Any = None, seed: Any = DEPRECATED,
          threads: Any = DEPRECATED, **reading: Any) -> Model:
    """Learns a model from candidate labels.

    Parameters
    ----------
    data : Data, a file, or features
        A file is read with options of `read`. Where it is known who ticked what, the model learns
        from what the votes make likely.
    y : candidates, optional
        Of features, as for `LabelSieveClassifier`.
    method, options, budget, random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.
    gold : table with the columns item, label and true, optional
        Cells that an expert decided, which are learnt as they are.
    unlabelled : features, Data or a file, optional
        Rows that nobody annotated, with the same columns: blend learns from them, too. A file is read
        like that of the data, and its labels are not looked at.

    Returns
    -------
    Model
        The same as of `sieve train`, bit for bit.

    Raises
    ------
    UsageError, DataError, TrainingError
        For settings that make no sense, data that was refused, a training that diverged.

    Examples
    --------
    >>> from labelsieve import make_crowd
    >>> model = train(make_crowd(rows=200), method="forest", options={"trees": 20})
    >>> model
    <labelsieve.Model: forest, 60 features, 12 labels>
    """
    watch = Watch(seed=seed_of(random_state, seed), threads=threads_of(n_jobs, threads),
                  verbose=verbose)
    if y is not None and not isinstance(data, (Data, str, os.PathLike)):
        tables.warn_of_order(data, y, 2)
        y, names = rows_by_labels(y)
        y = unasked_as_candidates(y, names)
        reading = {"label_names": names, **reading}
    rows = as_data(data, y, **reading)
    return fit(rows, method, lib.settings(method_options(options, budget)), watch,
               tables.gold_cells(gold, tables.row_names(data, rows.ids, len(rows)),
                                 rows.label_names),
               unlabelled=_rows_alone(unlabelled, rows, reading))


def _rows_alone(unlabelled: Any, like: Data, reading: Mapping[str, Any]) -> Optional[Data]:
    if isinstance(unlabelled, (str, os.PathLike)):
        return read_unlabelled(unlabelled, like, reading)
    return None if unlabelled is None else as_data(unlabelled)


class Measures(Dict[str, float]):
    """Numbers by the names of their measures; also with underscores, and as attributes."""

    def __missing__(self, name: str) -> float:
        plain = name.replace("_", "-") if isinstance(name, str) else name
        if plain not in self.keys():
            raise KeyError(name)
        return self[plain]

    def __getattr__(self, name: str) -> float:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no measure '{name}'") from None


def evaluate(truth: Any, scores: Any = None, decisions: Any = None, *, candidates: Any = None,
             ties: Literal["sklearn", "matlab"] = "sklearn",
             degenerate: Literal["skip", "library"] = "skip",
             zero_division: float = 0) -> "Measures":
    """The measures that scores, decisions or both allow, by name; NaN where one is not defined.

    Parameters
    ----------
    truth : array, table or sparse matrix of 0 and 1, rows x labels
    scores : array or table of numbers, optional
        Larger is more relevant. Tables whose rows and columns are named as those of the truth, in any
        order, meet it by name; arrays, and tables with names of their own, by position.
    decisions : like the truth, optional
    candidates : like the truth, optional
        Scores are then also measured on separating right candidates from noise.
    ties, degenerate, zero_division
        How ties, rows without or with all labels, and divisions by zero count.

    Returns
    -------
    Measures
        A dict; `measures["micro-f1"]` is also `measures.micro_f1`.

    Raises
    ------
    UsageError
        Where there is nothing to measure.

    Examples
    --------
    >>> measures = evaluate([[1, 0], [0, 1]], scores=[[0.9, 0.2], [0.3, 0.4]])
    >>> measures.average_precision, measures["average-precision"]
    (1.0, 1.0)
    """
    def meeting(given: Any, what: str) -> Any:
        return tables.aligned(given, truth.index, truth.columns, what) if tables.is_table(truth) else given
    parts = [arrays.labels(candidates_of(truth)[0]), None, None, None]
    if scores is not None:
        parts[1] = arrays.features(np.asarray(meeting(scores, "scores")))
    for place, given, what in ((2, decisions, "decisions"), (3, candidates, "candidates")):
        if given is not None:
            parts[place] = arrays.labels(candidates_of(meeting(given, what))[0])
    pointers = [c.byref(part[0]) if part is not None else None for part in parts]
    told = lib.json_of("ls_evaluate", *pointers, lib.settings(
        {"ties": ties, "degenerate": degenerate, "zero_division": zero_division}))
    return Measures({name: float("nan") if one["value"] is None else one["value"]
                     for name, one in told.items()})


def methods() -> dict[str, dict]:
    """The learning methods by name, each with a summary and its table of options.

    Returns
    -------
    dict

    Examples
    --------
    >>> methods()["forest"]["options"][0]["key"]
    'trees'
    """
    return {one["name"]: one for one in lib.json_of("ls_methods")["methods"]}
