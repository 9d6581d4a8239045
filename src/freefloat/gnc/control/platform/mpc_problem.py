"""The condensed mixed-integer QP of the pulse MPC: min 1/2 u'Hu + f'u over pulses u, H and f by compiled steps.

Slots of time follow each other: first the ticks in which every thruster is open or closed (binary), then blocks that
grow with time, in which each direction of thrust may spend any number of pulses, spread evenly (relaxed). With e_i the
position error [m] at node i if no valve opened, and C[i, s] [s] the way that a pulse in slot s has gone by then,

    J = 1/2 sum_i w_i |e_i + sum_s C[i, s] dv_s(u)|^2 + pulse * sum(u) + 1/2 momentum * (h + sum a u)^2,

dv_s(u) the pulses' change of velocity turned by the body's angle in the middle of the slot, h the wheel's momentum and
a u what a binary pulse adds to it, both in pulses' worth. The body's angle is the reference's plus what is left of its
error, and the wheel holds it; so the relaxed blocks need no torque.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.mpc_tick import (
    GAIN_ANGLE,
    INERTIA,
    MASS,
    RATE,
    TARGET,
    THRUST,
    WHEEL,
)
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.platform.hermite_reference import hermite_at

PULSE, CONVEX, MOMENTUM, AHEAD, FADE, VALVE_TICK, UNIT, FULL = range(8)  # places in the weights (8,)


@dataclass(frozen=True)
class PulseHorizon:
    """Slots of time of the plan."""

    tick: float = 0.1  # [s] of the valves, Table 4.2
    binary: int = 2  # [ticks] with every thruster open or closed
    blocks: tuple[float, ...] = (0.6, 1.2, 2.2, 4.0, 7.0, 12.0)  # [s] ends of the relaxed blocks
    node: float = 0.5  # [s] between two positions in the cost

    def __post_init__(self) -> None:
        rising = np.diff([self.tick * self.binary, *self.blocks])
        if not (self.tick > 0.0 and self.binary >= 1 and len(rising) >= 1 and (rising > 0.0).all()):
            raise InputError(
                f"MPC horizon: {self}; allowed: a binary tick or more, blocks that end one after the other"
            )
        if not 0.0 < self.node <= self.blocks[-1]:
            raise InputError(f"MPC horizon: node {self.node!r} s; allowed: positive, within {self.blocks[-1]} s")

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """[s] start and end of every slot."""
        ticks = [(k * self.tick, (k + 1) * self.tick) for k in range(self.binary)]
        edges = (ticks[-1][1], *self.blocks)
        return (*ticks, *pairwise(edges))


@dataclass(frozen=True)
class PulseCost:
    """What the plan weighs; a second at an error of `error` costs 1/2."""

    error: float = 0.01  # [m]
    pulse: float = 3.0  # [-] one pulse of one thruster
    momentum: float = 0.2  # [-] the wheel one pulse's worth from rest
    full: float = 2.0  # [pulses' worth] in the wheel now make its momentum count double, more of them by their square
    end: float = 1.0  # [s] an error at the end counts that much longer
    end_rate: float = 6.0  # [s] a rate at the end counts as an error that grew for so long
    ahead: float = 10.0  # [s] the wheel's momentum is judged half now, half so much later
    fade: float = 30.0  # [s] the slope that is felt now dies out over the horizon
    convex: float = 1e-3  # [-] u^2 - u of a binary u: zero at both ends, keeps H positive

    def __post_init__(self) -> None:
        if not (
            min(self.error, self.pulse, self.fade, self.convex, self.full) > 0.0 and min(self.momentum, self.end) >= 0.0
        ):
            raise InputError(f"MPC cost: {self}; allowed: positive, momentum and end 0 or more")


def thrust_directions(wrenches: Array) -> tuple[Array, Array]:
    """Directions (2, g) in B in which some thruster pushes, and how many thrusters (g,) push that way."""
    unique, counts = np.unique(np.round(wrenches[:2].T, 12), axis=0, return_counts=True)
    return np.ascontiguousarray(unique.T), counts.astype(np.float64)


def way_gone(t: float, start: float, end: float) -> float:
    """[s] way at t per unit change of velocity, spread evenly over [start, end]."""
    if t <= start:
        return 0.0
    return t - 0.5 * (start + end) if t >= end else 0.5 * (t - start) ** 2 / (end - start)


def grid(horizon: PulseHorizon, cost: PulseCost) -> tuple[Array, Array, Array, Array]:
    """Nodes [s] (k,), weighted ways C (k, s), their products K (s, s), middles of the slots [s] (s,).

    The last node is the rate at the end of the horizon, the others are positions.
    """
    spans, T = horizon.spans, horizon.blocks[-1]
    nodes = horizon.node * np.arange(1, math.floor(T / horizon.node + 1e-9) + 1)
    w = np.full(nodes.size, horizon.node)
    w[-1] = 0.5 * horizon.node + cost.end
    ways = np.array([[way_gone(t, a, b) for a, b in spans] for t in nodes] + [[1.0] * len(spans)])
    w = np.append(w, cost.end * cost.end_rate**2) / cost.error**2
    weighted = w[:, None] * ways
    return np.append(nodes, T), weighted, ways.T @ weighted, np.array([0.5 * (a + b) for a, b in spans])


@inner
def errors_ahead(
    t: float, x: Array, fade: float, nodes: Array, knots: tuple[Array, Array, Array], e0: Array, work: Array
) -> None:
    """Position errors at the nodes and the rate's at the last one, (k, 2), if no valve opened; the slope fades."""
    for i in range(nodes.size):
        s = nodes[i]
        hermite_at(knots[0], knots[1], knots[2], t + s, work)
        gone = fade * (1.0 - math.exp(-s / fade))
        for a in range(2):
            if i < nodes.size - 1:
                e0[i, a] = x[a, 0] + x[a, 1] * s + x[a, 2] * fade * (s - gone) - work[0, a]
            else:
                e0[i, a] = x[a, 1] + x[a, 2] * gone - work[1, a]


