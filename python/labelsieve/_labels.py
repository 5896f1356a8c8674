"""Candidates y in all the forms that people have them."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import is_sparse
from ._library import DataError


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
    if not rows or not all(isinstance(row, (list, tuple, set, frozenset)) for row in rows):
        return None
    named = any(isinstance(row, (set, frozenset)) or any(isinstance(one, str) for one in row)
                for row in rows)
    return rows if named else None


def candidates_of(y: Any) -> tuple[Any, Optional[list]]:
    """Candidates as rows x labels, and what the labels are called where y says it.

    >>> candidates_of([{"cat"}, [], {"dog", "cat"}])[1]
    ['cat', 'dog']
    """
    rows = _sets_of_names(y)
    if rows is None:
        return y, list(y.columns) if hasattr(y, "columns") else None
    names = {one for row in rows for one in row}
    try:
        classes = sorted(names)
    except TypeError:  # names of several kinds
        classes = sorted(names, key=str)
    place = {name: number for number, name in enumerate(classes)}
    from scipy.sparse import csr_matrix
    columns = [place[one] for row in rows for one in dict.fromkeys(row)]
    starts = np.cumsum([0, *(len(set(row)) for row in rows)])
    found = csr_matrix((np.ones(len(columns), np.uint8), columns, starts),
                       shape=(len(rows), len(classes)))
    found.sort_indices()
    return found, classes


def unasked_as_candidates(y: Any, names: Optional[list]) -> Any:
    """y of several columns with 1 in the place of NaN: where nobody was asked, the label may be right,
    which is what a candidate is. As 0, it would be learnt to be wrong."""
    if is_sparse(y) or getattr(y, "ndim", 2) != 2:
        return y
    if hasattr(y, "isna"):
        unasked = y.isna().to_numpy()
        values = y.to_numpy(object) if unasked.any() else None
    else:
        try:
            values = np.asarray(y)
        except ValueError:  # rows of several lengths: others say what is wrong with them
            return y
        if values.ndim != 2 or values.shape[1] < 2 or values.dtype.kind != "f":
            return y
        unasked = np.isnan(values)
    if values is None or not unasked.any():
        return y
    if unasked.all(axis=0).any():
        label = int(np.flatnonzero(unasked.all(axis=0))[0])
        raise DataError(f"nobody was asked about the label {names[label] if names else label!r}",
                        "leave out labels that are NaN in every row")
    return np.where(unasked, 1, values).astype(float)
