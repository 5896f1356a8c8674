"""Follows long calls: shows their progress, and lets Ctrl-C and errors of a callback stop them."""
from __future__ import annotations

import atexit
import ctypes as c
import os
import signal
import sys
import threading
import time
from typing import Any, Callable, Optional, Union

from ._library import INTERRUPTED, ProgressFunction, Run, error_of, status_of

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


class _Calls:
    """The calls that are under way. An interpreter that ends lets none of them come back into Python:
    that would end the process with a crash. They are asked to stop, and are waited for."""

    def __init__(self) -> None:
        self._running, self._changed, self.ending = 0, threading.Condition(), False
        atexit.register(self._end)
        os.register_at_fork(after_in_child=self._forget)

    def __enter__(self) -> None:
        with self._changed:
            self._running += 1

    def __exit__(self, *_raised: Any) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def _forget(self) -> None:
        self._running, self._changed = 0, threading.Condition()  # they run in the parent

    def _end(self) -> None:
        self.ending = True
        with self._changed:
            self._changed.wait_for(lambda: self._running <= 0, _LONGEST_WAIT)


_LONGEST_WAIT = 30  # seconds; work that asks at all asks more often
_calls = _Calls()


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
            with _calls:
                status = status_of(name, *arguments)
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
            raise SystemExit if _calls.ending else KeyboardInterrupt
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
        if _calls.ending:
            return 1
        try:
            self._display(stage.decode(), done, total, note.decode("utf-8", "replace"))
        except BaseException as error:  # whatever it is, it comes up after the call
            self._raised = error
        return int(self._raised is not None or self._interrupted is not None)
