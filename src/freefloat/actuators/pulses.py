"""Pulse width: valves that open at the start of every period for as long as they were asked to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.compiled import Ticking
from freefloat.engine.task import Task
from freefloat.errors import InputError
from freefloat.frames import Array


class PulseState(NamedTuple):
    """Ticks, and how many of them each valve is open in this period."""

    numbers: Array  # [s] of a tick, ticks of a period
    clock: Array  # (1,) [ticks] into the period
    width: Array  # [ticks]


class PulseOut(NamedTuple):
    """What the driver gives."""

    open: Array


class PulseDriver(Ticking):
    """Takes the times `pulse` [s] at the start of each period, to the nearest tick, and counts them down."""

    def __init__(self, period: Measure, tick: Measure, valves: int = 1) -> None:
        period, tick = positive("s").number(period, "pulses: period"), positive("s").number(tick, "pulses: tick")
        if not (tick <= period and abs(period / tick - round(period / tick)) < 1e-6):
            raise InputError(f"pulses: tick {tick!r} s, period {period!r} s; allowed: a period of whole ticks")
        self.state = PulseState(np.array([tick, float(round(period / tick))]), np.zeros(1), np.zeros(valves))
        self.out = PulseOut(np.zeros(valves))

    @staticmethod
    def tick(t: float, meas: Any, state: PulseState, out: PulseOut) -> None:
        """The valve commands for the next tick."""
        now = state.clock[0]
        for i in range(state.width.size):
            if now == 0.0:
                state.width[i] = np.floor(meas.pulse[i] / state.numbers[0] + 0.5)
            out.open[i] = 1.0 if now < state.width[i] else 0.0
        state.clock[0] = (now + 1.0) % state.numbers[1]


@dataclass(frozen=True)
class Pulses:
    """Valves of a set of thrusters that are driven by pulse width, and the task that does it.

    The command `pulse` is the time [s] that each valve shall be open in the next period; a task that writes it at the
    instants at which a period begins is heard at once. The driver keeps no least times: who commands keeps them.
    """

    command: ClassVar[tuple[str, str, str]] = "pulse", "s", "time that each valve is open in the coming period"
    period: Measure = 0.25  # [s]
    tick: Measure = 5e-3  # [s] of the driver, to which times are rounded

    def __post_init__(self) -> None:
        take(self, "pulses", period=positive("s"), tick=positive("s"))

    def task(self, thrusters: str, count: int) -> Task:
        """From the command `pulse` of a set of so many to its command `open`."""
        return Task(
            PulseDriver(self.period, self.tick, count),
            self.tick,
            reads={"pulse": f"{thrusters}.pulse"},
            writes={"open": f"{thrusters}.open"},
            name=f"{thrusters}-pulses",
        )
