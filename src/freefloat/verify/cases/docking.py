"""Docking in orbit: a probe meets a cone from the corners of the conditions that a docking system must accept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from freefloat.api import execute
from freefloat.missions.docking.dock_probe_cone import ArrivalSettings, DockProbeCone
from freefloat.verify.case import Comparison, at_least, at_most, case, compare

WAYS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))  # along, or about, +-y and +-z
LATERAL, TILT, RATE = 0.04, np.deg2rad(4.0), np.deg2rad(0.2)  # [m/s], [rad], [rad/s]


def corners() -> list[ArrivalSettings]:
    """32 of them: closing speed, direction of the lateral rate, axis of the tilt; the tip 0.10 m beside the axis."""
    found: list[ArrivalSettings] = []
    for closing, (ly, lz), (ty, tz) in product((0.05, 0.10), WAYS, WAYS):
        moves = {
            "lateral": (LATERAL * ly, LATERAL * lz),
            "tilt": (TILT * ty, TILT * tz),
            "rate": (RATE * ty, RATE * tz),
        }
        found.append(ArrivalSettings(closing=closing, offset=(0.1, 0.0), **moves))
    return found


def attempts(duration: float = 12.0, **changes: Any) -> list[Mapping[str, float]]:
    """Metrics of every corner; the audit must pass in all."""
    fixed: dict[str, Any] = {"duration": duration, "record_rate": 20.0}
    return [execute(DockProbeCone(**fixed, arrival=corner, **changes), strict=True).metrics for corner in corners()]


def captures(found: list[Mapping[str, float]]) -> float:
    """How many were captured."""
    return sum(m["captured"] for m in found)


@case(
    "docking",
    source="32 corners after the initial contact conditions of the International Docking System Standard; a prototype "
    "without attenuator: 32 of 32 with 80 N, up to 454 N; 7 of 18 others without push",
)
def docking() -> Iterator[Comparison]:
    """Captures in low orbit with 80 N of push, without, and with three times the friction."""
    pushed = attempts(duration=8.0)
    yield at_least("captures with 80 N, of 32", "-", published=32.0, ours=captures(pushed), tolerance=0.0)
    latest = max(m.get("time_to_capture_s", np.inf) for m in pushed)
    yield at_most("latest capture after first touch, 80 N", "s", ours=latest, tolerance=5.0)
    error = max(m.get("capture_momentum_error", np.inf) for m in pushed)
    yield at_most("momentum that a capture does not keep, relative", "-", ours=error, tolerance=1e-10)
    drift = max(m["audit.energy_drift"] for m in pushed)
    yield at_most("largest drift of energy, relative", "-", ours=drift, tolerance=1e-8)
    peak = max(m["peak_contact_force_N"] for m in pushed)
    yield compare("largest force on the head, 80 N; published: without attenuator", "N", published=454.0, ours=peak)
    rough = attempts(duration=8.0, contact={"friction": 0.3})
    yield at_least("captures with 80 N, friction 0.3", "-", published=32.0, ours=captures(rough), tolerance=0.0)
    free = captures(attempts(push=0.0))
    yield compare("captures without push; published: share of 18 others", "-", published=32.0 * 7.0 / 18.0, ours=free)
    whole = execute(DockProbeCone(), strict=True).metrics
    yield at_least("hard dock after the retraction", "-", published=1.0, ours=whole["docked"], tolerance=0.0)
