"""The orbital frame L (LVLH): z to the Earth's centre, y against the orbit normal, x = y x z along the flight.

On a circular orbit x is the direction of the velocity. L turns about its -y axis at |h| / r^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array


def lvlh_axes(p_I: ArrayLike, v_I: ArrayLike) -> Array:
    """R_IL (3, 3), its columns the axes of L in ECI, of a body at p_I [m] with velocity v_I [m/s]."""
    p, v = np.asarray(p_I, dtype=np.float64), np.asarray(v_I, dtype=np.float64)
    h = np.cross(p, v)
    r, momentum = np.linalg.norm(p), np.linalg.norm(h)
    if not (np.isfinite(momentum) and momentum > 0.0):
        raise InputError(f"LVLH needs a velocity across the position, got p={p.tolist()} m, v={v.tolist()} m/s")
    y, z = -h / momentum, -p / r
    return np.column_stack([np.cross(y, z), y, z])


def lvlh_rate(p_I: ArrayLike, v_I: ArrayLike, a_I: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """w_IL_L [rad/s]: -y part from the motion; the acceleration's part across the orbit turns the plane about z."""
    p, v, a = (np.asarray(x, dtype=np.float64) for x in (p_I, v_I, a_I))
    y = lvlh_axes(p, v)[:, 1]
    r, momentum = np.linalg.norm(p), np.linalg.norm(np.cross(p, v))
    return np.array([0.0, -momentum / r**2, r / momentum * (a @ y)])


def lvlh_to_eci(
    p_L: ArrayLike, v_L: ArrayLike, p_ref: ArrayLike, v_ref: ArrayLike, a_ref: ArrayLike = (0.0, 0.0, 0.0)
) -> tuple[Array, Array]:
    """State in ECI [m, m/s] of a point given in L of the reference state, its velocity as seen in the turning frame."""
    R_IL = lvlh_axes(p_ref, v_ref)
    p = np.asarray(p_L, dtype=np.float64)
    v = np.asarray(v_L, dtype=np.float64) + np.cross(lvlh_rate(p_ref, v_ref, a_ref), p)
    return np.asarray(p_ref, dtype=np.float64) + R_IL @ p, np.asarray(v_ref, dtype=np.float64) + R_IL @ v
