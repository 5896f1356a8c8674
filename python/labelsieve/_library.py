"""The C interface of LabelSieve (labelsieve/c_api.h) by ctypes. Calls run without the GIL."""
from __future__ import annotations

import ctypes as c
import json
import operator
import os
import pathlib
from typing import Any, Callable, Optional

from ._words import words_for


class LabelSieveError(Exception):
    """Something was refused or failed. `message` says what, `hint` what to do about it."""

    exit_code = 1  # what the command `sieve` would end with

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message + ("\n  " + hint if hint else ""))
        self.message, self.hint = message, hint


class UsageError(LabelSieveError, ValueError):
    """An argument or a setting makes no sense."""

    exit_code = 2


class DataError(LabelSieveError, ValueError):
    """Data was refused."""

    exit_code = 3


class ModelError(LabelSieveError, ValueError):
    """A model was refused: damaged, or of another version."""

    exit_code = 4


class FileError(LabelSieveError, OSError):
    """The system failed: a missing file, no permission, a full disk."""

    exit_code = 5


class TrainingError(LabelSieveError, RuntimeError):
    """A training diverged or collapsed."""

    exit_code = 6


INTERRUPTED = 7
_ERRORS = {kind.exit_code: kind
           for kind in (UsageError, DataError, ModelError, FileError, TrainingError)}
for _kind in (LabelSieveError, *_ERRORS.values()):
    _kind.__module__ = "labelsieve"  # where users find it

Names = c.POINTER(c.c_char_p)
Integers = c.POINTER(c.c_int64)
FLOAT32, FLOAT64, UINT8 = range(3)
INT32, INT64 = range(2)


class Sized(c.Structure):
    """A structure that begins with its size."""

    def __init__(self, *fields: Any):
        super().__init__(c.sizeof(self), *fields)


class Matrix(Sized):
    _fields_ = [("struct_size", c.c_size_t), ("rows", c.c_size_t), ("cols", c.c_size_t),
                ("values", c.c_void_p), ("type", c.c_int32), ("index", c.c_int32), ("stride", c.c_size_t),
                ("starts", c.c_void_p), ("columns", c.c_void_p)]


class Votes(c.Structure):
    _fields_ = [("ticks", c.c_size_t), ("row", Integers), ("person", Integers),
                ("label", Integers), ("looks", c.c_size_t), ("look_row", Integers),
                ("look_person", Integers), ("people", c.c_size_t), ("names", Names)]


class Arrays(Sized):
    _fields_ = [("struct_size", c.c_size_t), ("features", Matrix), ("candidates", Matrix), ("truth", Matrix), ("votes", Votes),
                ("rows", c.c_size_t), ("labels", c.c_size_t), ("feature_names", Names),
                ("label_names", Names), ("ids", Names), ("unsure", c.c_size_t),
                ("unsure_row", Integers), ("unsure_person", Integers), ("unsure_label", Integers),
                ("program", c.POINTER(c.c_uint8)), ("group", Integers), ("name", c.c_char_p),
                ("grade", c.POINTER(c.c_uint8))]


ProgressFunction = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_size_t, c.c_size_t, c.c_char_p)


class Run(Sized):
    _fields_ = [("struct_size", c.c_size_t), ("seed", c.c_uint64), ("threads", c.c_size_t), ("progress", ProgressFunction),
                ("context", c.c_void_p)]


class Cell(c.Structure):
    _fields_ = [("row", c.c_size_t), ("label", c.c_size_t), ("value", c.c_double)]


class Question(c.Structure):
    _fields_ = [("row", c.c_size_t), ("label", c.c_size_t), ("draw", c.c_size_t),
                ("pass", c.c_int32)]


class Training(Sized):
    _fields_ = [("struct_size", c.c_size_t), ("method", c.c_char_p), ("settings", c.c_char_p),
                ("gold", c.POINTER(Cell)), ("gold_cells", c.c_size_t), ("weights", c.c_void_p),
                ("unlabelled", c.c_void_p)]


Answers = c.POINTER(c.c_uint8)


