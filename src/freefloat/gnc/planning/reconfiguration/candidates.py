"""Operations that the rules and reach allow in a state, before any motion is looked for.

A transfer takes a module that no foot stands on, by a free face with an interface, straight out along that face; the
rest stands together without it; it goes straight in along the hand's face at the goal, where at least one interface
mates and power arrives if it needs any; it buries no foot. A step ends on a free face with an interface, of a module
that has power.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.rules import (
    WHOLE,
    Tables,
    closes,
    conducts,
    foothold,
    free,
    mark_powered,
    under_a_foot,
    whole,
)


@inner
def settles(t: Tables, rest: Indices, place: int, variant: int, has_power: Flags) -> bool:
    """Whether a module of this variant, put at a place, closes on the rest and gets the power that it needs."""
    mated = False
    fed = not t.needs[variant] or t.feeds[variant]
    for side in range(t.facing.shape[0]):
        if closes(t, rest, place, side, variant):
            mated = True
            if not fed and has_power[t.neighbours[place, side]] and conducts(t, rest, place, side, variant):
                fed = True
    return mated and fed


@inner
def grips_at(t: Tables, content: Indices, place: int, reach: Flags, grips: Indices) -> int:
    """Sides of a module that a hand can take, into grips; how many."""
    count = 0
    sides = t.facing.shape[0]
    for side in range(sides):
        if reach[place * sides + side] and foothold(t, content, place, side):
            grips[count] = side
            count += 1
    return count


@onboard
def transfers(t: Tables, content: Indices, feet: Indices, reach: Flags, sources: Flags, targets: Flags) -> Indices:
    """(k, 5) source, target, grip, turn, variant afterwards of all allowed transfers, in this order.

    `reach` (n S,) tells the faces that the acting robot's hand can be at; `sources` and `targets` (n,) the places that
    are looked at.
    """
    n, sides = content.shape[0], t.facing.shape[0]
    found = np.empty((64, 5), np.int64)
    count = 0
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    grips = np.empty(sides, np.int64)
    rest = content.copy()
    for source in range(n):
        variant = content[source]
        if variant == 0 or not sources[source] or not t.moves[variant] or under_a_foot(t, feet, source):
            continue
        many = grips_at(t, content, source, reach, grips)
        if many == 0:
            continue
        rest[source] = 0
        if whole(t, rest, feet, mark, heap) == WHOLE:
            for target in range(n):
                if rest[target] > 0 or not targets[target] or under_a_foot(t, feet, target):
                    continue
                for k in range(t.turns.shape[1]):
                    turn, after = t.turns[variant, k, 0], t.turns[variant, k, 1]
                    if turn < 0 or (turn == 0 and source == target):
                        continue
                    looked, good = False, False
                    for g in range(many):
                        hand = t.side_at[turn, grips[g]]
                        if not reach[target * sides + hand] or not free(t, rest, target, hand):
                            continue
                        if not looked:  # only once a hand can be there, since this is dear
                            looked, good = True, settles(t, rest, target, after, mark)
                        if not good:
                            break
                        if count == found.shape[0]:
                            more = np.empty((2 * count, 5), np.int64)
                            more[:count] = found
                            found = more
                        found[count, 0], found[count, 1], found[count, 2] = source, target, grips[g]
                        found[count, 3], found[count, 4] = turn, after
                        count += 1
        rest[source] = variant
    return found[:count].copy()


@onboard
def can_fill(t: Tables, content: Indices, feet: Indices, reach: Flags, sources: Flags, cells: Flags) -> bool:
    """Whether one of the `transfers` from these sources makes one of these cells right."""
    n, sides = content.shape[0], t.facing.shape[0]
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    grips = np.empty(sides, np.int64)
    rest = content.copy()
    for source in range(n):
        variant = content[source]
        if variant == 0 or not sources[source] or not t.moves[variant] or under_a_foot(t, feet, source):
            continue
        many = grips_at(t, content, source, reach, grips)
        looked, good = False, False
        for target in range(n):
            if many == 0 or not cells[target] or t.goal_label[target] != t.label[variant]:
                continue
            if (rest[target] > 0 and target != source) or under_a_foot(t, feet, target):
                continue
            if not looked:
                rest[source] = 0
                looked, good = True, whole(t, rest, feet, mark, heap) == WHOLE
            if not good:
                break
            for k in range(t.turns.shape[1]):
                turn, after = t.turns[variant, k, 0], t.turns[variant, k, 1]
                if turn < 0 or t.aim[after] != t.goal[target] or (turn == 0 and source == target):
                    continue
                for g in range(many):
                    hand = t.side_at[turn, grips[g]]
                    if reach[target * sides + hand] and free(t, rest, target, hand):
                        if settles(t, rest, target, int(after), mark):
                            return True
                        break
        rest[source] = variant
    return False


@onboard
def steps(t: Tables, content: Indices, feet: Indices, robot: int, reach: Flags) -> Indices:
    """(k, 2) place, side of the faces on which a robot may step; `reach` (n S,) as its steps have it."""
    n, sides = content.shape[0], t.facing.shape[0]
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    mark_powered(t, content, mark, heap)
    found = np.empty((n * sides, 2), np.int64)
    count = 0
    for place in range(n):
        if content[place] == 0 or not mark[place]:
            continue
        for side in range(sides):
            if not reach[place * sides + side] or not foothold(t, content, place, side):
                continue
            taken = False
            for r in range(feet.shape[0]):
                if feet[r, 0] == place and feet[r, 1] == side:
                    taken = True
            if not taken:
                found[count, 0], found[count, 1] = place, side
                count += 1
    return found[:count].copy()


@onboard
def transfer_allowed(
    t: Tables, content: Indices, feet: Indices, source: int, target: int, grip: int, turn: int
) -> bool:
    """The rules of `transfers` for one of them, reach apart."""
    n = content.shape[0]
    variant = content[source]
    if variant == 0 or not t.moves[variant] or under_a_foot(t, feet, source) or under_a_foot(t, feet, target):
        return False
    if not foothold(t, content, source, grip) or (turn == 0 and source == target):
        return False
    after = -1
    for k in range(t.turns.shape[1]):
        if t.turns[variant, k, 0] == turn:
            after = t.turns[variant, k, 1]
    rest = content.copy()
    rest[source] = 0
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    if after < 0 or rest[target] > 0 or whole(t, rest, feet, mark, heap) != WHOLE:
        return False
    return free(t, rest, target, t.side_at[turn, grip]) and settles(t, rest, target, after, mark)


@onboard
def returns(t: Tables, content: Indices, feet: Indices, source: int) -> bool:
    """Whether a module that is lifted can be put back: it closes there on the rest and gets its power."""
    rest = content.copy()
    rest[source] = 0
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    return whole(t, rest, feet, mark, heap) == WHOLE and settles(t, rest, source, content[source], mark)


@onboard
def step_allowed(t: Tables, content: Indices, feet: Indices, place: int, side: int) -> bool:
    """The rules of `steps` for one of them, reach apart."""
    n = content.shape[0]
    mark, heap = np.zeros(n, np.bool_), np.empty(n, np.int64)
    mark_powered(t, content, mark, heap)
    for r in range(feet.shape[0]):
        if feet[r, 0] == place and feet[r, 1] == side:
            return False
    return foothold(t, content, place, side) and mark[place]
