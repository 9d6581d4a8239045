"""The plant as one ordinary differential equation: x' = f(t, x, u) by MuJoCo's trimmed chain and our banks.

x = [qpos | qvel | bank states | audit integrals]; its derivative lives in the tangent space,
k = [qvel | qacc | bank rates | audit rates] with the angular rate of a free joint in body axes.
Acceleration: M(q) a = tau + J^T wrench - c(q, v) + J_c^T lambda.
"""

from __future__ import annotations

import numpy as np

from freefloat.kernels import body_wrench, gravity, joint_spring, joint_torque
from freefloat.kernels import handle as H
from freefloat.kernels.cmujoco import (
    mj_comPos,
    mj_comVel,
    mj_factorM,
    mj_kinematics,
    mj_makeM,
    mj_rne,
    mj_solveM,
)
from freefloat.kernels.constraints import apply_welds
from freefloat.kernels.handle import i32, imat, imat_at, ivec, mat, mat_at, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import Rows, View

# Order of the built-in banks; the rows of BANK_TABLE are
# [address of f, rows, columns, address of i, columns, state offset, states, output offset, outputs]
JOINT_TORQUE, JOINT_SPRING, BODY_WRENCH, UNIFORM_GRAVITY, POINT_MASS_GRAVITY = range(5)
N_BANKS = 5
TABLE_COLUMNS = 9

# audit rates: external impulse (3), external angular impulse about the system's centre of mass (3),
# work supplied, energy stored, heat, work of constraints
N_AUDIT = 10


@kernel
def make_view(h):
    """The bodies as banks see them."""
    return View(
        vec(h, H.QPOS),
        vec(h, H.QVEL),
        mat(h, H.XPOS),
        mat(h, H.XQUAT),
        mat(h, H.XMAT),
        mat(h, H.XIPOS),
        mat(h, H.COM),
        mat(h, H.CVEL),
        i32(h, H.BODY_ROOT),
        vec(h, H.MASS),
    )


@kernel
def _rows(table, b):
    n = table[b, 1]
    return Rows(mat_at(table[b, 0], n, table[b, 2]), imat_at(table[b, 3], n, table[b, 4]))


@kernel
def evaluate_state(h, x):
    """What depends on positions and velocities only: poses, mass matrix and its factor, velocities, bias force."""
    m, d = h[H.MODEL, 0], h[H.DATA, 0]
    size = ivec(h, H.SIZES)
    nq, nv = size[H.NQ], size[H.NV]
    qpos, qvel = vec(h, H.QPOS), vec(h, H.QVEL)
    for i in range(nq):
        qpos[i] = x[i]
    for i in range(nv):
        qvel[i] = x[nq + i]
    mj_kinematics(m, d)
    mj_comPos(m, d)
    mj_makeM(m, d)
    mj_factorM(m, d)
    mj_comVel(m, d)
    mj_rne(m, d, 0, h[H.BIAS, 0])
    xipos, com = mat(h, H.XIPOS), mat(h, H.COM)
    for j in range(3):
        xipos[0, j] = com[0, j]


