"""How a benchmark is written: a registered function that yields figures.

    @bench("engine")
    def engine() -> Iterator[Figure]:
        yield Figure("tree_us_per_step", 7.1, "what was measured, and how")

Names are flat and unique over all benchmarks; one with a unit ends in it. `note` says what was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from freefloat.errors import InputError

BenchFunction = Callable[[], Iterator["Figure"]]


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    name: str
    value: float
    note: str


@dataclass(frozen=True)
class Bench:
    """A named benchmark; `title` is the first line of its function's docstring."""

    name: str
    title: str
    function: BenchFunction


REGISTRY: dict[str, Bench] = {}


def bench(name: str) -> Callable[[BenchFunction], BenchFunction]:
    """Register a function that yields figures under `name`."""

    def register(function: BenchFunction) -> BenchFunction:
        known = REGISTRY.get(name)
        if known is not None and known.function.__qualname__ != function.__qualname__:
            raise InputError(f"benchmark {name!r} is registered twice")
        title = (function.__doc__ or name).strip().splitlines()[0]
        REGISTRY[name] = Bench(name, title, function)
        return function

    return register
