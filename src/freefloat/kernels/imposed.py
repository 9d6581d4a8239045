"""Imposed motion: joints that follow a course in time, as rows of the constraints behind those of the welds.

q(t) = sum of c_k (t - t0)^k, k from 0 to 5, where [t0, c0 .. c5] is held in a command. The row of a joint is
J = w e_dof and J v' = w (q_ref'' - 2 eta (q' - q_ref') - eta^2 (q - q_ref)), with w = 1, or l for an angle: where a
structure is held twice, an effort then counts as the torques of welds do. Its work is supplied from outside.
"""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.handle import imat, ivec, mat, vec
from freefloat.kernels.jit import kernel

# IMPOSED: [coordinate in qpos, dof, first entry of the course in U]; IMPOSED_RATES: [eta, w]
IMPOSED_COLUMNS, RATE_COLUMNS = 3, 2


@kernel
def course_at(h, r, t):
    """q_ref, q_ref' and q_ref'' of imposed motion r at t."""
    u, c = vec(h, H.U), imat(h, H.IMPOSED)[r, 2] + 1
    s = t - u[c - 1]
    q = u[c] + s * (u[c + 1] + s * (u[c + 2] + s * (u[c + 3] + s * (u[c + 4] + s * u[c + 5]))))
    rate = u[c + 1] + s * (2.0 * u[c + 2] + s * (3.0 * u[c + 3] + s * (4.0 * u[c + 4] + s * 5.0 * u[c + 5])))
    return q, rate, 2.0 * u[c + 2] + s * (6.0 * u[c + 3] + s * (12.0 * u[c + 4] + s * 20.0 * u[c + 5]))


@kernel
def imposed_sides(h, rhs, rate):
    """Right sides less J v', and rates J v, of the imposed rows; their errors go behind the multipliers."""
    size, table, numbers = ivec(h, H.SIZES), imat(h, H.IMPOSED), mat(h, H.IMPOSED_RATES)
    qpos, qvel, qacc, lam = vec(h, H.QPOS), vec(h, H.QVEL), vec(h, H.QACC), vec(h, H.LAMBDA)
    first, t = 6 * size[H.NWELD], vec(h, H.FRACTION)[1]
    for r in range(table.shape[0]):
        dof, eta, weight = table[r, 1], numbers[r, 0], numbers[r, 1]
        q, v, a = course_at(h, r, t)
        error = qpos[table[r, 0]] - q
        lam[size[H.NROWS] + r] = error
        rate[first + r] = weight * qvel[dof]
        rhs[first + r] = weight * (a - 2.0 * eta * (qvel[dof] - v) - eta * eta * error - qacc[dof])


@kernel
def subtract_course_rates(h, t):
    """Take the rates of the courses at t from what `constraint_rates` left."""
    size, numbers = ivec(h, H.SIZES), mat(h, H.IMPOSED_RATES)
    rate = vec(h, H.CWORK)[6 * size[H.NV] + 3 * size[H.NWELD] + 6 * size[H.NWELD] :]
    for r in range(numbers.shape[0]):
        _, v, _ = course_at(h, r, t)
        rate[r] -= numbers[r, 1] * v
