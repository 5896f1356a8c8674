"""Arrays of NumPy and SciPy as the C interface sees them, without a copy where it can read them."""
from __future__ import annotations

import ctypes as c
import os
from typing import Any, Optional

import numpy as np

from . import _library as lib
from ._library import DataError


def is_sparse(x: Any) -> bool:
    return hasattr(x, "tocsr")


def is_table(given: Any) -> bool:
    return hasattr(given, "columns") and hasattr(given, "iloc")


def as_pandas(given: Any) -> Any:
    """A table of another package, such as polars, as a DataFrame; anything else as it is."""
    if is_table(given) or not isinstance(getattr(given, "columns", None), (list, tuple)):
        return given
    import pandas
    return pandas.DataFrame({name: list(given[name]) for name in given.columns})


def _pointer(array: Any) -> Optional[int]:
    return array.ctypes.data if array is not None else None


def _integers(values: Any, what: str) -> Any:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what} without names are whole numbers: rows, annotators and labels counted "
                        "from 0", "names go in a table whose columns are called as the documentation says")
    return np.ascontiguousarray(array, dtype=np.int64)


def _csr(x: Any, values: Any) -> tuple[lib.Matrix, tuple]:
    index = np.int64 if x.indptr.dtype == np.int64 or x.indices.dtype == np.int64 else np.int32
    starts, columns = (np.ascontiguousarray(part, dtype=index) for part in (x.indptr, x.indices))
    kind = lib.INT64 if index is np.int64 else lib.INT32
    matrix = lib.Matrix(*x.shape, _pointer(values), lib.UINT8, kind, 0, _pointer(starts),
                        _pointer(columns))
    return matrix, (values, starts, columns)


def _real(array: Any) -> Any:
    """The same numbers in a type that the library reads."""
    if array.dtype in (np.float32, np.float64) and array.dtype.isnative and array.flags.aligned:
        return array
    if array.dtype.kind not in "fiub":
        raise DataError(f"features are numbers, not {array.dtype}",
                        "turn text into columns first, or read the table with labelsieve.read")
    return array.astype(np.float64)


