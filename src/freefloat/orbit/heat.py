"""Heat from the Earth and the Sun on flat surfaces: infrared, albedo and the power absorbed.

The Earth is a sphere of radius R that emits and reflects diffusely; a surface looks along its outward normal n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.lighting import Sunlight

ALBEDO = 0.3  # [-] global mean
EARTH_INFRARED = 237.0  # [W/m^2] emitted by the Earth's surface

_RINGS, _SECTORS = 32, 64  # quadrature of the visible cap: within 0.1 % of the irradiance on a surface facing the Earth


def sphere_view_factor(cosine: float, distance_ratio: float) -> float:
    """View factor from a flat element to a sphere; cosine of the angle between its normal and the centre, H = r / R.

    F = cos g / H^2 while the whole sphere stands above the element's plane, 0 while it is below, and between, with
    x = sqrt(H^2 - 1), y = -x cot g, z = sin g sqrt(1 - y^2):  F = [(cos g acos y - x z) / H^2 + atan(z / x)] / pi
    (Martinez, Radiative view factors, UPM, patch to a tilted sphere; Howell's catalog of configuration factors).
    """
    H = distance_ratio
    if not H >= 1.0:
        raise InputError(f"a view factor needs a point outside the sphere, got distance / radius = {H}")
    cosine = min(max(cosine, -1.0), 1.0)
    if H * cosine >= 1.0:
        return cosine / H**2
    if H * cosine <= -1.0:
        return 0.0
    x, sine = math.sqrt(H * H - 1.0), math.sqrt(1.0 - cosine * cosine)
    y = min(max(-x * cosine / sine, -1.0), 1.0)
    z = sine * math.sqrt(1.0 - y * y)
    return ((cosine * math.acos(y) - x * z) / H**2 + math.atan2(z, x)) / math.pi


def earth_infrared(n_I: ArrayLike, p_I: ArrayLike, emitted: float = EARTH_INFRARED) -> Array:
    """Infrared irradiance [W/m^2] on surfaces of unit normals n_I (k, 3) at p_I [m]."""
    n, p = np.atleast_2d(np.asarray(n_I, dtype=np.float64)), np.asarray(p_I, dtype=np.float64)
    r = float(np.linalg.norm(p))
    return np.array([emitted * sphere_view_factor(c, r / R_EQUATOR) for c in (n @ (-p / r)).tolist()])


@cache
def _cap_rule() -> tuple[Array, Array, Array, Array]:
    x, w = np.polynomial.legendre.leggauss(_RINGS)
    phi = 2.0 * np.pi * (np.arange(_SECTORS) + 0.5) / _SECTORS
    return 0.5 * (x + 1.0), 0.5 * w * 2.0 * np.pi / _SECTORS, np.cos(phi), np.sin(phi)


def albedo_irradiance(n_I: ArrayLike, p_I: ArrayLike, sun_I: ArrayLike, flux: float, albedo: float = ALBEDO) -> Array:
    """Sunlight reflected by the Earth [W/m^2] on surfaces of unit normals n_I (k, 3) at p_I [m].

    Integral over the visible and lit part of the sphere, radiance albedo flux max(0, u.s) / pi at the outward normal u,
    by Gauss-Legendre rings about the point below; `sun_I` is the unit vector to the Sun, `flux` the solar irradiance.
    """
    n, p = np.atleast_2d(np.asarray(n_I, dtype=np.float64)), np.asarray(p_I, dtype=np.float64)
    r, sun = float(np.linalg.norm(p)), np.asarray(sun_I, dtype=np.float64)
    if not r > R_EQUATOR:
        raise InputError(f"albedo needs a point above the Earth, got a distance of {r} m from its centre")
    unit, weight, c_phi, s_phi = _cap_rule()
    up = p / r
    east = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    east /= np.linalg.norm(east)
    north = np.cross(up, east)
    rim = R_EQUATOR / r
    c = rim + (1.0 - rim) * unit
    s = np.sqrt(1.0 - c * c)
    u = (c[:, None, None] * up + s[:, None, None] * (c_phi[:, None] * east + s_phi[:, None] * north)).reshape(-1, 3)
    area = np.repeat((1.0 - rim) * weight * R_EQUATOR**2, _SECTORS)
    line = p - R_EQUATOR * u
    d2 = np.einsum("ij,ij->i", line, line)
    radiance = albedo * flux / math.pi * np.maximum(u @ sun, 0.0)
    strength = radiance * area * np.maximum(np.einsum("ij,ij->i", u, line), 0.0) / d2**2
    return np.maximum(n @ -line.T, 0.0) @ strength


@dataclass(frozen=True)
class HeatInput:
    """Irradiances on surfaces [W/m^2], each (k,): direct sunlight, albedo, Earth infrared."""

    sun: Array
    albedo: Array
    infrared: Array

    def absorbed(self, area: ArrayLike, absorptance: ArrayLike, emissivity: ArrayLike) -> Array:
        """Power absorbed by each surface [W]: A [alpha (sun + albedo) + epsilon infrared]."""
        visible = np.asarray(absorptance, dtype=np.float64) * (self.sun + self.albedo)
        return np.asarray(area, dtype=np.float64) * (visible + np.asarray(emissivity, dtype=np.float64) * self.infrared)


def heat_input(n_I: ArrayLike, p_I: ArrayLike, light: Sunlight) -> HeatInput:
    """Irradiances on surfaces with unit normals n_I (k, 3) of a spacecraft at p_I [m]; no self-shadowing."""
    n = np.atleast_2d(np.asarray(n_I, dtype=np.float64))
    return HeatInput(
        light.irradiance * np.maximum(n @ light.direction_I, 0.0),
        albedo_irradiance(n, p_I, light.direction_I, light.unshadowed),
        earth_infrared(n, p_I),
    )
