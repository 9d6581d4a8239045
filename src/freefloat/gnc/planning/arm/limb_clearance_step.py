"""How clear a limb's posture is, compiled: of the prisms around it, of others' solids, of itself and of what it holds.

Every pair of solids has to keep what its part needs [m]: `need` (10,) by segment, then the load, the farther of two of
one limb; the last number is what pairs of the limb's own solids are not compared for that never come nearer than that.
Told is the least of (distance - need), or `cap` where that is less; distances are lower bounds to within 0.2 mm. What
stands still with the base is compared with the limb only, neighbours along the limb not at all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inlined, inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.convex_step import gap
from freefloat.gnc.planning.arm.limb_body import LOAD, OWN, LimbBody
from freefloat.gnc.planning.arm.limb_step import frames_from
from freefloat.gnc.planning.arm.surroundings import BIN, Surroundings, towards_prism
from freefloat.gnc.rotations import Vector, dot, norm


@inlined
def place(body: LimbBody, base: Array, q: Array, axes: Array, centres: Array, solids: Array) -> None:
    """Frames of the segments and the limb's solids at q, the load last, with C at the axes and origin `base` (4, 3)."""
    x, y = (base[0, 0], base[0, 1], base[0, 2]), (base[1, 0], base[1, 1], base[1, 2])
    z, p = (base[2, 0], base[2, 1], base[2, 2]), (base[3, 0], base[3, 1], base[3, 2])
    frames_from(body.links[0], body.links[1], x, y, z, p, q, axes, centres)
    for i in range(body.segment.shape[0]):
        _move(body.solids, i, axes, centres, body.segment[i], solids, i)
    _move(body.load, 0, axes, centres, 7, solids, body.segment.shape[0])


@inlined
def _move(given: Array, i: int, axes: Array, centres: Array, k: int, out: Array, m: int) -> None:
    out[m, 0], out[m, 13], out[m, 14], out[m, 15] = given[i, 0], given[i, 13], given[i, 14], given[i, 15]
    for first in range(1, 13, 3):
        if given[i, 0] == 0.0 and 4 <= first <= 7:  # a cylinder's sides are all the same
            continue
        a, b, c = given[i, first], given[i, first + 1], given[i, first + 2]
        for r in range(3):
            value = axes[k, r, 0] * a + axes[k, r, 1] * b + axes[k, r, 2] * c
            out[m, first + r] = value + centres[k, r] if first == 1 else value
    if given[i, 0] == 1.0:
        out[m, 15] = 0.0


@inlined
def _extent(S: Array, i: int, ring: Array, u: float, v: float, w: float) -> float:
    """How far a solid reaches along a unit vector from its middle."""
    along = abs(u * S[i, 10] + v * S[i, 11] + w * S[i, 12])
    if S[i, 0] == 0.0:
        return S[i, 14] * along + S[i, 13] * math.sqrt(max(1.0 - along * along, 0.0)) + S[i, 15]
    x = u * S[i, 4] + v * S[i, 5] + w * S[i, 6]
    y = u * S[i, 7] + v * S[i, 8] + w * S[i, 9]
    best = 0.0
    for m in range(ring.shape[0]):
        best = max(best, ring[m, 0] * x + ring[m, 1] * y)
    return S[i, 14] * along + S[i, 13] * best


@inlined
def _to_cell(S: Array, i: int, around: Surroundings, n: int, need: float, slack: float, W: Array) -> float:
    """The lesser of `slack` and what the distance of solid i from prism n leaves."""
    p = around.places
    x, y, z = S[i, 1] - p[n, 0], S[i, 2] - p[n, 1], S[i, 3] - p[n, 2]
    far, u, v, w = towards_prism(around.ring, around.half, x, y, z)
    if far > 0.0 and far - _extent(S, i, around.ring, u, v, w) >= need + slack:
        return slack
    around.cell[0, 1], around.cell[0, 2], around.cell[0, 3] = p[n, 0], p[n, 1], p[n, 2]
    return min(slack, gap(S, i, around.cell, 0, around.ring, need + slack, -math.inf, W) - need)