class Decisions(Sized):
    _fields_ = [("struct_size", c.c_size_t), ("answers", Answers), ("third", Answers),
                ("level", c.c_double), ("goals", Names), ("goal_count", c.c_size_t),
                ("per_annotator", c.c_int32)]


_handle, _text, _size, _any = c.c_void_p, c.c_char_p, c.c_size_t, c.c_void_p
_out = c.POINTER(c.c_void_p)
_FUNCTIONS = {
    "ls_words_of": (Names, Names, _size, _out),
    "ls_methods": (_out,),
    "ls_settings": (_out,),
    "ls_data_from_arrays": (c.POINTER(Arrays), _out),
    "ls_data_view": (_handle, c.POINTER(Arrays)),
    "ls_data_read": (Names, _size, _text, _handle, _size, _out, _out),
    "ls_data_read_unlabelled": (Names, _size, _text, _handle, _size, _out, _out),
    "ls_data_synthetic": (_text, _out),
    "ls_data_inspect": (_handle, _out),
    "ls_train": (_handle, c.POINTER(Training), c.POINTER(Run), _out),
    "ls_predict": (_handle, _handle, c.POINTER(Run), _any, _size, _any, _size),
    "ls_predict_probabilities": (_handle, _handle, c.POINTER(Run), _any, _size),
    "ls_predict_guaranteed": (_handle, _handle, _text, c.POINTER(Run), _any, _size),
    "ls_evaluate": (*4 * (c.POINTER(Matrix),), _text, _out),
    "ls_model_info": (_handle, _out),
    "ls_model_load": (_text, _out),
    "ls_model_save": (_handle, _text, c.c_int),
    "ls_model_export": (_handle, _text, c.c_int),
    "ls_model_from_bytes": (_any, _size, _out),
    "ls_model_to_onnx": (_handle, _text, _any, c.POINTER(_size)),
    "ls_model_to_bytes": (_handle, _any, c.POINTER(_size)),
    "ls_model_guarantee": (_handle, _handle, c.POINTER(Cell), _size, _text, c.c_double,
                           c.POINTER(Run), _out),
    "ls_aggregate": (_handle, _text, _size, c.POINTER(Run), _any, _out),
    "ls_agreement": (_handle, _size, c.POINTER(Run), _out),
    "ls_annotators": (_handle, _size, c.POINTER(Run), _out),
    "ls_ask": (_handle, _text, _size, c.POINTER(Run), _out),
    "ls_audit_begin": (_handle, *2 * (c.POINTER(Matrix),), _text, c.POINTER(Run), _out),
    "ls_audit_questions": (_handle, c.POINTER(c.POINTER(Question)), c.POINTER(_size), _out),
    "ls_audit_conflicts": (_handle, Answers, Answers),
    "ls_audit_result": (_handle, c.POINTER(Decisions), _out),
    "ls_audit_certify": (_handle, c.POINTER(Decisions), _out),
    "ls_audit_verify": (_text, _handle, *2 * (c.POINTER(Matrix),), c.POINTER(Run), _out),
    "ls_clean": (_handle, _text, _text, _size, c.c_double, c.POINTER(Cell), _size, c.POINTER(Run), _out),
    "ls_cleaning_info": (_handle, c.c_double, _out),
    "ls_cleaning_cells": (_handle, c.c_double, _any, _any),
    "ls_cleaning_threshold": (_handle, _text, c.POINTER(c.c_double)),
    "ls_cleaning_missing": (_handle, c.POINTER(c.POINTER(Cell)), c.POINTER(_size)),
}
_OTHER_FUNCTIONS = {"ls_version": (_text,), "ls_last_error": (_text,), "ls_last_hint": (_text,),
                    "ls_free_text": (None, _any), "ls_free_data": (None, _handle),
                    "ls_free_model": (None, _handle), "ls_free_cleaning": (None, _handle),
                    "ls_free_audit": (None, _handle), "ls_free_words": (None, _handle),
                    "ls_use_words_here": (_handle, _handle)}


