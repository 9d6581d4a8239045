"""Where a limb can go among what stands around it, compiled: postures at a face, straight ways off it, joint motion.

A `Room` is what a posture is checked against. Poses of the hand are those of H in C.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inlined, inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_body import OWN, LimbBody
from freefloat.gnc.planning.arm.limb_clearance_step import slack_at
from freefloat.gnc.planning.arm.limb_locked_step import kept_branch
from freefloat.gnc.planning.arm.limb_step import ELBOW, SHOULDER, TURN, WRIST, swivel
from freefloat.gnc.planning.arm.limb_travel_step import travels
from freefloat.gnc.planning.arm.surroundings import Surroundings

MOST_TURN = 0.12  # [rad] of a joint from one sample of a straight way to the next
SAMPLE = 0.01  # [m] between them
FINEST = 2e-3  # [m] of travel below which a curve that stays unproven counts as blocked
BEND = 0.1  # [m] of a way off a face, its last, in which it may go aside
FINE, BELIEVED = 0.03, 0.3  # [m], [-] of a motion between way-points: see `straight`

EDGE = 100  # checks of one motion of a search


class Room(NamedTuple):
    """A limb at its base among prisms: `hand_free`, `load_free` (n,) may be touched by the hand and the load.

    `need` (10,) [m] is what parts have to keep; the rest is scratch.
    """

    body: LimbBody
    base: Array  # (4, 3) axes and origin of C in T
    around: Surroundings
    hand_free: NDArray[np.bool_]
    load_free: NDArray[np.bool_]
    need: Array
    axes: Array
    centres: Array
    solids: Array


def room(body: LimbBody, base: Array, around: Surroundings, margin: float, own: float) -> Room:
    """A room in which nothing may be touched, with the same margin [m] for all.

    Solids of the limb that never come nearer to each other than `own` [m] are not compared.
    """
    n, m = len(around.places), len(body.segment) + 1
    need = np.full(10, margin)
    need[OWN] = own
    return Room(
        body, base, around, np.zeros(n, np.bool_), np.zeros(n, np.bool_), need,
        np.empty((8, 3, 3)), np.empty((8, 3)), np.zeros((m, 16)),
    )  # fmt: skip


@inlined
def is_clear(r: Room, q: Array, need: Array) -> bool:
    return (
        slack_at(
            r.body, r.base, q, r.around, r.hand_free, r.load_free, need, 0.0, True, r.axes, r.centres, r.solids
        )
        >= 0.0
    )  # fmt: skip


@onboard
def clear(r: Room, q: Array) -> bool:
    """Whether every part keeps what it needs at q."""
    return is_clear(r, q, r.need)


@onboard
def slack(r: Room, q: Array, cap: float) -> float:
    """The least of distance - need [m] at q, or `cap`."""
    return slack_at(
        r.body, r.base, q, r.around, r.hand_free, r.load_free, r.need, cap, False, r.axes, r.centres, r.solids
    )


@inner
def near_copy(value: float, near: float, low: float, high: float) -> float:
    """The angle whole turns from `value` that is nearest to `near` within limits; nan where there is none."""
    a = value + TURN * math.floor((near - value) / TURN + 0.5)
    if a > high + 1e-9:
        a -= TURN * math.ceil((a - high - 1e-9) / TURN)
    elif a < low - 1e-9:
        a += TURN * math.ceil((low - 1e-9 - a) / TURN)
    return a if low - 1e-9 <= a <= high + 1e-9 else math.nan


@onboard
def nearest_copies(lower: Array, upper: Array, near: Array, q: Array) -> bool:
    """Turn joints by whole turns to where they are nearest to `near` within the limits; False where one cannot be."""
    for j in range(7):
        q[j] = near_copy(q[j], near[j], lower[j], upper[j])
        if math.isnan(q[j]):
            return False
    return True


@inlined
def aside(back: float, off: float) -> float:
    """[-] how much of its way aside the hand has gone, `back` [m] along a way of length `off`: without a corner."""
    late = max(0.0, back - off + BEND) / BEND
    return late * late


@onboard
def way_off(
    body: LimbBody, p: Array, R: Array, out: Array, up: Array, psi: float, b: int, first: Array, off: float, n: int,
    Q: Array,
) -> int:  # fmt: skip
    """Joint angles of a branch while the hand moves off a face by `off` [m], into Q (n + 1, 7).

    `out` (2, 3): the unit vector along which it moves, and by how much [m] it goes aside at the end.

    Of the branch's copies those nearest to `first`, then to one another. Tells how many there are: fewer than n + 1
    where a limit, the reach or a jump ends the way.
    """
    at, last = np.empty(3), first
    for k in range(n + 1):
        back = off * k / n
        bent = aside(back, off)
        for i in range(3):
            at[i] = p[i] + back * out[0, i] + bent * out[1, i]
        psi, there = kept_branch(body, at, R, up, psi, b, last, k, Q[k])
        if not there:
            return k
        if not nearest_copies(body.lower, body.upper, last, Q[k]):
            return k
        if k > 0:
            most = 0.0
            for j in range(7):
                most = max(most, abs(Q[k, j] - Q[k - 1, j]))
            if most > MOST_TURN * (off / n) / SAMPLE:
                return k
        last = Q[k]
    return n + 1


@onboard
def postures(
    r: Room,
    p: Array,
    R: Array,
    out: Array,
    up: Array,
    swivels: Array,
    near: Array,
    off: float,
    steps: int,
    face: Array,
    away: Array,
    told: Array,
) -> tuple[int, int, int]:
    """Clear postures with the hand at a pose and a clear way off it, `out` (2, 3) and `off` as of `way_off`, looked at
    in `steps`.

    The angles at the face go into `face` (k, 7), those at the way's end into `away` (k, 7), swivel and branch into
    `told` (k, 2). Returned: how many, how many were within limits, how many of those clear at the face.
    """
    count = within = clear_there = 0
    Q = np.empty((steps + 1, 7))
    for s in range(swivels.shape[0]):
        for b in range(8):
            n = way_off(r.body, p, R, out, up, swivels[s], b, near, off, steps, Q)
            if n == 0:
                continue
            within += 1
            if not is_clear(r, Q[0], r.need):
                continue
            clear_there += 1
            good = n == steps + 1
            for k in range(steps, 0, -1):
                good = good and is_clear(r, Q[k], r.need)
            if good and count < face.shape[0]:
                for j in range(7):
                    face[count, j], away[count, j] = Q[0, j], Q[steps, j]
                told[count, 0], told[count, 1] = swivels[s], b
                count += 1
    return count, within, clear_there


@onboard
def straight(r: Room, q0: Array, q1: Array, budget: int) -> int:
    """Checks that it took to find the straight joint motion clear; minus their number where it is not.

    A check in the middle of a piece holds for all of it where each part keeps what it needs and what the rest of the
    piece can move it; else the piece is halved. Pieces in which nothing moves `FINE` are believed by their middle, with
    a part of that: the curve that is flown in the end is proven, this is not.
    """
    q, need, turn, travel = np.empty(7), np.empty(10), np.empty(7), np.empty(9)
    start, depth = np.empty(64), np.empty(64, np.int64)
    start[0], depth[0] = 0.0, 0
    top, used = 1, 0
    while top > 0:
        top -= 1
        a, d = start[top], depth[top]
        size = 0.5**d
        for j in range(7):
            q[j] = q0[j] + (a + 0.5 * size) * (q1[j] - q0[j])
            turn[j] = 0.5 * size * abs(q1[j] - q0[j])
        moved = travels(r.body.links, r.base, r.body.far, r.body.balls, q, turn, r.axes, r.centres, travel)
        for k in range(9):
            need[k] = r.need[k] + travel[k]
        need[9] = r.need[9]
        used += 1
        if used > budget:
            return -used
        if moved < 0.12 and is_clear(r, q, need):
            continue
        if moved < FINE or top > 61:
            for k in range(9):
                need[k] = r.need[k] + BELIEVED * (need[k] - r.need[k])
            if is_clear(r, q, need):
                continue
            return -used
        if not is_clear(r, q, r.need):
            return -used
        start[top], depth[top] = a, d + 1
        start[top + 1], depth[top + 1] = a + 0.5 * size, d + 1
        top += 2
    return used


@inner
def _draw(state: NDArray[np.uint64]) -> float:
    """The next number in [0, 1) of a stream (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@inner
def _extend(
    r: Room, tree: Array, parent: NDArray[np.int64], n: int, goal: Array, step: float, budget: int
) -> tuple[int, int, int]:
    """Grow a tree of n nodes from its nearest node towards a goal by at most `step` [rad].

    Returned: how many nodes it has then, checks used, and 1 where it has got to the goal.
    """
    best, at = math.inf, 0
    for k in range(n):
        far = 0.0
        for j in range(7):
            far += (tree[k, j] - goal[j]) ** 2
        if far < best:
            best, at = far, k
    share = min(1.0, step / max(math.sqrt(best), 1e-12))
    for j in range(7):
        tree[n, j] = tree[at, j] + share * (goal[j] - tree[at, j])
    used = straight(r, tree[at], tree[n], budget)
    if used < 0:
        return n, -used, 0
    parent[n] = at
    return n + 1, used, 1 if share == 1.0 else 0


@onboard
def connect(
    r: Room,
    q0: Array,
    q1: Array,
    free: NDArray[np.bool_],
    seed: int,
    samples: int,
    checks: int,
    step: float,
    out: Array,
) -> tuple[int, int]:
    """RRT-Connect (Kuffner and LaValle 2000): way-points from q0 to q1 into out (m, 7); how many, and checks used.

    0 where `samples` draws or about as many `checks` do not join the two. Joints that are not `free` (7,) stay.
    """
    state = np.array([np.uint64(seed) * np.uint64(2862933555777941757) + np.uint64(88172645463325252)])
    most = samples + 2
    trees, parents = np.empty((2, most + 64, 7)), np.zeros((2, most + 64), np.int64)
    size = np.array([1, 1])
    trees[0, 0], trees[1, 0] = q0, q1
    aim, used, a = np.empty(7), 0, 0
    low, high = np.empty(7), np.empty(7)
    for j in range(7):
        low[j] = max(r.body.lower[j], min(-math.pi, min(q0[j], q1[j])))
        high[j] = min(r.body.upper[j], max(math.pi, max(q0[j], q1[j])))
    for _ in range(samples):
        for j in range(7):
            draw = _draw(state)
            aim[j] = low[j] + draw * (high[j] - low[j]) if free[j] else q0[j]
        before = size[a]
        size[a], cost, _ = _extend(r, trees[a], parents[a], size[a], aim, step, EDGE)
        used += cost
        if size[a] > before:
            b = 1 - a
            aim[:] = trees[a, size[a] - 1]
            met, grown = 0, 1
            while met == 0 and grown > 0 and size[b] < most + 60 and used <= checks:
                before = size[b]
                size[b], cost, met = _extend(r, trees[b], parents[b], size[b], aim, step, EDGE)
                used += cost
                grown = size[b] - before
            if met == 1:
                return _joined(trees, parents, size, out), used
            if size[b] >= most + 60:
                return 0, used
        a = 1 - a
        if size[a] >= most or size[1 - a] >= most or used > checks:
            return 0, used
    return 0, used


@inner
def _joined(trees: Array, parents: NDArray[np.int64], size: NDArray[np.int64], out: Array) -> int:
    """The way over both trees through their last nodes, which are the same."""
    n, k = 0, size[0] - 1
    back = np.empty(size[0], np.int64)
    while True:
        back[n] = k
        n += 1
        if k == 0:
            break
        k = parents[0, k]
    m = 0
    for i in range(n - 1, -1, -1):
        if m < out.shape[0]:
            out[m] = trees[0, back[i]]
            m += 1
    k = size[1] - 1
    while k != 0:
        k = parents[1, k]
        if m >= out.shape[0]:
            return 0
        out[m] = trees[1, k]
        m += 1
    return m


@onboard
def shortened(r: Room, way: Array, n: int, budget: int) -> int:
    """Leave out way-points between which the straight motion is clear, from the far end; how many are left."""
    i = 0
    while i < n - 2:
        j = n - 1
        while j > i + 1:
            if straight(r, way[i], way[j], budget) > 0:
                break
            j -= 1
        cut = j - i - 1
        if cut > 0:
            for k in range(j, n):
                way[k - cut] = way[k]
            n -= cut
        i += 1
    return n


@onboard
def first_clear(r: Room, postures: Array) -> int:
    """The first of some postures (k, 7) that is clear, -1: none."""
    for k in range(postures.shape[0]):
        if is_clear(r, postures[k], r.need):
            return k
    return -1


@onboard
def backed(
    r: Room, p: Array, R: Array, out: Array, up: Array, off: float, steps: int, q: Array, away: Array, told: Array
) -> bool:
    """A clear way off a face from q, `out` (2, 3) and `off` as of `way_off`: its end goes into `away`, swivel and
    branch into `told`. False where there is none.
    """
    told[0] = swivel(r.body.links[0], r.body.links[1], q, up)
    told[1] = (ELBOW if q[3] < 0.0 else 0) + (SHOULDER if q[1] < 0.0 else 0) + (WRIST if q[5] < 0.0 else 0)
    Q = np.empty((steps + 1, 7))
    if way_off(r.body, p, R, out, up, told[0], int(told[1]), q, off, steps, Q) < steps + 1:
        return False
    away[:] = Q[steps]
    good = np.abs(Q[0] - q).max() <= 1e-6
    for k in range(steps + 1):
        good = good and is_clear(r, Q[k], r.need)
    return good


@onboard
def how_many_clear(r: Room, postures: Array) -> int:
    """How many of some postures (k, 7) are clear."""
    count = 0
    for k in range(postures.shape[0]):
        count += is_clear(r, postures[k], r.need)
    return count
