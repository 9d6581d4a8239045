"""Names for what can be read from and written to a world; the same name in tables, logs, tasks and events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from freefloat.errors import InputError, unknown_name

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
_WRENCHES = {"N, N m": ("force", "torque"), "N m, N": ("torque", "force"), "m, rad": ("shift", "turn")}


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
    labels: tuple[str, ...] = ()  # of the entries, where they have any


@dataclass(frozen=True)
class Signal:
    """A named quantity `part.component.quantity`.

    Several units, as in "m, m, rad", are those of its scalars, one each or each for the same number of them. Vectors
    in a frame, quaternions and wrenches know their labels; other entries are numbered where none are given.
    """

    name: str
    unit: str
    shape: tuple[int, ...] = ()
    frame: str = ""  # frame that it is expressed in, where it has one
    meaning: str = ""
    labels: tuple[str, ...] = ()  # of its scalars in order: x y z, names of joints, coldest mean warmest

    def __post_init__(self) -> None:
        labels = tuple(self.labels) or _usual_labels(self)
        if labels and (len(labels) != self.size or len(set(labels)) < len(labels)):
            wanted = f"{self.size} that differ, one for each number, or none"
            raise InputError(f"signal {self.name!r}: labels {list(labels)!r}; allowed: {wanted}")
        object.__setattr__(self, "labels", labels)

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

    def components(self) -> list[str]:
        """What each of its scalars is called on a page: its label, or its number."""
        return list(self.labels) or [f"[{i}]" for i in range(self.size)]

    def units(self) -> list[str]:
        """The unit of each of its scalars."""
        given = self.unit.split(", ")
        if self.size % len(given):  # of an old log: which has which is not known
            return [self.unit] * self.size
        return [unit for unit in given for _ in range(self.size // len(given))]

    @property
    def is_attitude(self) -> bool:
        """Whether it is a quaternion, scalar first."""
        return self.labels == QUATERNION and self.unit == "-"


def _usual_labels(signal: Signal) -> tuple[str, ...]:
    """Labels that follow from shape, unit and frame; none where they do not."""
    shape, quantity = signal.shape, signal.name.rpartition(".")[2]
    if shape == (6,) and signal.unit in _WRENCHES:
        return tuple(f"{what} {axis}" for what in _WRENCHES[signal.unit] for axis in AXES)
    if not signal.frame:
        return ()
    if shape == (4,) and signal.unit == "-" and quantity.startswith("q_"):
        return QUATERNION
    if shape == (3,) and ", " not in signal.unit:
        return AXES
    if shape == (3, 3):
        return tuple(a + b for a in AXES for b in AXES) if "^2" in signal.unit else _numbered(3)
    return _numbered(shape[0]) if len(shape) == 2 and shape[1] == 3 else ()


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(f"{i} {axis}" for i in range(n) for axis in AXES)


def per_second(unit: str, order: int = 1) -> str:
    """The unit of a rate, of each where there are several."""
    return ", ".join(f"{one}/s" if order == 1 else f"{one}/s^{order}" for one in unit.split(", "))


def shared(units: Sequence[str]) -> str:
    """One unit for all entries where they have the same, else that of each."""
    return units[0] if len(set(units)) == 1 else ", ".join(units)


def select(signals: Mapping[str, Signal], name: str) -> tuple[Signal, list[int]]:
    """The signal and its scalars meant by `arm.q` (all), or `arm.q[2]` or `bus.p_WB[x]` (one)."""
    found = re.fullmatch(r"(.*?)(?:\[([^\[\]]+)\])?", name, re.DOTALL)
    assert found is not None
    base, index = found.groups()
    if base not in signals:
        raise unknown_name("signal", base, signals)
    signal = signals[base]
    if index is None:
        return signal, list(range(signal.size))
    if index.isascii() and index.isdigit() and int(index) < signal.size:
        return signal, [int(index)]
    if index not in signal.labels:
        named = f", {', '.join(signal.labels)}" if signal.labels else ""
        raise InputError(f"signal {name!r} has no such component; allowed: 0 to {signal.size - 1}{named}")
    return signal, [signal.labels.index(index)]
