"""The least sum of thrusts that makes a planar wrench with thrusters that only push.

    min sum(f)   with   W f = w,  f >= 0,    W (3, n) the wrenches per newton

has its optimum in a basis of three thrusters, and which bases can be optimal depends on W alone: those whose prices
y = W_B^-T (1, 1, 1) undercut no thruster, W' y <= 1. They are found once; then an allocation only tries them.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import nnls

from freefloat.compiled import inner
from freefloat.errors import InputError
from freefloat.frames import Array

SINGULAR = 1e-9  # determinant of a basis against the product of its columns' lengths
EQUAL = 1e-9  # [-] to which two sums are the same, and to which a thrust is not negative


def thrust_bases(thrusters: Array) -> Array:
    """Bases that can be optimal (b, 12), each row [three thrusters, W_B^-1 by rows], for W = thrusters (3, n)."""
    W = np.asarray(thrusters, np.float64)
    lever = float(np.abs(W[2]).max()) or 1.0
    scaled = W / np.array([[1.0], [1.0], [lever]])
    if np.linalg.matrix_rank(scaled) < 3 or nnls(scaled, -scaled.sum(axis=1))[1] > EQUAL * W.shape[1]:
        raise InputError(
            f"thrusters: wrenches {W.T.tolist()} per newton; allowed: sets that push and turn the body every way"
        )
    rows = []
    for chosen in itertools.combinations(range(W.shape[1]), 3):
        B = scaled[:, chosen]
        if abs(np.linalg.det(B)) > SINGULAR * float(np.prod(np.linalg.norm(B, axis=0))):
            prices = np.linalg.solve(B.T, np.ones(3))
            if (scaled.T @ prices <= 1.0 + EQUAL).all():
                rows.append(np.concatenate([chosen, np.linalg.inv(W[:, chosen]).ravel()]))
    return np.array(rows)


def least_thrust(bases: Array, wrench: Array, thrust: float, n: int) -> Array:
    """Thrusts (n,) [N] within [0, thrust] for a wrench [N, N, N m] in B: see `allocate`."""
    f = np.zeros(n)
    allocate(bases, np.array(wrench, np.float64), float(thrust), f)
    return f


@inner
def allocate(bases: Array, wrench: Array, thrust: float, f: Array) -> float:
    """Thrusts f (n,) of the least sum, in place; returns the share of the wrench that they make.

    Where several sets cost the same, the first; if one of its thrusters would pass `thrust`, all of them share. What
    still passes it is scaled down along the wrench, so that another split with a larger sum is not looked for.
    """
    u = np.empty(3)
    least, chosen = math.inf, -1
    for b in range(bases.shape[0]):
        total = _in_basis(bases[b], wrench, u)
        if total < least * (1.0 - EQUAL):
            least, chosen = total, b
    f[:] = 0.0
    if chosen < 0:
        return 0.0
    _in_basis(bases[chosen], wrench, u)
    if max(u[0], u[1], u[2]) <= thrust:
        for k in range(3):
            f[int(bases[chosen, k])] = u[k]
        return 1.0
    sharing = 0.0
    for b in range(bases.shape[0]):
        if _in_basis(bases[b], wrench, u) <= least * (1.0 + EQUAL):
            sharing += 1.0
            for k in range(3):
                f[int(bases[b, k])] += u[k]
    peak = 0.0
    for i in range(f.size):
        f[i] /= sharing
        peak = max(peak, f[i])
    share = min(1.0, thrust / peak)
    for i in range(f.size):
        f[i] *= share
    return share


@inner
def _in_basis(basis: Array, wrench: Array, u: Array) -> float:
    """Thrusts u (3,) of this basis and their sum; infinite where one would have to pull."""
    size = 0.0
    for k in range(3):
        u[k] = basis[3 + 3 * k] * wrench[0] + basis[4 + 3 * k] * wrench[1] + basis[5 + 3 * k] * wrench[2]
        size += abs(u[k])
    total = 0.0
    for k in range(3):
        if not u[k] >= -EQUAL * size:
            return math.inf
        u[k] = max(u[k], 0.0)
        total += u[k]
    return total
