"""Connections that hold only some directions: a flange that slides on a plate, a hinge, a ball in its socket.

The six rows of a weld are turned into the axes C of the connection's side a, and those of free directions are empty.
Row j of a held direction is the rate r_j = c_j . v of the relative velocity v of B against A at the point of B where
the force acts; along with a turning C its own rate is

    r_j' = c_j . a + 2 (v x w)_j   and, of a turn,   c_j . alpha + (w_AB x w)_j

with a, alpha the relative accelerations of material points and w the rate of A, all in C. About a single free axis B
may turn by any angle: what is held is the direction of that axis.

Coulomb friction acts along the free directions against the slip u: f = -mu N u / sqrt(u^2 + u_s^2), with N the
multiplier of the direction that pushes. N itself depends on f, but linearly: with lambda = lambda_0 - N y, where y
answers the friction of N = 1, N = lambda_0n / (1 + y_n).
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.cmujoco import mj_solveM
from freefloat.kernels import handle as H
from freefloat.kernels.bank import Column, places
from freefloat.kernels.handle import address, imat, ivec, local, mat, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.projection import solve_least_norm

# a row of WELD_FREE: whether any direction is free; axes of C in A, row by row; 1 where held; friction; what pushes
COLUMNS = (
    Column("any"),
    Column("R_AC", "-", 9),
    Column("held", "-", 6),
    Column("mu"),
    Column("slip_speed", "m/s"),
    Column("normal"),
    Column("sign"),
)
FREE = places(COLUMNS)
FREE_COLUMNS = sum(c.size for c in COLUMNS)
DOUBLE = 8  # [bytes]


@kernel
def axes_of(h, w, R):
    """R_WC of weld w, row by row."""
    RA, RC = mat(h, H.XMAT)[imat(h, H.WELD)[w, 0]], part(mat(h, H.WELD_FREE)[w], FREE.R_AC, 9)
    for i in range(3):
        for j in range(3):
            R[3 * i + j] = RA[3 * i] * RC[j] + RA[3 * i + 1] * RC[3 + j] + RA[3 * i + 2] * RC[6 + j]


@kernel
def _into(R, v):
    """v = R^T v, three numbers in place."""
    x, y, z = v[0], v[1], v[2]
    for j in range(3):
        v[j] = R[j] * x + R[3 + j] * y + R[6 + j] * z


@kernel
def out_of(R, v):
    """v = R v, three numbers in place."""
    x, y, z = v[0], v[1], v[2]
    for j in range(3):
        v[j] = R[3 * j] * x + R[3 * j + 1] * y + R[3 * j + 2] * z


@kernel
def hold_error(h, w, error):
    """Leave of a violation [position; rotation] in W what is held."""
    held, R, free, k = part(mat(h, H.WELD_FREE)[w], FREE.held, 6), local(9), 0, 0
    axes_of(h, w, R)
    for j in range(3):
        if held[3 + j] == 0.0:
            free, k = free + 1, j
    position, turn = part(error, 0, 3), part(error, 3, 3)
    _into(R, position)
    _into(R, turn)
    if free == 1:  # how far the axis has turned away: c x exp(turn) c, with c the unit vector k
        angle = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
        s = 1.0 if angle < 1e-12 else math.sin(angle) / angle
        v = 0.5 if angle < 1e-6 else (1.0 - math.cos(angle)) / (angle * angle)
        i, j = (k + 1) % 3, (k + 2) % 3
        bi, bj = s * turn[j] + v * turn[k] * turn[i], -s * turn[i] + v * turn[k] * turn[j]
        turn[i], turn[j], turn[k] = -bj, bi, 0.0
    for j in range(3):
        position[j] *= held[j]
        turn[j] *= held[3 + j]
    out_of(R, position)
    out_of(R, turn)


@kernel
def push_of(h, w, loads):
    """Force [N] on B along the direction in which A pushes, from the loads in W."""
    F, R = mat(h, H.WELD_FREE)[w], local(9)
    axes_of(h, w, R)
    k = int(F[FREE.normal])
    return F[FREE.sign] * (R[k] * loads[6 * w] + R[3 + k] * loads[6 * w + 1] + R[6 + k] * loads[6 * w + 2])


@kernel
def turn_rows(h, w, R):
    """Turn the rows of weld w of the Jacobian from W into the axes C."""
    rows = mat(h, H.JAC)[6 * w : 6 * w + 6]
    for first in (0, 3):
        for i in range(rows.shape[1]):
            x, y, z = rows[first, i], rows[first + 1, i], rows[first + 2, i]
            for j in range(3):
                rows[first + j, i] = R[j] * x + R[3 + j] * y + R[6 + j] * z


@kernel
def empty_rows(h, w):
    """Empty the rows of free directions."""
    rows, held = mat(h, H.JAC)[6 * w : 6 * w + 6], part(mat(h, H.WELD_FREE)[w], FREE.held, 6)
    for j in range(6):
        if held[j] == 0.0:
            for i in range(rows.shape[1]):
                rows[j, i] = 0.0


@kernel
def turn_side(rhs, R):
    """Turn a right side [linear; angular] from W into the axes C."""
    _into(R, part(rhs, 0, 3))
    _into(R, part(rhs, 3, 3))


@kernel
def hold_sides(h, w, R, rhs, rate):
    """Take account of the turning of C, keep what friction needs, and empty what is free."""
    F, a = mat(h, H.WELD_FREE)[w], imat(h, H.WELD)[w, 0]
    held, cvel, wa = part(F, FREE.held, 6), mat(h, H.CVEL), local(3)
    for j in range(3):
        wa[j] = cvel[a, j] if a > 0 else 0.0
    _into(R, wa)
    for first, factor in ((0, 2.0), (3, 1.0)):
        x, y, z = rate[first], rate[first + 1], rate[first + 2]
        rhs[first] -= factor * (y * wa[2] - z * wa[1])
        rhs[first + 1] -= factor * (z * wa[0] - x * wa[2])
        rhs[first + 2] -= factor * (x * wa[1] - y * wa[0])
    if F[FREE.mu] > 0.0:
        _aim_friction(h, w, rate)
    empty_rows(h, w)
    for j in range(6):
        if held[j] == 0.0:
            rhs[j] = rate[j] = 0.0


@kernel
def _aim_friction(h, w, rate):
    """FRICTION for N = 1: its efforts, room for M^-1 of them, its force in C and its power."""
    F, work, rows = mat(h, H.WELD_FREE)[w], vec(h, H.FRICTION), mat(h, H.JAC)[6 * w : 6 * w + 6]
    nv, speed = rows.shape[1], F[FREE.slip_speed] * F[FREE.slip_speed]
    for j in range(3):
        if F[FREE.held + j] == 0.0:
            speed += rate[j] * rate[j]
    speed = math.sqrt(speed)
    for i in range(nv):
        work[i] = 0.0
    work[2 * nv + 3] = 0.0
    for j in range(3):
        f = 0.0 if F[FREE.held + j] == 1.0 else -F[FREE.mu] * rate[j] / speed
        work[2 * nv + j] = f
        work[2 * nv + 3] -= f * rate[j]
        for i in range(nv):
            work[i] += f * rows[j, i]


@kernel
def add_friction(h, w, lam, rest):
    """Add what friction at weld w does to the multipliers and to QACC; returns the power that it turns into heat [W].

    `rest` is scratch for two right sides and their solution. Its force is left in FRICTION, in C, behind M^-1.
    """
    F, work, n = mat(h, H.WELD_FREE)[w], vec(h, H.FRICTION), ivec(h, H.SIZES)[H.NROWS]
    jac, A, qacc = mat(h, H.JAC), mat(h, H.DELASSUS), vec(h, H.QACC)
    nv = qacc.shape[0]
    first = address(h, H.FRICTION)
    mj_solveM(address(h, H.MODEL), address(h, H.DATA), first + DOUBLE * nv, first, np.int32(1))
    side, answer = rest[:n], rest[n : 2 * n]
    for r in range(n):
        side[r] = 0.0
        for i in range(nv):
            side[r] += jac[r, i] * work[nv + i]
    solve_least_norm(A, side, answer, rest[2 * n :])
    normal, sign = 6 * w + int(F[FREE.normal]), F[FREE.sign]
    push = max(0.0, sign * lam[normal] / (1.0 + sign * answer[normal]))
    for r in range(n):
        lam[r] -= push * answer[r]
    for i in range(nv):
        qacc[i] += push * work[nv + i]
    for j in range(3):
        work[2 * nv + j] *= push
    return push * work[2 * nv + 3]
