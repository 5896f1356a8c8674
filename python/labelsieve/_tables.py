"""Tables by name: votes (item, annotator, label) and decided cells (item, label, true)."""
from __future__ import annotations

import csv
import json
import pathlib
import re
import tempfile
import warnings
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays as arrays
from . import _library as lib
from ._arrays import as_pandas as as_pandas, is_table as is_table  # also for those who use this
from ._labels import is_missing

VOTES = ("item", "annotator", "label")
_DECISIONS = ("true", "truth", "value", "answer", "decision", "gold")


# What crowd-kit calls the columns of votes.
_ELSEWHERE = {"task": "item", "worker": "annotator", "performer": "annotator"}


def votes_table(votes: Any, columns: Sequence[str] = VOTES) -> Any:
    """Votes whose columns are called as here where nobody said what they are called."""
    votes = as_pandas(votes)
    if not is_table(votes):
        return votes
    there = list(votes.columns)
    usual = {theirs: ours for theirs, ours in _ELSEWHERE.items()
             if theirs in there and ours in columns and ours not in there}
    return votes.rename(columns=usual) if usual else votes


def has_columns(given: Any, names: Sequence[str]) -> bool:
    return is_table(given) and all(name in list(given.columns) for name in names)


def goes_by_name(given: Any, names: Sequence[str]) -> bool:
    """Whether a table has names, or should have: one of whole numbers alone counts from 0."""
    return has_columns(given, names) or \
        is_table(given) and any(getattr(one, "kind", "O") not in "iu" for one in given.dtypes)


def column(table: Any, name: str, what: str, gaps: bool = False) -> list[Optional[str]]:
    """The cells of a column as texts, None for empty or blank ones."""
    if list(table.columns).count(name) != 1:
        hint = f"it has {', '.join(map(str, table.columns)) or 'none'}; rename or choose columns"
        if name in table.index.names:
            hint = "name the index again with reset_index()"
        elif {"data", "annotations"} <= set(table.columns):
            hint = "an export of Label Studio is read from its file, by name"
        elif what == "votes" and name == "annotator":
            hint += ("; a table with a column for each annotator becomes one of votes by "
                     "melt('item', var_name='annotator', value_name='label').dropna()")
        raise lib.DataError(f"the table of {what} needs one column '{name}'", hint)
    places, values = _distinct(table[name])
    distinct = [*(_text(one) or None for one in values), None]  # at -1
    texts = [distinct[place] for place in places]
    if None in texts and not gaps:
        count = texts.count(None)
        raise lib.DataError(f"the column '{name}' has {count} empty cell{'s' * (count != 1)}",
                            "leave those rows out")
    return texts


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, np.ndarray))


def _members(value: Any) -> list:
    """The labels in a list, without None and NaN, which name none."""
    listed = sorted(value, key=str) if isinstance(value, (set, frozenset)) else list(value)
    return [one for one in listed if not is_missing(one)]


def _has_lists(table: Any, name: str) -> bool:
    return list(table.columns).count(name) == 1 and table[name].dtype == object and \
        any(map(_is_list, table[name]))


def _with_lists_as_json(table: Any, name: str) -> Any:
    """The table with lists of labels written so that the library reads them."""
    if not _has_lists(table, name):
        return table
    return table.assign(**{name: [
        json.dumps(list(map(_text, _members(one))), ensure_ascii=False) if _is_list(one) else one
        for one in table[name]]})


def _one_label_per_row(table: Any, name: str) -> Any:
    if not _has_lists(table, name):
        return table
    return table.assign(**{name: [_members(one) if _is_list(one) else one
                                  for one in table[name]]}).explode(name)


def _plain(value: Any) -> Any:
    """A number that a gap in its column turned into 1.0 is whole again."""
    return int(value) if isinstance(value, (float, np.floating)) and float(value).is_integer() else value


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return (value if isinstance(value, str) else str(_plain(value))).strip()


