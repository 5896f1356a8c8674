"""Claims: figures that come with an interval and say what it rests on; audits that prove them."""
from __future__ import annotations

import ctypes as c
import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Dict, Literal, Mapping, Optional, Sequence, Union

import numpy as np

from . import _arrays as arrays
from . import _library as lib
from . import _tables as tables
from ._labels import candidates_of
from ._work import RandomState, seed_of, threads_of
from .data import Data, Path, check_unread, read
from .votes import Votes, data_of, table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReadOptions

_ANSWERS = {"": 0, "nan": 0, "none": 0, "<na>": 0,
            "1": 1, "1.0": 1, "true": 1, "yes": 1, "right": 1, "y": 1,
            "0": 2, "0.0": 2, "false": 2, "no": 2, "wrong": 2, "n": 2,
            "?": 3, "unsure": 3, "cannot tell": 3}


@dataclass(frozen=True)
class Claim:
    """A share with its interval and what it rests on.

    Attributes
    ----------
    value, low, high : float
        Shares from 0 to 1.
    level : float
        How often such intervals hold.
    basis : {"guess", "audit"}
        A range learnt from other crowds, or random cells that somebody decided.
    truth : {"consensus", "expert"}
        Whose truth it is about.
    about : str
    decisions : int or None
        Of an audit.
    text : str
        As it is printed.

    Examples
    --------
    >>> claim = Claim("precision", 0.9, 0.85, 0.95, 0.9, "expert", "audit", 120, "audited 90 % ...")
    >>> claim.low, str(claim)
    (0.85, 'audited 90 % ...')
    """

    about: str
    value: float
    low: float
    high: float
    level: float
    truth: str
    basis: str
    decisions: Optional[int]
    text: str

    @classmethod
    def _of(cls, found: Mapping[str, Any]) -> "Claim":
        """Of the JSON of the library, which may tell more by then."""
        known: Dict[str, Any] = {one.name: found.get(one.name) for one in fields(cls)}
        return cls(**known)

    def __str__(self) -> str:
        return self.text

    def __getitem__(self, name: str) -> Any:
        """claim["low"]: as when claims were dicts."""
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)


@dataclass(frozen=True)
class AuditResult:
    """What the answers of an audit prove.

    Attributes
    ----------
    claims : dict of Claim
        wrong, precision, recall, f1 and hamming, of whole rows perfect, as far as they were asked: of the planned decisions
        where those are made, else the claim that holds at any time.
    labels : table
        The share of wrong labels of each label.
    annotators : table or None
        With `per_annotator`: the share of each annotator's labels that is wrong.
    goals : dict
        For each goal "yes", "no" or "not yet".
    report : dict
        All that `sieve audit --json` gives.
    """

    claims: Dict[str, Claim]
    labels: Any
    goals: Dict[str, str]
    report: Dict[str, Any]
    annotators: Any = None

    def __str__(self) -> str:
        return "\n".join(f"{name}: {claim}" for name, claim in self.claims.items())


