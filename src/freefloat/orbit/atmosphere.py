"""Air density by NRLMSISE-00 (Picone and others 2002; brahe's implementation, packaged space weather)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.orbit.earth import RATE, geodetic, rotation_eci_to_ecef
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.offline import brahe

_SPAN = 1000.0  # [m] half height over which the scale height is taken


@dataclass(frozen=True)
class Air:
    """Air at a place: density [kg/m^3], scale height [m] and the geodetic altitude [m] that they belong to."""

    density: float
    scale_height: float
    altitude: float

    def density_at(self, altitude: float) -> float:
        """rho exp(-(h - h0) / H): within 1e-4 for 2 km up or down at 400 km."""
        return self.density * math.exp((self.altitude - altitude) / self.scale_height)


def air(epoch: Epoch, t: float, p_I: ArrayLike) -> Air:
    """Air at p_I [m] at t; an instant outside the packaged space weather is an `InputError`."""
    epoch.check(t, space_weather=True)
    place = geodetic(rotation_eci_to_ecef(epoch, t) @ np.asarray(p_I, dtype=np.float64))
    stamp, longitude, latitude = epoch.stamp(t), math.degrees(place.longitude), math.degrees(place.latitude)
    low, at, high = (
        float(brahe().density_nrlmsise00_geod(stamp, np.array([longitude, latitude, place.altitude + h])))
        for h in (-_SPAN, 0.0, _SPAN)
    )
    return Air(at, 2.0 * _SPAN / math.log(low / high), place.altitude)


def air_velocity(p_I: ArrayLike, k_I: ArrayLike) -> Array:
    """Velocity of air that turns with the Earth about the pole k_I, in ECI [m/s]."""
    return RATE * np.cross(np.asarray(k_I, dtype=np.float64), np.asarray(p_I, dtype=np.float64))
