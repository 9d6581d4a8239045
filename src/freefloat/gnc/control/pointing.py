"""Attitude references: where a spacecraft shall point, how fast that turns, and how that accelerates.

W is the frame of the attitude quaternions, with axes parallel to ECI; R is the reference that body B shall meet.
Compiled steps take a mode as its `numbers`, whose first is its kind, and call `refer`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical
from freefloat.gnc.rotations import (
    Matrix,
    Numbers,
    Quaternion,
    Vector,
    cross,
    dot,
    matrix_of,
    norm,
    quat_of_axes,
    quat_product,
    quat_unit,
    quaternion,
    scaled,
    times,
    transposed,
    vector,
)

OBLIQUITY = 0.4090926  # [rad] of the ecliptic, J2000 (IAU 2006: 84381.406")
SUN_RATE = 1.990987e-7  # [rad/s] mean motion of the Sun's direction, one turn in a sidereal year
NORTH = (0.0, -math.sin(OBLIQUITY), math.cos(OBLIQUITY))  # of the ecliptic, in ECI
ECLIPTIC_NORTH = np.array(NORTH)
PARALLEL = 1e-6  # [rad] directions nearer than this define no plane
OTHER, INERTIAL, LVLH, SUN = 0.0, 1.0, 2.0, 3.0  # kinds
NUMBERS = 13  # of a mode: its kind, then q_WR | q_LR | the body's triad by rows and toward_W
REFERENCE = 10  # numbers of a reference: q_WR, w_WR_R, a_WR_R


@dataclass(frozen=True)
class Reference:
    """Attitude of R with its rate and acceleration."""

    q_WR: Array
    w_WR_R: Array  # [rad/s]
    a_WR_R: Array  # [rad/s^2] derivative of w_WR, the same seen from W and from R


class Pointing(Protocol):
    """A pointing mode."""

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference: ...


class _Compiled:
    """A pointing mode that is one of the kinds that `refer` knows."""

    def numbers(self) -> Array:
        """What compiled steps need of it."""
        raise NotImplementedError

    def at(self, t: float, meas: Mapping[str, Array]) -> Reference:
        """The reference for what is measured."""
        names = "p_ECI", "v_ECI", "a_ECI", "sun_W"
        p, v, a, sun = (np.ascontiguousarray(meas.get(name, ()), np.float64) for name in names)
        found = np.zeros(REFERENCE)
        _refer(self.numbers(), p, v, a, sun, found)
        return Reference(found[:4], found[4:7], found[7:])


@dataclass(frozen=True)
class InertialPointing(_Compiled):
    """A fixed attitude."""

    q_WR: ArrayLike = (1.0, 0.0, 0.0, 0.0)

    def numbers(self) -> Array:
        return _filled(INERTIAL, quat_canonical(self.q_WR))


@dataclass(frozen=True)
class LVLHPointing(_Compiled):
    """R turned by q_LR from the local orbital frame L: z to the nadir, y against the orbit normal, x = y x z forward.

    Reads p_ECI [m] and v_ECI [m/s]. With r = |p|, h = |p x v| and the acceleration a_n along the orbit normal,
        w_WL_L = [0, -h / r^2, -a_n r / h]
    where the last entry is the turn of the orbit plane. a_n comes from a_ECI [m/s^2] where that is given; without it
    the plane counts as fixed, which leaves 1.5e-6 rad/s unmodelled in low Earth orbit (J2). The feedforward
    acceleration is that of a Kepler orbit.
    """

    q_LR: ArrayLike = (1.0, 0.0, 0.0, 0.0)

    def numbers(self) -> Array:
        return _filled(LVLH, quat_canonical(self.q_LR))


@dataclass(frozen=True)
class SunPointing(_Compiled):
    """Body axis `axis` to the Sun; about it, body axis `second` as near as possible to the fixed direction `toward_W`.

    Reads sun_W, a vector to the Sun in axes of ECI. Its direction turns about the ecliptic pole with the mean motion
    (true to 3.4 %, 7e-9 rad/s); the acceleration, below 1e-13 rad/s^2, is given as zero.
    """

    axis: ArrayLike = (1.0, 0.0, 0.0)
    second: ArrayLike = (0.0, 0.0, 1.0)
    toward_W: ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        self.numbers()

    def numbers(self) -> Array:
        axis, second = (np.asarray(v, np.float64) for v in (self.axis, self.second))
        if _are_parallel(axis, second):
            raise InputError(f"Sun pointing: axis and second must not be parallel or zero, got {axis} and {second}")
        return _filled(SUN, np.concatenate([np.ravel(_triad(axis, second)), self.toward_W]))


def pointing_numbers(pointing: Pointing) -> Array:
    """What compiled steps need of any mode; one of another kind is asked in Python."""
    return pointing.numbers() if isinstance(pointing, _Compiled) else _filled(OTHER, np.zeros(0))


def _filled(kind: float, more: Array) -> Array:
    numbers = np.zeros(NUMBERS)
    numbers[0], numbers[1 : 1 + more.size] = kind, more
    return numbers


@inner
def refer(numbers: Array, p: Array, v: Array, a: Array, sun: Array, reference: Array) -> None:
    """The reference of the mode `numbers` into `reference`; p, v, a in ECI and sun_W have no length where not measured.

    A mode of another kind has left it there already.
    """
    if numbers[0] == INERTIAL:
        _store(quaternion(numbers, 1), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), reference)
    elif numbers[0] == LVLH:
        _refer_lvlh(quaternion(numbers, 1), p, v, a, reference)
    elif numbers[0] == SUN:
        _refer_sun(numbers, sun, reference)


_refer = onboard(refer)


@inner
def _refer_lvlh(q_LR: Quaternion, p: Array, v: Array, a: Array, reference: Array) -> None:
    if p.size != 3 or v.size != 3:
        raise InputError("LVLH pointing: p_ECI and v_ECI must be measured")
    h_W = cross(p, v)
    r, h = norm(p), norm(h_W)
    if not h > PARALLEL * r * norm(v):
        raise InputError("LVLH pointing: position and velocity define no orbit plane")
    z, y = scaled(p, -1.0 / r), scaled(h_W, -1.0 / h)
    a_n = -dot(y, a) if a.size == 3 else 0.0
    R_RL = transposed(matrix_of(q_LR))
    q_WR = quat_unit(quat_product(quat_of_axes(cross(y, z), y, z), q_LR))
    w_R = times(R_RL, (0.0, -h / r**2, -a_n * r / h))
    a_R = times(R_RL, (0.0, 2.0 * h * dot(p, v) / r**4, 0.0))
    _store(q_WR, w_R, a_R, reference)


@inner
def _refer_sun(numbers: Array, sun: Array, reference: Array) -> None:
    """The axes x, y, z of R in W: with the triad's axes as rows T in W and as rows in R, R_WR = T_W^T T_R."""
    if sun.size != 3:
        raise InputError("Sun pointing: sun_W must be measured")
    toward = vector(numbers, 10)
    if _are_parallel(sun, toward):
        raise InputError("Sun pointing: Sun direction and toward_W must not be parallel or zero")
    T = _triad(sun, toward)
    R_WT = transposed(T)
    t_x, t_y, t_z = transposed((vector(numbers, 1), vector(numbers, 4), vector(numbers, 7)))
    x, y, z = times(R_WT, t_x), times(R_WT, t_y), times(R_WT, t_z)
    w_W = _triad_rate(T, toward, scaled(cross(NORTH, T[0]), SUN_RATE))
    _store(quat_of_axes(x, y, z), (dot(x, w_W), dot(y, w_W), dot(z, w_W)), (0.0, 0.0, 0.0), reference)


