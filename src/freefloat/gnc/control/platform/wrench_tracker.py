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
from typing import Any

import numpy as np

from freefloat.compiled import Ticking, inner
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands
from freefloat.gnc.control.platform.least_thrust import thrust_bases
from freefloat.gnc.control.platform.modulation import PulseWidth
from freefloat.gnc.control.platform.wrench_tick import WrenchState, wrench_tick
from freefloat.gnc.estimation.disturbance_filter import ANGLE, POSITION, AxisTuning, pose_filter
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel

# at 0.1 m/s the floor's acceleration of about 4e-3 m/s^2 is another one after half a metre, 5 s
MOVING = replace(POSITION, noise=2e-4, walk=1.5e-3)
TURNING = replace(ANGLE, noise=5e-4, walk=1e-3)


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


@dataclass(eq=False)
class WrenchTracker(Ticking):
    """Follows a reference, then holds its end; call `update` at every tick from t = 0. No wheel is used."""

    reference: HermiteReference
    model: PlatformModel
    tuning: WrenchTuning = field(default_factory=WrenchTuning)

    def __post_init__(self) -> None:
        g, n, reference = self.tuning, self.model.thrusters.shape[1], self.reference
        self.out = PlatformCommands.of(n, wheels=0)
        self.state = WrenchState(
            *pose_filter(g.place_filter, g.angle_filter),
            *(np.array(a, order="C") for a in (reference.times, reference.poses, reference.rates)),
            thrusters=np.array(self.model.thrusters, order="C"),
            bases=thrust_bases(self.model.thrusters),
            numbers=self._numbers(),
            carry=np.zeros(3),
            pulses=np.zeros((n, 2)),
            on=np.zeros(n, np.bool_),
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
        wrench_tick(t, meas.pose, state, out)
