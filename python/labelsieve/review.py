"""The review page: the command `sieve review`, started from Python."""
from __future__ import annotations

import html
import os
import shutil
import signal
import subprocess
import tempfile
from typing import Any

from . import _library as lib
from .data import Path

_OWN_FLAGS = ("model", "probabilities", "overlap", "method", "media", "guidelines", "reviewer",
              "port", "seed")


def _command() -> str:
    found = os.environ.get("SIEVE_COMMAND") or shutil.which("sieve")
    if not found:
        raise lib.FileError("the command sieve is not there, which serves the page",
                            "install it beside the package, or name it in SIEVE_COMMAND")
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
    """A review page that is being served. It ends with `close()`, a `with` block, or Python.

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
            if len(words) == 2 and words[0] == "open":
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
        return f'<a href="{html.escape(self.link)}" target="_blank">review page</a>'


def open(*paths: Path, decisions: Path, **options: Any) -> Page:
    """Starts the review page of the command and gives its link; also from a notebook.

    Parameters
    ----------
    *paths : paths
        The data, as for `read`.
    decisions : path
        The file that keeps every decision; made if it is not there. `labelsieve.train` learns from
        the reviewed data that `sieve review export` writes.
    **options
        Those of `read`, such as annotations, and model, probabilities, overlap, method, media, guidelines, reviewer,
        port and seed of `sieve review`.

    Returns
    -------
    Page
        With its `link`; `close()` ends it.

    Raises
    ------
    FileError
        Where the command sieve is not installed.
    DataError
        For data that the command refuses.

    Examples
    --------
    >>> page = labelsieve.open("rows.csv", decisions="review.db")  # doctest: +SKIP
    >>> page.link  # doctest: +SKIP
    'http://127.0.0.1:41234/?token=...'
    """
    return Page([_command(), "review", *(os.fspath(path) for path in paths),
                 "--decisions", os.fspath(decisions), "--quiet", "--no-open", *_flags(options)])


