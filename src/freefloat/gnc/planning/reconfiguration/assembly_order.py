"""In which order the goal is put together: from what is in place outwards."""

from __future__ import annotations

import numpy as np

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.rules import Tables


def distance_from(t: Tables, kept: Flags, goal: Indices, p_TP: Array) -> Array:
    """(n,) how far outside a goal cell is: in modules from those that are kept, then by metres from the middle."""
    n = len(goal)
    filled = goal > 0
    depth = np.full(n, -1, np.int64)
    ring = np.flatnonzero(kept & filled)
    if ring.size == 0:
        middle = p_TP[filled].mean(axis=0)
        ring = np.flatnonzero(filled)[np.argmin(np.linalg.norm(p_TP[filled] - middle, axis=1))][None]
    level = 0
    while ring.size:
        depth[ring] = level
        level += 1
        around = np.unique(t.neighbours[ring])
        ring = around[(around >= 0) & filled[around] & (depth[around] < 0)]
    middle = p_TP[filled].mean(axis=0)
    away = np.linalg.norm(p_TP - middle, axis=1)
    return depth + away / (1.0 + away.max())


def ready_cells(t: Tables, depth: Indices, right: Flags, slack: int) -> Flags:
    """(n,) goal cells that may come next: at most `slack` farther out than the innermost open one, not in the last
    way into another; where there is none, every open cell.
    """
    open_cells = (t.goal > 0) & ~right
    lowest = int(depth[open_cells].min()) if open_cells.any() else 0
    ready = open_cells & (depth <= lowest + slack) & ~last_ways(t, right)
    return ready if ready.any() else open_cells


@onboard
def last_ways(t: Tables, right: Flags) -> Flags:
    """(n,) places on the only straight way into an open goal cell that is not shut for good by cells that are right."""
    n, sides = t.neighbours.shape
    kept = np.zeros(n, np.bool_)
    for place in range(n):
        if t.goal[place] == 0 or right[place]:
            continue
        ways, way = 0, 0
        for side in range(sides):
            at = t.neighbours[place, side]
            while at >= 0 and not right[at]:
                at = t.neighbours[at, side]
            if at < 0:
                ways, way = ways + 1, side
        if ways == 1:
            at = t.neighbours[place, way]
            while at >= 0:
                kept[at] = True
                at = t.neighbours[at, way]
    return kept
