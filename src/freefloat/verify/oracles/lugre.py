"""LuGre friction (Canudas de Wit, Olsson, Astrom and Lischinsky 1995) where it has closed forms, and stick-slip.

g(v) = Fc + (Fs - Fc) exp(-|v / vs|^nu),   z' = v - s0 |v| z / g,   F = s0 z + s1 z' + s2 v
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.verify.oracles.gear import dahl_area, dahl_branch
from freefloat.verify.oracles.stiff import RTOL, solve


@dataclass(frozen=True)
class Canonical:
    """The set of parameters of the paper, for a mass on a plane; same field names as a joint's friction."""

    coulomb: float = 1.0  # [N]
    stiction: float = 1.5  # [N]
    stribeck: float = 0.001  # [m/s]
    exponent: float = 2.0
    viscous: float = 0.4  # [N s/m]
    bristle_stiffness: float = 1e5  # [N/m]
    bristle_damping: float = 1e5**0.5  # [N s/m]


def stribeck(friction: Any, v: ArrayLike, extra: float = 0.0) -> Array:
    """g(v), `extra` for the loss under load."""
    v = np.asarray(v, dtype=np.float64)
    fall = np.exp(-(np.abs(v / friction.stribeck) ** friction.exponent))
    return friction.coulomb + (friction.stiction - friction.coulomb) * fall + extra


def steady_friction(friction: Any, v: ArrayLike, extra: float = 0.0) -> Array:
    """F at constant speed: g(v) sgn v + s2 v."""
    v = np.asarray(v, dtype=np.float64)
    return stribeck(friction, v, extra) * np.sign(v) + friction.viscous * v


def bristle(friction: Any, v: float, t: ArrayLike, z0: float = 0.0, extra: float = 0.0) -> Array:
    """z(t) at constant speed v: an exponential towards g sgn v / s0 at the rate s0 |v| / g."""
    g = float(stribeck(friction, v, extra))
    end = np.sign(v) * g / friction.bristle_stiffness
    return end + (z0 - end) * np.exp(-friction.bristle_stiffness * abs(v) / g * np.asarray(t, dtype=np.float64))


def friction_at_speed(friction: Any, v: float, t: ArrayLike, z0: float = 0.0, extra: float = 0.0) -> Array:
    """F(t) at constant speed v from the deflection z0."""
    z, g = bristle(friction, v, t, z0, extra), float(stribeck(friction, v, extra))
    rate = v - friction.bristle_stiffness * abs(v) * z / g
    return friction.bristle_stiffness * z + friction.bristle_damping * rate + friction.viscous * v


def presliding(friction: Any, x: ArrayLike, amplitude: float, rising: bool) -> Array:
    """s0 z on a branch of the closed loop between +-amplitude, so slow that g = Fs: Dahl's curve."""
    return dahl_branch(friction.stiction, friction.bristle_stiffness, x, amplitude, rising)


def presliding_area(friction: Any, amplitude: float) -> float:
    """Energy lost in one such loop."""
    return dahl_area(friction.stiction, friction.bristle_stiffness, amplitude)


@dataclass(frozen=True)
class StickSlip:
    """A mass with friction that a spring pulls whose other end moves steadily (sec. III-C of the paper)."""

    friction: Any = Canonical()
    mass: float = 1.0  # [kg]
    spring: float = 2.0  # [N/m]
    pull: float = 0.1  # [m/s]

    def motion(self, times: ArrayLike, rtol: float = RTOL) -> tuple[Array, Array, Array]:
        """x [m], v [m/s] and z [m] at `times` [s], from rest with a slack spring."""
        f = self.friction

        def rates(t: float, state: Array) -> Array:
            x, v, z = state
            slip = v - f.bristle_stiffness * abs(v) * z / float(stribeck(f, v))
            force = f.bristle_stiffness * z + f.bristle_damping * slip + f.viscous * v
            return np.array([v, (self.spring * (self.pull * t - x) - force) / self.mass, slip])

        x, v, z = solve(rates, np.zeros(3), times, atol=[1e-14, 1e-14, 1e-16], rtol=rtol).T
        return x, v, z

    def slips(self, end: float, threshold: float = 0.01) -> tuple[Array, float]:
        """Instants [s] at which v passes the threshold [m/s], upwards and downwards, and the largest v."""
        t = np.arange(0.0, end, 5e-4)  # linear between: instants to 1e-7 s
        _, v, _ = self.motion(t)
        at = np.flatnonzero((v[:-1] < threshold) != (v[1:] < threshold))
        instants = t[at] + (threshold - v[at]) / (v[at + 1] - v[at]) * np.diff(t)[at]
        return instants, float(v.max())