@inlined
def _to_cells(
    S: Array,
    i: int,
    span: float,
    around: Surroundings,
    some: bool,
    free: NDArray[np.bool_],
    need: float,
    slack: float,
    W: Array,
) -> float:
    """The same over all prisms that solid i may be near to; with `some` those that are `free` (n,) are left out."""
    n = around.places.shape[0]
    reach = span + need + slack
    x, y, z = S[i, 1] - around.origin[0], S[i, 2] - around.origin[1], S[i, 3] - around.origin[2]
    if not reach < 3.0:  # so far that bins are no help
        for m in range(n):
            if not (some and free[m]):
                slack = _to_cell(S, i, around, m, need, slack, W)
        return slack
    around.stamp[n] += 1
    low = (_bin(x - reach), _bin(y - reach), _bin(z - reach))
    high = (_bin(x + reach), _bin(y + reach), _bin(z + reach))
    for a in range(max(low[0], 0), min(high[0] + 1, around.bins[0])):
        for b in range(max(low[1], 0), min(high[1] + 1, around.bins[1])):
            for c in range(max(low[2], 0), min(high[2] + 1, around.bins[2])):
                at = (a * around.bins[1] + b) * around.bins[2] + c
                for k in range(around.first[at], around.first[at + 1]):
                    m = around.members[k]
                    if not (some and free[m]) and around.stamp[m] != around.stamp[n]:
                        around.stamp[m] = around.stamp[n]
                        slack = _to_cell(S, i, around, m, need, slack, W)
    return slack


@inlined
def _bin(x: float) -> int:
    return math.floor(x * (1.0 / BIN))


@inner
def _between_axes(S: Array, i: int, others: Array, j: int) -> Vector:
    """From the nearest point of cylinder j's axis to that of cylinder i's (Ericson 2005, sec. 5.1.9)."""
    a, b = (S[i, 10], S[i, 11], S[i, 12]), (others[j, 10], others[j, 11], others[j, 12])
    r = (S[i, 1] - others[j, 1], S[i, 2] - others[j, 2], S[i, 3] - others[j, 3])
    ab, ar, br = dot(a, b), dot(a, r), dot(b, r)
    half, other = S[i, 14], others[j, 14]
    free = 1.0 - ab * ab
    s = min(max((ab * br - ar) / free, -half), half) if free > 1e-12 else 0.0
    t = min(max(ab * s + br, -other), other)
    s = min(max(ab * t - ar, -half), half)
    return r[0] + s * a[0] - t * b[0], r[1] + s * a[1] - t * b[1], r[2] + s * a[2] - t * b[2]


@onboard
def _to_solid(S: Array, i: int, others: Array, j: int, ring: Array, need: float, slack: float, W: Array) -> float:
    """The same for two solids: along the way between their axes or middles, then by all means."""
    r = (S[i, 1] - others[j, 1], S[i, 2] - others[j, 2], S[i, 3] - others[j, 3])
    d = _between_axes(S, i, others, j) if S[i, 0] == 0.0 and others[j, 0] == 0.0 else r
    far = norm(d)
    if far > 0.0:
        u, v, w = d[0] / far, d[1] / far, d[2] / far
        apart = u * r[0] + v * r[1] + w * r[2]
        if apart - _extent(S, i, ring, u, v, w) - _extent(others, j, ring, u, v, w) >= need + slack:
            return slack
    return min(slack, gap(S, i, others, j, ring, need + slack, -math.inf, W) - need)