def _dense(array: Any, kind: int) -> tuple[lib.Matrix, tuple]:
    """Rows may lie apart, numbers of a row may not."""
    size = array.itemsize
    by_row, by_column = array.strides
    if (array.shape[1] > 1 and by_column != size) or by_row < size * array.shape[1] or by_row % size:
        array = np.ascontiguousarray(array)
        by_row = array.strides[0]
    stride = max(by_row // size, array.shape[1])
    return lib.Matrix(*array.shape, _pointer(array), kind, 0, stride, None, None), (array,)


def features(x: Any) -> tuple[lib.Matrix, tuple]:
    """The matrix, and what has to live as long."""
    if is_sparse(x):
        x = x.tocsr()
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        values = np.ascontiguousarray(_real(x.data))
        matrix, kept = _csr(x, values)
    else:
        array = np.asarray(x)
        if array.ndim != 2:
            raise DataError(f"features are rows x columns, not an array of {array.ndim} dimensions")
        values = _real(array)
        matrix, kept = _dense(values, 0)
    matrix.type = lib.FLOAT32 if values.dtype == np.float32 else lib.FLOAT64
    return matrix, kept


def labels(y: Any) -> tuple[lib.Matrix, tuple]:
    """0 and 1 for rows x labels, dense or sparse."""
    if is_sparse(y):
        y = y.tocsr()
        if not np.isin(y.data, (0, 1)).all():
            raise DataError("labels are 0 or 1")
        if not y.data.all():
            y = y.copy()
            y.eliminate_zeros()
        return _csr(y, None)
    array = np.asarray(y)
    if array.ndim != 2:
        raise DataError(f"labels are rows x labels, not an array of {array.ndim} dimensions")
    if array.dtype == np.bool_:
        return _dense(array.view(np.uint8), lib.UINT8)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise DataError("labels are 0 or 1, and some are NaN",
                        "give 0 where nobody assigned the label; classifiers and train() also take NaN, "
                        "for labels that nobody was asked about")
    if array.dtype.kind not in "fiu" or not np.isin(array, (0, 1)).all():
        raise DataError("labels are 0 or 1")
    return _dense(array.astype(np.uint8), lib.UINT8)


def columns_of(table: Any, count: int, what: str) -> list:
    """The columns of an array of n x count or of a table, or `count` arrays of n each."""
    if isinstance(table, (str, os.PathLike)):
        raise TypeError(f"{what} are a table or arrays, not the name of a file; "
                        f"labelsieve.read(annotations={os.fspath(table)!r}) reads one")
    if hasattr(table, "iloc"):
        parts = [table.iloc[:, j].to_numpy() for j in range(table.shape[1])]
    else:
        array = np.asarray(table) if not isinstance(table, tuple) else None
        parts = list(table) if array is None else list(array.reshape(len(array), -1).T) \
            if array.size else [np.zeros(0, np.int64)] * count
    if len(parts) != count or len({len(part) for part in parts}) > 1:
        raise DataError(f"{what} have {count} columns of one length")
    return [_integers(part, what) for part in parts]


def votes(ticks: Any, looked: Any, annotators: Any) -> tuple[lib.Votes, tuple]:
    row, person, label = columns_of(ticks, 3, "votes") \
        if ticks is not None else [np.zeros(0, np.int64)] * 3
    look_row, look_person = columns_of(looked, 2, "looks") \
        if looked is not None else [np.zeros(0, np.int64)] * 2
    kept = (row, person, label, look_row, look_person)
    at = [array.ctypes.data_as(lib.Integers) for array in kept]
    names = lib.texts(annotators)
    return lib.Votes(len(row), *at[:3], len(look_row), *at[3:], len(annotators or ()), names), \
        (kept, names)


def unsure(whole: lib.Arrays, said: Any) -> tuple:
    """Sets the votes that say neither yes nor no."""
    kept = columns_of(said, 3, "unsure votes")
    whole.unsure = len(kept[0])
    whole.unsure_row, whole.unsure_person, whole.unsure_label = \
        (array.ctypes.data_as(lib.Integers) for array in kept)
    return tuple(kept)


def grades(whole: lib.Arrays, said: Any) -> Any:
    """Sets the grade of each tick."""
    kept = _integers(np.asarray(said).ravel(), "grades")
    if len(kept) != whole.votes.ticks or (len(kept) and not 0 <= kept.min() <= kept.max() <= 255):
        raise DataError("grades are a number from 0 to 255 for each tick of votes")
    kept = kept.astype(np.uint8)
    whole.grade = kept.ctypes.data_as(c.POINTER(c.c_uint8))
    return kept


def grades_of(whole: lib.Arrays) -> Any:
    return np.ctypeslib.as_array(whole.grade, (whole.votes.ticks,)).copy() if whole.grade else None


def kinds(whole: lib.Arrays, annotators: Any, programs: Any, groups: Any) -> tuple:
    """Says who is a program, and who belongs together."""
    names = [str(one) for one in annotators or ()]
    group = {str(name): which for name, which in (groups or {}).items()}
    unknown = sorted(({str(one) for one in programs or ()} | set(group)) - set(names))
    if unknown:
        raise DataError(f"{unknown[0]!r} is none of the annotators", "annotators= names them")
    number = {which: place for place, which in enumerate(dict.fromkeys(group.values()))}
    program = {str(one) for one in programs or ()}
    flags = np.array([name in program for name in names], np.uint8)
    of_groups = np.array([number[group[name]] if name in group else -1 for name in names], np.int64)
    if program:
        whole.program = flags.ctypes.data_as(c.POINTER(c.c_uint8))
    if group:
        whole.group = of_groups.ctypes.data_as(lib.Integers)
    return flags, of_groups


def labels_voted_on(labels: list, y: Any, truth: Any, names: Any) -> int:
    """How many labels there are: those of the labels given (0 stands for that), else the names tell,
    else the highest number among these."""
    if y is not None or truth is not None:
        return 0
    return len(names) if names is not None else \
        max((int(part.max(initial=-1)) for part in labels), default=-1) + 1


def rows_voted_on(whole: lib.Arrays) -> int:
    """One more than the highest row that anybody looked at."""
    last = -1
    votes = whole.votes
    for count, rows in ((votes.ticks, votes.row), (votes.looks, votes.look_row),
                        (whole.unsure, whole.unsure_row)):
        if count:
            last = max(last, int(np.ctypeslib.as_array(rows, (count,)).max()))
    return last + 1


def rows_of(x: Any) -> int:
    return 0 if x is None else x.shape[0] if hasattr(x, "shape") else len(x)


# ---- the other way round ------------------------------------------------------------------------

def _array(address: Any, shape: Any, dtype: Any, owner: Any, strides: Any = None) -> Any:
    """An array on memory of the library's, which `owner` keeps."""
    shape = (shape,) if isinstance(shape, int) else shape
    if not address or 0 in shape:
        return np.zeros(shape, dtype)
    dtype = np.dtype(dtype)
    last = (shape[0] - 1) * strides[0] + shape[1] * dtype.itemsize if strides else \
        shape[0] * dtype.itemsize
    memory = (c.c_char * last).from_address(address)
    memory.owner = owner
    array: Any = np.ndarray(shape, dtype, memory, strides=strides)
    array.flags.writeable = False
    return array


def array_of(matrix: lib.Matrix, owner: Any) -> Any:
    """Features as an array, or as a CSR matrix where they are sparse; labels as a CSR matrix."""
    shape = (matrix.rows, matrix.cols)
    real = np.dtype(np.float64 if matrix.type == lib.FLOAT64 else np.float32)
    if not matrix.starts:
        size = real.itemsize
        return _array(matrix.values, shape, real, owner, (matrix.stride * size, size))
    from scipy.sparse import csr_matrix
    index = np.int64 if matrix.index == lib.INT64 else np.int32
    starts = _array(matrix.starts, matrix.rows + 1, index, owner)
    count = int(starts[-1])
    columns = _array(matrix.columns, count, index, owner)
    values = np.ones(count, np.uint8) if matrix.type == lib.UINT8 else \
        _array(matrix.values, count, real, owner)
    made = csr_matrix(shape, dtype=values.dtype)
    made.data, made.indices, made.indptr = values, columns, starts
    return made


def integers_of(pointers: list, count: int) -> Any:
    """Columns of whole numbers, as one array of count x columns."""
    return np.array([np.ctypeslib.as_array(one, (count,)) for one in pointers]).T \
        if count else np.zeros((0, len(pointers)), np.int64)
