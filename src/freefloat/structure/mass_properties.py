"""Mass properties of many rigid pieces at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Of a tensor body with frame T; all zero when it is empty."""

    mass: float  # [kg] correctly rounded sum of the modules' masses
    p_TTcm: Array  # [m]
    I_TTcm_T: Array  # [kg m^2] about the centre of mass


def composite(mass: Array, p_TMcm: Array, own: Array) -> MassProperties:
    """Of pieces with masses (n,), centres of mass (n, 3) in T, and the sum (3, 3) of their own inertias in axes of T.

    With r the centres seen from their common one: I = own + sum of m (r^2 1 - r r^T) (parallel axes).
    """
    if len(mass) == 0:
        return MassProperties(0.0, _frozen(np.zeros(3)), _frozen(np.zeros((3, 3))))
    total = math.fsum(mass.tolist())
    p_TTcm = mass @ p_TMcm / total
    r = p_TMcm - p_TTcm
    spread = (mass[:, None] * r).T @ r
    inertia = own + np.trace(spread) * np.eye(3) - spread
    return MassProperties(total, _frozen(p_TTcm), _frozen(0.5 * (inertia + inertia.T)))


def rotations(rotvecs: Array) -> Array:
    """Rotation matrices (n, 3, 3) of rotation vectors (n, 3) [rad], all at once (Rodrigues)."""
    angle = np.linalg.norm(rotvecs, axis=1)[:, None, None]
    x, y, z = rotvecs.T
    o = np.zeros_like(x)
    S = np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
    half = np.sinc(angle / (2.0 * np.pi))
    return np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * half**2 * (S @ S)


def _frozen(a: Array) -> Array:
    a.setflags(write=False)
    return a
