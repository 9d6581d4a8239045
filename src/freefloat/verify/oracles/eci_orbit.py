"""Orbits integrated straight in ECI by SciPy's DOP853: no table, no falling frame, full chains at every evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from freefloat.frames import Array
from freefloat.orbit.atmosphere import air_velocity
from freefloat.orbit.earth import geodetic, rotation_eci_to_ecef
from freefloat.orbit.ephemeris import AU, GM_MOON, GM_SUN, Source, moon_position, sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.gravity import GravityField, third_body
from freefloat.orbit.lighting import visible_fraction
from freefloat.orbit.offline import brahe
from freefloat.orbit.surface_force import plate_drag, plate_light

Acceleration = Callable[[float, Array, Array], Array]  # t [s], p_I [m], v_I [m/s] -> [m/s^2]

LIGHT_PRESSURE = 4.56e-6  # [N/m^2] at 1 AU, brahe's value


def eci_states(
    acceleration: Acceleration,
    p_I: Array,
    v_I: Array,
    times: Array,
    rtol: float = 3e-14,
    atol: float = 1e-9,  # [m, m/s]
    max_step: float = math.inf,  # [s]
) -> Array:
    """[p_I, v_I] (n, 6) [m, m/s] at the times [s], from the state at t = 0; a step ends at each of them.

    rtol is relative to the distance from the Earth's centre; only short steps reach 1e-7 m over an orbit.
    """

    def slope(t: float, y: Array) -> Array:
        return np.concatenate([y[3:], acceleration(t, y[:3], y[3:])])

    states, t, y = [], 0.0, np.concatenate([p_I, v_I])
    for end in map(float, times):
        if end > t:
            found: Any = solve_ivp(slope, (t, end), y, "DOP853", rtol=rtol, atol=atol, max_step=max_step)
            t, y = end, found.y[:, -1]
        states.append(y)
    return np.array(states)


def gravity_acceleration(epoch: Epoch, field: GravityField, source: Source = "erfa") -> Acceleration:
    """The Earth's field, Sun and Moon."""

    def acceleration(t: float, p: Array, v: Array) -> Array:
        a = field.acceleration(p, rotation_eci_to_ecef(epoch, t))
        a = a + third_body(GM_SUN, sun_position(epoch, t, source), p)
        return a + third_body(GM_MOON, moon_position(epoch, t, source), p)

    return acceleration


def sphere_acceleration(
    epoch: Epoch, mass: float, area: float, cd: float, cr: float, source: Source = "erfa"
) -> Acceleration:
    """Air and sunlight on a sphere: mass [kg], area [m^2], drag and light coefficients [-], shadow of the Earth."""

    def acceleration(t: float, p: Array, v: Array) -> Array:
        R_FI = rotation_eci_to_ecef(epoch, t)
        place = geodetic(R_FI @ p)
        where = np.array([math.degrees(place.longitude), math.degrees(place.latitude), place.altitude])
        density = float(brahe().density_nrlmsise00_geod(epoch.stamp(t), where))
        w = v - air_velocity(p, R_FI[2])
        drag = plate_drag(density, cd, area, w / np.linalg.norm(w), w)
        p_IS = sun_position(epoch, t, source)
        distance = float(np.linalg.norm(p_IS - p))
        s = (p_IS - p) / distance
        pressure = LIGHT_PRESSURE * (AU / distance) ** 2 * visible_fraction(p, p_IS)
        light = plate_light(pressure, 0.0, 1.5 * (cr - 1.0), area, s, s)
        return (np.array(drag) + np.array(light)) / mass

    return acceleration
