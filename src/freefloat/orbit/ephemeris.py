"""Sun and Moon: geometric positions from the Earth's centre in ECI (GCRS) [m], no light time, no aberration.

`erfa`: Earth's heliocentric position by VSOP2000 as fitted to DE405 (epv00) and the Moon by Meeus 1998 (moon98).
Against DE440, every 2 h from 2000 to October 2027, at most: Sun 4.0e-6 deg and 10.7 km, Moon 0.0038 deg and 23.7 km.
`brahe`: the low-precision series of Montenbruck and Gill sec. 3.3 (Sun 0.1 deg), to compare like with like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import unknown_name
from freefloat.frames import Array
from freefloat.orbit.epoch import DAY, Epoch, seconds_grid
from freefloat.orbit.offline import brahe, erfa

Source: TypeAlias = Literal["erfa", "brahe"]

AU = 149597870700.0  # [m] IAU 2012
GM_SUN = 1.327124400419394e20  # [m^3/s^2] DE440
GM_MOON = 4.902800066e12  # [m^3/s^2] DE440
R_SUN = 6.957e8  # [m] IAU 2015 nominal
R_MOON = 1.738e6  # [m]

TABLE_STEP = 3600.0  # [s] knots of `EphemerisTable`
_DIFFERENCE = 60.0  # [s] for velocities of a source that has none


def check_source(source: str) -> None:
    if source not in get_args(Source):
        raise unknown_name("ephemeris source", source, get_args(Source))


def sun_position(epoch: Epoch, t: ArrayLike = 0.0, source: Source = "erfa") -> Array:
    """p_IS [m] at t: (3,), or (n, 3) for an array of instants."""
    return _states(epoch, np.asarray(t, dtype=np.float64), source)[0]


def sun_knots(epoch: Epoch, stop: float) -> Array:
    """Position [m] and velocity [m/s] (m, 2, 3) of the Sun every `TABLE_STEP` from 0 to `stop` [s] or later."""
    p, v, _, _ = _states(epoch, seconds_grid(0.0, stop, TABLE_STEP), "erfa")
    return np.ascontiguousarray(np.stack([p, v], 1))


def moon_position(epoch: Epoch, t: ArrayLike = 0.0, source: Source = "erfa") -> Array:
    """p_IM [m] at t: (3,), or (n, 3) for an array of instants."""
    return _states(epoch, np.asarray(t, dtype=np.float64), source)[2]


def _states(epoch: Epoch, t: Array, source: Source) -> tuple[Array, Array, Array, Array]:
    """Sun position, Sun velocity, Moon position, Moon velocity [m, m/s]."""
    check_source(source)
    if source == "brahe":
        return *_low_precision(epoch, t, brahe().sun_position), *_low_precision(epoch, t, brahe().moon_position)
    earth, _ = erfa().epv00(*epoch.tdb(t))
    moon = erfa().moon98(*epoch.tt(t))
    return -AU * earth["p"], -AU / DAY * earth["v"], AU * moon["p"], AU / DAY * moon["v"]


def _low_precision(epoch: Epoch, t: Array, position: Callable[[Any], Any]) -> tuple[Array, Array]:
    flat = np.atleast_1d(t)
    before, at, after = (
        np.array([position(s) for s in epoch.stamps(flat + shift)]) for shift in (-_DIFFERENCE, 0.0, _DIFFERENCE)
    )
    v = (after - before) / (2.0 * _DIFFERENCE)
    return at.reshape(*t.shape, 3), v.reshape(*t.shape, 3)


class EphemerisTable:
    """Sun and Moon by cubic Hermite interpolation on hourly knots: within 1 m of the series, and 100 times faster.

    Covers the instants handed to `cover`; asking outside is a programming error.
    """

    def __init__(self, epoch: Epoch, source: Source = "erfa") -> None:
        check_source(source)
        self._epoch = epoch
        self._source: Source = source
        self._t = np.zeros(0)
        self._knots = np.zeros((0, 2, 2, 3))  # knot, body, value | rate

    def cover(self, start: float, stop: float) -> None:
        if self._t.size and self._t[0] <= start and stop <= self._t[-1]:
            return
        self._t = seconds_grid(start, stop, TABLE_STEP)
        sun, sun_rate, moon, moon_rate = _states(self._epoch, self._t, self._source)
        self._knots = np.stack([np.stack([sun, sun_rate], 1), np.stack([moon, moon_rate], 1)], 1)

    def positions(self, t: Array) -> tuple[Array, Array]:
        """Sun and Moon (n, 3) each [m] at the instants t (n,)."""
        i = np.clip(((t - self._t[0]) / TABLE_STEP).astype(int), 0, self._t.size - 2)
        s = ((t - self._t[i]) / TABLE_STEP)[:, None, None]
        a, b = self._knots[i], self._knots[i + 1]
        p = (
            (1.0 + 2.0 * s) * (1.0 - s) ** 2 * a[:, :, 0]
            + s**2 * (3.0 - 2.0 * s) * b[:, :, 0]
            + TABLE_STEP * s * (1.0 - s) * ((1.0 - s) * a[:, :, 1] - s * b[:, :, 1])
        )
        return np.ascontiguousarray(p[:, 0]), np.ascontiguousarray(p[:, 1])
