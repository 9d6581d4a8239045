"""The motion of a body in ECI out of a finished run, and its CCSDS ephemeris."""

from __future__ import annotations

import numpy as np

from freefloat.amounts import Measure, positive
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.oem import Ephemeris


def eci_motion(result: Result, body: str, orbit: str = "orbit") -> tuple[Array, Array, Array]:
    """Times (n,) [s], positions (n, 3) [m] and velocities (n, 3) [m/s] of a body's origin in ECI."""
    p = result[f"{orbit}.p_IW"] + result[f"{body}.p_WB"]
    v = result[f"{orbit}.v_IW"] + result[f"{body}.v_WB"]
    return result.time(f"{body}.p_WB"), p, v


def flown_ephemeris(
    result: Result, body: str, epoch: Epoch, spacing: Measure = 60.0, orbit: str = "orbit"
) -> Ephemeris:
    """States `spacing` [s] apart and the last one, for `write_oem`."""
    spacing = positive("s").number(spacing, "ephemeris: spacing")
    t, p, v = eci_motion(result, body, orbit)
    wanted = np.append(np.arange(t[0], t[-1], spacing), t[-1])
    rows = np.unique(np.clip(np.searchsorted(t, wanted - 1e-9), 0, t.size - 1))
    return Ephemeris(body, epoch, t[rows], np.ascontiguousarray(p[rows]), np.ascontiguousarray(v[rows]))
