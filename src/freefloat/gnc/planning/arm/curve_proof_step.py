"""What is proven of a flown curve, compiled: limits and clearance on its quintic pieces, between samples too.

Between two knots h apart, a joint's quintic lies in the hull of its Bezier points; so do its derivatives in the hulls
of the points' differences (times 5/h, 20/h^2, 60/h^3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_body import LOAD
from freefloat.gnc.planning.arm.limb_clearance_step import slack_at
from freefloat.gnc.planning.arm.limb_search_step import FINEST, Room, aside
from freefloat.gnc.planning.arm.limb_travel_step import travels

ROUNDING = 1e-6  # [rad] by which a joint may be beyond its limit
STRAIGHT = 1.2e-3  # [m] by which anything held may be beside a way off a face


class Ways(NamedTuple):
    """Ways off faces on which the hand and what it holds may touch some prisms."""

    faces: Array  # (w, 4, 3) axes x, y, z and place [m] of H at each face, in T
    out: Array  # (w, 2, 3) unit vectors along which it backs off, and how far it goes aside [m], in T
    far: Array  # [m] (w,) how far it does
    hand_free: NDArray[np.bool_]  # (w, n) prisms that the hand may touch there
    load_free: NDArray[np.bool_]


@inner
def bezier(times: Array, states: Array, i: int, B: Array) -> None:
    """Bezier points (6, n) of the piece from knot i to the next."""
    h = times[i + 1] - times[i]
    for j in range(states.shape[2]):
        q, v, a = states[i, 0, j], h * states[i, 1, j], h * h * states[i, 2, j]
        r, w, b = states[i + 1, 0, j], h * states[i + 1, 1, j], h * h * states[i + 1, 2, j]
        B[0, j], B[1, j], B[2, j] = q, q + v / 5.0, q + 0.4 * v + a / 20.0
        B[3, j], B[4, j], B[5, j] = r - 0.4 * w + b / 20.0, r - w / 5.0, r


@inner
def _piece_shares(B: Array, h: float, limits: Array) -> tuple[float, float, float]:
    """The largest speed, acceleration and jerk over their limits (3, n) of a piece with Bezier points (6, n)."""
    speed = push = kick = 0.0
    for j in range(B.shape[1]):
        for k in range(5):
            speed = max(speed, 5.0 / h * abs(B[k + 1, j] - B[k, j]) / limits[0, j])
        for k in range(4):
            push = max(push, 20.0 / h**2 * abs(B[k + 2, j] - 2.0 * B[k + 1, j] + B[k, j]) / limits[1, j])
        for k in range(3):
            third = B[k + 3, j] - 3.0 * B[k + 2, j] + 3.0 * B[k + 1, j] - B[k, j]
            kick = max(kick, 60.0 / h**3 * abs(third) / limits[2, j])
    return speed, push, kick


@onboard
def shares(times: Array, states: Array, limits: Array) -> tuple[float, float, float]:
    """The largest speed, acceleration and jerk over their limits (3, n), proven for all times."""
    B = np.empty((6, states.shape[2]))
    most = (0.0, 0.0, 0.0)
    for i in range(times.shape[0] - 1):
        bezier(times, states, i, B)
        here = _piece_shares(B, times[i + 1] - times[i], limits)
        most = (max(most[0], here[0]), max(most[1], here[1]), max(most[2], here[2]))
    return most


@onboard
def too_fast(times: Array, states: Array, limits: Array, out: Array) -> float:
    """By which factor each piece would have to be slower to keep all limits, into out (k - 1,); the largest of them."""
    B, most = np.empty((6, states.shape[2])), 0.0
    for i in range(times.shape[0] - 1):
        bezier(times, states, i, B)
        speed, push, kick = _piece_shares(B, times[i + 1] - times[i], limits)
        out[i] = max(speed, math.sqrt(push), kick ** (1.0 / 3.0))
        most = max(most, out[i])
    return most


@inner
def _way_of(r: Room, ways: Ways, size: float) -> int:
    """Which straight way the hand is on, in the frames last placed; -1: none. `size` [m]: how far its load reaches."""
    for w in range(ways.far.shape[0]):
        turned = lift = beside = 0.0
        for i in range(3):
            for k in range(3):
                turned += (r.axes[7, i, k] - ways.faces[w, k, i]) ** 2
            lift += (r.centres[7, i] - ways.faces[w, 3, i]) * ways.out[w, 0, i]
        bent = aside(lift, ways.far[w])
        for i in range(3):
            off = r.centres[7, i] - ways.faces[w, 3, i] - lift * ways.out[w, 0, i] - bent * ways.out[w, 1, i]
            beside += off * off
        off = math.sqrt(beside) + size * math.sqrt(0.5 * turned)
        if off <= STRAIGHT and -1e-6 <= lift <= ways.far[w]:
            return w
    return -1


@inner
def _within(r: Room, B: Array) -> bool:
    """Whether a piece with Bezier points B (6, 7) keeps to the joints' limits."""
    for j in range(7):
        for m in range(6):
            if B[m, j] < r.body.lower[j] - ROUNDING or B[m, j] > r.body.upper[j] + ROUNDING:
                return False
    return True