class Audit:
    """Random cells for somebody to decide, and what the answers prove. Made by `audit()`.

    `questions` is a table with an empty column `answer`: 1 where the row has the label, 0 where it
    has not, "?" where nobody can say. Every question stays, in this order. Where the two answers of a
    cell that was asked twice differ, `conflicts` has a line for a third person.

    Examples
    --------
    >>> from labelsieve import audit, make_crowd
    >>> asked = audit(make_crowd(rows=300, labels=5, seed=1), budget=20)
    >>> asked.questions.columns.tolist()
    ['id', 'label', 'answer', 'draw', 'pass', 'audit']
    >>> print(asked.result([1] * len(asked.questions)).claims["precision"])  # doctest: +ELLIPSIS
    audited 100 % (...
    """

    def __init__(self, data: Data, labels: Any, probabilities: Any, settings: Mapping[str, Any],
                 seed: int, threads: int):
        self._made_of = (data, labels, probabilities, dict(settings), seed, threads)
        self._data = data
        self._labels = _matrix(data, labels, "labels", arrays.labels)
        self._probabilities = _matrix(data, probabilities, "probabilities", arrays.features)
        self._handle = lib.Handle("ls_free_audit", "ls_audit_begin", data._handle,
                                  *_pointers(self._labels, self._probabilities),
                                  lib.settings(dict(settings)), c.byref(lib.Run(seed, threads)))
        self._cells, self.code = self._asked()

    def __reduce__(self) -> Any:
        return Audit, self._made_of  # which draws the same cells again

    def __repr__(self) -> str:
        return f"<labelsieve.Audit: {len(self._cells)} questions>"

    def _asked(self) -> tuple[list[tuple[int, int, int, int]], str]:
        cells, count, code = c.POINTER(lib.Question)(), c.c_size_t(), c.c_void_p()
        lib.call("ls_audit_questions", self._handle, c.byref(cells), c.byref(count), c.byref(code))
        text = c.string_at(code.value or b"").decode()
        lib.library.ls_free_text(code)
        return [(one.row, one.label, one.draw, getattr(one, "pass"))
                for one in cells[:count.value]], text

    def _lines(self, cells: Any) -> Any:
        ids, names = self._data.ids, self._data.label_names
        return table([{"id": ids[row] if ids else str(row), "label": names[label], "answer": "",
                       "draw": draw, "pass": again, "audit": self.code}
                      for row, label, draw, again in cells],
                     ["id", "label", "answer", "draw", "pass", "audit"])

    @property
    def questions(self) -> Any:
        return self._lines(self._cells)

    def conflicts(self, answers: Any) -> Any:
        """The cells whose two answers differ, for a third person.

        Parameters
        ----------
        answers : table, file or list
            As for `result`.

        Returns
        -------
        table
            Like `questions`, with 3 in the column `pass`. Its lines with their answers go below the
            others: `result(pandas.concat([answers, conflicts]))`.
        """
        twice = self._twice()
        differ = (c.c_uint8 * len(twice))()
        lib.call("ls_audit_conflicts", self._handle, self._given(answers)[0], differ)
        return self._lines([(row, label, draw, 3)
                            for (row, label, draw, _), on in zip(twice, differ) if on])

    def _twice(self) -> list[tuple[int, int, int, int]]:
        return [cell for cell in self._cells if cell[3] == 2]

    def _given(self, answers: Any) -> tuple[Any, Any]:
        """One answer for each question, and for each that was asked twice what a third person says:
        of a table by id, label and pass, or of a list in order, without the third ones."""
        if isinstance(answers, (str, os.PathLike)):
            import pandas
            answers = pandas.read_csv(answers, dtype=str, keep_default_na=False)
        twice = self._twice()
        third = (c.c_uint8 * len(twice))()
        answers = arrays.as_pandas(answers)
        if not tables.is_table(answers):
            if len(answers) != len(self._cells):
                raise lib.DataError(f"there are {len(self._cells)} questions, and {len(answers)} "
                                    "answers", "give one answer for each question, in their order")
            return (c.c_uint8 * len(self._cells))(*[_answer(one) for one in answers]), third
        ids, names = self._data.ids, self._data.label_names
        found = (c.c_uint8 * len(self._cells))()

        def key_of(row: int, label: int, again: int) -> tuple[str, str, str]:
            return ids[row] if ids else str(row), names[label], str(again)
        places: Dict[Any, Any] = {key_of(row, label, again): (found, place)
                                  for place, (row, label, _, again) in enumerate(self._cells)}
        places.update((key_of(row, label, 3), (third, place))
                      for place, (row, label, _, _again) in enumerate(twice))
        item = "id" if "id" in list(answers.columns) else "item"
        passes = tables.column(answers, "pass", "answers") if "pass" in list(answers.columns) \
            else ["1"] * len(answers)
        self._check_code(answers)
        for key in zip(tables.column(answers, item, "answers"),
                       tables.column(answers, "label", "answers"), passes,
                       tables.column(answers, "answer", "answers", gaps=True)):
            into, place = places.get(key[:3], (None, 0))
            if into is None:
                raise lib.DataError(f"label '{key[1]}' of row '{key[0]}' was not asked in this audit",
                                    "only cells that were drawn at random count; leave it out")
            answer = _answer(key[3])
            if answer and into[place]:
                raise lib.DataError(f"label '{key[1]}' of row '{key[0]}' is answered twice",
                                    "keep one line for each question")
            into[place] = answer or into[place]
        return found, third

    def _check_code(self, answers: Any) -> None:
        codes = set(tables.column(answers, "audit", "answers")) if "audit" in list(answers.columns) \
            else {self.code}
        if codes - {self.code}:
            raise lib.DataError("the answers belong to another audit",
                                "give the data, labels and settings as they were then")

    def _decisions(self, answers: Any, level: float, goals: Sequence[str] = (),
                   per_annotator: bool = False) -> lib.Decisions:
        given, third = self._given(answers)
        return lib.Decisions(given, third, level or -1, lib.texts(goals), len(goals), per_annotator)

    def result(self, answers: Any, *, level: float = 0.9, accept: Union[str, Sequence[str]] = (),
               per_annotator: bool = False) -> AuditResult:
        """What the answers prove.

        Parameters
        ----------
        answers : table, file or list
            The questions with their answers, in any order; or one answer per question, in order.
        level : float
            How often intervals hold.
        accept : str or list of str
            Goals such as "precision >= 0.95"; of whole rows "perfect >= 0.9".
        per_annotator : bool
            Also the share of each annotator's labels that is wrong, by 20 or more decisions each.

        Returns
        -------
        AuditResult

        Raises
        ------
        DataError
            For answers that belong to other questions, or are none.
        """
        goals = [accept] if isinstance(accept, str) else list(accept)
        decisions = self._decisions(answers, level, goals, per_annotator)
        report = lib.json_of("ls_audit_result", self._handle, c.byref(decisions))
        claims: Dict[str, Claim] = {}
        for one in report["claims"]:
            found = one.get("fixed") or one.get("any_time")
            if found:
                claims[one["about"]] = Claim._of(found)
        annotators = report.get("annotator_claims")
        return AuditResult(claims, table(report["label_claims"]),
                           {one["goal"]: one["verdict"] for one in report["goals"]}, report,
                           None if annotators is None else table(list(map(_of_annotator, annotators))))

    def certificate(self, answers: Any, path: Optional[Path] = None, *, level: float = 0.9) -> str:
        """A certificate of the claims that others can compute again, also by `sieve audit verify`.

        Parameters
        ----------
        answers, level
            As for `result`.
        path : path, optional
            Where to write it; there must be no such file yet.

        Returns
        -------
        str
            The certificate, JSON.

        Raises
        ------
        FileExistsError
        """
        text = c.c_void_p()
        decisions = self._decisions(answers, level)
        lib.call("ls_audit_certify", self._handle, c.byref(decisions), c.byref(text))
        written = c.string_at(text.value or b"")
        lib.library.ls_free_text(text)
        if path is not None:
            with open(path, "xb") as file:
                file.write(written)
        return written.decode()


