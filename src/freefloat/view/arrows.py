"""Forces of contacts as arrows in pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.engine.pushes import DECADE, Push
from freefloat.frames import Array
from freefloat.geometry.tessellation import Solids, Triangles, lathe

COLOUR = (0.85, 0.08, 0.42)
THICK, HEAD, HEAD_THICK = 0.035, 0.35, 0.11  # of `decade`: radius of the shaft, length and radius of the head


def with_arrows(world: Solids, pushes: Sequence[Push], origin: Array, decade: float = DECADE) -> Solids:
    """Solids with an arrow for every push, from where it acts; `decade` [m] is its growth with each factor of ten."""
    points, normals = [world.points], [world.normals]
    for push in pushes:
        length = push.length(decade)
        local = _arrow(length, decade)
        z = push.f_W / np.linalg.norm(push.f_W)
        x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
        x /= np.linalg.norm(x)
        R = np.column_stack([x, np.cross(z, x), z])
        points.append((local.points @ R.T + (push.p_WC - origin)).astype(np.float32))
        normals.append((local.normals @ R.T).astype(np.float32))
    count = sum(map(len, points[1:]))
    albedo = np.tile(np.power(COLOUR, 2.2), (count, 1)).astype(np.float32)
    return Solids(np.concatenate(points), np.concatenate(normals), np.concatenate([world.albedo, albedo]))


def _arrow(length: float, decade: float) -> Triangles:
    """An arrow along z from the origin."""
    head, r, wide = min(HEAD * decade, 0.6 * length), THICK * decade, HEAD_THICK * decade
    neck, slope = length - head, np.array([head, wide]) / np.hypot(head, wide)
    shaft = [(r, 0.0, 1.0, 0.0), (r, neck, 1.0, 0.0)]
    under = [(r, neck, 0.0, -1.0), (wide, neck, 0.0, -1.0)]
    cone = [(wide, neck, *slope.tolist()), (0.0, length, *slope.tolist())]
    return lathe([(0.0, 0.0, 0.0, -1.0), (r, 0.0, 0.0, -1.0), *shaft, *under, *cone])
