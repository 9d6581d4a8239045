"""How a platform's run is judged: errors of eqs 5.1 to 5.4, on-times, the end of eq. 5.6."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.platforms.height_map import HeightMap
from freefloat.units import G0

if TYPE_CHECKING:
    from scipy.spatial import KDTree

COURSE = 10_000  # points of a reference that stand for all of them
END = 0.05  # [m, rad, m/s, rad/s] eq. 5.6


def tracking_errors(reference: HermiteReference, t: Array, pose: Array) -> dict[str, float]:
    """Root mean squares of truth minus reference (eqs 5.1 to 5.4); the angle counts turns in both."""
    error = pose - reference.sampled(t)[0]
    x, y, theta = np.sqrt(np.mean(error**2, axis=0))
    return {
        "rms_x_m": float(x),
        "rms_y_m": float(y),
        "rms_position_m": float(np.hypot(x, y)),
        "rms_angle_deg": float(np.rad2deg(theta)),
        "rms_path_m": float(np.sqrt(np.mean(off_path(reference, pose) ** 2))),
        "largest_position_error_m": float(np.hypot(error[:, 0], error[:, 1]).max()),
        "largest_angle_error_deg": float(np.rad2deg(np.abs(error[:, 2]).max())),
    }


def off_path(reference: HermiteReference, pose: Array) -> Array:
    """Distance [m] of each place to the nearest one of the reference, whenever that is due."""
    return _course(reference).query(pose[:, :2])[0]


@lru_cache(maxsize=4)  # many runs follow one reference
def _course(reference: HermiteReference) -> KDTree:
    from scipy.spatial import KDTree

    return KDTree(reference.sampled(np.linspace(0.0, reference.duration, COURSE))[0][:, :2])


def on_times(on_time: Array) -> dict[str, float]:
    """Commanded open time of all valves and of each [s]."""
    each = {f"on_time_s.{k}": float(s) for k, s in enumerate(on_time)}
    return {"total_on_time_s": float(on_time.sum()), **each}


def end_state(reference: HermiteReference, t: float, pose: Array, rate: Array) -> dict[str, float]:
    """Distances to the reference at t, and whether they are inside eq. 5.6 (1) or not (0)."""
    wanted, going, _ = reference.at(t)
    e, v = pose - wanted, rate - going
    found = (math.hypot(e[0], e[1]), abs(e[2]), math.hypot(v[0], v[1]), abs(v[2]))
    return {
        "end_position_m": found[0],
        "end_angle_deg": math.degrees(found[1]),
        "end_speed_m_s": found[2],
        "end_rate_deg_s": math.degrees(found[3]),
        "end_reached": float(max(found) < END),
    }


def slope_on_time(
    reference: HermiteReference, height: HeightMap, contacts: Array, model: PlatformModel, step: float = 0.1
) -> float:
    """Integral of (|F_x| + |F_y|) / thrust along the reference [s]: what cancelling slope and inertia takes.

    F = m a_ref minus the floor's force, in body axes (thrusters push along them); midpoint rule.
    """
    n = max(1, round(reference.duration / step))
    h = reference.duration / n
    pose, _, acceleration = reference.sampled(h * (np.arange(n) + 0.5))
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    R = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    slope = np.mean([height.at(pose[:, :2] + R @ contact)[1] for contact in contacts], axis=0)
    F_W = model.mass * (acceleration[:, :2] + G0 * slope)
    return float(np.abs(np.einsum("nij,ni->nj", R, F_W)).sum() * h / model.thrust)