def _of_annotator(claimed: Mapping[str, Any]) -> dict:
    """Without a claim, for too few decisions, the numbers are NaN."""
    claim = claimed["claim"] or {}
    wrong = {name: claim.get(part, float("nan")) for name, part in
             (("wrong", "value"), ("wrong_low", "low"), ("wrong_high", "high"))}
    return {"annotator": claimed["annotator"], "decisions": claimed["decisions"], **wrong}


def _answer(given: Any) -> int:
    answer = _ANSWERS.get("" if given is None else str(given).strip().lower())
    if answer is None:
        raise lib.DataError(f"'{given}' is not an answer",
                            "1 where the label is right, 0 where it is not, ? if nobody can say")
    return answer


def _matrix(data: Data, given: Any, what: str, convert: Any) -> Any:
    """Rows x labels; tables that name rows and labels as the data does meet it by name."""
    if given is None:
        return None
    rows = list(range(len(data))) if data.ids is None else data.ids  # as votes name them
    return convert(candidates_of(tables.aligned(given, rows, data.label_names, what))[0])


def _pointers(*matrices: Any) -> list:
    return [None if one is None else c.byref(one[0]) for one in matrices]


def _subject(data: Any, columns: tuple[str, str, str], options: dict) -> Data:
    if isinstance(data, (str, os.PathLike)):
        return read(data, **options)
    if arrays.is_sparse(data) or isinstance(data, (np.ndarray, list)) or \
            tables.is_table(data) and not any(tables.has_columns(tables.votes_table(data), [name])
                                              for name in columns):
        check_unread(options)
        return Data(None, data, ids=tables.index_of(data))
    return data_of(data, columns, options)[0]


