"""What the command line shows: messages, tables, the progress bar, exit codes. rich is imported where it is used."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from freefloat.progress import alone

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130  # exit codes
WIDE = 200  # [characters] of a table that goes to a file or a pipe


def say(*lines: str) -> None:
    """Lines on standard error, whatever characters they hold."""
    for line in lines:
        print(line.encode("utf-8", "backslashreplace").decode(), file=sys.stderr)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """In place of `warnings.showwarning`: one line, without the place in our source."""
    say(f"warning: {message}")


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """A table on standard output; cells are printed as they are, without markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console()
    (console if console.is_terminal else Console(width=WIDE)).print(table)


@contextmanager
def count_bar(visible: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error with the time left; call it with what is done and how much there is."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with alone(), Progress(*columns, console=Console(stderr=True), disable=not visible) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def progress_bar(visible: bool) -> Iterator[Callable[[float, float], None]]:
    """A bar on standard error with the real-time factor and the time left; call it with time and duration [s]."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.fields[time]} {task.fields[factor]}")
    columns = (BarColumn(), TaskProgressColumn(), text, TimeRemainingColumn())
    with alone(), Progress(*columns, console=Console(stderr=True), disable=not visible) as bar:
        task = bar.add_task("", total=None, time="preparing", factor="")

        def progress(t: float, duration: float) -> None:
            if bar.tasks[0].total is None:
                bar.reset(task, total=duration)  # the clock starts with the simulation, after compilation
            elapsed = bar.tasks[0].elapsed or 0.0
            factor = f"{t / elapsed:.3g} x real time" if elapsed > 0.0 and t > 0.0 else ""
            bar.update(task, completed=t, time=f"{t:.4g} of {duration:.4g} s", factor=factor)

        yield progress


@contextmanager
def plan_bar(visible: bool) -> Iterator[Callable[[float, float], None]]:
    """A bar on standard error of a search; call it with the best cost and the proven bound [s], infinite where none.

    It is full when the bound has come up to the cost.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.fields[told]}"), TimeElapsedColumn())
    with alone(), Progress(*columns, console=Console(stderr=True), disable=not visible, transient=True) as bar:
        task = bar.add_task("", total=None, told="preparing")

        def progress(cost: float, bound: float) -> None:
            if math.isfinite(cost):
                share = bound / cost if cost > 0.0 else 1.0
                bar.update(task, total=1.0, completed=share, told=f"best plan {cost:.4g} s, none below {bound:.4g} s")
            else:
                bar.update(task, told=f"no plan yet, none below {bound:.4g} s")

        yield progress
