"""Joint motion within limits of speed, acceleration and jerk (time-optimal profiles by ruckig)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.planning.optional import ruckig

State = tuple[Array, Array, Array]  # position, rate, acceleration
JOIN_TOLERANCE = 1e-8  # [rad] between the end of a leg and the start of the next


class Path(Protocol):
    """A motion that rests before 0 and after its duration."""

    @property
    def duration(self) -> float: ...  # [s]

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]."""
        ...


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Largest speed, acceleration and jerk of each joint."""

    velocity: Array  # [rad/s]
    acceleration: Array  # [rad/s^2]
    jerk: Array  # [rad/s^3]

    def __post_init__(self) -> None:
        for name in ("velocity", "acceleration", "jerk"):
            value = np.array(getattr(self, name), np.float64)
            if value.ndim != 1 or not (np.isfinite(value) & (value > 0.0)).all():
                raise InputError(f"{name} limits {value.tolist()} must be a list of positive numbers")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not self.velocity.shape == self.acceleration.shape == self.jerk.shape:
            raise InputError("velocity, acceleration and jerk limits must have one number per joint each")

    @classmethod
    def uniform(cls, n: int, velocity: float, acceleration: float, jerk: float) -> MotionLimits:
        """The same limits for n joints."""
        return cls(np.full(n, velocity), np.full(n, acceleration), np.full(n, jerk))

    def scaled(self, speed: float) -> MotionLimits:
        """Limits of the same motion at `speed` times the pace."""
        return MotionLimits(self.velocity * speed, self.acceleration * speed**2, self.jerk * speed**3)


@dataclass(frozen=True, eq=False)
class JerkLimited:
    """The fastest synchronised motion of all joints from rest at q0 to rest at q1 [rad]."""

    q0: Array
    q1: Array
    limits: MotionLimits
    duration: float = field(init=False)  # [s]
    _profile: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        q0, q1 = _frozen(self.q0), _frozen(self.q1)
        object.__setattr__(self, "q0", q0)
        object.__setattr__(self, "q1", q1)
        _fit(q1, q0.size, "q1")
        request = _request(q0, np.zeros_like(q0), np.zeros_like(q0), self.limits)
        request.target_position = q1.tolist()
        request.synchronization = ruckig().Synchronization.Phase
        object.__setattr__(self, "_profile", _profile(request))
        object.__setattr__(self, "duration", float(self._profile.duration))

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; at rest before 0 and after the duration."""
        if t <= 0.0 or t >= self.duration:
            return _rest(self.q0 if t <= 0.0 else self.q1)
        return _state(self._profile, t)

    def __reduce__(self) -> tuple[type[JerkLimited], tuple[Array, Array, MotionLimits]]:
        return JerkLimited, (self.q0, self.q1, self.limits)


@dataclass(frozen=True, eq=False)
class Stop:
    """Braking from position, rate and acceleration to rest, every joint as fast as its limits allow."""

    q: Array  # [rad]
    qd: Array  # [rad/s]
    qdd: Array  # [rad/s^2]
    limits: MotionLimits
    duration: float = field(init=False)  # [s]
    _profile: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("q", "qd", "qdd"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
            _fit(getattr(self, name), self.q.size, name)
        request = _request(self.q, self.qd, self.qdd, self.limits)
        request.control_interface = ruckig().ControlInterface.Velocity
        request.synchronization = ruckig().Synchronization.No
        object.__setattr__(self, "_profile", _profile(request))
        object.__setattr__(self, "duration", float(self._profile.duration))

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; the state to brake from before 0, at rest after the duration."""
        if t <= 0.0:
            return self.q.copy(), self.qd.copy(), self.qdd.copy()
        if t >= self.duration:
            return _rest(_state(self._profile, self.duration)[0])
        return _state(self._profile, t)

    def __reduce__(self) -> tuple[type[Stop], tuple[Array, Array, Array, MotionLimits]]:
        return Stop, (self.q, self.qd, self.qdd, self.limits)


@dataclass(frozen=True, eq=False)
class Legs:
    """Motions from rest to rest, one after the other; each starts where the last one ended."""

    legs: tuple[Path, ...]
    duration: float = field(init=False)  # [s]
    ends: Array = field(init=False, repr=False)  # [s] end of each leg

    def __post_init__(self) -> None:
        if not self.legs:
            raise InputError("a sequence of motions needs at least one leg")
        for i, (last, leg) in enumerate(pairwise(self.legs), start=1):
            gap = float(np.abs(last.at(last.duration)[0] - leg.at(0.0)[0]).max())
            if gap > JOIN_TOLERANCE:
                raise InputError(
                    f"leg {i} starts {gap:.3g} rad from the end of the leg before; allowed: {JOIN_TOLERANCE:g}"
                )
        object.__setattr__(self, "ends", np.cumsum([leg.duration for leg in self.legs]))
        object.__setattr__(self, "duration", float(self.ends[-1]))

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; at rest before 0 and after the duration."""
        i = self.leg_at(t)
        return self.legs[i].at(t - (self.ends[i - 1] if i else 0.0))

    def leg_at(self, t: float) -> int:
        """Which leg runs at t [s]."""
        return int(min(np.searchsorted(self.ends, t, side="right"), len(self.legs) - 1))


def through(points: Sequence[ArrayLike], limits: MotionLimits) -> Legs:
    """Straight joint motions from point to point, at rest in each."""
    return Legs(tuple(JerkLimited(a, b, limits) for a, b in pairwise(map(_frozen, points))))


def _frozen(value: ArrayLike) -> Array:
    a = np.array(value, np.float64)
    if a.ndim != 1 or not np.isfinite(a).all():
        raise InputError(f"joint values {a.tolist()} must be a list of finite numbers")
    a.flags.writeable = False
    return a


def _fit(value: Array, n: int, what: str) -> None:
    if value.size != n:
        raise InputError(f"{what}: {value.size} numbers for {n} joints")


def _request(q: Array, qd: Array, qdd: Array, limits: MotionLimits) -> Any:
    n = q.size
    _fit(limits.velocity, n, "limits")
    request = ruckig().InputParameter(n)
    request.current_position, request.current_velocity = q.tolist(), qd.tolist()
    request.current_acceleration = qdd.tolist()
    request.target_velocity = request.target_acceleration = [0.0] * n
    request.max_velocity, request.max_acceleration = limits.velocity.tolist(), limits.acceleration.tolist()
    request.max_jerk = limits.jerk.tolist()
    return request


def _profile(request: Any) -> Any:
    rk = ruckig()
    profile = rk.Trajectory(request.degrees_of_freedom)
    try:
        result = rk.Ruckig(request.degrees_of_freedom).calculate(request, profile)
    except ValueError as e:  # ruckig's codes that its own enumeration does not know
        raise InputError(f"no jerk-limited motion from {request.current_position} within these limits: {e}") from e
    if result not in (rk.Result.Working, rk.Result.Finished):
        raise InputError(f"no jerk-limited motion from {request.current_position}: {result}")
    return profile


def _state(profile: Any, t: float) -> State:
    q, qd, qdd = profile.at_time(t)
    return np.array(q), np.array(qd), np.array(qdd)


def _rest(q: Array) -> State:
    return q.copy(), np.zeros(q.size), np.zeros(q.size)
