"""Work on votes alone: who said what about which item, by name and without features."""
from __future__ import annotations

import csv
import ctypes as c
import os
import pathlib
import tempfile
import warnings
from typing import Any, Union

import numpy as np

from . import _library as lib
from .data import Data, Path, read

Votes = Union[Data, Path, Any]


def _data_of(votes: Votes, item: str, annotator: str, label: str, options: dict) -> Data:
    if isinstance(votes, Data):
        return votes
    if isinstance(votes, (str, os.PathLike)):
        return read(annotations=votes, **options)
    if not hasattr(votes, "columns"):
        raise TypeError("votes are a DataFrame, a file of annotations or Data, not "
                        f"{type(votes).__name__}")
    for name in (item, annotator, label):
        if list(votes.columns).count(name) != 1:
            raise lib.DataError(f"the table needs one column '{name}'",
                                "name the columns with item=, annotator= and label=")
    parts = [votes[name].astype(object) for name in (item, annotator, label)]
    if not len(votes):
        raise lib.DataError("the table of votes is empty")
    for name, part in ((item, parts[0]), (annotator, parts[1])):
        if part.isna().any():
            raise lib.DataError(f"the column '{name}' has {int(part.isna().sum())} empty cells",
                                "leave those rows out")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "votes.csv"
        with open(file, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(("item", "annotator", "label"))
            writer.writerows(zip(parts[0], parts[1], parts[2].where(parts[2].notna(), "")))
        return read(annotations=file, **{"annotation_format": "long", "annotation_separator": "none",
                                         **options})


def aggregate(votes: Votes, *, how: str = "annotators", least: int = 2, item: str = "item",
              annotator: str = "annotator", label: str = "label", threads: int = 0,
              **options: Any) -> Any:
    """How likely each label of each item is, by what annotators said; as `sieve aggregate`.

    `votes` is a DataFrame with a row for each item, annotator and label (an empty label: looked and
    found none), a file of annotations with options of `read`, or Data. `how` is "annotators",
    "dawid-skene", "one-coin", "majority", "at-least" (`least` of them), "share" or "union".

    Returns a DataFrame of items x labels, or an array where pandas is missing. A UserWarning says so
    where annotators cannot be compared; shares of ticks are given then. DataError for what is no
    table of votes.

    >>> import pandas
    >>> said = pandas.DataFrame({"item": ["a", "a", "b", "b"], "annotator": ["ann", "bob"] * 2,
    ...                          "label": ["cat", "cat", "dog", "cat"]})
    >>> aggregate(said, how="share").loc["b", "dog"]
    0.5
    """
    data = _data_of(votes, item, annotator, label, options)
    found = np.empty((len(data), len(data.label_names)), np.float32)
    ignored = c.c_void_p()
    lib.call("ls_aggregate", data._handle, how.encode(),
             lib.whole_number(least, "least", 2 ** 32), c.byref(lib.run_of(1, threads)),
             found.ctypes.data, c.byref(ignored))
    why = c.string_at(ignored.value or b"").decode()
    lib.library.ls_free_text(ignored)
    if why:
        warnings.warn(f"names are ignored: {why}", UserWarning, stacklevel=2)
    try:
        import pandas
    except ImportError:
        return found
    return pandas.DataFrame(found, index=data.ids, columns=data.label_names)


def agreement(votes: Votes, *, resamples: int = 1000, seed: int = 1, item: str = "item",
              annotator: str = "annotator", label: str = "label", threads: int = 0,
              **options: Any) -> dict:
    """How far annotators agree, all that `sieve agree --json` tells. `votes` as for `aggregate`."""
    data = _data_of(votes, item, annotator, label, options)
    return lib.json_of("ls_agreement", data._handle,
                       lib.whole_number(resamples, "resamples", 10 ** 6),
                       c.byref(lib.run_of(seed, threads)))
