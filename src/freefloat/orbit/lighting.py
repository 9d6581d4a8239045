"""Sunlight on a spacecraft: conical shadows of the Earth and the Moon with penumbra, direction and irradiance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.ephemeris import AU, R_MOON, R_SUN, Source, moon_position, sun_position
from freefloat.orbit.epoch import Epoch

SOLAR_CONSTANT = 1361.0  # [W/m^2] at 1 AU


def hidden_fraction(a: float, b: float, c: float) -> float:
    """Share of a disc of angular radius a hidden by one of radius b, centres c apart [rad].

    Overlap of two circles (Montenbruck and Gill, Satellite Orbits, eq. 3.87 to 3.94).
    """
    if c >= a + b:
        return 0.0
    if c <= b - a:
        return 1.0
    if c <= a - b:
        return (b / a) ** 2
    x = (c * c + a * a - b * b) / (2.0 * c)
    y = math.sqrt(max(a * a - x * x, 0.0))
    overlap = a * a * math.acos(_cosine(x / a)) + b * b * math.acos(_cosine((c - x) / b)) - c * y
    return min(max(overlap / (math.pi * a * a), 0.0), 1.0)


def _cosine(x: float) -> float:
    return min(max(x, -1.0), 1.0)


def _hidden_by(radius: float, to_body: Array, to_sun: Array) -> float:
    distance, sun_distance = float(np.linalg.norm(to_body)), float(np.linalg.norm(to_sun))
    if distance <= radius:
        return 1.0
    if distance >= sun_distance:
        return 0.0
    between = math.atan2(float(np.linalg.norm(np.cross(to_body, to_sun))), float(to_body @ to_sun))
    return hidden_fraction(math.asin(R_SUN / sun_distance), math.asin(radius / distance), between)


def visible_fraction(
    p_I: ArrayLike, p_IS: ArrayLike, p_IM: ArrayLike | None = None, earth_radius: float = R_EQUATOR
) -> float:
    """Share of the solar disc seen from p_I (0 umbra, 1 full light), with the Sun at p_IS and the Moon at p_IM [m].

    Spherical Earth; where Earth and Moon both hide the Sun their shares add.
    """
    p = np.asarray(p_I, dtype=np.float64)
    to_sun = np.asarray(p_IS, dtype=np.float64) - p
    hidden = _hidden_by(earth_radius, -p, to_sun)
    if p_IM is not None:
        hidden += _hidden_by(R_MOON, np.asarray(p_IM, dtype=np.float64) - p, to_sun)
    return max(1.0 - hidden, 0.0)


@dataclass(frozen=True)
class Sunlight:
    """Light at a place: s_I to the Sun, irradiance without shadow [W/m^2], visible share of the disc [-]."""

    direction_I: Array
    unshadowed: float
    visible: float

    @property
    def irradiance(self) -> float:
        """On a surface facing the Sun [W/m^2]."""
        return self.unshadowed * self.visible


def sunlight(
    epoch: Epoch, t: float, p_I: ArrayLike, source: Source = "erfa", solar_constant: float = SOLAR_CONSTANT
) -> Sunlight:
    """Sunlight at p_I [m] at t: the solar constant scaled by distance, shadowed by the Earth and the Moon."""
    p_IS = sun_position(epoch, t, source)
    return sunlight_from(p_I, p_IS, moon_position(epoch, t, source), solar_constant)


def sunlight_from(
    p_I: ArrayLike, p_IS: Array, p_IM: Array | None = None, solar_constant: float = SOLAR_CONSTANT
) -> Sunlight:
    """The same from known places of Sun and Moon."""
    to_sun = p_IS - np.asarray(p_I, dtype=np.float64)
    distance = float(np.linalg.norm(to_sun))
    return Sunlight(to_sun / distance, solar_constant * (AU / distance) ** 2, visible_fraction(p_I, p_IS, p_IM))
