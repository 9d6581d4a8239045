"""What comes up while a robot's file is read: problems, which are all told at once, and what is left out or noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from freefloat.errors import InputError, ModelError

Unsupported = Literal["refuse", "skip"]
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

    def __post_init__(self) -> None:
        if self.unsupported not in get_args(Unsupported):
            raise InputError(f"unsupported = {self.unsupported!r}; allowed: {', '.join(get_args(Unsupported))}")

    def problem(self, message: str) -> None:
        """Something wrong, "place: what; allowed: ..."; reading goes on to find more."""
        if message not in self.problems:
            self.problems.append(message)

    def cannot(self, where: str, what: str, remedy: str) -> None:
        """An element that cannot be modelled: with "skip" it is left out."""
        if self.unsupported == "skip":
            self.skipped.append(f"{where}: {what}")
        else:
            self.problem(f"{where}: {what} is not supported: {remedy}; or leave it out with unsupported=skip")

    def note(self, message: str) -> None:
        """Something read past, merged or taken another way; once, however often it is met."""
        if message not in self.notes:
            self.notes.append(message)

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
        if self.problems:
            more = len(self.problems) - MOST
            raise ModelError("\n".join([*self.problems[:MOST], *([f"... and {more} more"] if more > 0 else [])]))
