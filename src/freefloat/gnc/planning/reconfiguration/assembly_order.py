"""In which order the goal is put together: from what is in place outwards."""

from __future__ import annotations

import numpy as np

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


def beside(t: Tables, flags: Flags) -> Flags:
    """(n,) places next to flagged ones."""
    around = np.where(t.neighbours >= 0, flags[t.neighbours], False)
    return around.any(axis=1)
