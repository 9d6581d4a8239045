"""When a carried module is on its way out of its place or into the next, where it may be near its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array

Flags = NDArray[np.bool_]
CLEAR = 0.02  # [m] from the structure, by which a module has come out of its place
EVEN = 1e-6  # [m] by which a distance may fall and still count as growing


def leaving(carried: Flags, placing: Flags, p_TM: Array, distance: Array, far: float) -> Flags:
    """(instants,) whether it is: while it is being placed, and before and after the time for which it is carried.

    p_TM [m] (instants, 3); distance [m] (instants,) from the structure. A way is not longer than `far` [m].
    """
    out = placing & carried
    there = carried & ~placing
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    for first, last in edges.reshape(-1, 2):
        for step in (1, -1):
            p, d = p_TM[first:last][::step], distance[first:last][::step]
            out[first:last][::step][: way_out(d, np.linalg.norm(p - p[0], axis=1) <= far)] = True
    return out


def way_out(distance: Array, near: Flags) -> int:
    """How many of the first distances are those of a way out: until it is clear, then as long as they grow."""
    clear = distance >= CLEAR
    first = int(np.argmax(clear)) if clear.any() else len(distance)
    falls = np.flatnonzero(np.diff(distance[first:]) < -EVEN)
    end = first + 1 + int(falls[0]) if falls.size else len(distance)
    return min(end, len(near) if near.all() else int(np.argmin(near)))