@onboard
def proven(r: Room, ways: Ways, times: Array, states: Array, budget: int) -> tuple[float, int]:
    """Up to which time [s] the curve is proven to keep what parts need and the joints' limits, its end where all of it
    is; checks used.

    Pieces are halved where a check in the middle, with what the rest of the piece can move, does not tell.
    """
    n = times.shape[0] - 1
    stack, depth = np.empty((40, 6, 7)), np.empty(40, np.int64)
    q, need, nothing = np.empty(7), np.empty(10), np.zeros(r.around.places.shape[0], np.bool_)
    turn, travel = np.empty(7), np.empty(9)
    size, used = r.body.far[8, 6] if r.body.load[0, 15] > 0.0 else r.body.far[7, 6], 0
    size = max(size, math.sqrt(r.body.load[0, 1] ** 2 + r.body.load[0, 2] ** 2 + r.body.load[0, 3] ** 2))
    for i in range(n):
        bezier(times, states, i, stack[0])
        depth[0], top = 0, 1
        while top > 0:
            top -= 1
            B, d = stack[top], depth[top]
            for j in range(7):
                q[j] = (B[0, j] + 5.0 * B[1, j] + 10.0 * B[2, j] + 10.0 * B[3, j] + 5.0 * B[4, j] + B[5, j]) / 32.0
                turn[j] = 0.0
                for m in range(6):
                    turn[j] = max(turn[j], abs(B[m, j] - q[j]))
            moved = travels(r.body.links, r.base, r.body.far, r.body.balls, q, turn, r.axes, r.centres, travel)
            for k in range(9):
                need[k] = r.need[k] + travel[k]
            need[9] = r.need[9]
            used += 1
            if used > budget:
                return float(times[i]), used
            w = _way_of(r, ways, size)
            hand, load = (ways.hand_free[w], ways.load_free[w]) if w >= 0 else (nothing, nothing)
            short = w < 0 or moved <= r.need[LOAD]  # else a part of the piece may be off the way already
            if (
                short
                and _within(r, B)
                and slack_at(r.body, r.base, q, r.around, hand, load, need, 0.0, True, r.axes, r.centres, r.solids)
                >= 0.0
            ):
                continue
            if moved < FINEST or d > 30 or top > 37:
                return float(times[i]), used
            _halve(stack, top)
            depth[top] = depth[top + 1] = d + 1
            top += 2
    return float(times[n]), used


@inner
def _halve(stack: Array, top: int) -> None:
    """De Casteljau: the Bezier points at `top` become those of the first half there, of the second one above."""
    for j in range(7):
        for level in range(6):
            stack[top + 1, 5 - level, j] = stack[top, 5, j]
            for k in range(5, level, -1):
                stack[top, k, j] = 0.5 * (stack[top, k, j] + stack[top, k - 1, j])
