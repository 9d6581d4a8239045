"""What a run records, group by group, and where it goes: into memory, a log, a live view; the audit runs along."""

from __future__ import annotations

import copy
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from freefloat.engine.audit import Ledger
from freefloat.engine.graph import Vector
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, unknown_name
from freefloat.kernels.audit_layout import COLUMNS

if TYPE_CHECKING:
    from freefloat.engine.event import Fired
    from freefloat.engine.plant import Plant
    from freefloat.geometry.shape import Shapes

DRAIN_PERIOD = 0.25  # [s] wall time between drains; the log flushes every half second


def audit_signals(world: str) -> list[Signal]:
    """The audit's columns as signals: `audit.heat`, or `audit.WORLD.heat` where worlds have names."""
    name = f"audit.{world}" if world else "audit"
    return [Signal(f"{name}.{c.name}", c.unit, (c.size,) if c.size > 1 else (), c.frame, c.meaning) for c in COLUMNS]


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Let Ctrl-C wait until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed and callable(handler):
        handler(*pressed[0])


class Sink(Protocol):
    """Takes rows [t, columns...] of groups as they come."""

    def write(self, group: str, rows: Vector) -> None: ...


class Log(Protocol):
    """Where rows, events and shapes go: a `LogWriter`, or a line to one in another process."""

    def write(self, group: str, t: Vector, rows: Vector) -> None: ...
    def event(self, t: float, name: str, text: str = "") -> None: ...
    def scene(self, t: float, shapes: Shapes) -> None: ...


class Memory:
    """Keeps all rows."""

    def __init__(self, groups: Mapping[str, Sequence[Signal]]) -> None:
        self._widths = {g: 1 + sum(s.size for s in signals) for g, signals in groups.items()}
        self.blocks: dict[str, list[Vector]] = {g: [] for g in groups}

    def write(self, group: str, rows: Vector) -> None:
        """Keep further rows."""
        self.blocks[group].append(rows)

    def rows(self, group: str) -> Vector:
        """All rows of a group so far."""
        blocks = self.blocks[group]
        return np.concatenate(blocks) if blocks else np.zeros((0, self._widths[group]))


class Live:
    """The newest rows of every group, for whoever looks, from any thread. The writer never waits for a reader."""

    def __init__(self, groups: Mapping[str, Sequence[Signal]], rows: int = 1) -> None:
        if rows < 1:
            raise InputError(f"live view of {rows!r} rows; allowed: 1 or more")
        self._widths = {g: 1 + sum(s.size for s in signals) for g, signals in groups.items()}
        self._rings = {g: deque[Vector](maxlen=rows) for g in groups}

    def write(self, group: str, rows: Vector) -> None:
        """Let newer rows take the place of the oldest."""
        self._rings[group].extend(rows[-(self._rings[group].maxlen or 1) :])

    def newest(self, group: str) -> Vector | None:
        """A copy of the newest row [t, columns...], or None before the first."""
        rows = self.rows(group)
        return rows[-1] if len(rows) else None

    def rows(self, group: str) -> Vector:
        """A copy of the newest rows, oldest first."""
        if group not in self._rings:
            raise unknown_name("recorded group", group, self._rings)
        rows = list(self._rings[group].copy())  # one step for the interpreter: no writer comes between
        return np.array(rows).reshape(len(rows), self._widths[group])


