"""Tracker of a floating platform without a wheel: its thrusters make force and torque, by pulse width.

At every tick a filter per axis finds position, rate and the floor's acceleration d. At the start of each period of the
pulses, in each of x, y and theta,
    a = a_ref + k_p (p_ref - p) + k_d (v_ref - v) - d,
turned into a wrench in B, shared among the thrusters with the least sum of thrusts, and made by open times of whole
ticks. The impulse that rounding leaves over is carried to the next period.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, hand_out
from freefloat.gnc.control.platform.least_thrust import allocate, thrust_bases
from freefloat.gnc.control.platform.modulation import PulseWidth, Valves, pulse_width_tick
from freefloat.gnc.estimation.disturbance_filter import (
    ANGLE,
    POSITION,
    AxisTuning,
    axis_numbers,
    correct_axis,
    predict_axis,
)
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.hermite_reference import HermiteReference, hermite_at
from freefloat.gnc.planning.platform_model import PlatformModel

# at 0.1 m/s the floor's acceleration of about 4e-3 m/s^2 is another one after half a metre, 5 s
MOVING = replace(POSITION, noise=2e-4, walk=1.5e-3)
TURNING = replace(ANGLE, noise=5e-4, walk=1e-3)
# places in `numbers`; from LOOPS k_p, k_d and reach of x, y, theta
DT, MASS, INERTIA, THRUST, PERIOD, MIN_ON, MIN_OFF, DELAY, LOOPS = range(9)
# places in `memory`: whether a pose has come, the last pose, the wrench that rounding left over
STARTED, LAST, CARRY = 0, 1, 4


@dataclass(frozen=True)
class Loop:
    """PD law of one axis; metres for x and y, radians for theta."""

    bandwidth: float  # [rad/s]
    damping: float  # [-]
    reach: float  # [m] largest error that is acted upon, which bounds the speed of the way back

    def __post_init__(self) -> None:
        if not (min(self.bandwidth, self.damping, self.reach) > 0.0 and math.isfinite(self.bandwidth * self.damping)):
            raise InputError(f"wrench tracker: {self}; allowed: positive")


@dataclass(frozen=True)
class WrenchTuning:
    """Loops, filters and the pulses' raster."""

    position: Loop = Loop(1.0, 1.0, 0.2)
    angle: Loop = Loop(1.5, 1.0, 0.5)
    place_filter: AxisTuning = MOVING
    angle_filter: AxisTuning = TURNING
    dt: float = 0.01  # [s] of a tick
    period: int = 10  # [ticks] of the pulse width: 10 Hz
    min_on: float = 0.0  # [s] that a valve stays open
    min_off: float = 0.0  # [s] that a valve stays shut
    delay: float = 0.0  # [s] of a measured pose, where it is known

    def __post_init__(self) -> None:
        if not (self.dt > 0.0 <= min(self.delay, self.min_on, self.min_off)):
            raise InputError(f"wrench tracker: {self}; allowed: dt > 0, no negative time")

    def pulses(self, thrust: float) -> PulseWidth:
        """The modulator; it refuses dwell times that do not fit into its period."""
        on, off = (math.ceil(dwell / self.dt - 1e-9) for dwell in (self.min_on, self.min_off))
        return PulseWidth(thrust, self.dt, self.period, on, off)


class WrenchState(NamedTuple):
    """What the tracker gave last, what it needs and what it remembers."""

    given: Array  # valves, estimate, slope
    times: Array
    poses: Array
    rates: Array
    thrusters: Array
    bases: Array
    numbers: Array
    axes: Array
    x: Array  # [p, v, d] of x, y, theta
    P: Array
    watch: Array
    memory: Array
    pulses: Array  # of the modulators
    on: Valves


@dataclass(eq=False)
class WrenchTracker(Ticking):
    """Follows a reference, then holds its end; call `update` at every tick from t = 0. No wheel is used."""

    reference: HermiteReference
    model: PlatformModel
    tuning: WrenchTuning = field(default_factory=WrenchTuning)

    def __post_init__(self) -> None:
        g, n, reference = self.tuning, self.model.thrusters.shape[1], self.reference
        axes = (g.place_filter, g.place_filter, g.angle_filter)
        P = np.array([np.diag(np.square([a.sigma, a.rate_sigma, a.slope_sigma])) for a in axes])
        self.out = PlatformCommands.of(n, wheels=0)
        self.state = WrenchState(
            np.zeros(n + 9),
            np.array(reference.times, order="C"),
            np.array(reference.poses, order="C"),
            np.array(reference.rates, order="C"),
            np.array(self.model.thrusters, order="C"),
            thrust_bases(self.model.thrusters),
            self._numbers(),
            axis_numbers(axes),
            np.zeros((3, 3)),
            P,
            np.zeros((3, 4)),
            np.zeros(CARRY + 3),
            np.zeros((n, 2)),
            np.zeros(n, np.bool_),
        )

    def _numbers(self) -> Array:
        g, m = self.tuning, self.model
        pulses = g.pulses(m.thrust)
        loops = [
            number
            for loop in (g.position, g.position, g.angle)
            for number in (loop.bandwidth**2, 2.0 * loop.damping * loop.bandwidth, loop.reach)
        ]
        return np.array([
            g.dt, m.mass, m.inertia, m.thrust, pulses.period, pulses.min_on, pulses.min_off, g.delay,
            *loops,
        ])  # fmt: skip

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: WrenchState, out: PlatformCommands) -> None:
        """Commands and beliefs from t [s] on, for the measured `pose` (3,).

        A pose that repeats the one before bit by bit, or is not finite, is a lost sample.
        """
        wrench_tick(t, meas.pose, *state[:])
        hand_out(state.given, out)


