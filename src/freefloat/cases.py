"""Cases: functions that yield results, registered under a name, found by importing their package, chosen by name.

`freefloat verify` and `freefloat bench` are two sets of cases, each with results of its own kind.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from freefloat.errors import InputError, unknown_name
from freefloat.progress import alone

T = TypeVar("T")

Progress = Callable[[str, int, int], None]  # name of the case about to run, its index, number of cases


@dataclass(frozen=True)
class Case(Generic[T]):
    """A named function; `title` is the first line of its docstring."""

    name: str
    title: str
    function: Callable[[], Iterator[T]]
    source: str = ""  # of the published numbers that it compares with


@dataclass(frozen=True)
class Cases(Generic[T]):
    """The cases that the modules of `package` register when they are imported."""

    what: str  # what messages call a case
    package: str
    known: dict[str, Case[T]] = field(default_factory=dict)  # those of the modules imported so far

    def register(self, name: str, source: str = "") -> Callable[[Callable[[], Iterator[T]]], Callable[[], Iterator[T]]]:
        """Decorator of a function that yields results; a name is taken once."""

        def register(function: Callable[[], Iterator[T]]) -> Callable[[], Iterator[T]]:
            known = self.known.get(name)
            if known is not None and known.function.__qualname__ != function.__qualname__:
                raise InputError(f"{self.what} {name!r} is registered twice")
            title = (function.__doc__ or name).strip().splitlines()[0]
            self.known[name] = Case(name, title, function, source)
            return function

        return register

    def names(self) -> list[str]:
        """Every case, in alphabetical order."""
        for module in pkgutil.iter_modules(importlib.import_module(self.package).__path__, f"{self.package}."):
            importlib.import_module(module.name)
        return sorted(self.known)

    def in_turn(self, chosen: Sequence[str], progress: Progress | None = None) -> Iterator[Case[T]]:
        """The chosen cases in that order and once each, all where none is chosen; `progress` hears of each before.

        Names are checked before the first.
        """
        names = self.names()
        for name in chosen:
            if name not in self.known:
                raise unknown_name(self.what, name, self.known)
        cases = [self.known[name] for name in dict.fromkeys(chosen or names)]
        with alone():
            for index, case in enumerate(cases):
                if progress is not None:
                    progress(case.name, index, len(cases))
                yield case