def _load() -> c.CDLL:
    beside = pathlib.Path(__file__).with_name("liblabelsieve.so")
    path = os.environ.get("LABELSIEVE_LIBRARY") or (str(beside) if beside.exists()
                                                    else "liblabelsieve.so.0.3")
    try:
        loaded = c.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"labelsieve cannot load its library: {error}\n  The wheel runs on x86-64 Linux with "
            "glibc 2.34 or later. Elsewhere, build it there: pip install . in the source", path=path
        ) from error
    try:
        for name, arguments in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = c.c_int, arguments
        for name, (result, *rest) in _OTHER_FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, rest
    except AttributeError as error:
        raise ImportError(f"{path} is of another version of labelsieve: {error}\n  Remove one of "
                          "them, or unset LABELSIEVE_LIBRARY", path=path) from None
    return loaded


library = _load()


def error_of(status: int) -> LabelSieveError:
    """What the last call of this thread failed with."""
    message = library.ls_last_error().decode("utf-8", "replace")
    hint = library.ls_last_hint().decode("utf-8", "replace")
    return _ERRORS.get(status, LabelSieveError)(message, hint)


_words = c.c_void_p()  # what settings are called here; others may use the library, too


def status_of(name: str, *arguments: Any) -> int:
    """What a function returns; its hints are in the words of Python."""
    before = library.ls_use_words_here(_words)
    try:
        return int(getattr(library, name)(*arguments))
    finally:
        library.ls_use_words_here(before)


def call(name: str, *arguments: Any) -> None:
    status = status_of(name, *arguments)
    if status:
        raise error_of(status)


def texts(values: Any) -> Any:
    """Texts as C has them, or None for none."""
    return None if values is None else (c.c_char_p * len(values))(
        *[str(value).encode("utf-8", "surrogateescape") for value in values])


MOST_THREADS = 1024
LARGEST_SEED = 2 ** 64 - 1


def whole_number(value: Any, name: str, most: int) -> int:
    """The number as C can take it: C would wrap one that is negative or too large around."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if not 0 <= number <= most:
        raise UsageError(f"{name} cannot be {number}", f"{name} is a whole number from 0 to {most}")
    return number


def text(value: Any, name: str) -> bytes:
    """A text as C has it."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {value!r}")
    return value.encode()


def settings(values: dict) -> bytes:
    """Settings as JSON; numbers of any kind, paths and the like go by how they are written."""
    def plain(value: Any) -> Any:
        value = value.tolist() if hasattr(value, "tolist") else value  # an array, or one number of one
        if isinstance(value, (list, tuple, set, frozenset)):
            return [plain(one) for one in value]
        return str(value).lower() if isinstance(value, bool) else str(value)
    return json.dumps({str(key): plain(value) for key, value in values.items()
                       if value is not None}).encode()


def json_of(name: str, *arguments: Any) -> Any:
    """What a function tells as JSON."""
    text = c.c_void_p()
    call(name, *arguments, c.byref(text))
    return taken_json(text)


def taken_json(text: c.c_void_p) -> Any:
    try:
        return json.loads(c.string_at(text.value or b"null"))
    finally:
        library.ls_free_text(text)


def bytes_of(name: str, *arguments: Any) -> bytes:
    """What a function writes into room of ours; without room it only tells the size."""
    size = c.c_size_t()
    call(name, *arguments, None, c.byref(size))
    room = c.create_string_buffer(size.value)
    call(name, *arguments, room, c.byref(size))
    return room.raw


class Handle:
    """Something of the library's, which ends with this."""

    def __init__(self, end: str, name: str, *arguments: Any,
                 by: Optional[Callable[..., None]] = None):
        self._as_parameter_ = c.c_void_p()
        self._end = getattr(library, end)
        (by or call)(name, *arguments, c.byref(self._as_parameter_))

    @property
    def address(self) -> Optional[int]:
        return self._as_parameter_.value

    def __del__(self) -> None:
        if getattr(self, "_end", None) is not None:
            self._end(self._as_parameter_)


_settings = json_of("ls_settings")
# Arguments of read() and of make_crowd() by name, as the library has them.
READ_SETTINGS = {row["name"]: row for row in _settings["read"]}
CROWD_SETTINGS = {row["name"]: row for row in _settings["synthetic"]}
WORDS = words_for(READ_SETTINGS)
call("ls_words_of", texts(list(WORDS)), texts(list(WORDS.values())), len(WORDS), c.byref(_words))
