"""Names for what can be read from and written to a world; the same name in tables, logs, tasks and events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from freefloat.errors import InputError, unknown_name


@dataclass(frozen=True)
class Port:
    """What somebody outside can read or command: a name with everything that is known of it."""

    name: str
    unit: str
    shape: tuple[int, ...]
    frame: str
    meaning: str
    world: str  # empty where a mission has one
    limits: tuple[tuple[float, ...], tuple[float, ...]] | None = None  # of a command: lower and upper, entry by entry
    writer: str = ""  # of a command: "task NAME", "upkeep", or empty: `Session.write`


@dataclass(frozen=True)
class Signal:
    """A named quantity `part.component.quantity`."""

    name: str
    unit: str
    shape: tuple[int, ...] = ()
    frame: str = ""  # frame that it is expressed in, where it has one
    meaning: str = ""

    @property
    def size(self) -> int:
        """Number of scalars."""
        n = 1
        for k in self.shape:
            n *= k
        return n

    @property
    def part(self) -> str:
        """The name without its last component: what the quantity belongs to."""
        return self.name.rpartition(".")[0]

    def columns(self) -> list[str]:
        """Names of its scalars: `arm.q[0]`, ..., or the name itself for a scalar."""
        return [f"{self.name}[{i}]" for i in range(self.size)] if self.shape else [self.name]


def select(signals: Mapping[str, Signal], name: str) -> tuple[Signal, list[int]]:
    """The signal and its scalars meant by `arm.q` (all) or `arm.q[2]` (one)."""
    found = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", name, re.DOTALL)
    assert found is not None
    base, index = found.groups()
    if base not in signals:
        raise unknown_name("signal", base, signals)
    signal = signals[base]
    if index is None:
        return signal, list(range(signal.size))
    if int(index) >= signal.size:
        raise InputError(f"signal {name!r} has no such component; allowed: 0 to {signal.size - 1}")
    return signal, [int(index)]
