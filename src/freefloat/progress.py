"""How far a long run is: a bar with the time left, in terminals and notebooks. Short runs, and those whose messages go
to a file or a pipe, show nothing. rich and IPython are imported where they are used.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[float, float], None]  # (simulated time, duration) [s]

WAIT = 1.0  # [s] of wall time before anything is shown
LEAST = 2.0  # [s] of wall time that must be left then
PERIOD = 0.2  # [s] of wall time between two looks

_others = 0  # bars of others: one at a time


@contextmanager
def alone() -> Iterator[None]:
    """Show no bar of a run meanwhile: somebody else does, or measures."""
    global _others
    _others += 1
    try:
        yield
    finally:
        _others -= 1


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress]:
    """What a run is to call with its time and duration [s]: a function as given, a bar (True), none (False), or None: a
    bar when the run takes long and somebody looks.
    """
    if callable(progress):
        yield progress
        return
    wanted = (in_notebook() or _terminal()) and not _others if progress is None else progress
    if not wanted:
        yield lambda t, duration: None
        return
    bar = _Bar(0.0 if progress else WAIT, 0.0 if progress else LEAST)
    with alone():
        try:
            yield bar.tell
        finally:
            bar.close()


@contextmanager
def drawn(wanted: bool | None) -> Iterator[Callable[[float, str], None]]:
    """A bar for what is no run: call it with the share that is done and a text. None: where somebody looks."""
    if not ((in_notebook() or _terminal()) and not _others if wanted is None else wanted):
        yield lambda share, text: None
        return
    view, last = _Notebook() if in_notebook() else _Terminal(), -math.inf

    def tell(share: float, text: str) -> None:
        nonlocal last
        if time.perf_counter() - last >= PERIOD:
            last = time.perf_counter()
            view.draw(share, text)

    with alone():
        try:
            yield tell
        finally:
            view.close()


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()  # pyright: ignore[reportUnnecessaryComparison]


class _Bar:
    """Opens when it is worth it, and draws a few times a second, in the thread of the run: nothing runs beside it."""

    def __init__(self, wait: float, least: float) -> None:
        self._wait, self._least = wait, least
        self._begun = self._drawn = time.perf_counter()
        self._first: float | None = None
        self._view: _Terminal | _Notebook | None = None

    def tell(self, t: float, duration: float) -> None:
        """Draw, where it is time to."""
        now = time.perf_counter()
        self._first = t if self._first is None else self._first
        elapsed, done = now - self._begun, t - self._first
        left = elapsed * (duration - t) / done if done > 0.0 else math.inf
        if self._view is None:
            if elapsed < self._wait or left < self._least:
                return
            self._view = _Notebook() if in_notebook() else _Terminal()
        elif now - self._drawn < PERIOD and t < duration:
            return
        self._drawn = now
        share = t / duration if duration > 0.0 else 1.0
        factor = f", {done / elapsed:.3g} x real time" if done > 0.0 and elapsed > 0.0 else ""
        rest = f", {_clock(left)} left" if math.isfinite(left) else ""
        self._view.draw(share, f"{t:.4g} of {duration:.4g} s{factor}{rest}")

    def close(self) -> None:
        """Leave no trace."""
        if self._view is not None:
            self._view.close()


def _clock(seconds: float) -> str:
    """Such as "7 s", "3:20 min" or "2:05 h"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02d} min" if whole < 3600 else f"{whole // 3600}:{whole % 3600 // 60:02d} h"


class _Terminal:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task = self._bar.add_task("", total=1.0)
        self._bar.start()

    def draw(self, share: float, text: str) -> None:
        self._bar.update(self._task, completed=share, description=text, refresh=True)

    def close(self) -> None:
        self._bar.stop()


class _Notebook:
    """Plain HTML that is replaced: it needs no widgets."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._place: Any = display(HTML(""), display_id=True)

    def draw(self, share: float, text: str) -> None:
        self._place.update(self._html(f"<progress max='1' value='{share:.4f}'></progress> {100 * share:.0f} %: {text}"))

    def close(self) -> None:
        self._place.update(self._html(""))
