"""The smallest distance of the facility's solids at given axes, compiled."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.facility.box_distance import box_distance
from freefloat.frames import Array

Indices = NDArray[np.int64]


class Table(NamedTuple):
    """What does not change, and scratch: places of the joints, solids, pairs to compare, walls."""

    X_WB: Array  # (2, 3, 4) bases [R | p] in W with the rail at 0
    rail: Array  # (2, 3) how a base moves with the rail
    place: Array  # (2, 6, 3) [m] of each joint in the link before it
    turn: Array  # (2, 6, 3) axis of each joint: one of its entries is 1 or -1
    body: Indices  # (k,) of each solid
    X_LG: Array  # (k, 3, 4)
    half: Array  # (k, 3) [m]
    rounding: Array  # (k,) [m]
    ball: Array  # (k,) [m] radius of the ball round a solid
    pairs: Indices  # (m, 2) of solids
    walls: Array  # (w, 4) normal and offset [m]
    walled: Indices  # (v, 2) solid and wall
    p: Array  # (b, 3) scratch: bodies in W
    R: Array  # (b, 3, 3)
    p_G: Array  # (k, 3) solids in W
    R_G: Array  # (k, 3, 3)
    bound: Array  # (m,) [m]


@inner
def _turned(R: Array, c: float, s: float, i: int, out: Array) -> None:
    """R turned about its own axis i, from cosine and sine."""
    j, k = (i + 1) % 3, (i + 2) % 3
    for n in range(3):
        u, v = R[n, j], R[n, k]
        out[n, i], out[n, j], out[n, k] = R[n, i], c * u + s * v, c * v - s * u


@inner
def place_bodies(table: Table, axes: Array) -> None:
    """Poses of all links, of the carriage and of the solids into the table's scratch."""
    links = table.place.shape[1] + 1
    for i in range(2):
        first = links * i
        for n in range(3):
            table.p[first, n] = table.X_WB[i, n, 3] + table.rail[i, n] * axes[0]
            for m in range(3):
                table.R[first, n, m] = table.X_WB[i, n, m]
        for j in range(links - 1):
            q, at = axes[1 + 6 * i + j], first + j
            axis = 0
            for n in range(3):
                if table.turn[i, j, n] != 0.0:
                    axis = n
                table.p[at + 1, n] = (
                    table.p[at, n]
                    + table.R[at, n, 0] * table.place[i, j, 0]
                    + table.R[at, n, 1] * table.place[i, j, 1]
                    + table.R[at, n, 2] * table.place[i, j, 2]
                )
            _turned(table.R[at], math.cos(q), math.sin(q) * table.turn[i, j, axis], axis, table.R[at + 1])
    carriage = 2 * links
    for n in range(3):
        table.p[carriage, n] = table.rail[0, n] * axes[0]
    for g in range(table.body.size):
        b = table.body[g]
        for n in range(3):
            table.p_G[g, n] = table.p[b, n]
            for m in range(3):
                table.p_G[g, n] += table.R[b, n, m] * table.X_LG[g, m, 3]
                table.R_G[g, n, m] = (
                    table.R[b, n, 0] * table.X_LG[g, 0, m]
                    + table.R[b, n, 1] * table.X_LG[g, 1, m]
                    + table.R[b, n, 2] * table.X_LG[g, 2, m]
                )


@inner
def _pair(table: Table, k: int, most: float) -> float:
    a, b = table.pairs[k, 0], table.pairs[k, 1]
    return box_distance(
        table.p_G[a], table.R_G[a], table.half[a], float(table.rounding[a]),
        table.p_G[b], table.R_G[b], table.half[b], float(table.rounding[b]), most,
    )  # fmt: skip


@inner
def _bounds(table: Table) -> int:
    """Distances [m] that the balls of each pair keep, and the pair that keeps the least."""
    first, least = 0, math.inf
    for k in range(table.pairs.shape[0]):
        a, b = table.pairs[k, 0], table.pairs[k, 1]
        x, y, z = (
            table.p_G[b, 0] - table.p_G[a, 0],
            table.p_G[b, 1] - table.p_G[a, 1],
            table.p_G[b, 2] - table.p_G[a, 2],
        )
        bound = math.sqrt(x * x + y * y + z * z) - table.ball[a] - table.ball[b]
        table.bound[k] = bound
        if bound < least:
            first, least = k, bound
    return first


@inner
def _to_wall(table: Table, g: int, w: int) -> float:
    """Distance [m] of a solid to a wall."""
    d = -table.walls[w, 3] - table.rounding[g]
    for n in range(3):
        d += table.walls[w, n] * table.p_G[g, n]
    for m in range(3):
        along = 0.0
        for n in range(3):
            along += table.walls[w, n] * table.R_G[g, n, m]
        d -= abs(along) * table.half[g, m]
    return d


@onboard
def nearest(table: Table, axes: Array, most: float) -> tuple[float, int]:
    """The smallest distance [m] at axes (13,), or `most`, and where: a pair, behind the pairs a wall's row, or -1."""
    place_bodies(table, axes)
    best, found = most, -1
    if table.pairs.shape[0] > 0:
        first = _bounds(table)
        if table.bound[first] < best:
            d = _pair(table, first, best)
            if d < best:
                best, found = d, first
        for k in range(table.pairs.shape[0]):
            if k != first and table.bound[k] < best:
                d = _pair(table, k, best)
                if d < best:
                    best, found = d, k
    for k in range(table.walled.shape[0]):
        d = _to_wall(table, table.walled[k, 0], table.walled[k, 1])
        if d < best:
            best, found = d, table.pairs.shape[0] + k
    return best, found


@onboard
def nearest_rows(table: Table, axes: Array, most: float, out: Array, where: Indices) -> None:
    """`nearest` of every row of axes (n, 13) into out (n,) and where (n,); nan and -1 where axes are not finite."""
    for i in range(axes.shape[0]):
        known = True
        for j in range(axes.shape[1]):
            known = known and abs(axes[i, j]) < math.inf
        out[i], where[i] = np.nan, -1
        if known:
            out[i], where[i] = nearest(table, axes[i], most)