class Recorder:
    """Takes rows from plants and tasks and gives them to its sinks; groups of plants come first."""

    def __init__(self, plants: Sequence[Plant], tasks: Mapping[str, Sequence[Signal]]) -> None:
        self.groups: dict[str, tuple[Signal, ...]] = {}
        self.ledgers: dict[str, Ledger] = {}  # by the audit's group
        self._sources: list[tuple[str, Plant, int]] = []
        for plant in plants:
            for g, group in enumerate(plant.groups):
                own = audit_signals(plant.name) if group.audit else [plant.blueprint.signal(n) for n in group.signals]
                self.groups[group.name] = tuple(own)
                self._sources.append((group.name, plant, g))
                if group.audit:
                    self.ledgers[group.name] = Ledger()
        self._tasks: dict[str, Callable[[int | None], Vector]] = {}
        self.groups |= {g: tuple(s) for g, s in tasks.items()}
        self.memory: Memory | None = Memory(self.groups)
        self.log: Log | None = None
        self._lives: list[Live] = []
        self._drained = time.monotonic()

    def live(self, rows: int = 1) -> Live:
        """A live view of the newest rows, from now on."""
        self._lives.append(Live(self.groups, rows))
        return self._lives[-1]

    @property
    def keeps(self) -> bool:
        """Whether rows are kept in memory."""
        return self.memory is not None

    def only_log(self) -> None:
        """Keep no rows in memory, where there are none yet: a run of any length then needs no more of it."""
        if self.memory is not None and not any(self.memory.blocks.values()):
            self.memory = None

    def source(self, group: str, take: Callable[[int | None], Vector]) -> None:
        """Where rows of a task's group come from: `take(most)` gives the oldest, at most so many."""
        self._tasks[group] = take

    def due(self) -> bool:
        """Whether the log should get what has been recorded."""
        return time.monotonic() - self._drained > DRAIN_PERIOD

    def drain(self, until_ns: int | None = None, most: int | None = None) -> None:
        """Move recorded rows from the plants' buffers and from the tasks to the sinks.

        Where an instant is named, rows of the plants leave only up to there: what is later may still be redone. `most`
        bounds the rows of each group: two thousand would take most of a cycle of 4 ms.
        """
        with _uninterrupted():  # half a drain would lose rows, or write them twice
            for group, plant, g in self._sources:
                self._store(group, plant.drain(g, until_ns, most))
            for group, take in self._tasks.items():
                self._store(group, take(most))
        if most is None:
            self._drained = time.monotonic()

    def _store(self, group: str, rows: Vector) -> None:
        if not rows.shape[0]:
            return
        if group in self.ledgers:
            self.ledgers[group].add(rows)
        sinks: list[Sink] = [*self._lives]
        if self.memory is not None:
            sinks.append(self.memory)
        for sink in sinks:
            sink.write(group, rows)
        if self.log is not None:
            self.log.write(group, rows[:, 0], rows[:, 1:])

    def event(self, fired: Fired) -> None:
        """Put an event into the log."""
        if self.log is not None:
            self.log.event(fired.t, fired.name, fired.result)

    def scene(self, t: float, shapes: Shapes) -> None:
        """Let the log show these shapes from t [s] on."""
        if self.log is not None:
            self.log.scene(t, shapes)

    def rows(self, group: str) -> Vector:
        """All rows of a group so far."""
        if self.memory is None:
            raise InputError("this session keeps no rows: they are in the log of its run (`keep=False`)")
        return self.memory.rows(group)

    def state(self) -> tuple[dict[str, list[Vector]] | None, dict[str, Ledger]]:
        """Rows kept so far and the ledgers, for a snapshot."""
        blocks = None if self.memory is None else {g: list(b) for g, b in self.memory.blocks.items()}
        return blocks, copy.deepcopy(self.ledgers)

    def set_state(self, state: tuple[dict[str, list[Vector]] | None, dict[str, Ledger]]) -> None:
        """Take over a state made by `state`; rows that a log has stay there."""
        blocks, ledgers = state
        if (blocks is None) != (self.memory is None):
            kept = "keeps no rows" if blocks is None else "keeps its rows"
            raise InputError(f"restore: the snapshot is of a session that {kept} in memory, and this one does not")
        if self.memory is not None and blocks is not None:
            self.memory.blocks = {g: list(b) for g, b in blocks.items()}
        self.ledgers = copy.deepcopy(ledgers)

    def layout(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """Of each group its period [ns] (0: a task's) and its signals."""
        periods = {group: plant.groups[g].period_ns for group, plant, g in self._sources}
        return {g: (periods.get(g, 0), tuple(s.name for s in signals)) for g, signals in self.groups.items()}