def audit(data: Any, labels: Any = None, *, probabilities: Any = None,
          budget: int = 120, ask_about: Literal["all", "labels", "rows"] = "all",
          per_label: bool = False, twice: int = 10, asked: int = 0,
          random_state: RandomState = 1, n_jobs: Optional[int] = None,
          item: str = "item", annotator: str = "annotator", label: str = "label",
          **options: "Unpack[ReadOptions]") -> Audit:
    """Draws random cells that somebody has to decide, to prove how good labels are.

    Parameters
    ----------
    data : Data, a DataFrame of votes, labels, or a file with options of `read`
        Labels are 0 and 1 for rows x labels: an array, or a table such as `aggregate(votes) >= 0.5`.
    labels : array of 0 and 1 or DataFrame, rows x labels, optional
        The labels to audit, such as `LabelCleaner.labels_`; by default the candidates. A DataFrame
        whose index and columns have the names of the data, in any order, meets it by name.
    probabilities : array or DataFrame, rows x labels, optional
        What is believed of each cell; by default what votes say. It makes intervals narrower. They
        hold whatever it is.
    budget : int
        Decisions in all; of whole rows, how many rows.
    ask_about : {"all", "labels", "rows"}
        All cells; assigned labels alone, so that recall, F1 and Hamming loss are not claimed; or
        whole rows, label by label: the share of rows without a wrong or missing label.
    per_label : bool
        The same number of decisions for each label.
    twice : int
        One cell in this many is asked a second time, which shows how often reviewers err; 0: none.
    asked : int
        Decisions asked for by now, if that is more than the budget.
    random_state, n_jobs
        As for `LabelSieveClassifier`.
    item, annotator, label : str
        The columns of a DataFrame of votes.

    Returns
    -------
    Audit
        With the questions; it takes the answers.

    Raises
    ------
    DataError
        Where no row has a label, or probabilities are none.

    Examples
    --------
    >>> from labelsieve import make_crowd
    >>> crowd = make_crowd(rows=300, labels=5, seed=1)
    >>> asked = audit(crowd, budget=60)
    >>> truth = crowd.truth.toarray()
    >>> answers = [truth[int(one.id), crowd.label_names.index(one.label)]
    ...            for one in asked.questions.itertuples()]
    >>> claim = asked.result(answers).claims["precision"]
    >>> claim.basis, claim.low < claim.value < claim.high
    ('audit', True)
    """
    if ask_about not in ("all", "labels", "rows"):
        raise lib.UsageError(f"nobody can be asked about '{ask_about}'",
                             'give "all", "labels" or "rows" as ask_about')
    return Audit(_subject(data, (item, annotator, label), dict(options)), labels, probabilities,
                 {"budget": budget, "others": ask_about == "all", "rows": ask_about == "rows",
                  "per_label": per_label, "twice": twice, "asked": asked}, seed_of(random_state), threads_of(n_jobs))


def verify(certificate: Union[Path, bytes], data: Any,
           labels: Any = None, *, probabilities: Any = None, n_jobs: Optional[int] = None,
           item: str = "item", annotator: str = "annotator", label: str = "label",
           **options: "Unpack[ReadOptions]") -> list[str]:
    """What does not come out the same when a certificate is computed again; an empty list: it holds.

    Parameters
    ----------
    certificate : str, bytes or path
        A file, or the text that `Audit.certificate` gave.
    data, labels, probabilities, n_jobs, item, annotator, label
        As for `audit`.

    Returns
    -------
    list of str
        What differs, a sentence each.

    Raises
    ------
    DataError
        For what is no certificate.

    Examples
    --------
    >>> from labelsieve import audit, make_crowd
    >>> crowd = make_crowd(rows=300, labels=5, seed=1)
    >>> asked = audit(crowd, budget=20)
    >>> certificate = asked.certificate([1] * len(asked.questions))
    >>> verify(certificate, crowd), len(verify(certificate, make_crowd(rows=300, labels=5, seed=2))) > 0
    ([], True)
    """
    if isinstance(certificate, bytes):
        text = certificate
    elif isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        text = certificate.encode()
    else:
        with open(certificate, "rb") as file:
            text = file.read()
    subject = _subject(data, (item, annotator, label), dict(options))
    given = [_matrix(subject, labels, "labels", arrays.labels),
             _matrix(subject, probabilities, "probabilities", arrays.features)]
    return lib.json_of("ls_audit_verify", text, subject._handle, *_pointers(*given),
                       c.byref(lib.Run(1, threads_of(n_jobs))))
