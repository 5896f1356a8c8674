"""Follows long calls: shows their progress, and lets Ctrl-C and errors of a callback stop them."""
from __future__ import annotations

import ctypes as c
import signal
import sys
import threading
import time
from typing import Any, Callable, Optional, Union

from ._library import INTERRUPTED, ProgressFunction, Run, error_of, library

Verbose = Union[int, bool, Callable[[str, int, int, str], Any]]


class _Bar:
    """A bar of tqdm for each stage."""

    def __init__(self, tqdm: Any):
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int, note: str) -> None:
        if self._bar is None or self._bar.desc != stage:
            self.close()
            self._bar = self._tqdm(total=total or None, leave=False)
            self._bar.set_description_str(stage, refresh=False)
        self._bar.update(done - self._bar.n)
        self._bar.set_postfix_str(note)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Line:
    """One line that is written over on a terminal; elsewhere one per stage."""

    def __init__(self) -> None:
        self._stage, self._width, self._live = "", 0, sys.stderr.isatty()

    def __call__(self, stage: str, done: int, total: int, note: str) -> None:
        if not self._live:
            if stage != self._stage:
                print(stage, file=sys.stderr, flush=True)
            self._stage = stage
            return
        text = f"{stage} {done}{f'/{total}' if total else ''} {note}"[:79]
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


class _Silent:
    def __call__(self, *told: Any) -> None:
        pass

    def close(self) -> None:
        pass


class _Told(_Silent):
    def __init__(self, function: Callable[..., Any]):
        self._function = function

    def __call__(self, *told: Any) -> None:
        self._function(*told)


def _display(verbose: Verbose) -> Any:
    if callable(verbose):
        return _Told(verbose)
    if not verbose:
        return _Silent()
    try:
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets has a plain bar
            from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)


class Watch:
    """Makes one call. While it runs, Ctrl-C is only noted: an exception inside a callback of C would
    be lost."""

    def __init__(self, *, seed: int = 1, threads: int = 0, verbose: Verbose = 0):
        self._raised: Optional[BaseException] = None
        self._interrupted: Optional[tuple] = None
        self._display = _display(verbose)
        self._function = ProgressFunction(self._tell)
        self.run = Run(seed, threads, self._function, None)

    def __call__(self, name: str, *arguments: Any) -> None:
        before = self._take_signal()
        try:
            status = getattr(library, name)(*arguments)
            error = error_of(status) if status else None
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
            self._display.close()
        if self._raised is not None:
            raise self._raised
        if self._interrupted is not None:
            if before is not None:
                before(*self._interrupted)
            raise KeyboardInterrupt
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        if error is not None:
            raise error

    def _take_signal(self) -> Any:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            return None

        def note(number: int, frame: Any) -> None:
            self._interrupted = (number, frame)
        signal.signal(signal.SIGINT, note)
        return before

    def _tell(self, _context: Any, stage: bytes, done: int, total: int, note: bytes) -> int:
        try:
            self._display(stage.decode(), done, total, note.decode("utf-8", "replace"))
        except BaseException as error:  # whatever it is, it comes up after the call
            self._raised = error
        return int(self._raised is not None or self._interrupted is not None)