@inner
def momentum_cost(stored: float, weights: Array, wrenches: Array, binary: int, H: Array, f: Array) -> None:
    """Add the wheel's momentum (pulses' worth) after the binary ticks: the fuller it is, the dearer."""
    n = wrenches.shape[1]
    dear = weights[MOMENTUM] * (1.0 + (stored / weights[FULL]) ** 2)
    for i in range(binary * n):
        a = dear * wrenches[2, i % n] / weights[UNIT]
        f[i] += a * stored
        for j in range(binary * n):
            H[i, j] += a * wrenches[2, j % n] / weights[UNIT]


@onboard
def assemble(
    t: float, x: Array, memory: Array, platform: Array, wrenches: Array, directions: Array,
    knots: tuple[Array, Array, Array], nodes: Array, C: Array, K: Array, slots: Array, binary: int, weights: Array,
    H: Array, f: Array, e0: Array, push: Array, work: Array,
) -> None:  # fmt: skip
    """H (n, n) and f (n,) at t [s] for the state of `sense`; e0 (k, 2), push (3, n) and work (3, 3) are scratch."""
    errors_ahead(t, x, weights[FADE], nodes, knots, e0, work)
    hermite_at(knots[0], knots[1], knots[2], t, work)
    astray, quick = wrapped(x[2, 0] - work[0, 2]), math.sqrt(platform[GAIN_ANGLE])
    dv = platform[THRUST] * weights[VALVE_TICK] / platform[MASS]
    n = 0
    for k in range(slots.size):
        hermite_at(knots[0], knots[1], knots[2], t + slots[k], work)
        angle = work[0, 2] + astray * (1.0 + quick * slots[k]) * math.exp(-quick * slots[k])
        c, s = dv * math.cos(angle), dv * math.sin(angle)
        gx = gy = 0.0
        for i in range(nodes.size):
            gx += C[i, k] * e0[i, 0]
            gy += C[i, k] * e0[i, 1]
        towards = wrenches if k < binary else directions
        for j in range(towards.shape[1]):
            push[0, n], push[1, n] = c * towards[0, j] - s * towards[1, j], s * towards[0, j] + c * towards[1, j]
            push[2, n] = k
            f[n] = push[0, n] * gx + push[1, n] * gy + weights[PULSE] - (0.5 * weights[CONVEX] if k < binary else 0.0)
            n += 1
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = K[int(push[2, i]), int(push[2, j])] * (push[0, i] * push[0, j] + push[1, i] * push[1, j])
            H[j, i] = H[i, j]
        H[i, i] += weights[CONVEX]
    hermite_at(knots[0], knots[1], knots[2], t + weights[AHEAD], work)
    stored = platform[WHEEL] * memory[TARGET] + 0.5 * platform[INERTIA] * (x[2, RATE] - work[1, 2])
    momentum_cost(stored / (platform[THRUST] * weights[VALVE_TICK] * weights[UNIT]), weights, wrenches, binary, H, f)
