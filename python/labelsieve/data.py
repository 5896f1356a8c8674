"""Data sets: from arrays, from files, made up."""
from __future__ import annotations

import ctypes as c
import difflib
import os
from functools import cached_property
from inspect import Parameter
from inspect import signature as inspect_signature
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from . import _arrays as arrays
from . import _library as lib
from . import _tables as tables
from ._labels import rows_by_labels
from ._work import DEPRECATED, threads_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import CrowdOptions, ReadOptions
    from .model import Model

Path = Union[str, "os.PathLike[str]"]
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Data:
    """A multi-label data set: features, candidate labels, and what else is known.

    Parameters
    ----------
    X : array or sparse matrix, rows x features, or None
        Looked at without a copy if it is float32 or float64 with rows of adjacent numbers, or CSR.
        It must not change while this is in use. None: there are no features.
    y : candidates, optional
        0 and 1 for rows x labels: an array, a table or a sparse matrix. Or a list with a set or list of
        names for each row. Or one class per row. With votes, what anybody ticked is a candidate, too.
    truth : the same for the labels that are known to be right, optional
        Never reaches a training.
    votes : table with the columns item, annotator and label, optional
        Names of any kind; an empty label says that the annotator found none. Items are ids of the
        rows: `ids`, the index of a table X, or else row numbers. Also (row, annotator, label) for
        each tick: an array of three columns of whole numbers that count from 0, or three arrays.
    looked : (row, annotator) for those who looked, optional
        Tells of annotators who saw a row and ticked nothing.
    unsure : (row, annotator, label) for votes that say neither yes nor no, optional
        They count as missing; a tick of the same label goes.
    annotators : names, optional
        `people` is their earlier name.
    programs : names of annotators that are programs, optional
        Their votes count once in a row, together, unless `groups` says more.
    groups : dict of group by annotator, optional
        The votes of a group count once in a row, together.
    grades : a number for each tick of arrays in `votes`, optional
        How many steps of a scale above the lowest that is a tick, from 0 on.
    name : str, optional
        What reports and certificates call the data.

    Examples
    --------
    >>> from labelsieve import Data
    >>> data = Data([[0.5, 1.0], [1.5, 0.0]], [[1, 0], [1, 1]], label_names=["cat", "dog"])
    >>> data.shape
    (2, 2, 2)
    >>> data.label_names
    ['cat', 'dog']
    """

    _owner: Any  # what has to live as long as arrays that look at it

    def __init__(self, X: Any, y: Any = None, *, truth: Any = None, votes: Any = None,
                 looked: Any = None, annotators: Optional[Sequence[Any]] = None,
                 feature_names: Optional[Sequence[Any]] = None,
                 label_names: Optional[Sequence[Any]] = None, ids: Optional[Sequence[Any]] = None,
                 people: Optional[Sequence[Any]] = None, unsure: Any = None,
                 programs: Optional[Sequence[Any]] = None, groups: Optional[Mapping[Any, Any]] = None,
                 name: Optional[str] = None, grades: Any = None):
        annotators = people if annotators is None else annotators
        votes = tables.votes_table(votes)
        by_name = tables.goes_by_name(votes, tables.VOTES)
        if grades is not None and (by_name or votes is None):
            raise lib.DataError("grades go with votes that are arrays of numbers",
                                "read(annotations=..., vote_scale=...) has grades of a table")
        if by_name and X is None and y is None and truth is None and ids is None \
                and label_names is None and unsure is None:
            alone = tables.read_votes(votes, tables.VOTES, {})
            if programs is None and groups is None and name is None:
                self._take(alone._handle, alone.notes)
                return
            votes, by_name = alone.votes, False
            looked, annotators, label_names, ids = \
                alone.looked, alone.annotators, alone.label_names, alone.ids
        whole = lib.Arrays()
        if feature_names is None and hasattr(X, "columns"):
            feature_names = list(X.columns)
        tables.warn_of_order(X, y, 2)
        if y is not None:
            y, called = rows_by_labels(y)
            label_names = called if label_names is None else label_names
        if by_name:
            count = len(ids) if ids is not None else arrays.rows_of(X if X is not None else y)
            named = tables.NamedVotes(votes, tables.row_names(X, ids, count), label_names)
            votes, looked, annotators, label_names = \
                named.votes, named.looked, named.annotators, named.labels
            ids = tables.row_names(X, ids, count) if tables.is_table(X) else ids
        whole.features, kept_x = arrays.features(X) if X is not None else (lib.Matrix(), ())
        kept: list = []
        if y is not None:
            whole.candidates, more = arrays.labels(y)
            kept.append(more)
        if truth is not None:
            whole.truth, more = arrays.labels(tables.aligned(truth, None, label_names, "the truth"))
            kept.append(more)
        if votes is not None or looked is not None or unsure is not None:
            whole.votes, more = arrays.votes(votes, looked, annotators)
            kept.append(more)
            named_labels = [more[0][2]]
            if grades is not None:
                kept.append(arrays.grades(whole, grades))
            if unsure is not None:
                kept.append(arrays.unsure(whole, unsure))
                named_labels.append(kept[-1][2])
            whole.labels = arrays.labels_voted_on(named_labels, y, truth, label_names)
        kept.append(arrays.kinds(whole, annotators, programs, groups))
        whole.name = None if name is None else lib.text(name, "name")
        whole.rows = whole.features.rows or whole.candidates.rows or whole.truth.rows or \
            (len(ids) if ids is not None else 0) or arrays.rows_voted_on(whole)
        count = whole.labels or whole.candidates.cols or whole.truth.cols
        for names, wanted, what in ((feature_names, whole.features.cols, "feature_names"),
                                    (label_names, count, "label_names"), (ids, whole.rows, "ids")):
            if names is not None and len(names) != wanted:
                raise lib.DataError(f"{what} has {len(names)} names, but {wanted} are needed")
        whole.feature_names, whole.label_names, whole.ids = \
            (lib.texts(names) for names in (feature_names, label_names, ids))
        self._handle = lib.Handle("ls_free_data", "ls_data_from_arrays", c.byref(whole))
        self._owner = (self._handle, kept_x)  # the features are looked at where they are
        self._count = whole.rows
        self.notes: list[str] = []

    @classmethod
    def _of(cls, handle: lib.Handle, notes: Sequence[str] = ()) -> "Data":
        self = cls.__new__(cls)
        self._take(handle, notes)
        return self

    def _take(self, handle: lib.Handle, notes: Sequence[str] = ()) -> None:
        self._handle, self.notes = handle, list(notes)
        self._owner = handle
        self._count = self._arrays.rows

    @cached_property
    def _arrays(self) -> lib.Arrays:
        whole = lib.Arrays()
        lib.call("ls_data_view", self._handle, c.byref(whole))
        return whole

    def _names(self, field: str, count: int) -> Optional[list[str]]:
        names = getattr(self._arrays, field)
        return [names[i].decode("utf-8", "replace") for i in range(count)] if names else None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, features, labels."""
        return self._arrays.rows, self._arrays.features.cols, self._arrays.labels

    @cached_property
    def X(self) -> Any:
        """Features: an array of float32, or a CSR matrix. Not to be written to."""
        return arrays.array_of(self._arrays.features, self._owner)

    @cached_property
    def y(self) -> Any:
        """Candidates, a CSR matrix of 0 and 1."""
        return arrays.array_of(self._arrays.candidates, self._handle)

    @cached_property
    def truth(self) -> Any:
        """The right labels as a CSR matrix, or None where they are not known."""
        return arrays.array_of(self._arrays.truth, self._handle) if self._arrays.truth.starts \
            else None

    @cached_property
    def votes(self) -> Any:
        """(row, annotator, label) of each tick, or None where it is not known who ticked what."""
        v = self._arrays.votes
        return arrays.integers_of([v.row, v.person, v.label], v.ticks) if v.looks else None

    @cached_property
    def looked(self) -> Any:
        """(row, annotator) of each annotation, or None."""
        v = self._arrays.votes
        return arrays.integers_of([v.look_row, v.look_person], v.looks) if v.looks else None

    @cached_property
    def unsure(self) -> Any:
        """(row, annotator, label) of each vote that says neither yes nor no, or None."""
        a = self._arrays
        return arrays.integers_of([a.unsure_row, a.unsure_person, a.unsure_label], a.unsure) \
            if a.unsure else None

    @cached_property
    def grades(self) -> Any:
        """The grade of each tick, in the order of `votes`, or None."""
        return arrays.grades_of(self._arrays)

    @property
    def programs(self) -> list[str]:
        """The annotators that are programs."""
        flags = self._arrays.program
        return [name for place, name in enumerate(self.annotators or []) if flags and flags[place]]

    @property
    def groups(self) -> dict[str, int]:
        """The group of each annotator that has one; programs of no other group have one together."""
        group = self._arrays.group
        return {name: group[place] for place, name in enumerate(self.annotators or [])
                if group and group[place] >= 0}

    @property
    def name(self) -> str:
        """What reports and certificates call the data."""
        return self._arrays.name.decode("utf-8", "replace")

    @property
    def annotators(self) -> Optional[list[str]]:
        v = self._arrays.votes
        return [v.names[i].decode("utf-8", "replace") for i in range(v.people)] if v.names else None

    @property
    def people(self) -> Optional[list[str]]:
        """The earlier name of `annotators`."""
        return self.annotators

    @property
    def label_names(self) -> list[str]:
        return self._names("label_names", self._arrays.labels) or []

    @property
    def feature_names(self) -> Optional[list[str]]:
        return self._names("feature_names", self._arrays.features.cols)

    @property
    def ids(self) -> Optional[list[str]]:
        return self._names("ids", self._arrays.rows)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        rows, features, labels = self.shape
        more = "".join(f", {what}" for what, there in (
            ("truth", self._arrays.truth.starts), ("votes", self._arrays.votes.looks)) if there)
        return f"<labelsieve.Data: {rows} rows, {features} features, {labels} labels{more}>"

    def __reduce__(self) -> Any:
        return _data_of_parts, (self.X, self.y, self.truth, self.votes, self.looked, self.annotators,
                                self.feature_names, self.label_names, self.ids, self.unsure,
                                {"programs": self.programs, "groups": self.groups, "name": self.name,
                                 "grades": self.grades})


def _data_of_parts(X: Any, y: Any, truth: Any, votes: Any, looked: Any, annotators: Any,
                   feature_names: Any, label_names: Any, ids: Any, unsure: Any = None,
                   more: Mapping[str, Any] = {}) -> Data:  # noqa: B006: as it was in earlier pickles
    return Data(X, y, truth=truth, votes=votes, looked=looked, annotators=annotators, unsure=unsure,
                feature_names=feature_names, label_names=label_names, ids=ids, **more)


def _check_names(options: Any, known: dict) -> None:
    """TypeError for an option that there is not, as Python has it for arguments."""
    names = {*known, *(old for row in known.values() for old in row["earlier_names"])}
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, list(known), 1)
            raise TypeError(f"there is no option '{name}'" +
                            (f"; did you mean '{near[0]}'?" if near else ""))


def check_unread(options: Any) -> None:
    """TypeError for options where nothing is read that they could change."""
    if options:
        raise TypeError(f"there is no option '{next(iter(options))}' for data that was read already")


def _takes(known: dict) -> Callable[[_Function], _Function]:
    """Puts the options that the library has into the signature and the documentation."""
    def added(function: _Function) -> _Function:
        given = inspect_signature(function)
        plain = [one for one in given.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in known
                if name not in given.parameters]
        setattr(function, "__signature__", given.replace(parameters=[*plain, *more]))
        lines = []
        for name, row in known.items():
            of = f" ({', '.join(row['choices'])})" if "choices" in row else \
                f" (default {row['default']})" if row["default"] else ""
            lines.append(f"    {name} : {row['kind']}\n        {row['help']}{of}")
        listed = "\n".join(lines)
        function.__doc__ = f"{function.__doc__ or ''}\n    Options\n    -------\n{listed}\n"
        return function
    return added


@_takes(lib.READ_SETTINGS)
def read(*paths: Path, model: Optional["Model"] = None, n_jobs: Optional[int] = None,
         threads: Any = DEPRECATED, **options: "Unpack[ReadOptions]") -> Data:
    """Reads a data set from a file, from several files of one set, or from a folder.

    All formats that the command reads are recognised: CSV, Excel, Parquet, JSON lines, ARFF, LIBSVM,
    MAT, NumPy and its own. Options are those of the command, with underscores; they are listed below. Several names
    are a list.

    Parameters
    ----------
    *paths : paths
    model : Model, optional
        The columns become features as the model makes them, and labels need not be there.
    n_jobs : int or None
        As for `LabelSieveClassifier`.

    Returns
    -------
    Data
        `notes` say what was guessed or left out.

    Raises
    ------
    DataError, FileError
        With file and line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
    >>> _ = file.write_text("weight,legs,cat,dog\\n4,4,1,0\\n20,4,1,1\\n")
    >>> read(file, label_count=-2)
    <labelsieve.Data: 2 rows, 2 features, 2 labels>
    """
    _check_names(options, lib.READ_SETTINGS)
    return _read("ls_data_read", paths, options, None if model is None else model._handle,
                 threads_of(n_jobs, threads))


def read_unlabelled(path: Path, like: Data, options: Any) -> Data:
    """Rows that nobody annotated, with features made as those of data that was read with options."""
    known = {name: value for name, value in options.items() if name != "truth"}
    return _read("ls_data_read_unlabelled", (path,), known, like._handle, threads_of(None))


def _read(function: str, paths: Sequence[Path], options: Any, by: Any, threads: int) -> Data:
    notes = c.c_void_p()

    def call(name: str, *arguments: Any) -> None:
        lib.call(name, *arguments, c.byref(notes))
    handle = lib.Handle("ls_free_data", function, lib.texts([os.fspath(path) for path in paths]),
                        len(paths), lib.settings(dict(options)), by, threads, by=call)
    return Data._of(handle, lib.taken_json(notes))


@_takes(lib.CROWD_SETTINGS)
def make_crowd(rows: int = 2000, **options: "Unpack[CrowdOptions]") -> Data:
    """A made-up crowd whose truth is known, for tries and tests.

    Parameters
    ----------
    rows : int

    Returns
    -------
    Data

    Raises
    ------
    UsageError
        For options that make no sense.

    Examples
    --------
    >>> make_crowd(rows=100, labels=5, votes=True)
    <labelsieve.Data: 100 rows, 60 features, 5 labels, truth, votes>
    """
    return Data._of(lib.Handle("ls_free_data", "ls_data_synthetic",
                               lib.settings({"rows": rows, **options})))


def inspect(data: Union[Data, Path], y: Any = None, **options: Any) -> dict:
    """What is in a data set and what may be wrong with it (`warnings`), as `sieve inspect --json`.

    Parameters
    ----------
    data : Data, a file, or features
        A file is read with options of `read`.
    y : candidates, optional
        Of features.

    Returns
    -------
    dict

    Raises
    ------
    DataError

    Examples
    --------
    >>> report = inspect(make_crowd(rows=100))
    >>> report["rows"], report["labels"]
    (100, 12)
    """
    return lib.json_of("ls_data_inspect", as_data(data, y, **options)._handle)


def as_data(data: Any, y: Any = None, **options: Any) -> Data:
    """Data of whatever was given: a data set, a file, or features and candidates."""
    if isinstance(data, Data):
        check_unread({**options, **({"y": y} if y is not None else {})})
        return data
    if isinstance(data, (str, os.PathLike)):
        if y is not None:
            raise TypeError("y is for features; a file has its own labels")
        return read(data, **options)
    return Data(data, y, **options)
