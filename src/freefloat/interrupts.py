"""Ctrl-C where nothing is there to be kept: the process ends at once, whatever code the interrupt meets.

Imports and compilers lose or disguise a `KeyboardInterrupt`: extension modules turn it into an ImportError, callbacks
from C swallow it. A run has nothing to lose before its first step; from then on `gently` gives the interrupt back to
Python, so that logs are closed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130  # exit code, as a shell gives it for SIGINT
_SHOW_CURSOR = "\x1b[?25h"  # which a progress bar hides

_clean: list[Callable[[], object]] = []  # what is done before leaving, newest first


@contextmanager
def at_once(clean: Callable[[], object] | None = None) -> Iterator[None]:
    """An interrupt inside ends the process with 130, after `clean`; `gently` ends that.

    Only where Python's own handler is in force, in the main thread: a program around us may have its own.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before not in (signal.default_int_handler, _leave):
        yield
        return
    if clean is not None:
        _clean.append(clean)
    signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        if clean is not None:
            _clean.remove(clean)
        signal.signal(signal.SIGINT, before)


def gently() -> None:
    """From here on an interrupt is a `KeyboardInterrupt` again: there is something to close."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Noted:
    """An interrupt for work that then ends with what it has: noted from `begin` on, a second one ends it at once."""

    def __init__(self) -> None:
        self.given = False

    def begin(self) -> None:
        """Take interrupts over from `at_once`, until that ends."""
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.given:
            _leave(number, frame)
        self.given = True


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one changes nothing
    for clean in reversed(_clean):
        with suppress(Exception):
            clean()
    with suppress(Exception):  # the stream may be in the middle of a write, or closed
        sys.stdout.flush()
    with suppress(Exception):
        sys.stderr.write(f"{_SHOW_CURSOR if sys.stderr.isatty() else ''}interrupted\n")
        sys.stderr.flush()
    os._exit(INTERRUPTED)
