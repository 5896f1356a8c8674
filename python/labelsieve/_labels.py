"""Candidates y in all the forms that people have them."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import as_pandas, is_sparse
from ._library import DataError

_PLAIN = {"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}


def is_missing(value: Any) -> bool:
    """None, NaN and pandas.NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or \
        isinstance(value, float) and value != value


def _sets_of_names(y: Any) -> Optional[list]:
    """The rows of y, if each is a set of names or a list that has them; else None."""
    if is_sparse(y) or hasattr(y, "columns") or isinstance(y, (str, bytes)):
        return None
    if isinstance(y, np.ndarray) and (y.ndim != 1 or y.dtype != object):
        return None
    try:
        rows = list(y)
    except TypeError:
        return None
    listed = [isinstance(row, (list, tuple, set, frozenset)) for row in rows]
    if not any(listed):
        return None
    if not all(listed):
        raise DataError(f"row {listed.index(False)} of y is no list of names, as others are",
                        "give an empty list where a row has no label")
    if any(isinstance(row, (set, frozenset)) or any(isinstance(one, str) for one in row)
           for row in rows):
        return rows
    if len({len(row) for row in rows}) > 1:
        raise DataError("rows of y are lists of numbers of several lengths",
                        "give sets of names, {1, 2}, or 0 and 1 for each label")
    return None


def _plain(y: Any) -> Any:
    """A table or a column as an array, without the types of pandas alone: what is missing is NaN."""
    kinds = {getattr(one, "kind", "O") for one in (y.dtypes if hasattr(y, "columns") else [y.dtype])}
    missing = np.asarray(y.isna())
    if kinds <= set(_PLAIN):
        if missing.any():
            return y.to_numpy(np.float64, na_value=np.nan)
        return y.to_numpy(_PLAIN[kinds.pop()] if len(kinds) == 1 else np.float64)
    values = y.to_numpy()
    if missing.ndim == 2 and all(isinstance(one, (int, float, np.number, np.bool_))
                                 for one in values[~missing]):
        return np.where(missing, np.nan, values).astype(np.float64)
    return values


def candidates_of(y: Any) -> tuple[Any, Optional[list]]:
    """Candidates as rows x labels, or one class per row, and what the labels are called where y says
    it.

    >>> candidates_of([{"cat"}, [], {"dog", "cat"}])[1]
    ['cat', 'dog']
    """
    y = as_pandas(y)
    rows = _sets_of_names(y)
    if rows is None:
        names = list(y.columns) if hasattr(y, "columns") else None
        plain = _plain(y) if hasattr(y, "isna") else y
        if getattr(plain, "dtype", None) == object and plain.ndim == 1 and \
                any(map(is_missing, plain)):
            raise DataError("Input y contains NaN: a row without a class", "leave such rows out")
        return plain, names
    for number, row in enumerate(rows):
        if any(map(is_missing, row)):
            raise DataError(f"row {number} of y has a label without a name: {row!r}")
    classes = in_order({one for row in rows for one in row})
    place = {name: number for number, name in enumerate(classes)}
    from scipy.sparse import csr_matrix
    columns = [place[one] for row in rows for one in dict.fromkeys(row)]
    starts = np.cumsum([0, *(len(set(row)) for row in rows)])
    found = csr_matrix((np.ones(len(columns), np.uint8), columns, starts),
                       shape=(len(rows), len(classes)))
    found.sort_indices()
    return found, classes


def in_order(names: Any) -> list:
    try:
        return sorted(names)
    except TypeError:  # names of several kinds
        return sorted(names, key=str)


def array_of_names(names: Sequence[Any]) -> Any:
    """Names as they are, each one element: NumPy would make texts of numbers beside texts, and rows
    of tuples."""
    if len({type(one) for one in names}) <= 1 and not (names and isinstance(names[0], tuple)):
        return np.asarray(names)
    found = np.empty(len(names), object)
    found[:] = names
    return found


def one_class_per_row(y: Any) -> tuple[Any, Any]:
    """Rows x classes with one candidate in each row, and the classes."""
    classes, index = np.unique(y, return_inverse=True)
    from scipy.sparse import csr_matrix
    return csr_matrix((np.ones(len(index), np.uint8), index, np.arange(len(index) + 1)),
                      shape=(len(index), len(classes))), classes


def rows_by_labels(y: Any) -> tuple[Any, Optional[list]]:
    """Candidates as rows x labels, also where y has one class per row, and the names of the labels."""
    y, names = candidates_of(y)
    if is_sparse(y):
        return y, names
    array = np.asarray(y)
    if array.ndim != 1:
        return array, names
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.round(array))).all():
        raise DataError("y has one number per row, its class, and some are not whole",
                        "give whole numbers or names, or 0 and 1 for rows x labels")
    cells, classes = one_class_per_row(array)
    return cells, classes.tolist()


def unasked_as_candidates(y: Any, names: Optional[list]) -> Any:
    """y of several columns with 1 in the place of NaN: where nobody was asked, the label may be right,
    which is what a candidate is. As 0, it would be learnt to be wrong."""
    if is_sparse(y) or getattr(y, "ndim", 2) != 2:
        return y
    try:
        values = np.asarray(y)
    except ValueError:  # rows of several lengths: others say what is wrong with them
        return y
    if values.ndim != 2 or values.shape[1] < 2 or values.dtype.kind != "f":
        return y
    unasked = np.isnan(values)
    if not unasked.any():
        return y
    if unasked.all(axis=0).any():
        label = int(np.flatnonzero(unasked.all(axis=0))[0])
        raise DataError(f"nobody was asked about the label {names[label] if names else label!r}",
                        "leave out labels that are NaN in every row")
    return np.where(unasked, 1, values)