@onboard
def wrench_tick(
    t: float,
    pose: Array,
    out: Array,
    times: Array,
    poses: Array,
    rates: Array,
    thrusters: Array,
    bases: Array,
    numbers: Array,
    axes: Array,
    x: Array,
    P: Array,
    watch: Array,
    memory: Array,
    pulses: Array,
    on: Valves,
) -> None:
    """One update of `WrenchTracker`; what it remembers is in x to on, what it gives in out."""
    n = thrusters.shape[1]
    _observe(pose, thrusters, numbers, axes, x, P, watch, memory, on)
    if memory[STARTED] == 0.0:
        return
    f = np.zeros(n)
    if pulses[0, 1] == 0.0:
        wrench = np.empty(3)
        _wanted(t, times, poses, rates, numbers, x, memory, wrench)
        share = allocate(bases, wrench, numbers[THRUST], f)
        pulse_width_tick(pulses, f, on, numbers[THRUST], numbers[PERIOD], numbers[MIN_ON], numbers[MIN_OFF])
        for a in range(3):
            made = 0.0
            for i in range(n):
                made += thrusters[a, i] * numbers[THRUST] * pulses[i, 0] / numbers[PERIOD]
            memory[CARRY + a] = share * wrench[a] - made
    else:
        pulse_width_tick(pulses, f, on, numbers[THRUST], numbers[PERIOD], numbers[MIN_ON], numbers[MIN_OFF])
    for i in range(n):
        out[i] = 1.0 if on[i] else 0.0
    for a in range(3):
        out[n + a], out[n + 3 + a], out[n + 6 + a] = x[a, 0], x[a, 1], x[a, 2]


@inner
def _observe(
    pose: Array,
    thrusters: Array,
    numbers: Array,
    axes: Array,
    x: Array,
    P: Array,
    watch: Array,
    memory: Array,
    on: Valves,
) -> None:
    """Predict over the last tick with the thrust commanded; correct with a new pose."""
    seen = math.isfinite(pose[0] + pose[1] + pose[2])
    if memory[STARTED] == 0.0:
        if seen:
            memory[STARTED] = 1.0
            for a in range(3):
                x[a, 0], memory[LAST + a] = pose[a], pose[a]
            x[2, 0] = wrapped(x[2, 0])
        return
    dt, angle = numbers[DT], x[2, 0] + 0.5 * numbers[DT] * x[2, 1]
    force_x = force_y = torque = 0.0
    for i in range(on.size):
        if on[i]:
            force_x += numbers[THRUST] * thrusters[0, i]
            force_y += numbers[THRUST] * thrusters[1, i]
            torque += numbers[THRUST] * thrusters[2, i]
    c, s, m = math.cos(angle), math.sin(angle), numbers[MASS]
    known = ((c * force_x - s * force_y) / m, (s * force_x + c * force_y) / m, torque / numbers[INERTIA])
    fresh = seen and (pose[0] != memory[LAST] or pose[1] != memory[LAST + 1] or pose[2] != memory[LAST + 2])
    for a in range(3):
        predict_axis(x[a], P[a], known[a], dt, axes[a, 4], axes[a, 5])
        if fresh:
            innovation = pose[a] - x[a, 0] + numbers[DELAY] * x[a, 1]
            innovation = wrapped(innovation) if a == 2 else innovation
            correct_axis(x[a], P[a], watch[a], innovation, dt, axes[a, 0], axes[a, 1], axes[a, 2], axes[a, 3])
            memory[LAST + a] = pose[a]
    x[2, 0] = wrapped(x[2, 0])


@inner
def _wanted(
    t: float, times: Array, poses: Array, rates: Array, numbers: Array, x: Array, memory: Array, wrench: Array
) -> None:
    """Wrench in B over the coming period: the PD law's, and what the last one owed."""
    target, a = np.empty((3, 3)), np.empty(3)
    hermite_at(times, poses, rates, t, target)
    for k in range(3):
        gap = target[0, k] - x[k, 0]
        gap = wrapped(gap) if k == 2 else gap
        stiffness, resistance, reach = numbers[LOOPS + 3 * k], numbers[LOOPS + 3 * k + 1], numbers[LOOPS + 3 * k + 2]
        gap = min(max(gap, -reach), reach)
        a[k] = target[2, k] + stiffness * gap + resistance * (target[1, k] - x[k, 1]) - x[k, 2]
    angle = x[2, 0] + 0.5 * numbers[PERIOD] * numbers[DT] * x[2, 1]
    c, s = math.cos(angle), math.sin(angle)
    wrench[0] = numbers[MASS] * (c * a[0] + s * a[1]) + memory[CARRY]
    wrench[1] = numbers[MASS] * (c * a[1] - s * a[0]) + memory[CARRY + 1]
    wrench[2] = numbers[INERTIA] * a[2] + memory[CARRY + 2]
