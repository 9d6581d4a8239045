"""A turn from rest to rest about a fixed axis: constant torque, coast, constant torque."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical, quat_conj, quat_exp, quat_log, quat_mul
from freefloat.gnc.control.pointing import Reference


def bang_time(angle: float, duration: float, acceleration: float) -> float:
    """Time [s] of each of the two bangs of a rest-to-rest turn by `angle` [rad] in `duration` [s].

    With acceleration a for t, coast and -a for t, the rate is a t in between and the turn a t (T - t), so that
        t = (T - sqrt(T^2 - 4 angle / a)) / 2,
    of the two roots the one with the shorter bangs. At T^2 = 4 angle / a nothing is left of the coast.
    """
    if not (angle >= 0.0 and duration > 0.0 and acceleration > 0.0):
        raise InputError(f"slew: {angle} rad in {duration} s at {acceleration} rad/s^2; allowed: positive")
    left = duration**2 - 4.0 * angle / acceleration
    if left < 0.0:
        fastest = 2.0 * np.sqrt(angle / acceleration)
        raise InputError(
            f"slew: {angle:.4g} rad in {duration:.4g} s at {acceleration:.4g} rad/s^2; allowed: {fastest:.4g} s or more"
        )
    return float(0.5 * (duration - np.sqrt(left)))


@dataclass(frozen=True)
class SlewPointing:
    """Pointing mode: from one attitude to another the short way round, about the axis that both have in common.

    Starts at `start`, accelerates for `ramp`, coasts, brakes for `ramp` and rests at q_WR from start + duration on.
    """

    q_from: ArrayLike  # of R in W until the start
    q_to: ArrayLike  # afterwards
    start: float  # [s]
    duration: float  # [s]
    ramp: float  # [s] of each bang; half the duration: no coast

    def __post_init__(self) -> None:
        if not (self.start >= 0.0 and 0.0 < 2.0 * self.ramp <= self.duration < np.inf):
            raise InputError(f"slew: {self}; allowed: start 0 or later, ramp positive and at most half the duration")

    @property
    def turn(self) -> Array:
        """Rotation vector [rad], the same in W turned by q_from and in R at any time."""
        q_from, q_to = quat_canonical(self.q_from), quat_canonical(self.q_to)
        return quat_log(quat_canonical(quat_mul(quat_conj(q_from), q_to)))

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference:
        """The reference at t."""
        share, rate, acceleration = self.profile(t)
        turn = self.turn
        q_WR = quat_canonical(quat_mul(quat_canonical(self.q_from), quat_exp(share * turn)))
        return Reference(q_WR, rate * turn, acceleration * turn)

    def profile(self, t: float) -> tuple[float, float, float]:
        """Share of the turn at t with its derivatives [-, 1/s, 1/s^2]; at an edge the acceleration that follows."""
        T, r, s = self.duration, self.ramp, t - self.start
        a = 1.0 / (r * (T - r))
        if s < 0.0:
            return 0.0, 0.0, 0.0
        if s < r:
            return 0.5 * a * s * s, a * s, a
        if s < T - r:
            return a * r * (s - 0.5 * r), a * r, 0.0
        if s < T:
            return 1.0 - 0.5 * a * (T - s) ** 2, a * (T - s), -a
        return 1.0, 0.0, 0.0
