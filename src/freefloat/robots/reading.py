"""What comes up while a robot's file is read: problems, which are all told at once, and what is left out or noted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, get_args

from freefloat.errors import InputError, ModelError

Unsupported = Literal["refuse", "skip"]
T = TypeVar("T")

MOST = 30  # problems in one message


@dataclass
class Reading:
    """How a file is read, and what has been found in it.

    `unsupported` says what happens to elements that cannot be modelled: "refuse" makes each a problem, "skip" leaves it
    out and lists it. What is wrong (bad numbers, unknown links) is a problem either way.
    """

    unsupported: Unsupported = "refuse"
    balance: bool = False  # inertias that miss the triangle inequality by less than 5 % are balanced
    search: Sequence[str | Path] = ()  # directories in which package://NAME/ is looked for
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    past: dict[str, list[str]] = field(default_factory=dict)  # notes that are alike, with their places

    def __post_init__(self) -> None:
        if self.unsupported not in get_args(Unsupported):
            raise InputError(f"unsupported = {self.unsupported!r}; allowed: {', '.join(get_args(Unsupported))}")

    def problem(self, message: str) -> None:
        """Something wrong, "place: what; allowed: ..."; reading goes on to find more."""
        if message not in self.problems:
            self.problems.append(message)

    def cannot(self, where: str, what: str, remedy: str, instead: str = "") -> None:
        """An element that cannot be modelled: with "skip" it is left out, or taken as `instead` says."""
        if self.unsupported == "skip":
            self.skipped.append(f"{where}: {what}" + (f": {instead}" if instead else ""))
        else:
            self.problem(f"{where}: {what} is not supported: {remedy}; or leave it out with unsupported=skip")

    def leave_out(self, error: ModelError) -> None:
        """Something wrong that a robot can do without: with "skip" it is left out."""
        if self.unsupported == "skip":
            self.skipped.append(str(error))
        else:
            self.problem(f"{error}; or leave it out with unsupported=skip")

    def note(self, message: str) -> None:
        """Something read past, merged or taken another way; once, however often it is met."""
        if message not in self.notes:
            self.notes.append(message)

    def alike(self, what: str, where: str) -> None:
        """A note that many elements may earn: told once, with the first place and how many more there are."""
        self.past.setdefault(what, []).append(where)

    def take(self, other: Reading) -> None:
        """What came up in another reading of the same file."""
        for problem in other.problems:
            self.problem(problem)
        for note in other.notes:
            self.note(note)
        self.skipped += other.skipped
        for what, places in other.past.items():
            self.past.setdefault(what, []).extend(places)

    def attempt(self, read: Callable[[], T], otherwise: T) -> T:
        """What `read` returns, or `otherwise` where it raises a `ModelError`, which becomes a problem."""
        with self.collecting():
            return read()
        return otherwise

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """A `ModelError` inside ends the block and becomes a problem."""
        try:
            yield
        except ModelError as error:
            for line in str(error).splitlines():
                self.problem(line)

    def finish(self) -> None:
        """Refuse the file if anything is wrong with it: one line for each problem."""
        for what, places in self.past.items():
            self.note(f"{places[0]}: {what}" + (f" (and {len(places) - 1} more)" if len(places) > 1 else ""))
        self.past.clear()
        if self.problems:
            more = len(self.problems) - MOST
            raise ModelError("\n".join([*self.problems[:MOST], *([f"... and {more} more"] if more > 0 else [])]))
