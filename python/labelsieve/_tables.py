"""Tables by name: votes (item, annotator, label) and decided cells (item, label, true)."""
from __future__ import annotations

import csv
import pathlib
import tempfile
from typing import Any, Optional, Sequence

import numpy as np

from . import _arrays as arrays
from . import _library as lib

VOTES = ("item", "annotator", "label")
_DECISIONS = ("true", "truth", "value", "answer", "decision", "gold")


def is_table(given: Any) -> bool:
    return hasattr(given, "columns") and hasattr(given, "iloc")


def has_columns(given: Any, names: Sequence[str]) -> bool:
    return is_table(given) and all(name in list(given.columns) for name in names)


def column(table: Any, name: str, what: str, gaps: bool = False) -> list[Optional[str]]:
    """The cells of a column as texts, None for empty ones. Numbers that a gap turned into 1.0 are
    whole again."""
    if list(table.columns).count(name) != 1:
        raise lib.DataError(f"the table of {what} needs one column '{name}'",
                            f"it has {', '.join(map(str, table.columns)) or 'none'}; rename or "
                            "choose columns")
    part = table[name]
    empty = part.isna().to_numpy()
    if empty.any() and not gaps:
        raise lib.DataError(f"the column '{name}' has {int(empty.sum())} empty cells",
                            "leave those rows out")
    values = part.astype(object).to_numpy()
    if part.dtype.kind == "f" and all(float(one).is_integer() for one in values[~empty]):
        values = [None if gap else int(one) for one, gap in zip(values, empty)]
    return [None if gap else str(one) for one, gap in zip(values, empty)]


def read_votes(table: Any, columns: Sequence[str], options: dict) -> Any:
    """Data of a table of votes alone, read as the command reads a file with the same columns."""
    from .data import read
    if not len(table):
        raise lib.DataError("the table of votes is empty")
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
        return read(annotations=file, **layout)


def _numbers(names: list, known: Sequence[Any], what: str, hint: str) -> np.ndarray[Any, Any]:
    """The place of each name among those that are known."""
    places: dict[str, int] = {}
    for place, name in enumerate(known):
        if places.setdefault(str(name), place) != place:
            raise lib.DataError(f"'{name}' names two {what}, so a table cannot name them",
                                "make the names unique, or give numbers")
    unknown = sorted({name for name in names if name not in places})
    if unknown:
        raise lib.DataError(f"{len(unknown)} {what} are not in the data: "
                            + ", ".join(map(repr, unknown[:3])), hint)
    return np.array([places[name] for name in names], np.int64)


def row_names(X: Any, ids: Optional[Sequence[Any]], rows: int) -> Sequence[Any]:
    """What tables call the rows: their ids, the index of a table, else their numbers from 0."""
    if ids is not None:
        return ids
    index = getattr(X, "index", None)
    return list(index) if is_table(X) and index is not None else range(rows)


class NamedVotes:
    """Votes by name as numbers: for rows and labels that are known."""

    def __init__(self, table: Any, rows: Sequence[Any], label_names: Optional[Sequence[Any]]):
        item, annotator, label = (column(table, name, "votes", gaps=name == "label")
                                  for name in VOTES)
        said = [name for name in label if name is not None]
        self.labels = list(label_names) if label_names is not None else sorted(set(said))
        self.annotators = list(dict.fromkeys(annotator))
        row = _numbers(item, rows, "items",
                       "items are ids of the rows: the index of X, or what ids= says")
        who = _numbers(annotator, self.annotators, "annotators", "")
        ticked = np.array([name is not None for name in label], bool)
        what = _numbers(said, self.labels, "labels", "label_names or the columns of y are others")
        self.looked = (row, who)
        self.votes = (row[ticked], who[ticked], what)


def gold_cells(gold: Any, rows: Sequence[Any], label_names: Sequence) -> Any:
    """Decided cells as C has them: of (row, label, 0 or 1), or of a table by name."""
    if gold is None:
        return (lib.Cell * 0)()
    if has_columns(gold, ("item", "label")):
        decision = next((name for name in _DECISIONS if name in list(gold.columns)), _DECISIONS[0])
        row = _numbers(column(gold, "item", "decided cells"), rows, "items", "gold names other rows")
        label = _numbers(column(gold, "label", "decided cells"), label_names, "labels",
                         "gold names other labels")
        said = column(gold, decision, "decided cells")
        right: Any = np.array([_decision(one) for one in said], np.int64)
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
