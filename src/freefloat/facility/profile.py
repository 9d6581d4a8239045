"""Motions that the FMC makes itself, cycle by cycle: stops, Move to Start, and the way back to a command.

Each gives position, velocity and acceleration of the 13 axes at the next cycle, exact on its jerk-limited profile
(ruckig, extra `plan`), so that a stop can begin from them at any cycle. They can be copied and pickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from freefloat.errors import SimulationError
from freefloat.facility.axes import COUNT, CYCLE, DEVICES
from freefloat.facility.axis_limits import AxisLimits
from freefloat.frames import Array
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits, Stop
from freefloat.gnc.planning.optional import ruckig

Motion = tuple[Array, Array, Array]  # position, velocity, acceleration of 13 axes
Pace = tuple[float, float, float]  # the same of one number
LED = 0.98  # share of its limits that a chase grants to the command's own speed and acceleration, at most
REST = (1e-9, 1e-6)  # [m/s, rad/s], [m/s^2, rad/s^2] below which differences of set-points are taken for rest


class Generator(Protocol):
    """A motion, one cycle after the other."""

    @property
    def finished(self) -> bool: ...  # at rest at its end

    def next(self) -> Motion:
        """The motion one cycle later; at rest at its end once it is finished."""
        ...


def at_rest(axes: Array) -> Motion:
    """Axes that do not move."""
    return axes, np.zeros(COUNT), np.zeros(COUNT)


def resting(motion: Motion) -> bool:
    """Whether a motion is none but for rounding."""
    return bool(np.abs(motion[1]).max() < REST[0] and np.abs(motion[2]).max() < REST[1])


class Braking:
    """A stop: every axis from its velocity and acceleration to rest, as fast as limits of acceleration and jerk allow.

    From constant velocity v the way is v^2 / (2 a) + v a / (2 j), where v >= a^2 / j.
    """

    def __init__(self, motion: Motion, limits: MotionLimits) -> None:
        self._stop = None if resting(motion) else Stop(*motion, limits)
        self._end = motion[0].copy() if self._stop is None else self._stop.at(self._stop.duration)[0]
        self._cycles = 0

    @property
    def duration(self) -> float:
        """[s]."""
        return 0.0 if self._stop is None else self._stop.duration

    @property
    def finished(self) -> bool:
        """Whether all axes rest."""
        return self._cycles * CYCLE >= self.duration

    @property
    def end(self) -> Array:
        """Axes (13,) where it ends."""
        return self._end.copy()

    def next(self) -> Motion:
        """The motion one cycle later."""
        self._cycles += 1
        if self._stop is None or self.finished:
            return at_rest(self._end.copy())
        return self._stop.at(self._cycles * CYCLE)


class MoveToStart:
    """From rest to rest, one device (rail, rob1, rob2) after the other, each straight in its axes."""

    def __init__(
        self,
        axes: Array,  # (13,) at the start
        target: Array,  # (13,)
        order: Sequence[str],  # of the devices
        limits: AxisLimits,
        share: float,  # of the axes' speeds
    ) -> None:
        self._axes, self._target = axes.copy(), target.copy()
        self._legs = [
            (where, JerkLimited(axes[where], target[where], limits.slowed(share, where)))
            for where in (DEVICES[name] for name in order)
            if (axes[where] != target[where]).any()
        ]
        self._leg, self._cycles = 0, 0

    @property
    def duration(self) -> float:
        """[s] of its legs; each one ends with a cycle."""
        return sum(leg.duration for _, leg in self._legs)

    @property
    def finished(self) -> bool:
        """Whether the target is reached."""
        return self._leg == len(self._legs)

    def next(self) -> Motion:
        """The motion one cycle later."""
        if self.finished:
            return at_rest(self._target.copy())
        where, leg = self._legs[self._leg]
        self._cycles += 1
        q, qd, qdd = at_rest(self._axes.copy())
        q[where], qd[where], qdd[where] = leg.at(self._cycles * CYCLE)
        if self._cycles * CYCLE >= leg.duration:
            self._axes, self._leg, self._cycles = q.copy(), self._leg + 1, 0
        return q, qd, qdd


def chase(now: Motion, command: Motion, limits: AxisLimits) -> tuple[Motion, bool]:
    """One cycle of the fastest way from a motion to a command, and whether it is reached.

    `command` is what is asked for at the end of the cycle. The way is planned in coordinates that move with it, as far
    as the limits grant its speed and acceleration; what is limited are speed, acceleration and jerk of the axes.
    """
    c, v, a = command
    granted_v = np.clip(v, -LED * limits.speed, LED * limits.speed)
    granted_a = np.clip(a, -LED * limits.acceleration, LED * limits.acceleration)
    T = CYCLE
    x = now[0] - (c - T * (granted_v - 0.5 * T * granted_a))
    rate, second = now[1] - (granted_v - T * granted_a), now[2] - granted_a
    most, least = limits.acceleration - granted_a, -limits.acceleration - granted_a
    rk = ruckig()
    request = rk.InputParameter(COUNT)
    request.synchronization = rk.Synchronization.No
    request.current_position, request.current_velocity = x.tolist(), rate.tolist()
    request.current_acceleration = np.clip(second, least, most).tolist()  # rounding must ask for no way back to limits
    request.target_position = request.target_velocity = request.target_acceleration = [0.0] * COUNT
    request.max_velocity = (limits.speed - granted_v).tolist()
    request.min_velocity = (-limits.speed - granted_v).tolist()
    request.max_acceleration, request.min_acceleration = most.tolist(), least.tolist()
    request.max_jerk = limits.jerk.tolist()
    profile = _solved(request)
    if profile.duration <= T and (granted_v == v).all() and (granted_a == a).all():
        return command, True
    e, de, dde = (np.array(one) for one in profile.at_time(T))
    return (c + e, granted_v + de, granted_a + dde), False


def toward(now: Pace, speed: float, acceleration: float, jerk: float) -> Pace:
    """One number's position, rate and acceleration a cycle later, on the fastest way to a speed."""
    profile = _to_speed(now, speed, acceleration, jerk)
    (s,), (v,), (a,) = profile.at_time(CYCLE)
    return s, v, a


def stopped_at(now: Pace, acceleration: float, jerk: float) -> float:
    """Where one number would come to rest."""
    profile = _to_speed(now, 0.0, acceleration, jerk)
    return profile.at_time(profile.duration)[0][0]


def _to_speed(now: Pace, speed: float, acceleration: float, jerk: float) -> Any:
    rk = ruckig()
    request = rk.InputParameter(1)
    request.control_interface = rk.ControlInterface.Velocity
    request.current_position, request.current_velocity, request.current_acceleration = ([x] for x in now)
    request.target_velocity, request.target_acceleration = [speed], [0.0]
    request.max_velocity, request.max_acceleration, request.max_jerk = [np.inf], [acceleration], [jerk]
    return _solved(request)


def _solved(request: Any) -> Any:
    rk = ruckig()
    profile = rk.Trajectory(request.degrees_of_freedom)
    result = rk.Ruckig(request.degrees_of_freedom).calculate(request, profile)
    if result not in (rk.Result.Working, rk.Result.Finished):
        raise SimulationError(f"FMC: no jerk-limited motion from {request.current_position}: {result}")
    return profile
