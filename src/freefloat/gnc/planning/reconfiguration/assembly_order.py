"""In which order the goal is put together, so that no cell is left into which nothing can be put any more.

A module goes easily where it can leave along one straight line away from all its neighbours (`ways_out`): at a corner
of what stands, not into a gap. Whether the rest of the goal can be put together so is told by taking the goal apart:
cells that can leave easily go one after the other. The fewer neighbours a cell has the more easily it leaves, so the
order in which they go does not matter, and what goes out one by one comes in the other way round.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices, Places
from freefloat.gnc.planning.reconfiguration.rules import Tables
from freefloat.gnc.planning.reconfiguration.ways_out import directions, within_cones

LINE, SHUT = 1, 100  # what it counts to leave along a line between neighbours, and to have no straight way at all


def leaving(places: Places) -> Flags:
    """(2^sides,) whether a module with neighbours at these sides, a bit each, leaves along one line away from all."""
    normals, ways = np.array([X.R[:, 2] for X in places.X_PF]), directions(places.X_PF)
    sets = (list(s[::-1]) for s in product((False, True), repeat=places.sides))
    return np.array([sum(s) < 2 or len(within_cones(ways, -normals[s])) > 0 for s in sets])


def growth(t: Tables, content: Indices, places: Places) -> Array:
    """(3,) from where the goal grows: what is right stands there, and across that what is to come does not.

    Where nothing is right, from where modules are.
    """
    if not (t.goal > 0).any():
        return np.zeros(3)
    right = (t.goal > 0) & (t.aim[content] == t.goal)
    left = (content > 0) & (t.goal == 0)
    middle, p = places.p_TP[t.goal > 0].mean(axis=0), places.p_TP
    material = p[left].mean(axis=0) - middle if left.any() else np.zeros(3)
    if not right.any():
        return _unit(material)
    base = _unit(p[right].mean(axis=0) - middle)
    across = (base @ material) * base - material
    return base + _unit(across)


def _unit(v: Array) -> Array:
    size = float(np.linalg.norm(v))
    return v / size if size > 1e-6 else np.zeros(3)


def grown(t: Tables, places: Places, right: Flags, along: Array) -> Flags:
    """(n,) open goal cells of which all neighbours in the goal towards `along` are right."""
    before = np.array([X.R[:, 2] @ along > 0.1 for X in places.X_PF])
    neighbours = t.neighbours[:, before]
    waits = (neighbours >= 0) & (t.goal[neighbours] > 0) & ~right[neighbours]
    return (t.goal > 0) & ~right & ~waits.any(axis=1)


@inner
def beside(neighbours: Indices, filled: Flags, place: int) -> int:
    """Sides of a place at which there is a module, a bit each."""
    mask = 0
    for side in range(neighbours.shape[1]):
        other = neighbours[place, side]
        if other >= 0 and filled[other]:
            mask |= 1 << side
    return mask


@inner
def open_line(neighbours: Indices, filled: Flags, place: int) -> bool:
    """Whether nothing is in line over one of the sides of a place."""
    for side in range(neighbours.shape[1]):
        at = neighbours[place, side]
        while at >= 0 and not filled[at]:
            at = neighbours[at, side]
        if at < 0:
            return True
    return False


@inner
def hardship(neighbours: Indices, leaves: Flags, filled: Flags, place: int) -> int:
    """What it counts to take a module away from a place."""
    if leaves[beside(neighbours, filled, place)]:
        return 0
    return LINE if open_line(neighbours, filled, place) else SHUT


@inner
def taken_apart(neighbours: Indices, leaves: Flags, goal: Flags, kept: Flags) -> int:
    """The hardships of taking the goal apart down to what is kept, the easiest cell first, of equally hard ones the
    first by number."""
    n = goal.shape[0]
    filled = goal.copy()
    left, total = 0, 0
    for place in range(n):
        if filled[place] and not kept[place]:
            left += 1
    while left > 0:
        least, at, before = SHUT + 1, -1, left
        for place in range(n):
            if filled[place] and not kept[place]:
                hard = hardship(neighbours, leaves, filled, place)
                if hard == 0:
                    filled[place] = False
                    left -= 1
                elif hard < least:
                    least, at = hard, place
        if left == before:
            filled[at] = False
            left -= 1
            total += least
    return total


@onboard
def hardships(neighbours: Indices, leaves: Flags, goal: Flags, right: Flags) -> Indices:
    """(n,) for each open goal cell, what filling it next and all others afterwards counts; -1 elsewhere."""
    n = goal.shape[0]
    found = np.full(n, -1, np.int64)
    kept = right & goal
    for place in range(n):
        if goal[place] and not right[place]:
            kept[place] = True
            found[place] = hardship(neighbours, leaves, right, place)
            found[place] += taken_apart(neighbours, leaves, goal, kept)
            kept[place] = False
    return found
