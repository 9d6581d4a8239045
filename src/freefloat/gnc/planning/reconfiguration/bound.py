"""What no plan can do with less: transfers by what is wrong, walking by what is far.

Every goal cell whose content is wrong needs a transfer that ends there. Modules in wrong cells want each other's
places: by the types (labels) of what is there and what should be, cells join types into groups. Where no cell of a
group is empty, nobody can begin: one of its modules has to be put elsewhere first, a transfer that makes nothing right.
Different groups need different ones. A module that is only turned wrong can be turned where it is, so it joins nothing.

A robot must come near: the place that is farthest from all robots, of those that must be filled, costs at least the
steps to a face from which a hand can be there, were every face of every place there to step on. Steps and transfers
are different operations, so both bounds add up.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices, Stance
from freefloat.gnc.planning.reconfiguration.reach import Reach
from freefloat.gnc.planning.reconfiguration.rules import Tables


@inner
def root(parent: Indices, i: int) -> int:
    """Representative of a group."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inner
def wrong_and_closed(t: Tables, content: Indices, parent: Indices, fate: Indices) -> int:
    """Wrong goal cells, plus groups of types that have no free cell. Scratch: parent, fate (labels + 1,)."""
    labels = parent.shape[0]
    for i in range(labels):
        parent[i], fate[i] = i, 0
    wrong = 0
    for place in range(content.shape[0]):
        if t.goal[place] == 0 or t.aim[content[place]] == t.goal[place]:
            continue
        wrong += 1
        if content[place] > 0 and t.label[content[place]] != t.goal_label[place]:
            parent[root(parent, int(t.label[content[place]]))] = root(parent, int(t.goal_label[place]))
    for place in range(content.shape[0]):
        if t.goal[place] == 0 or t.aim[content[place]] == t.goal[place]:
            continue
        group = root(parent, t.goal_label[place])
        if content[place] == 0:
            fate[group] = 2  # free
        elif t.label[content[place]] != t.goal_label[place] and fate[group] == 0:
            fate[group] = 1
    closed = 0
    for i in range(labels):
        closed += fate[i] == 1
    return wrong + closed


@inner
def far(t: Tables, content: Indices, walk: Array) -> float:
    """The largest walk (n,) [s] to a wrong goal cell."""
    most = 0.0
    for place in range(content.shape[0]):
        if t.goal[place] != 0 and t.aim[content[place]] != t.goal[place] and walk[place] > most:
            most = walk[place]
    return most


@onboard
def least_transfers(t: Tables, content: Indices, labels: int) -> int:
    """How many transfers every plan has at least."""
    parent, fate = np.empty(labels + 1, np.int64), np.empty(labels + 1, np.int64)
    return wrong_and_closed(t, content, parent, fate)


@onboard
def bounds_after(t: Tables, content: Indices, labels: int, rows: Indices, walk: Array, least: float) -> Array:
    """[s] (k,) what is left at least after each transfer (source, target, grip, turn, variant afterwards)."""
    parent, fate = np.empty(labels + 1, np.int64), np.empty(labels + 1, np.int64)
    after = content.copy()
    out = np.empty(rows.shape[0])
    for k in range(rows.shape[0]):
        source, target = rows[k, 0], rows[k, 1]
        was = content[source]
        after[source] = 0
        after[target] = rows[k, 4]
        out[k] = least * wrong_and_closed(t, after, parent, fate) + far(t, after, walk)
        after[target] = 0
        after[source] = was
    return out


@onboard
def bound_at(t: Tables, content: Indices, labels: int, walk: Array, least: float) -> float:
    """[s] what is left at least; walk (n,) from where the robots stand."""
    parent, fate = np.empty(labels + 1, np.int64), np.empty(labels + 1, np.int64)
    return least * wrong_and_closed(t, content, parent, fate) + far(t, content, walk)


@onboard
def walks(least_step: Array, serves: Flags) -> Array:
    """[s] (faces, n) least time from standing on a face to one that serves a place, by Dijkstra from each place.

    least_step (faces, faces) [s] from, to; serves (faces, n).
    """
    count, n = serves.shape
    out = np.full((count, n), np.inf)
    done = np.empty(count, np.bool_)
    for place in range(n):
        done[:] = False
        for f in range(count):
            if serves[f, place]:
                out[f, place] = 0.0
        while True:
            best = -1
            for f in range(count):
                if not done[f] and out[f, place] < np.inf and (best < 0 or out[f, place] < out[best, place]):
                    best = f
            if best < 0:
                break
            done[best] = True
            for f in range(count):
                through = least_step[f, best] + out[best, place]
                if through < out[f, place]:
                    out[f, place] = through
    return out


def walking_table(reach: Reach) -> Array:
    """[s] (faces, n) of `walks` over all faces of all places, contents left aside."""
    n, sides = reach.places.n, reach.places.sides
    stances = [Stance(place, side) for place in range(n) for side in range(sides)]
    least_step = np.stack([reach.least_steps(s) for s in stances])
    serves = np.stack([reach.hand(s).reshape(n, sides).any(axis=1) for s in stances])
    return walks(least_step, serves)
