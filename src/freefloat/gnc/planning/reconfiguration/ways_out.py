"""Straight ways of a module off all its neighbours at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from freefloat.frames import Array, Pose

CONE = math.radians(60.0)  # within which an interface is left: of the interface, MOSAR's; the steepest corner has 54.7


def directions(sides: Sequence[Pose]) -> Array:
    """(k, 3) unit vectors along sums of the outward normals of up to three sides, fewest first."""
    normals = np.array([X.R[:, 2] for X in sides])
    found: list[Array] = []
    for many in (1, 2, 3):
        for some in combinations(normals, many):
            out = np.sum(some, axis=0)
            size = float(np.linalg.norm(out))
            if size > 1e-9 and not any(abs(out / size - f).max() < 1e-9 for f in found):
                found.append(out / size)
    return np.array(found)


def within_cones(directions: Array, needed: Array) -> Array:
    """Those (k, 3) within the cones about all that are needed (m, 3), but these themselves: the middlemost first."""
    cosine = np.round((directions @ needed.T).min(axis=1), 9)
    order = np.argsort(-cosine, kind="stable")
    good = (cosine[order] >= math.cos(CONE) - 1e-9) & (cosine[order] < 1.0 - 1e-9)
    return directions[order[good]]
