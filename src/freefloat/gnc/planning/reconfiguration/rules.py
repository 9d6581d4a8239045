"""What must hold at every instant of a reconfiguration, on arrays: one piece, power everywhere, ways in and out.

A pair of neighbours is closed where the interfaces that face each other mate. While a module is carried, the rest must
be one piece and every module in it that needs power must have a path of closed pairs that carry it to a source; so must
the module on which each robot stands, for the robot lives on it and hands it on to the module it carries. A source in a
hand does not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices

WHOLE, APART, UNPOWERED, FOOT_UNPOWERED = 0, 1, 2, 3


class Tables(NamedTuple):
    """What compiled rules read. n places, S sides, O orientations, V variants, I interfaces."""

    neighbours: Indices  # (n, S), -1 where there is none
    facing: Indices  # (S,)
    side_at: Indices  # (O, S)
    shown: Indices  # (V, S) interface that shows at a side of the place, 0 for none
    mates: Flags  # (I, I)
    power: Flags  # (I, I)
    grip: Flags  # (I,)
    feeds: Flags  # (V,)
    needs: Flags  # (V,)
    passes: Flags  # (V,) conducts at all
    moves: Flags  # (V,) lets go of its neighbours
    aim: Indices  # (V,) what a goal sees: label and orientation in one number, 0 for an empty place
    label: Indices  # (V,) what a goal sees apart from orientation, 0 for an empty place
    turns: Indices  # (V, T, 2) turns a module may make: number of the turn, variant afterwards; -1 where no more
    goal: Indices  # (n,) aim that each place should have, 0 where the goal is empty
    goal_label: Indices  # (n,)
    dark: int  # modules that may be without power: as many as a dead one has cut off at the start


@inner
def closes(t: Tables, content: Indices, place: int, side: int, variant: int) -> bool:
    """Whether a module of this variant at a place closes on its neighbour across a side."""
    other = t.neighbours[place, side]
    if other < 0 or content[other] == 0 or t.facing[side] < 0:
        return False
    return bool(t.mates[t.shown[variant, side], t.shown[content[other], t.facing[side]]])


@inner
def conducts(t: Tables, content: Indices, place: int, side: int, variant: int) -> bool:
    """Whether current flows between a module of this variant at a place and its neighbour across a side."""
    other = t.neighbours[place, side]
    if other < 0 or content[other] == 0 or t.facing[side] < 0:
        return False
    if not (t.passes[variant] and t.passes[content[other]]):
        return False
    return bool(t.power[t.shown[variant, side], t.shown[content[other], t.facing[side]]])


@inner
def flood(t: Tables, content: Indices, mark: Flags, heap: Indices, filled: int, electric: bool) -> int:
    """Mark all that is connected to the first `filled` places of the heap, which are marked; how many there are."""
    done = 0
    while done < filled:
        place = heap[done]
        done += 1
        for side in range(t.facing.shape[0]):
            other = t.neighbours[place, side]
            if other < 0 or mark[other] or content[other] == 0:
                continue
            if electric:
                joined = conducts(t, content, place, side, int(content[place]))
            else:
                joined = closes(t, content, place, side, int(content[place]))
            if joined:
                mark[other] = True
                heap[filled] = other
                filled += 1
    return filled


@inner
def pieces_reached(t: Tables, content: Indices, mark: Flags, heap: Indices) -> int:
    """Mark the piece that the first module belongs to; how many modules are not in it."""
    mark[:] = False
    modules = 0
    filled = 0
    for place in range(content.shape[0]):
        if content[place] > 0:
            modules += 1
            if filled == 0:
                mark[place] = True
                heap[0] = place
                filled = 1
    return modules - flood(t, content, mark, heap, filled, False)


@inner
def mark_powered(t: Tables, content: Indices, mark: Flags, heap: Indices) -> int:
    """Mark every place with a path to a source; how many modules need power and have none."""
    mark[:] = False
    filled = 0
    for place in range(content.shape[0]):
        if t.feeds[content[place]]:
            mark[place] = True
            heap[filled] = place
            filled += 1
    flood(t, content, mark, heap, filled, True)
    lacking = 0
    for place in range(content.shape[0]):
        if t.needs[content[place]] and not mark[place]:
            lacking += 1
    return lacking


@inner
def whole(t: Tables, content: Indices, feet: Indices, mark: Flags, heap: Indices) -> int:
    """Whether contents stand together with power; `mark` tells the places that have it. feet (robots, 2)."""
    if pieces_reached(t, content, mark, heap) > 0:
        return APART
    if mark_powered(t, content, mark, heap) > t.dark:
        return UNPOWERED
    for r in range(feet.shape[0]):
        if not mark[feet[r, 0]]:
            return FOOT_UNPOWERED
    return WHOLE


@inner
def free(t: Tables, content: Indices, place: int, side: int) -> bool:
    """Whether nothing is across a side."""
    other = t.neighbours[place, side]
    return other < 0 or content[other] == 0


@inner
def foothold(t: Tables, content: Indices, place: int, side: int) -> bool:
    """Whether an end of a robot can close on a face."""
    return bool(content[place] > 0 and t.grip[t.shown[content[place], side]]) and free(t, content, place, side)


@inner
def under_a_foot(t: Tables, feet: Indices, place: int) -> bool:
    """Whether a foot stands on a module at this place, or fills the place itself."""
    found = False
    for r in range(feet.shape[0]):
        found = found or feet[r, 0] == place or t.neighbours[feet[r, 0], feet[r, 1]] == place
    return found


@onboard
def standing(t: Tables, content: Indices, feet: Indices) -> int:
    """`whole`, called from Python."""
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    return whole(t, content, feet, mark, heap)


@onboard
def unpowered(t: Tables, content: Indices) -> Flags:
    """(n,) modules that need power and have no path to a source."""
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    mark_powered(t, content, mark, heap)
    return t.needs[content] & ~mark


@onboard
def powered(t: Tables, content: Indices) -> Flags:
    """(n,) places with a path to a source."""
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    mark_powered(t, content, mark, heap)
    return mark


@onboard
def beside_first_piece(t: Tables, content: Indices) -> Flags:
    """(n,) modules that are not in the piece of the first one."""
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    pieces_reached(t, content, mark, heap)
    return (content > 0) & ~mark