def _distinct(part: Any) -> tuple[Any, list]:
    """The different values of a column, and which one stands in each row, -1 for none."""
    if part.dtype == object:  # where 1 and True would be one
        gaps = part.isna().to_numpy()
        return np.where(gaps, -1, np.arange(len(part))), part.tolist()
    places, values = part.factorize()
    return places, values.tolist()


def as_given(table: Any, name: str, texts: Sequence[Any]) -> list:
    """Names of the library as they stand in a column of the table: numbers are numbers again."""
    if not has_columns(table, [name]):
        return list(texts)
    given = _distinct(_one_label_per_row(table, name)[name].dropna())[1]
    known = {_text(one): _plain(one) for one in given[::-1]}
    return [known.get(one, one) for one in texts]


def read_votes(table: Any, columns: Sequence[str], options: dict) -> Any:
    """Data of a table of votes alone, read as the command reads a file with the same columns."""
    from .data import read
    if not len(table):
        raise lib.DataError("the table of votes is empty")
    table = _with_lists_as_json(table, columns[2])
    item, annotator, label = (column(table, name, "votes", gaps=name == columns[2])
                              for name in columns)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "votes.csv"
        with open(file, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(VOTES)
            writer.writerows(zip(item, annotator, ("" if one is None else one for one in label)))
        layout: dict[str, Any] = {"annotation_format": "long", "annotation_separator": "none",
                                  **options}
        try:
            found = read(annotations=file, **layout)
        except lib.LabelSieveError as error:  # in the words of the caller, who knows no file
            raise type(error)(_without_file(error.message, file), error.hint) from None
    made, parts = found.__reduce__()
    named = made(*parts[:-1], {**parts[-1], "name": "votes"})  # not after a file that is gone
    named.notes = [_without_file(note, file) for note in found.notes]
    return named


def _without_file(said: str, file: pathlib.Path) -> str:
    return re.sub(re.escape(str(file)) + r"(?::(\d+))?",
                  lambda at: "the table of votes" + (f", line {at[1]}" if at[1] else ""), said)


def _numbers(names: list, known: Sequence[Any], what: str, hint: str) -> np.ndarray[Any, Any]:
    """The place of each name among those that are known."""
    places: dict[str, int] = {}
    for place, name in enumerate(known):
        if places.setdefault(_text(name), place) != place:
            raise lib.DataError(f"'{name}' names two {what}, so a table cannot name them",
                                "make the names unique, or give numbers")
    unknown = sorted({name for name in names if name not in places})
    if unknown:
        counted = f"{len(unknown)} {what} are" if len(unknown) > 1 else f"1 {what[:-1]} is"
        raise lib.DataError(f"{counted} not in the data: " + ", ".join(map(repr, unknown[:3])), hint)
    return np.array([places[name] for name in names], np.int64)


def index_of(X: Any) -> Optional[list]:
    """What the rows of a table are called, if they are."""
    return None if not is_table(X) or _is_numbered(X.index) else list(X.index)


def row_names(X: Any, ids: Optional[Sequence[Any]], rows: int) -> Sequence[Any]:
    """What tables call the rows: their ids, the index of a table, else their numbers from 0."""
    if ids is not None:
        return ids
    index = getattr(X, "index", None)
    return list(index) if is_table(X) and index is not None else range(rows)


def _is_numbered(index: Any) -> bool:
    """Whether rows or columns were never named."""
    return isinstance(index, range) or \
        type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _places(given: Any, wanted: Any, what: str) -> Optional[list[int]]:
    """In which order the names of an index are to be taken; None: as they are."""
    here, there = list(map(_text, given)), list(map(_text, wanted))
    numbered = _is_numbered(given) or _is_numbered(wanted)
    same = sorted(here) == sorted(there)
    if here == there or not set(here) & set(there) or numbered and not same:
        return None
    if same and not numbered and len(set(here)) == len(here):
        place = {name: number for number, name in enumerate(here)}
        return [place[name] for name in there]
    raise lib.DataError(f"{what} has other names than the data, or another order of them",
                        "choose and order by name with .loc, or give an array to go by position")


def aligned(given: Any, rows: Any, columns: Any, what: str) -> Any:
    """A table of rows x labels in the order of others that have names; anything else as it is.
    DataError where names differ: position and name would not say the same."""
    if not is_table(given):
        return given
    order = _places(given.index, rows, f"the index of {what}") if rows is not None else None
    given = given if order is None else given.iloc[order]
    order = _places(given.columns, columns, f"the columns of {what}") if columns is not None else None
    return given if order is None else given.iloc[:, order]


def warn_of_order(X: Any, y: Any, level: int) -> None:
    """Where X and y are tables with the same rows in another order: one of them may have been sorted."""
    if hasattr(y, "isna") and is_table(X) and not X.index.equals(y.index) and X.index.is_unique \
            and len(X) == len(y) and set(X.index) == set(y.index):
        warnings.warn("X and y have the same index in another order: their rows are taken by position, "
                      "as scikit-learn does; y.loc[X.index] puts them in order", UserWarning,
                      stacklevel=level + 1)


class NamedVotes:
    """Votes by name as numbers: for rows and labels that are known."""

    def __init__(self, table: Any, rows: Sequence[Any], label_names: Optional[Sequence[Any]]):
        table = _one_label_per_row(table, "label")
        item, annotator, label = (column(table, name, "votes", gaps=name == "label")
                                  for name in VOTES)
        said = [name for name in label if name is not None]
        self.labels = list(label_names) if label_names is not None else sorted(set(said))
        self.annotators = list(dict.fromkeys(annotator))
        row = _numbers(item, rows, "items",
                       "items go by the index of a table X, by ids=, or else by row numbers; a pipeline "
                       'keeps the index with set_output(transform="pandas")')
        who = _numbers(annotator, self.annotators, "annotators", "")
        ticked = np.array([name is not None for name in label], bool)
        what = _numbers(said, self.labels, "labels", "label_names or the columns of y are others")
        self.looked = (row, who)
        self.votes = (row[ticked], who[ticked], what)


def gold_cells(gold: Any, rows: Sequence[Any], label_names: Sequence) -> Any:
    """Decided cells as C has them: of (row, label, 0 or 1), or of a table by name."""
    if gold is None:
        return (lib.Cell * 0)()
    gold = as_pandas(gold)
    if goes_by_name(gold, ("item", "label")):
        decision = next((name for name in _DECISIONS if name in list(gold.columns)), _DECISIONS[0])
        row = _numbers(column(gold, "item", "decided cells"), rows, "items", "gold names other rows")
        called = ", ".join(map(str, list(label_names)[:5])) + ", ..." * (len(label_names) > 5)
        label = _numbers(column(gold, "label", "decided cells"), label_names, "labels",
                         f"gold names other labels; those of the data are {called}")
        said = column(gold, decision, "decided cells")
        right: Any = np.array([_decision(one) for one in said], np.int64)
        if (right < 0).any():
            raise lib.DataError(f"the column '{decision}' says {said[int(right.argmin())]!r}",
                                "write 1 or 0, or yes or no")
    else:
        row, label, right = arrays.columns_of(gold, 3, "gold cells")
    if (row < 0).any() or (label < 0).any() or not np.isin(right, (0, 1)).all():
        raise lib.DataError("gold cells are (row, label, 0 or 1), counted from 0")
    return (lib.Cell * len(row))(*zip(  # type: ignore[misc]
        row.tolist(), label.tolist(), right.tolist()))


def _decision(given: Any) -> int:
    """1 or 0 of what people write; -1 for what is neither."""
    word = str(given).strip().lower()
    return 1 if word in ("1", "1.0", "true", "yes", "y", "right") else \
        0 if word in ("0", "0.0", "false", "no", "n", "wrong") else -1
