"""Forces of contacts as arrows in pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.engine.pushes import DECADE, Push
from freefloat.frames import Array
from freefloat.geometry.tessellation import Solids, Triangles, lathe

COLOUR = (0.85, 0.08, 0.42)
THICK, HEAD, HEAD_THICK = 0.05, 0.4, 0.14  # of `decade`: radius of the shaft, length and radius of the head


def arrows_of(pushes: Sequence[Push], origin: Array, decade: float = DECADE) -> Solids:
    """An arrow for every push, from where it acts; `decade` [m] is its growth with each factor of ten."""
    points: list[Array] = [np.zeros((0, 3, 3))]
    normals: list[Array] = [np.zeros((0, 3, 3))]
    for push in pushes:
        length = push.length(decade)
        local = _arrow(length, decade)
        R = push.axes()[:, [1, 2, 0]]  # z along the force
        points.append(local.points @ R.T + (push.p_WC - origin))
        normals.append(local.normals @ R.T)
    p, n = (np.concatenate(parts).astype(np.float32) for parts in (points, normals))
    return Solids(p, n, np.tile(np.power(COLOUR, 2.2), (len(p), 1)).astype(np.float32))


def _arrow(length: float, decade: float) -> Triangles:
    """An arrow along z from the origin."""
    head, r, wide = min(HEAD * decade, 0.6 * length), THICK * decade, HEAD_THICK * decade
    neck, slope = length - head, np.array([head, wide]) / np.hypot(head, wide)
    shaft = [(r, 0.0, 1.0, 0.0), (r, neck, 1.0, 0.0)]
    under = [(r, neck, 0.0, -1.0), (wide, neck, 0.0, -1.0)]
    cone = [(wide, neck, *slope.tolist()), (0.0, length, *slope.tolist())]
    return lathe([(0.0, 0.0, 0.0, -1.0), (r, 0.0, 0.0, -1.0), *shaft, *under, *cone])