@onboard
def slack_at(
    body: LimbBody,
    base: Array,
    q: Array,
    around: Surroundings,
    hand_free: NDArray[np.bool_],
    load_free: NDArray[np.bool_],
    need: Array,
    cap: float,
    stop: bool,
    axes: Array,
    centres: Array,
    S: Array,
) -> float:
    """The least of distance - need [m] at q, or `cap`; with `stop` any value below 0 once there is one.

    `hand_free` and `load_free` (n,) name the prisms that the last segment and the load may touch. `axes`, `centres`, S
    are as `place` leaves them.
    """
    # balls around solids are compared here: a call costs more than that
    place(body, base, q, axes, centres, S)
    W = np.empty((4, 3))
    m, slack, ring = body.segment.shape[0], cap, around.ring
    cells, count = around.places.shape[0] > 0, around.others.shape[0]
    ox, oy, oz = around.origin[0], around.origin[1], around.origin[2]
    mx, my, mz = ox + around.size[0], oy + around.size[1], oz + around.size[2]
    held = body.load[0, 15]
    for n in range(m + 1):
        i = m - n  # the load first, then from the tip to the base: what meets something most often
        k = LOAD if n == 0 else int(body.segment[i])
        span = held if n == 0 else float(body.span[i])
        if k == 0 or span == 0.0:
            continue
        x, y, z = S[i, 1], S[i, 2], S[i, 3]
        beyond = max(ox - x, oy - y, oz - z, x - mx, y - my, z - mz)
        if cells and beyond < span + need[k] + slack:
            free = load_free if k == LOAD else hand_free
            slack = _to_cells(S, i, span, around, k >= 7, free, need[k], slack, W)
        for j in range(count):
            u, v, w = x - around.others[j, 1], y - around.others[j, 2], z - around.others[j, 3]
            near = max(span + around.other_span[j] + need[k] + slack, 0.0)
            if u * u + v * v + w * w < near * near:
                slack = _to_solid(S, i, around.others, j, ring, need[k], slack, W)
        if stop and slack < 0.0:
            return slack
    if held > 0.0:
        for i in range(m):
            u, v, w = S[i, 1] - S[m, 1], S[i, 2] - S[m, 2], S[i, 3] - S[m, 3]
            near = max(held + body.span[i] + need[LOAD] + slack, 0.0)
            if body.segment[i] <= 5 and u * u + v * v + w * w < near * near:
                slack = _to_solid(S, i, S, m, ring, need[LOAD], slack, W)
    for n in range(body.pairs.shape[0]):
        i, j = body.pairs[n, 0], body.pairs[n, 1]
        part = float(need[body.segment[i]])
        u, v, w = S[i, 1] - S[j, 1], S[i, 2] - S[j, 2], S[i, 3] - S[j, 3]
        near = max(body.span[i] + body.span[j] + part + slack, 0.0)
        if u * u + v * v + w * w < near * near and body.apart[n] < need[OWN]:
            slack = _to_solid(S, i, S, j, ring, part, slack, W)
            if stop and slack < 0.0:
                return slack
    return slack


@onboard
def placed_solids(body: LimbBody, base: Array, q: Array) -> Array:
    """The limb's solids (m, 16) at q, without a load, with C at `base` (4, 3)."""
    S = np.zeros((body.segment.shape[0] + 1, 16))
    place(body, base, q, np.empty((8, 3, 3)), np.empty((8, 3)), S)
    return S[:-1].copy()


@onboard
def load_slack(
    body: LimbBody, hand: Array, around: Surroundings, free: NDArray[np.bool_], need: float, cap: float
) -> float:
    """The same as `slack_at` of the load alone against all around it, with H at `hand` (4, 3), axes and place in T."""
    axes, centres, S, W = np.empty((8, 3, 3)), np.empty((8, 3)), np.zeros((1, 16)), np.empty((4, 3))
    for i in range(3):
        centres[7, i] = hand[3, i]
        for k in range(3):
            axes[7, i, k] = hand[k, i]
    _move(body.load, 0, axes, centres, 7, S, 0)
    slack = cap
    if around.places.shape[0] > 0:
        slack = _to_cells(S, 0, body.load[0, 15], around, True, free, need, slack, W)
    for j in range(around.others.shape[0]):
        slack = _to_solid(S, 0, around.others, j, around.ring, need, slack, W)
    return slack
