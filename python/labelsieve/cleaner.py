"""Which labels are wrong, which are missing, and whom to trust."""
from __future__ import annotations

import ctypes as c
import warnings
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _arrays as arrays
from . import _library as lib
from ._watch import Verbose, Watch
from .classifier import validated
from .data import Data
from .model import learner_settings


class LabelCleaner(BaseEstimator):
    """Judges every candidate label by models that have not seen its row, and by who ticked what.

    Parameters
    ----------
    method, options, budget, seed, threads, verbose
        As for `LabelSieveClassifier`.
    folds : int, default=5
        How many models judge the others' rows; methods that judge rows they did not see need none.
    threshold : float, optional
        Less probable candidates are not among `labels_`; a row keeps its best one. By default 0.5,
        and 0 where annotators cannot be compared: every tick is then kept. Of two labels that
        nobody ticks together, `labels_` has the likelier one at most.

    Attributes
    ----------
    probabilities_ : array of float32, rows x labels
        The probability that each candidate is right; 0 where there is no candidate.
    labels_ : array of 0 and 1, rows x labels
        The candidates that are kept.
    noise_rates_ : array, one per label
        The share of a label's candidates that are wrong; NaN for a label that is never one.
    noise_claim_ : dict or None
        The share of all candidates that are wrong, as a guess: value, low, high, level, truth,
        basis and text. None where nothing can be claimed.
    noise_claims_ : list, one per label
        The same of each label.
    missing_ : table of row, label, probability
        Labels that nobody ticked but that are likely right, the likeliest first. None without votes.
    annotators_ : table, one row per annotator
        Rates at which they tick right and wrong labels, with the ranges of guesses. None without votes, and
        where too few rows have two annotations to compare annotators: a warning then says so, and
        the labels are judged as if there were no votes.
    report_ : dict
        All that `sieve clean --json` tells.

    `people_` and `confidence_` are earlier names of `annotators_` and `probabilities_`.

    Tables are DataFrames where pandas is installed, else lists of dicts.

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

    def __init__(self, method: str = "blend", *, options: Optional[Mapping[str, Any]] = None,
                 budget: Optional[str] = None, folds: int = 5, threshold: Optional[float] = None,
                 seed: int = 1, threads: int = 0, verbose: Verbose = 0):
        self.method = method
        self.options = options
        self.budget = budget
        self.folds = folds
        self.threshold = threshold
        self.seed = seed
        self.threads = threads
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, votes: Any = None, looked: Any = None, gold: Any = None,
            annotators: Optional[Sequence] = None, label_names: Optional[Sequence] = None,
            ids: Optional[Sequence] = None, people: Optional[Sequence] = None) -> "LabelCleaner":
        """Judges the candidates y of the rows X, or what annotators ticked.

        X is an array, a sparse matrix or Data, which brings candidates and votes along. `votes` are
        (row, annotator, label), `looked` (row, annotator), both counted from 0; see `Data`. `gold` are
        cells that an expert decided: (row, label, 0 or 1).
        """
        if isinstance(X, Data):
            data = X
        else:
            if y is None and votes is None:
                raise ValueError("there is nothing to clean: give candidates y, votes, or both")
            if label_names is None and hasattr(y, "columns"):
                label_names = list(y.columns)
            X = validated(self, X)
            data = Data(X, y, votes=votes, looked=looked, annotators=annotators, people=people,
                        label_names=label_names, ids=ids)
        self.label_names_, self._ids = data.label_names, data.ids
        self._candidates = data.y
        self._take(self._judged(data, _gold_cells(gold)), gold is not None)
        return self

    def _judged(self, data: Data, gold: Any) -> lib.Handle:
        watch = Watch(seed=self.seed, threads=self.threads, verbose=self.verbose)
        return lib.Handle("ls_free_cleaning", "ls_clean", data._handle, self.method.encode(),
                          learner_settings(self.options, self.budget),
                          lib.whole_number(self.folds, "folds", len(data)), gold, len(gold),
                          c.byref(watch.run), by=watch)

    def _take(self, cleaning: lib.Handle, decided: bool) -> None:
        shape = self._candidates.shape
        self.probabilities_ = np.empty(shape, np.float32)
        self.labels_ = np.empty(shape, np.uint8)
        threshold = self.threshold
        if threshold is None:
            names = "names_ignored" not in lib.json_of("ls_cleaning_info", cleaning, 0.5)
            threshold = 0.5 if names or decided else 0.0
        lib.call("ls_cleaning_cells", cleaning, threshold, self.probabilities_.ctypes.data,
                 self.labels_.ctypes.data)
        self.report_ = lib.json_of("ls_cleaning_info", cleaning, threshold)
        self.noise_rates_ = np.array([float("nan") if one["estimated_noise"] is None else
                                      one["estimated_noise"] for one in self.report_["per_label"]])
        self.noise_claim_ = self.report_.get("noise_claim")
        self.noise_claims_ = [one.get("noise_claim") for one in self.report_["per_label"]]
        ignored = self.report_.get("names_ignored")
        if ignored:
            warnings.warn(f"names are ignored: {ignored}", UserWarning, stacklevel=3)
        known = "annotators" in self.report_
        self.annotators_ = table([_flat(one) for one in self.report_["annotators"]]) if known else None
        self.missing_ = self._cells(_missing_cells(cleaning), "probability") if known else None

    def suspects(self, most: Optional[int] = None) -> Any:
        """The candidates, the most suspicious first: row, label and probability of each.

        A DataFrame where pandas is installed, else a list of dicts. At most `most`.
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


def table(rows: list[dict], columns: Optional[list[str]] = None) -> Any:
    """A DataFrame where there is pandas, else the rows as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=columns)


def _flat(annotator: dict) -> dict:
    """{"rate": {"value": ..., "low": ...}} as {"rate": ..., "rate_low": ...}."""
    flat = {}
    for key, value in annotator.items():
        if not isinstance(value, dict):
            flat[key] = value
            continue
        for part in ("value", "low", "high"):
            flat[key if part == "value" else f"{key}_{part}"] = value[part]
    return flat


def _gold_cells(gold: Any) -> Any:
    if gold is None:
        return (lib.Cell * 0)()
    row, label, right = arrays.columns_of(gold, 3, "gold cells")
    if (row < 0).any() or (label < 0).any() or not np.isin(right, (0, 1)).all():
        raise lib.DataError("gold cells are (row, label, 0 or 1), counted from 0")
    return (lib.Cell * len(row))(*zip(row.tolist(), label.tolist(), right.tolist()))


def _missing_cells(cleaning: lib.Handle) -> list[tuple[int, int, float]]:
    cells, count = c.POINTER(lib.Cell)(), c.c_size_t()
    lib.call("ls_cleaning_missing", cleaning, c.byref(cells), c.byref(count))
    return [(cells[i].row, cells[i].label, cells[i].value) for i in range(count.value)]
