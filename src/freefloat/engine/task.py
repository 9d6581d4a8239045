"""Tasks: Python at its own period. A controller is a small class that sees measurements and returns commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.mailbox import Mail
from freefloat.engine.rehearsal import Ahead
from freefloat.engine.schedule import LONGEST
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.errors import InputError

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Controller(Protocol):
    """What a task runs; it imports nothing of Freefloat. An optional `reset(rng)` is called before the first update.

    Beside commands and records it may return `told`: pairs (event, text) for the event log.
    """

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]: ...


class TickingController(Protocol):
    """Onboard code: tick(t, meas, state, out) over NamedTuples of arrays runs inside the plant's compiled loop.

    `docs/howto/compile-your-controller.md` says what it may do. A controller may offer `update` too.
    """

    @property
    def tick(self) -> Callable[..., None]: ...

    @property
    def state(self) -> Any: ...

    @property
    def out(self) -> Any: ...


@dataclass(frozen=True)
class Task:
    """A controller with its period [s] and its wiring.

    `reads` maps the controller's measurement names to signals, or to what signals of a rehearsed world will be
    (`Ahead`), `writes` its command names to commands, `sensors` some measurement names to sensor models (the others are
    ideal), and `records` further returned names to signals for the log, at the task's own rate or slower. Commands are
    held from the instant of the update plus `latency`.
    """

    controller: Controller | TickingController
    period: Measure  # [s]
    reads: Mapping[str, str | Ahead] = field(default_factory=lambda: _NOTHING)
    writes: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    sensors: Mapping[str, Sensor] = field(default_factory=lambda: _NOTHING)
    records: Mapping[str, Signal] = field(default_factory=lambda: _NOTHING)
    name: str = ""  # empty: the controller's class name in lower case
    offset: Measure = 0.0  # [s] time of the first update
    latency: Measure = 0.0  # [s] from update to effect
    record_every: int = 1  # updates, of which the first is recorded
    mail: Mapping[str, Mail] = field(default_factory=lambda: _NOTHING)  # further measurements, from other threads
    compiled: bool = True  # a tick runs inside the plant's loop; False: as plain Python, to look into it
    live: bool = False  # the controller has a link to the outside: it runs uncopied, and snapshots are refused

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", type(self.controller).__name__.lower())
        where = f"task {self.name!r}"
        if not any(callable(getattr(self.controller, method, None)) for method in ("update", "tick")):
            raise InputError(f"{where}: its controller {self.controller!r} has no method update(t, meas)")
        if callable(getattr(self.controller, "tick", None)):
            for needed in ("state", "out"):
                self._check_arrays(needed, where)
        later = Amount("s", ge=0.0, le=LONGEST)
        take(self, where, period=Amount("s", ge=1e-9, le=LONGEST), offset=later, latency=later)
        if not 1 <= self.record_every < 1 << 31:
            raise InputError(f"{where}: record_every {self.record_every!r}; allowed: 1 or more")
        for local in self.mail:
            if local in self.reads:
                raise InputError(f"{where}: {local!r} is both read from a signal and taken from the mail")
        for local in self.sensors:
            if local not in self.sensed:
                raise InputError(f"{where}: sensor for {local!r}, but the task reads only {sorted(self.sensed)}")

    @property
    def sensed(self) -> dict[str, str]:
        """What it reads of now: signals by measurement name."""
        return {local: read for local, read in self.reads.items() if not isinstance(read, Ahead)}

    @property
    def ahead(self) -> dict[str, Ahead]:
        """What it reads of the future of rehearsed worlds."""
        return {local: read for local, read in self.reads.items() if isinstance(read, Ahead)}

    def _check_arrays(self, name: str, where: str) -> None:
        """Refuse a controller with a tick that has no such NamedTuple."""
        try:
            getattr(self.controller, name)
        except AttributeError as e:
            raise InputError(f"{where}: its controller has a tick, but no NamedTuple of arrays `{name}`") from e
        except Exception as e:  # a property may fail in any way
            raise InputError(f"{where}: `{name}` of its controller: {type(e).__name__}: {e}") from e
