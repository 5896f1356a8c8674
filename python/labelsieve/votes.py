"""Work on votes alone: who said what about which item, by name and without features."""
from __future__ import annotations

import ctypes as c
import os
import warnings
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

import numpy as np

from . import _library as lib
from . import _tables as tables
from ._work import RandomState, seed_of, threads_of
from .data import Data, Path, check_unread, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReadOptions

Votes = Union[Data, Path, Any]
How = Literal["annotators", "dawid-skene", "one-coin", "majority", "at-least", "share", "union"]


def data_of(votes: Votes, columns: tuple[str, str, str], options: dict) -> tuple[Data, Any]:
    """Data of whatever says who ticked what, and the same as a table with these columns, if it is
    one."""
    if isinstance(votes, Data):
        check_unread(options)
        return votes, votes
    if isinstance(votes, (str, os.PathLike)):
        return read(annotations=votes, **options), votes
    votes = tables.votes_table(votes, columns)
    if not tables.is_table(votes):
        raise TypeError("votes are a DataFrame, a file of annotations or Data, not "
                        f"{type(votes).__name__}")
    return tables.read_votes(votes, columns, options), votes


def table(rows: list[dict], columns: Optional[list[str]] = None) -> Any:
    """A DataFrame where there is pandas, else the rows as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=columns)


def flat(row: dict) -> dict:
    """{"rate": {"value": ..., "low": ...}} as {"rate": ..., "rate_low": ...}, with what a claim rests on."""
    found = {}
    for key, value in row.items():
        if not isinstance(value, dict):
            found[key] = value
            continue
        for part in ("value", "low", "high", "level", "truth", "basis"):
            found[key if part == "value" else f"{key}_{part}"] = value[part]
    return found


def renamed(rows: list[dict], votes: Votes, **columns: str) -> list[dict]:
    """The same rows with names as they stand in these columns of the table of votes."""
    for key, name in columns.items():
        found = tables.as_given(votes, name, [row.get(key) for row in rows])
        rows = [{**row, key: value} if key in row else row for row, value in zip(rows, found)]
    return rows


def warn_of_names(why: Optional[str], level: int) -> None:
    if why:
        warnings.warn(f"names are ignored: {why}", UserWarning, stacklevel=level + 1)


def aggregate(votes: Votes, *, how: How = "annotators", least: int = 2, item: str = "item",
              annotator: str = "annotator", label: str = "label", n_jobs: Optional[int] = None,
              **options: "Unpack[ReadOptions]") -> Any:
    """How likely each label of each item is, by what annotators said; as `sieve aggregate`.

    Parameters
    ----------
    votes : DataFrame, file of annotations or Data
        A table has a row for each item, annotator and label; an empty label says that the annotator
        looked and found none. The columns task and worker of crowd-kit are known. A file is read
        with options of `read`.
    how : str
        "annotators" (each annotator's habits count), "dawid-skene", "one-coin", "majority",
        "at-least" (`least` of them), "share" or "union".
    least : int
        For "at-least".
    item, annotator, label : str
        The columns of a table.
    n_jobs : int or None
        As for `LabelSieveClassifier`.

    Returns
    -------
    DataFrame of items x labels, or an array where pandas is missing
        A UserWarning says so where annotators cannot be compared; shares of ticks are given then.

    Raises
    ------
    DataError
        For what is no table of votes.

    Examples
    --------
    >>> import pandas
    >>> said = pandas.DataFrame({"item": ["a", "a", "b", "b"], "annotator": ["ann", "bob"] * 2,
    ...                          "label": ["cat", "cat", "dog", "cat"]})
    >>> aggregate(said, how="share").loc["b", "dog"]
    0.5
    """
    data, votes = data_of(votes, (item, annotator, label), dict(options))
    found = np.empty((len(data), len(data.label_names)), np.float32)
    ignored = c.c_void_p()
    lib.call("ls_aggregate", data._handle, lib.text(how, "how"),
             lib.whole_number(least, "least", 2 ** 32), c.byref(lib.Run(1, threads_of(n_jobs))),
             found.ctypes.data, c.byref(ignored))
    why = c.string_at(ignored.value or b"").decode()
    lib.library.ls_free_text(ignored)
    warn_of_names(why, 2)
    try:
        import pandas
    except ImportError:
        return found
    index = pandas.Index(range(len(data)) if data.ids is None
                         else tables.as_given(votes, item, data.ids), name=item)
    return pandas.DataFrame(found, index, pandas.Index(
        tables.as_given(votes, label, data.label_names), name=label))


def agreement(votes: Votes, *, resamples: int = 1000, random_state: RandomState = 1, item: str = "item",
              annotator: str = "annotator", label: str = "label", n_jobs: Optional[int] = None,
              **options: "Unpack[ReadOptions]") -> dict:
    """How far annotators agree, as papers print it; as `sieve agree`.

    Parameters
    ----------
    votes, item, annotator, label, n_jobs
        As for `aggregate`.
    resamples : int
        Drawings of rows for the intervals; 0: none.
    random_state : int, RandomState or None
        Of these drawings.

    Returns
    -------
    dict
        What `sieve agree --json` gives: Krippendorff's alpha over label sets and for each label,
        Fleiss' kappa, Gwet's AC1, pairs of annotators.

    Raises
    ------
    DataError
        Where nothing says who ticked what.

    Examples
    --------
    >>> from labelsieve import make_crowd
    >>> found = agreement(make_crowd(rows=100, votes=True, seed=1), resamples=50)
    >>> found["masi"]["alpha"]["low"] < found["masi"]["alpha"]["value"]
    True
    """
    data, votes = data_of(votes, (item, annotator, label), dict(options))
    return lib.json_of("ls_agreement", data._handle,
                       lib.whole_number(resamples, "resamples", 10 ** 6),
                       c.byref(lib.Run(seed_of(random_state), threads_of(n_jobs))))


def annotators(votes: Votes, *, most: int = 30, item: str = "item", annotator: str = "annotator",
               label: str = "label", n_jobs: Optional[int] = None, **options: "Unpack[ReadOptions]") -> Any:
    """How far to trust each annotator, by votes alone; as `sieve annotators`.

    Parameters
    ----------
    votes : DataFrame, file of annotations or Data
        As for `aggregate`.
    most : int
        This many, those with most wrong ticks first, have `worst_ticks` and `confuses`.
    item, annotator, label, n_jobs
        As for `aggregate`.

    Returns
    -------
    DataFrame (a list of dicts where pandas is missing), most wrong ticks first: `sensitivity` is the
    share of the right labels that an annotator finds, `false_positive_rate` the share of wrong ones
    that they tick (earlier `false_ticks`), both with the range of a guess (`_low`, `_high`), how often
    such ranges hold (`_level`), whose truth is meant (`_truth`: consensus or expert) and what it rests
    on (`_basis`); `agreement` with the others; `guesses` where their ticks hardly depend on what is
    right. Where annotators cannot be compared there are no rates, and a UserWarning says why.

    Raises
    ------
    DataError
        Where nothing says who ticked what.

    Examples
    --------
    >>> from labelsieve import make_crowd
    >>> found = annotators(make_crowd(rows=200, votes=True, seed=1))
    >>> len(found), bool((found.sensitivity > found.false_positive_rate).all())
    (9, True)
    """
    data, votes = data_of(votes, (item, annotator, label), dict(options))
    report = lib.json_of("ls_annotators", data._handle, lib.whole_number(most, "most", 2 ** 32),
                         c.byref(lib.Run(1, threads_of(n_jobs))))
    warn_of_names(report.get("names_ignored"), 2)
    return table(renamed([flat({key: value for key, value in one.items() if key != "person"})
                          for one in report["annotators"]], votes, annotator=annotator))


def ask(votes: Votes, *, budget: int = 100, about: Literal["rows", "cells"] = "rows", item: str = "item",
        annotator: str = "annotator", label: str = "label", n_jobs: Optional[int] = None,
        **options: "Unpack[ReadOptions]") -> Any:
    """What to annotate next: where one more annotation helps most; as `sieve ask`.

    Parameters
    ----------
    votes, item, annotator, label, n_jobs
        As for `aggregate`.
    budget : int
        How many annotations there can be.
    about : {"rows", "cells"}
        Whole rows, or single labels.

    Returns
    -------
    table of id, row, label and gain
        How many wrong decisions one more annotation is expected to correct. Where annotators cannot
        be compared, rows that need a second annotation, and a UserWarning says why.

    Raises
    ------
    DataError
        Where nothing says who ticked what.

    Examples
    --------
    >>> from labelsieve import make_crowd
    >>> len(ask(make_crowd(rows=200, votes=True, seed=1), budget=10))
    10
    """
    data, votes = data_of(votes, (item, annotator, label), dict(options))
    report = lib.json_of("ls_ask", data._handle, lib.text(about, "about"),
                         lib.whole_number(budget, "budget", 10 ** 9),
                         c.byref(lib.Run(1, threads_of(n_jobs))))
    warn_of_names(report.get("names_ignored"), 2)
    return table(renamed(report["questions"], votes, id=item, label=label))
