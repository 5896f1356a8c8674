"""The page of a workspace: the command `sieve open`, started from Python."""
from __future__ import annotations

import html
import os
import signal
import subprocess
import tempfile
from typing import Any, Optional

from . import _library as lib
from ._command import command
from .data import Path

_OWN_FLAGS = ("model", "probabilities", "method", "media", "guidelines", "reviewer", "port", "seed")


def _command() -> str:
    found = command()
    if not found:
        raise lib.FileError("the command sieve is not there, which serves the page",
                            "this installation carries none: name one in SIEVE_COMMAND")
    return found


def _flags(options: dict) -> list[str]:
    flags = []
    for name, value in options.items():
        if name not in _OWN_FLAGS and name not in lib.READ_SETTINGS:
            raise TypeError(f"open() has no option '{name}'")
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(flag if value else "--no-" + flag[2:])
        elif value is not None:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            flags.append(f"{flag}={text}")
    return flags


class Page:
    """A page that is being served. It ends with `close()`, a `with` block, or Python.

    Attributes
    ----------
    link : str
        Where a browser finds it; a notebook shows it as a link. It works on this machine alone.
    """

    def __init__(self, command: list[str]):
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._said,
                                         stdin=subprocess.DEVNULL, start_new_session=True)
        self.link = self._find_link()

    def _find_link(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            words = line.decode("utf-8", "replace").split()
            if len(words) == 2 and words[0] == "open" and words[1].startswith("http"):
                return words[1]
        code = self._process.wait()
        self._said.seek(0)
        message = self._said.read().decode("utf-8", "replace").strip()
        kind = lib._ERRORS.get(code, lib.LabelSieveError)
        raise kind(message.removeprefix("sieve: ") or f"the page ended with {code}")

    def close(self) -> None:
        """Ends the page; every decision is in its file already."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_raised: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()

    def __repr__(self) -> str:
        return f"<labelsieve.Page: {self.link}>"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.link)}" target="_blank">the page of LabelSieve</a>'


def open(*paths: Path, decisions: Optional[Path] = None, **options: Any) -> Page:
    """Opens a workspace in the browser: overview, review, audit and export; also from a notebook.

    Parameters
    ----------
    *paths : paths
        A folder, or the files of a data set as for `read`; without any, the current folder. In a
        folder, the table that says who annotated holds the annotations; the page asks what is unclear.
    decisions : path, optional
        The file that keeps every decision; made if it is not there. By default it is
        `workspace.sieve-db` beside the data, which are never changed.
    **options
        Those of `read`, such as annotations, and model, probabilities, method, media, guidelines,
        reviewer, port and seed of `sieve open`.

    Returns
    -------
    Page
        With its `link`; `close()` ends it.

    Raises
    ------
    FileError
        For files that are not there, and where the installation carries no command.
    DataError
        For data that the command refuses.

    Examples
    --------
    >>> page = labelsieve.open("folder")  # doctest: +SKIP
    >>> page.link  # doctest: +SKIP
    'http://127.0.0.1:41234/?token=...'
    """
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"open() takes a folder or files, not {type(path).__name__}")
        if not os.path.exists(path):
            raise lib.FileError(f"{os.fspath(path)}: there is no such file or folder")
    kept = [] if decisions is None else ["--decisions", os.fspath(decisions)]
    return Page([_command(), "open", *(os.fspath(path) for path in paths), *kept,
                 "--quiet", "--no-open", *_flags(options)])
