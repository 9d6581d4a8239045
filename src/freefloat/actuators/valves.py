"""The valve driver: on/off commands that keep each valve's least on and off times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from freefloat.amounts import Measure, not_negative, positive, take
from freefloat.compiled import Ticking
from freefloat.engine.task import Task
from freefloat.frames import Array


class ValveState(NamedTuple):
    """Least times, what is open, and since when."""

    dwell: Array  # [s] closed, open
    open: Array
    since: Array  # [s] time of the last switch


class ValveOut(NamedTuple):
    """What the driver gives."""

    open: Array


class ValveDriver(Ticking):
    """Opens a valve when asked for (request >= 0.5) and holds it for `min_on`; likewise closed for `min_off`.

    A request that would switch too soon waits until the dwell time is over, and is dropped if it has changed by then.
    """

    def __init__(self, min_on: Measure, min_off: Measure, valves: int = 1) -> None:
        least = not_negative("s")
        dwell = [least.number(min_off, "valve driver: min_off"), least.number(min_on, "valve driver: min_on")]
        self.state = ValveState(np.array(dwell), np.zeros(valves), np.full(valves, -np.inf))
        self.out = ValveOut(np.zeros(valves))

    @staticmethod
    def tick(t: float, meas: Any, state: ValveState, out: ValveOut) -> None:
        """The valve commands for the next period."""
        for i in range(state.open.size):
            wanted = 1.0 if meas.request[i] >= 0.5 else 0.0
            dwell = state.dwell[1] if state.open[i] > 0.0 else state.dwell[0]
            if wanted != state.open[i] and t - state.since[i] >= dwell - 1e-9:  # the clock counts nanoseconds
                state.open[i], state.since[i] = wanted, t
            out.open[i] = state.open[i]


@dataclass(frozen=True)
class Valves:
    """Valves of a set of thrusters that may not switch at any time, and the task that sees to it."""

    command: ClassVar[tuple[str, str, str]] = "request", "-", "what the valve driver is asked for: 1 open, 0 closed"
    min_on: Measure = 0.0  # [s]
    min_off: Measure = 0.0  # [s]
    period: Measure = 1e-3  # [s] of the driver

    def __post_init__(self) -> None:
        take(self, "valves", min_on=not_negative("s"), min_off=not_negative("s"), period=positive("s"))

    def task(self, thrusters: str, count: int) -> Task:
        """From the command `request` of a set of so many to its command `open`."""
        return Task(
            ValveDriver(self.min_on, self.min_off, count),
            self.period,
            reads={"request": f"{thrusters}.request"},
            writes={"open": f"{thrusters}.open"},
            name=f"{thrusters}-valves",
        )
