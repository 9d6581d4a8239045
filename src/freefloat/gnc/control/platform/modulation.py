"""From commanded thrust to open and closed valves: sigma-delta, pulse width, pulse width and frequency.

A modulator is its parameters; the state of n valves is an array (n, k) that goes in and out of `step`. A step is one
tick `dt`: the command holds during it, and so does the valve. Commands are cut to [0, thrust], which no valve can
leave (and what is not a number is no thrust); without that cut an integrator could wind up without bound.

The functions `*_tick` work in place on plain arrays and numbers, and compiled steps may call them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner
from freefloat.errors import InputError
from freefloat.frames import Array

Valves = NDArray[np.bool_]


class ValveLaw(ABC):
    """A law from thrusts (n,) [N] to open valves."""

    numbers: ClassVar[int]  # in the state of one valve

    def start(self, n: int) -> Array:
        """State of n closed valves that owe nothing, before the first tick."""
        return np.zeros((n, self.numbers))

    def step(self, state: Array, command: Array) -> tuple[Array, Valves]:
        """State after this tick, and which valves are open during it, for thrusts (n,) [N]."""
        after, on = state.copy(), np.zeros(len(state), np.bool_)
        self._tick(after, command, on)
        return after, on

    @abstractmethod
    def _tick(self, state: Array, command: Array, on: Valves) -> None:
        """One step in place."""


@dataclass(frozen=True)
class SigmaDelta(ValveLaw):
    """Sigma-delta modulation (REACSA sec. 4.3.2): integrate command minus output, open above a threshold.

        I' = f_command - f y,    y = 1 for the next `hold` ticks if I > threshold f hold dt

    State [I (N s), y, ticks left]. With p = f hold dt the impulse of one pulse, commands in [0, f] and a threshold of
    one pulse, 0 <= I <= 2 p at all times; I is the impulse still owed.
    """

    numbers: ClassVar[int] = 3
    thrust: float = 10.36  # [N] f
    dt: float = 0.01  # [s] of the integrator
    hold: int = 10  # [ticks] of the output
    threshold: float = 1.0  # [pulses]

    def __post_init__(self) -> None:
        _check("sigma-delta", self.thrust, self.dt, self.hold)
        if not self.threshold >= 0.0:
            raise InputError(f"sigma-delta threshold: {self.threshold!r}; allowed: 0 or more pulses")

    def _tick(self, state: Array, command: Array, on: Valves) -> None:
        sigma_delta_tick(state, command, on, self.thrust, self.dt, self.hold, self.threshold)


@inner
def sigma_delta_tick(
    state: Array, command: Array, on: Valves, thrust: float, dt: float, hold: int, threshold: float
) -> None:
    """One tick of `SigmaDelta`: the output follows from the integral so far (eq. 4.82), then the integral goes on."""
    pulse = thrust * hold * dt
    for i in range(state.shape[0]):
        if state[i, 2] == 0.0:
            state[i, 1] = 1.0 if state[i, 0] > threshold * pulse else 0.0
            state[i, 2] = hold
        state[i, 2] -= 1.0
        wanted = min(command[i], thrust) if command[i] > 0.0 else 0.0
        state[i, 0] += dt * (wanted - thrust * state[i, 1])
        on[i] = state[i, 1] > 0.0


@dataclass(frozen=True)
class PulseWidth(ValveLaw):
    """Pulse-width modulation: at the start of each period the command fixes how many of its ticks are on, those first.

    State [ticks on, ticks into the period]. A period's impulse is within half a tick of the command taken; pulses
    shorter than `min_on`, and pauses shorter than `min_off`, are rounded to none or to that length.
    """

    numbers: ClassVar[int] = 2
    thrust: float = 10.36  # [N]
    dt: float = 0.01  # [s]
    period: int = 10  # [ticks]
    min_on: int = 0  # [ticks]
    min_off: int = 0  # [ticks]

    def __post_init__(self) -> None:
        _check("pulse width", self.thrust, self.dt, self.period)
        if min(self.min_on, self.min_off) < 0 or self.min_on + self.min_off > self.period:
            raise InputError(
                f"pulse width: min_on {self.min_on}, min_off {self.min_off}; allowed: 0 or more, sum <= {self.period}"
            )

    def _tick(self, state: Array, command: Array, on: Valves) -> None:
        pulse_width_tick(state, command, on, self.thrust, self.period, self.min_on, self.min_off)


@inner
def pulse_width_tick(
    state: Array, command: Array, on: Valves, thrust: float, period: int, min_on: int, min_off: int
) -> None:
    """One tick of `PulseWidth`."""
    for i in range(state.shape[0]):
        if state[i, 1] == 0.0:
            duty = min(command[i], thrust) / thrust if command[i] > 0.0 else 0.0
            width = math.floor(period * duty + 0.5)
            if width < min_on:
                width = min_on if 2.0 * period * duty >= min_on else 0
            if period - width < min_off:
                width = period - min_off if 2.0 * period * (1.0 - duty) > min_off else period
            state[i, 0] = width
        on[i] = state[i, 1] < state[i, 0]
        state[i, 1] = (state[i, 1] + 1.0) % period


@dataclass(frozen=True)
class PulseWidthFrequency(ValveLaw):
    """Pulse-width pulse-frequency modulation (REACSA Fig. 2.9): first-order filter and Schmitt trigger with feedback.

        lag m' = gain (f_command / f - y) - m,    y = 1 from m >= on_level until m <= off_level

    State [m, y]. Nothing opens below on_level / gain of full thrust, and full thrust is not held open: where command
    and output agree, the filter falls to off_level.
    """

    numbers: ClassVar[int] = 2
    thrust: float = 10.36  # [N]
    dt: float = 0.01  # [s]
    gain: float = 4.5  # [-] assumed
    lag: float = 0.5  # [s] assumed
    on_level: float = 0.45  # [-] assumed
    off_level: float = 0.15  # [-] assumed

    def __post_init__(self) -> None:
        _check("pulse width and frequency", self.thrust, self.dt, 1)
        if not (self.lag > 0.0 and 0.0 <= self.off_level < self.on_level < self.gain):
            raise InputError(f"pulse width and frequency: {self}; allowed: lag > 0, 0 <= off_level < on_level < gain")

    def _tick(self, state: Array, command: Array, on: Valves) -> None:
        share = -math.expm1(-self.dt / self.lag)
        pulse_width_frequency_tick(state, command, on, self.thrust, share, self.gain, self.on_level, self.off_level)


@inner
def pulse_width_frequency_tick(
    state: Array,
    command: Array,
    on: Valves,
    thrust: float,
    share: float,
    gain: float,
    on_level: float,
    off_level: float,
) -> None:
    """One tick of `PulseWidthFrequency`; share = 1 - exp(-dt / lag), exact for held input."""
    for i in range(state.shape[0]):
        if state[i, 0] >= on_level:
            state[i, 1] = 1.0
        elif state[i, 0] <= off_level:
            state[i, 1] = 0.0
        wanted = min(command[i], thrust) if command[i] > 0.0 else 0.0
        error = wanted / thrust - state[i, 1]
        state[i, 0] += share * (gain * error - state[i, 0])
        on[i] = state[i, 1] > 0.0


def _check(what: str, thrust: float, dt: float, ticks: int) -> None:
    if not (math.isfinite(thrust) and thrust > 0.0 and math.isfinite(dt) and dt > 0.0 and ticks >= 1):
        raise InputError(f"{what}: thrust {thrust!r} N, tick {dt!r} s, {ticks} ticks; allowed: positive")
