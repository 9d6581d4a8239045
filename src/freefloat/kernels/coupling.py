"""Coupled joints: one leads another, as rows of the constraints behind those of the imposed motions.

q_f = p(q_l) with p(x) = sum of c_k x^k, k from 0 to 4. The row of a pair is J = w (e_f - p' e_l) and
J v' = w (p'' q_l'^2 - 2 eta (q_f' - p' q_l') - eta^2 (q_f - p)), with w = 1, or l where the follower is an angle, as
for imposed motions. The constraint is ideal: its efforts do no work but on what Baumgarte's terms take back.
"""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.handle import imat, ivec, mat, vec
from freefloat.kernels.jit import kernel

# COUPLED: [coordinate and dof of the follower, those of the leader]; COUPLED_NUMBERS: [eta, w, c0 .. c4]
COUPLED_COLUMNS, NUMBER_COLUMNS = 4, 7


@kernel
def _polynomial(c, x):
    """p, p' and p''."""
    p = c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))
    slope = c[3] + x * (2.0 * c[4] + x * (3.0 * c[5] + x * 4.0 * c[6]))
    return p, slope, 2.0 * c[4] + x * (6.0 * c[5] + x * 12.0 * c[6])


@kernel
def coupled_jacobian(h):
    """Rows of JAC at the positions of now."""
    table, numbers, jac, qpos = imat(h, H.COUPLED), mat(h, H.COUPLED_NUMBERS), mat(h, H.JAC), vec(h, H.QPOS)
    first = ivec(h, H.SIZES)[H.NROWS] - table.shape[0]
    for r in range(table.shape[0]):
        _, slope, _ = _polynomial(numbers[r], qpos[table[r, 2]])
        jac[first + r, table[r, 1]] = numbers[r, 1]
        jac[first + r, table[r, 3]] = -numbers[r, 1] * slope


@kernel
def coupled_sides(h, rhs, rate):
    """Right sides less J v', and rates J v, of the rows of coupled joints, after `coupled_jacobian`."""
    table, numbers, qpos = imat(h, H.COUPLED), mat(h, H.COUPLED_NUMBERS), vec(h, H.QPOS)
    qvel, qacc = vec(h, H.QVEL), vec(h, H.QACC)
    coupled_jacobian(h)
    first = ivec(h, H.SIZES)[H.NROWS] - table.shape[0]
    for r in range(table.shape[0]):
        eta, weight, follower, leader = numbers[r, 0], numbers[r, 1], table[r, 1], table[r, 3]
        p, slope, bend = _polynomial(numbers[r], qpos[table[r, 2]])
        v = qvel[follower] - slope * qvel[leader]
        a = bend * qvel[leader] * qvel[leader] - 2.0 * eta * v - eta * eta * (qpos[table[r, 0]] - p)
        rate[first + r] = weight * v
        rhs[first + r] = weight * (a - qacc[follower] + slope * qacc[leader])