@kernel
def _run_banks(h, effects, t, x, k):
    size = ivec(h, H.SIZES)
    nv, z0 = size[H.NV], size[H.NQ] + size[H.NV]
    tau, wrench, power = vec(h, H.TAU), mat(h, H.WRENCH), vec(h, H.POWER)
    tau[:] = 0.0
    wrench[:] = 0.0
    power[:] = 0.0
    u, y = vec(h, H.U), vec(h, H.Y)
    view = make_view(h)
    table = imat(h, H.BANK_TABLE)
    for b in range(N_BANKS):
        if table[b, 1] == 0:
            continue
        p = _rows(table, b)
        xb = x[z0 + table[b, 5] : z0 + table[b, 5] + table[b, 6]]
        dxb = k[2 * nv + table[b, 5] : 2 * nv + table[b, 5] + table[b, 6]]
        yb = y[table[b, 7] : table[b, 7] + table[b, 8]]
        if b == JOINT_TORQUE:
            joint_torque.stage(t, p, xb, u, view, dxb, tau, wrench, yb, power)
        elif b == JOINT_SPRING:
            joint_spring.stage(t, p, xb, u, view, dxb, tau, wrench, yb, power)
        elif b == BODY_WRENCH:
            body_wrench.stage(t, p, xb, u, view, dxb, tau, wrench, yb, power)
        elif b == UNIFORM_GRAVITY:
            gravity.uniform_stage(t, p, xb, u, view, dxb, tau, wrench, yb, power)
        else:
            gravity.point_mass_stage(t, p, xb, u, view, dxb, tau, wrench, yb, power)
    own = imat(h, H.EFFECT_TABLE)
    for b in range(size[H.NEFFECT]):
        p = _rows(own, b)
        xb = x[z0 + own[b, 5] : z0 + own[b, 5] + own[b, 6]]
        dxb = k[2 * nv + own[b, 5] : 2 * nv + own[b, 5] + own[b, 6]]
        yb = y[own[b, 7] : own[b, 7] + own[b, 8]]
        effects[b](t, p, xb, u, view, dxb, tau, wrench, yb, power)


@kernel
def _wrenches_to_efforts(h):
    """tau += J^T wrench: shift each wrench to its tree's centre of mass, sum towards the root, project on cdof."""
    wrench, subtree = mat(h, H.WRENCH), mat(h, H.SUBTREE)
    xipos, com = mat(h, H.XIPOS), mat(h, H.COM)
    parent, root, dof_body = i32(h, H.BODY_PARENT), i32(h, H.BODY_ROOT), i32(h, H.DOF_BODY)
    cdof, tau = mat(h, H.CDOF), vec(h, H.TAU)
    for b in range(1, wrench.shape[0]):
        c = com[root[b]]
        rx, ry, rz = xipos[b, 0] - c[0], xipos[b, 1] - c[1], xipos[b, 2] - c[2]
        w, s = wrench[b], subtree[b]
        s[0] = w[0] + ry * w[5] - rz * w[4]
        s[1] = w[1] + rz * w[3] - rx * w[5]
        s[2] = w[2] + rx * w[4] - ry * w[3]
        s[3], s[4], s[5] = w[3], w[4], w[5]
    for b in range(wrench.shape[0] - 1, 0, -1):
        a = parent[b]
        if a > 0:
            for j in range(6):
                subtree[a, j] += subtree[b, j]
    for i in range(tau.shape[0]):
        s, c = subtree[dof_body[i]], cdof[i]
        tau[i] += c[0] * s[0] + c[1] * s[1] + c[2] * s[2] + c[3] * s[3] + c[4] * s[4] + c[5] * s[5]


@kernel
def evaluate_forces(h, effects, t, x, k):
    """Banks, accelerations and audit rates at (t, x) into k; `evaluate_state` must have been called with this x."""
    m, d = h[H.MODEL, 0], h[H.DATA, 0]
    size = ivec(h, H.SIZES)
    nv, nz = size[H.NV], size[H.NZ]
    _run_banks(h, effects, t, x, k)
    _wrenches_to_efforts(h)
    tau, bias, rhs, qacc, qvel = vec(h, H.TAU), vec(h, H.BIAS), vec(h, H.RHS), vec(h, H.QACC), vec(h, H.QVEL)
    for i in range(nv):
        rhs[i] = tau[i] - bias[i]
    mj_solveM(m, d, h[H.QACC, 0], h[H.RHS, 0], np.int32(1))
    constraint_power = 0.0
    if size[H.NWELD] > 0:
        constraint_power = apply_welds(h)
    wrench, power = mat(h, H.WRENCH), vec(h, H.POWER)
    for i in range(nv):
        k[i] = qvel[i]
        k[nv + i] = qacc[i]
    a = 2 * nv + nz
    for j in range(3):
        k[a + j] = -wrench[0, 3 + j]
        k[a + 3 + j] = -wrench[0, j]
        k[a + 6 + j] = power[j]
    k[a + 9] = constraint_power
