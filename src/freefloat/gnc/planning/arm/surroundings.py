"""What stands around a limb: equal prisms in rows, found by where they are, and solids of others at rest.

Frame T is the structure's; all prisms stand along its z and are parallel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.planning.arm.convex_step import PRISM, rows

BIN = 0.4  # [m] edge of the bins by which prisms are found


class Surroundings(NamedTuple):
    """Prisms at `places` (n, 3) [m]; those that a bin of the space touches are members[first[bin] : first[bin + 1]]."""

    places: Array
    ring: Array  # [m] (m, 2) corners of a prism, counter-clockwise
    half: float  # [m] half its height
    around: float  # [m] radius of a ball around it
    origin: Array  # [m] (3,) of the bins
    size: Array  # [m] (3,) of what the prisms fill
    bins: NDArray[np.int64]  # (3,) how many
    first: NDArray[np.int64]
    members: NDArray[np.int64]
    cell: Array  # (1, 16) a prism as a solid, moved from place to place
    stamp: NDArray[np.int64]  # (n + 1,) the last number in which a prism was met, and the last number given
    others: Array  # (k, 16) solids of others at rest
    other_span: Array  # [m] (k,) radius of a ball around each


def ring_of(outline: Array) -> tuple[Array, float]:
    """Corners (m, 2) of a prism along z, counter-clockwise, and half its height [m], of its corners (2 m, 3)."""
    low, high = float(outline[:, 2].min()), float(outline[:, 2].max())
    bottom = outline[np.abs(outline[:, 2] - low) < 1e-9 * max(high - low, 1e-9)][:, :2]
    ring = bottom[np.argsort(np.arctan2(bottom[:, 1], bottom[:, 0]), kind="stable")]
    if 2 * len(ring) != len(outline) or abs(low + high) > 1e-9:
        raise InputError("surroundings: the outline of a cell is no prism along z about its centre")
    return np.ascontiguousarray(ring), 0.5 * (high - low)


def surroundings(
    places: Array, ring: Array, half: float, others: Array | None = None, other_span: Array | None = None
) -> Surroundings:
    """Prisms at the places (n, 3), and others' solids."""
    wide = np.abs(ring).max(axis=0)
    extent = np.array([wide[0], wide[1], half])
    at = places.reshape(-1, 3)
    low = (at.min(axis=0) if len(at) else np.zeros(3)) - extent
    size = (at.max(axis=0) if len(at) else np.zeros(3)) + extent - low
    count = np.maximum(np.ceil(size / BIN - 1e-9), 1.0).astype(int)
    first, members = _binned(at, extent, low, count.astype(np.int64))
    cell = rows(1)
    cell[0, 0], cell[0, 4], cell[0, 8], cell[0, 12] = PRISM, 1.0, 1.0, 1.0
    cell[0, 13], cell[0, 14] = 1.0, half
    around = float(np.hypot(np.linalg.norm(ring, axis=1).max(), half))
    return Surroundings(
        np.ascontiguousarray(at), ring, half, around, low, size, count.astype(np.int64), first, members, cell,
        np.zeros(len(at) + 1, np.int64),
        rows(0) if others is None else np.ascontiguousarray(others),
        np.zeros(0) if other_span is None else np.ascontiguousarray(other_span),
    )  # fmt: skip


@onboard
def _binned(
    at: Array, extent: Array, low: Array, count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which prisms each bin touches, bin by bin; one that only touches a bin's wall is not in it."""
    first = np.zeros(count[0] * count[1] * count[2] + 1, np.int64)
    members, filled = np.empty(0, np.int64), np.empty(0, np.int64)
    for fill in range(2):
        if fill:
            first[:] = np.cumsum(first)
            members, filled = np.empty(first[-1], np.int64), first.copy()
        for n in range(at.shape[0]):
            a, b = np.empty(3, np.int64), np.empty(3, np.int64)
            for i in range(3):
                near, far = at[n, i] - extent[i] - low[i] + 1e-9, at[n, i] + extent[i] - low[i] - 1e-9
                a[i] = min(max(math.floor(near / BIN), 0), count[i] - 1)
                b[i] = min(max(math.floor(far / BIN), 0), count[i] - 1)
            for i in range(a[0], b[0] + 1):
                for j in range(a[1], b[1] + 1):
                    for k in range(a[2], b[2] + 1):
                        bin_ = (i * count[1] + j) * count[2] + k
                        if fill:
                            members[filled[bin_]] = n
                            filled[bin_] += 1
                        else:
                            first[bin_ + 1] += 1
    return first, members


@inner
def towards_prism(ring: Array, half: float, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Distance [m] of a point from a prism about the origin, 0 inside, and the unit vector from the prism to it."""
    best, u, v, inside = math.inf, 0.0, 0.0, True
    n = ring.shape[0]
    for k in range(n):
        ax, ay = ring[k, 0], ring[k, 1]
        ex, ey = ring[(k + 1) % n, 0] - ax, ring[(k + 1) % n, 1] - ay
        px, py = x - ax, y - ay
        if ex * py - ey * px < 0.0:  # to the right of an edge: outside
            inside = False
            t = min(max((px * ex + py * ey) / (ex * ex + ey * ey), 0.0), 1.0)
            dx, dy = px - t * ex, py - t * ey
            if dx * dx + dy * dy < best:
                best, u, v = dx * dx + dy * dy, dx, dy
    if inside:
        u = v = 0.0
    w = z - half if z > half else z + half if z < -half else 0.0
    far = math.sqrt(u * u + v * v + w * w)
    if far == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return far, u / far, v / far, w / far
