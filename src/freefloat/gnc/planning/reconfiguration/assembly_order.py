"""In which order the goal can be put together: taken apart from outside and above, read backwards.

From the goal, a module is taken away that leaves the rest in one piece and has a free face: of these the one farthest
from what is in place at the start, then from the middle. Backwards this is an order from below and inside out in which
every module finds a way in along a free face, nothing else being there. Power is left aside: its sources may come last.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.rules import Tables, foothold, pieces_reached


@onboard
def taken_apart(t: Tables, goal: Indices, far: Array) -> Indices:
    """(n,) rank of each place in the assembly, 0 for the first; -1 where the goal is empty. goal (n,) variants.

    Where nothing can go (no face has an interface), the farthest goes all the same.
    """
    n = goal.shape[0]
    content = goal.copy()
    rank = np.full(n, -1, np.int64)
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    left = 0
    for place in range(n):
        left += goal[place] > 0
    while left > 0:
        best, best_lets = -1, False
        for place in range(n):
            if content[place] == 0 or (best >= 0 and best_lets and far[place] <= far[best]):
                continue
            opens = False
            for side in range(t.facing.shape[0]):
                opens = opens or foothold(t, content, place, side)
            was = content[place]
            content[place] = 0
            lets = opens and pieces_reached(t, content, mark, heap) == 0
            content[place] = was
            if best < 0 or (lets and not best_lets) or (lets == best_lets and far[place] > far[best]):
                best, best_lets = place, lets
        content[best] = 0
        left -= 1
        rank[best] = left
    return rank


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


def supports(t: Tables, rank: Indices) -> list[list[int]]:
    """For each place, its neighbours that come before it in the assembly."""
    out: list[list[int]] = []
    for place in range(len(rank)):
        around = [int(q) for q in t.neighbours[place] if q >= 0]
        out.append([q for q in around if 0 <= rank[q] < rank[place]] if rank[place] >= 0 else [])
    return out
