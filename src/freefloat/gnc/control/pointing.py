"""Attitude references: where a spacecraft shall point, how fast that turns, and how that accelerates.

W is the frame of the attitude quaternions, with axes parallel to ECI; R is the reference that body B shall meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, matrix_to_quat, quat_canonical, quat_to_matrix

OBLIQUITY = 0.4090926  # [rad] of the ecliptic, J2000 (IAU 2006: 84381.406")
SUN_RATE = 1.990987e-7  # [rad/s] mean motion of the Sun's direction, one turn in a sidereal year
ECLIPTIC_NORTH = np.array([0.0, -np.sin(OBLIQUITY), np.cos(OBLIQUITY)])  # in ECI
PARALLEL = 1e-6  # [rad] directions nearer than this define no plane


@dataclass(frozen=True)
class Reference:
    """Attitude of R with its rate and acceleration."""

    q_WR: Array
    w_WR_R: Array  # [rad/s]
    a_WR_R: Array  # [rad/s^2] derivative of w_WR, the same seen from W and from R


class Pointing(Protocol):
    """A pointing mode."""

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference: ...


@dataclass(frozen=True)
class InertialPointing:
    """A fixed attitude."""

    q_WR: ArrayLike = (1.0, 0.0, 0.0, 0.0)

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference:
        """The same at all times."""
        return Reference(quat_canonical(self.q_WR), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class LVLHPointing:
    """R turned by q_LR from the local orbital frame L: z to the nadir, y against the orbit normal, x = y x z forward.

    Reads p_ECI [m] and v_ECI [m/s]. With r = |p|, h = |p x v| and the acceleration a_n along the orbit normal,
        w_WL_L = [0, -h / r^2, -a_n r / h]
    where the last entry is the turn of the orbit plane. a_n comes from a_ECI [m/s^2] where that is given; without it
    the plane counts as fixed, which leaves 1.5e-6 rad/s unmodelled in low Earth orbit (J2). The feedforward
    acceleration is that of a Kepler orbit.
    """

    q_LR: ArrayLike = (1.0, 0.0, 0.0, 0.0)

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference:
        """Reference at the measured position and velocity."""
        p, v = meas["p_ECI"], meas["v_ECI"]
        h_W = np.cross(p, v)
        r, h = float(np.linalg.norm(p)), float(np.linalg.norm(h_W))
        if not h > PARALLEL * r * float(np.linalg.norm(v)):
            raise InputError(f"LVLH pointing: position {p} m and velocity {v} m/s define no orbit plane")
        z, y = -p / r, -h_W / h
        R_WL = np.column_stack([np.cross(y, z), y, z])
        a_n = -float(y @ meas["a_ECI"]) if "a_ECI" in meas else 0.0
        w_L = np.array([0.0, -h / r**2, -a_n * r / h])
        a_L = np.array([0.0, 2.0 * h * float(p @ v) / r**4, 0.0])
        R_LR = quat_to_matrix(quat_canonical(self.q_LR))
        return Reference(matrix_to_quat(R_WL @ R_LR), w_L @ R_LR, a_L @ R_LR)


@dataclass(frozen=True)
class SunPointing:
    """Body axis `axis` to the Sun; about it, body axis `second` as near as possible to the fixed direction `toward_W`.

    Reads sun_W, a vector to the Sun in axes of ECI. Its direction turns about the ecliptic pole with the mean motion
    (true to 3.4 %, 7e-9 rad/s); the acceleration, below 1e-13 rad/s^2, is given as zero.
    """

    axis: ArrayLike = (1.0, 0.0, 0.0)
    second: ArrayLike = (0.0, 0.0, 1.0)
    toward_W: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _triad(np.asarray(self.axis, float), np.asarray(self.second, float), "axis and second")

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference:
        """Reference for the measured Sun direction."""
        s = meas["sun_W"] / np.linalg.norm(meas["sun_W"])
        d = np.asarray(self.toward_W, dtype=np.float64)
        T_W = _triad(s, d, "Sun direction and toward_W")
        T_B = _triad(np.asarray(self.axis, float), np.asarray(self.second, float), "axis and second")
        w_W = _triad_rate(T_W, d, SUN_RATE * np.cross(ECLIPTIC_NORTH, s))
        R_WR = T_W @ T_B.T
        return Reference(matrix_to_quat(R_WR), w_W @ R_WR, np.zeros(3))


def _triad(first: Array, second: Array, what: str) -> Array:
    """Orthonormal columns: along `first`, towards `second` across it, and their cross product."""
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    third = np.cross(first, second)
    if not np.linalg.norm(third) > PARALLEL * lengths:
        raise InputError(f"Sun pointing: {what} must not be parallel or zero, got {first} and {second}")
    e1, e3 = first / np.linalg.norm(first), third / np.linalg.norm(third)
    return np.column_stack([e1, np.cross(e3, e1), e3])


def _triad_rate(T: Array, second: Array, e1_rate: Array) -> Array:
    """Angular velocity of `_triad(first, second)` while its first axis moves with `e1_rate` and `second` is fixed.

    w = e1 x e1' + (e2' . e3) e1, where e2 = a / |a|, a = second - (second . e1) e1 and so e2' . e3 = a' . e3 / |a|.
    """
    e1, e2, e3 = T.T
    roll = -float(second @ e1) * float(e1_rate @ e3) / float(second @ e2)
    return np.cross(e1, e1_rate) + roll * e1