@inner
def _store(q_WR: Numbers, w_R: Vector, a_R: Vector, reference: Array) -> None:
    for i in range(4):
        reference[i] = q_WR[i]
    for i in range(3):
        reference[4 + i], reference[7 + i] = w_R[i], a_R[i]


@inner
def _are_parallel(first: Numbers, second: Numbers) -> bool:
    """Whether two directions define no plane; zero is parallel to everything."""
    return not norm(cross(first, second)) > PARALLEL * norm(first) * norm(second)


@inner
def _triad(first: Numbers, second: Numbers) -> Matrix:
    """Orthonormal vectors: along `first`, towards `second` across it, and their cross product."""
    third = cross(first, second)
    e1, e3 = scaled(first, 1.0 / norm(first)), scaled(third, 1.0 / norm(third))
    return e1, cross(e3, e1), e3


@inner
def _triad_rate(T: Matrix, second: Numbers, e1_rate: Vector) -> Vector:
    """Angular velocity of `_triad(first, second)` while its first axis moves with `e1_rate` and `second` is fixed.

    w = e1 x e1' + (e2' . e3) e1, where e2 = a / |a|, a = second - (second . e1) e1 and so e2' . e3 = a' . e3 / |a|.
    """
    e1, e2, e3 = T
    roll = -dot(second, e1) * dot(e1_rate, e3) / dot(second, e2)
    turn = cross(e1, e1_rate)
    return turn[0] + roll * e1[0], turn[1] + roll * e1[1], turn[2] + roll * e1[2]
