"""When to fire a pulse along one axis: value iteration of e'' = d + pulses, the price of a pulse against the error.

In units of a pulse's change of velocity w [m/s] and a length L [m], time counts in L / w and the cost of
    integral of e^2 dt + (L^3 / w) (pulses fired)
in L^3 / w: one table serves every platform and every L. d is held for the future and has its own slice; what the
estimate will still learn enters as diffusion of e and v. The table holds the value W(d, v, e) just after a decision,
    W(e, v) = integral over h of e^2 + gamma V(e + v h + d h^2 / 2, v + d h),    V(e, v) = min_k |k| + W(e, v + k),
so that whoever decides fires the k of the least |k| + W(e, v + k). As W(-d, -v, -e) = W(d, v, e), only d >= 0 is kept.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array

REACH = 2  # [pulses] in one decision: two thrusters push alike


@dataclass(frozen=True)
class PulseProblem:
    """Grid and noise of the value iteration, in units of a pulse w, a length L and L / w."""

    reach: float = 6.0  # [L] |e| of the grid; beyond it the edge's decision holds
    cells: int = 10  # per L
    speed: float = 6.0  # [w] |v| of the grid
    parts: int = 8  # cells per w
    pushes: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 1.7, 3.0, 5.0, 8.0)  # [w^2 / L] slices d
    h: float = 0.1  # [L / w] between decisions
    horizon: float = 30.0  # [L / w] of the discount
    wander_e: float = 0.14  # [L per root of L / w] by which a measurement moves the estimate of e
    wander_v: float = 0.16  # [w per root of L / w]
    tolerance: float = 1e-4  # [L^3 / w] spread of the last sweep's change
    sweeps: int = 3000  # at most

    def __post_init__(self) -> None:
        if self.cells < 1 or self.parts < 1 or not (self.reach > 1.0 and self.speed > 2.0 * REACH):
            raise InputError(f"pulse policy grid: {self}; allowed: cells, parts >= 1, reach > 1, speed > {2 * REACH}")
        if not (self.h > 0.0 and self.horizon > self.h and min(self.wander_e, self.wander_v) >= 0.0):
            raise InputError(f"pulse policy: {self}; allowed: 0 < h < horizon, no negative wander")
        if self.pushes[0] != 0.0 or not all(a < b for a, b in zip(self.pushes, self.pushes[1:], strict=False)):
            raise InputError(f"pulse policy pushes: {self.pushes}; allowed: from 0 and rising")


@dataclass(frozen=True, eq=False)
class PulsePolicy:
    """Values just after a decision."""

    problem: PulseProblem
    table: Array  # (d, v, e) [L^3 / w]
    pushes: Array  # (d,) [w^2 / L]
    sweeps: int  # until the spread was within tolerance, of the slowest slice

    def value(self, e: float, v: float, d: float) -> float:
        """W [L^3 / w] at e [L], v [w], d [w^2 / L]."""
        return float(value_after(self.table, self.pushes, self.problem.reach, self.problem.speed, e, v, d, 0.0))

    def pulses(self, e: float, v: float, d: float) -> int:
        """How many pulses, with sign, to fire now."""
        p, choices = self.problem, sorted(range(-REACH, REACH + 1), key=abs)
        costs = [abs(k) + value_after(self.table, self.pushes, p.reach, p.speed, e, v, d, k) for k in choices]
        return choices[int(np.argmin(costs))]


STANDARD = PulseProblem()


@functools.cache
def pulse_policy(problem: PulseProblem) -> PulsePolicy:
    """Solve once in a process for each problem."""
    p = problem
    ne, nv = 2 * round(p.reach * p.cells) + 1, 2 * round(p.speed * p.parts) + 1
    table, pushes, most = np.zeros((len(p.pushes), nv, ne)), np.array(p.pushes), 0
    spread_e = 0.5 * p.wander_e**2 * p.h * p.cells**2
    spread_v = 0.5 * p.wander_v**2 * p.h * p.parts**2
    if max(spread_e, spread_v) > 0.25:
        raise InputError(f"pulse policy wander: {p.wander_e!r}, {p.wander_v!r}; allowed: a step within half a cell")
    steps = (p.h, math.exp(-p.h / p.horizon), 1.0 / p.cells, 1.0 / p.parts, spread_e, spread_v)
    for i, d in enumerate(p.pushes):
        most = max(most, solve_slice(table[i], d, p.parts, *steps, p.tolerance, p.sweeps))
    table.flags.writeable = False
    pushes.flags.writeable = False
    return PulsePolicy(p, table, pushes, most)


@inner
def cubic_weight(m: int, s: float) -> float:
    """Of the m-th of four neighbours, for a place s in 0..1 between the middle two (Catmull and Rom); else 0."""
    r = 1.0 - s
    if m == 0:
        return -0.5 * s * r * r
    if m == 1:
        return r * (1.0 + s - 1.5 * s * s)
    if m == 2:
        return s * (1.0 + r - 1.5 * r * r)
    return -0.5 * r * s * s if m == 3 else 0.0


@inner
def spread_weight(m: int, s: float, spread: float) -> float:
    """Of the m-th of six neighbours: the cubic between the middle two, then a share `spread` moved to either side."""
    near, sides = cubic_weight(m - 1, s), cubic_weight(m, s) + cubic_weight(m - 2, s)
    return near + spread * (sides - 2.0 * near)


@onboard
def solve_slice(
    W: Array,
    d: float,
    parts: int,
    h: float,
    gamma: float,
    de: float,
    dv: float,
    spread_e: float,
    spread_v: float,
    tolerance: float,
    sweeps: int,
) -> int:
    """Iterate one slice W (v, e) in place until all values change alike; how many sweeps that took."""
    nv, ne = W.shape
    V, row, mixed = np.zeros((nv, ne)), np.zeros(ne), np.zeros(ne)
    for sweep in range(sweeps):
        for j in range(nv):
            for i in range(ne):
                V[j, i] = W[j, i]
            for k in range(1, REACH + 1):
                for side in (-k * parts, k * parts):
                    if 0 <= j + side < nv:
                        for i in range(ne):
                            V[j, i] = min(V[j, i], k + W[j + side, i])
        low, high = np.inf, -np.inf
        for j in range(nv):
            v = (j - nv // 2) * dv
            _coast_row(V, row, mixed, j, d * h / dv, (v * h + 0.5 * d * h * h) / de, spread_e, spread_v)
            for i in range(ne):
                e = (i - ne // 2) * de
                middle, end = e + 0.5 * v * h + 0.125 * d * h * h, e + v * h + 0.5 * d * h * h
                value = h / 6.0 * (e * e + 4.0 * middle * middle + end * end) + gamma * row[i]
                change = value - W[j, i]
                low, high = min(low, change), max(high, change)
                W[j, i] = value
        if high - low < tolerance:
            return sweep + 1
    return sweeps


@inner
def _coast_row(
    V: Array, row: Array, mixed: Array, j: int, cells_v: float, cells_e: float, spread_e: float, spread_v: float
) -> None:
    """row = V at row j moved by cells_v in v and cells_e in e, and spread by the noise; edges go on level."""
    nv, ne = V.shape
    below, left = math.floor(cells_v), math.floor(cells_e)
    mixed[:] = 0.0
    for m in range(6):
        weight = spread_weight(m, cells_v - below, spread_v)
        source = min(max(j + below - 2 + m, 0), nv - 1)
        for i in range(ne):
            mixed[i] += weight * V[source, i]
    row[:] = 0.0
    for m in range(6):
        weight, shift = spread_weight(m, cells_e - left, spread_e), left - 2 + m
        for i in range(ne):
            row[i] += weight * mixed[min(max(i + shift, 0), ne - 1)]


@inner
def value_after(
    table: Array, pushes: Array, reach: float, speed: float, e: float, v: float, d: float, k: float
) -> float:
    """W after k pulses (any number within REACH), linear between the points; e, v and d are cut to the grid first."""
    if d < 0.0:
        e, v, d, k = -e, -v, -d, -k
    nd, nv, ne = table.shape
    a = (min(max(e, -reach), reach) + reach) * (ne - 1) / (2.0 * reach)
    most = speed - REACH
    b = (min(max(v, -most), most) + k + speed) * (nv - 1) / (2.0 * speed)
    i, j, n = min(int(a), ne - 2), min(int(b), nv - 2), 0
    a, b = a - i, b - j
    while n < nd - 2 and d > pushes[n + 1]:
        n += 1
    c = min(1.0, (d - pushes[n]) / (pushes[n + 1] - pushes[n]))
    total = 0.0
    for slice_ in range(2):
        T = table[n + slice_]
        low = (1.0 - a) * T[j, i] + a * T[j, i + 1]
        high = (1.0 - a) * T[j + 1, i] + a * T[j + 1, i + 1]
        total += (c if slice_ == 1 else 1.0 - c) * ((1.0 - b) * low + b * high)
    return total
