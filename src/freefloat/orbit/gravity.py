"""Gravity of the Earth's field (spherical harmonics packaged with brahe) and of the Sun and Moon as point masses."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.kernels.gravity_difference import central_difference, central_gradient
from freefloat.orbit.offline import brahe

MODELS = {"EGM2008": "EGM2008_120", "GGM05S": "GGM05S", "JGM3": "JGM3"}

_STEP = 200.0  # [m] central differences of the rest field: truncation and rounding both near 3e-18 1/s^2
_STENCIL = np.concatenate([_STEP * np.eye(3), -_STEP * np.eye(3)])  # [m]
_WIDE = 2000.0  # [m] the same for second derivatives
_WIDE_STENCIL = _WIDE * np.concatenate(
    [np.eye(3), -np.eye(3), [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0], [0.0, -1.0, -1.0]]]
)  # [m]
_PATH = ["einsum_path", (0, 3), (0, 2), (0, 1)]
_POLE = np.array([0.0, 0.0, 1.0])


@cache
def _coefficients(model: str) -> Any:
    bh = brahe()
    return bh.GravityModel.from_model_type(getattr(bh.GravityModelType, MODELS[model]))


@dataclass(frozen=True)
class GravityField:
    """The Earth's field to degree and order; degree 0 is the central term alone. F is Earth-fixed, I is ECI.

    Split for bodies near a reference: central and J2 in closed form (`differential`), everything else, the rest, by its
    first and second derivatives there.
    """

    model: str = "EGM2008"  # tide free; GGM05S zero tide; JGM3
    degree: int = 20
    order: int | None = None  # the degree, unless given

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise unknown_name("gravity model", self.model, MODELS)
        limit = min(int(_coefficients(self.model).n_max), 120)
        if not 0 <= self.degree <= limit:
            raise InputError(f"gravity degree {self.degree} is outside 0 to {limit} of {self.model}")
        if not 0 <= self.m <= self.degree:
            raise InputError(f"gravity order {self.order} is outside 0 to the degree {self.degree}")

    @property
    def m(self) -> int:
        """The order in use."""
        return self.degree if self.order is None else self.order

    @cached_property
    def mu(self) -> float:
        """GM [m^3/s^2]."""
        return float(_coefficients(self.model).gm)

    @property
    def radius(self) -> float:
        """Reference radius [m]."""
        return float(_coefficients(self.model).radius)

    @property
    def j2(self) -> float:
        """J2 = -sqrt(5) C20 [-]; zero below degree 2."""
        return -math.sqrt(5.0) * float(_coefficients(self.model).get(2, 0)[0]) if self.degree >= 2 else 0.0

    @cached_property
    def c_j2(self) -> float:
        """c = 1.5 J2 mu Re^2 [m^5/s^2] of `differential`."""
        return 1.5 * self.j2 * self.mu * self.radius**2

    def acceleration_F(self, p_F: Array) -> Array:
        """Acceleration at p_F in F [m/s^2]."""
        return _coefficients(self.model).compute_spherical_harmonics(p_F, self.degree, self.m)

    def acceleration(self, p_I: ArrayLike, R_FI: Array) -> Array:
        """Acceleration at p_I in I [m/s^2]; R_FI turns ECI into Earth-fixed axes."""
        return R_FI.T @ self.acceleration_F(R_FI @ np.asarray(p_I, dtype=np.float64))

    def rest_gradient(self, p_I: ArrayLike, R_FI: Array, k_I: ArrayLike | None = None) -> Array:
        """d a_i / d p_j in I (3, 3) [1/s^2] of the field without the central term and without J2 about the axis k_I.

        k_I is the true pole unless given; what a fixed axis misses is then part of the rest, so the split stays exact
        to first order.
        """
        if self.degree < 2:
            return np.zeros((3, 3))
        points = R_FI @ np.asarray(p_I, dtype=np.float64) + _STENCIL
        k_F = _POLE if k_I is None else R_FI @ np.asarray(k_I, dtype=np.float64)
        a = self._rest(points, k_F)
        G = (a[:3] - a[3:]) / (2.0 * _STEP)
        return R_FI.T @ (0.5 * (G + G.T)) @ R_FI

    def rest_curvature(self, p_I: ArrayLike, R_FI: Array, k_I: ArrayLike | None = None) -> Array:
        """d^2 a_i / d p_j d p_k of the same rest in I (3, 3, 3), symmetric in all indices [1/(m s^2)]."""
        if self.degree < 2:
            return np.zeros((3, 3, 3))
        k_F = _POLE if k_I is None else R_FI @ np.asarray(k_I, dtype=np.float64)
        a = self._rest(R_FI @ np.asarray(p_I, dtype=np.float64) + _WIDE_STENCIL, k_F)
        T = np.empty((3, 3, 3))
        for j in range(3):
            T[:, j, j] = T[j, :, j] = T[j, j, :] = (a[j] + a[3 + j] - 2.0 * a[6]) / _WIDE**2
        mixed = (a[7, 0] - a[8, 0] - a[9, 0] + a[10, 0]) / (4.0 * _WIDE**2)
        for i, j, k in itertools.permutations(range(3)):
            T[i, j, k] = mixed
        return np.einsum("ai,bj,ck,abc->ijk", R_FI, R_FI, R_FI, T, optimize=_PATH)

    def _rest(self, points: Array, k_F: Array) -> Array:
        """Acceleration without the closed-form part at points (n, 3) in F."""
        return np.array([self.acceleration_F(p) for p in points]) - _central_and_j2(self.mu, self.c_j2, k_F, points)


def _central_and_j2(mu: float, c: float, k: Array, r: Array) -> Array:
    """The closed-form part of the field at the points r (n, 3)."""
    r2 = np.einsum("ij,ij->i", r, r)
    z = r @ k
    s = c / (r2 * r2 * np.sqrt(r2))
    radial = mu / (r2 * np.sqrt(r2)) + s * (1.0 - 5.0 * z * z / r2)
    return -radial[:, None] * r - (2.0 * s * z)[:, None] * k


def third_body(gm: float, p_IT: Array, p_I: Array) -> Array:
    """Acceleration at p_I relative to the Earth's centre by a point mass at p_IT [m/s^2], without cancellation."""
    return np.array(central_difference(gm, (-p_IT).tolist(), p_I.tolist()))


def third_body_gradient(gm: float, p_IT: Array, p_I: Array) -> Array:
    """Its gradient (3, 3) [1/s^2]."""
    return symmetric(central_gradient(gm, (p_I - p_IT).tolist()))


def symmetric(g: tuple[float, ...] | Array) -> Array:
    """(3, 3) from (xx, xy, xz, yy, yz, zz)."""
    return np.array([[g[0], g[1], g[2]], [g[1], g[3], g[4]], [g[2], g[4], g[5]]])


def packed(G: Array) -> Array:
    """(xx, xy, xz, yy, yz, zz) from a symmetric (3, 3)."""
    return G[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def packed_cubic(T: Array) -> Array:
    """(xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz) from a symmetric (3, 3, 3)."""
    return T[[0, 0, 0, 0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 2, 1, 1, 2, 2], [0, 1, 2, 1, 2, 2, 1, 2, 2, 2]]
