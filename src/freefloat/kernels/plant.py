"""The plant as one ordinary differential equation: x' = f(t, x, u) by MuJoCo's trimmed chain and our banks.

x = [qpos | qvel | bank states | audit integrals]; its derivative lives in the tangent space,
k = [qvel | qacc | bank rates | audit rates] with the angular rate of a free joint in body axes.
Acceleration: M(q) a = tau + J^T wrench - c(q, v) + J_c^T lambda.
"""

from __future__ import annotations

import numpy as np

from freefloat.cmujoco import (
    mj_comPos,
    mj_comVel,
    mj_crb,
    mj_factorM,
    mj_kinematics,
    mj_rne,
    mj_solveM,
)
from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import BOOK, POWER
from freefloat.kernels.banks import N_BANKS, ORBIT, T, dispatcher, rows_of
from freefloat.kernels.constraints import apply_constraints
from freefloat.kernels.handle import address, i32, imat, imat_at, ivec, mat, part, vec
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.verbs import call_stage, note_raised
from freefloat.kernels.view import View

_stage_of = dispatcher("stage")


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
        mat(h, H.XIMAT),
        mat(h, H.INERTIA),
    )


@kernel
def evaluate_state(h, x):
    """What depends on positions and velocities only: poses, mass matrix and its factor, velocities, bias force.

    Where everything floats, the velocities of all roots are taken relative to the first one (DRIFT): the dynamics is
    the same, but the bias force m v x v of an orbital velocity would cancel only to a part in 1e10.
    """
    m, d = address(h, H.MODEL), address(h, H.DATA)
    size = ivec(h, H.SIZES)
    nq, nv = size[H.NQ], size[H.NV]
    qpos, qvel = vec(h, H.QPOS), vec(h, H.QVEL)
    for i in range(nq):
        qpos[i] = x[i]
    for i in range(nv):
        qvel[i] = x[nq + i]
    mj_kinematics(m, d)
    mj_comPos(m, d)
    mj_crb(m, d)
    mj_factorM(m, d)
    roots, drift = ivec(h, H.QUAT_DOF), vec(h, H.DRIFT)
    if size[H.FLOATING] == 1:
        for j in range(3):
            drift[j] = qvel[roots[0] - 3 + j]
        for r in range(roots.shape[0]):
            for j in range(3):
                qvel[roots[r] - 3 + j] -= drift[j]
    mj_comVel(m, d)
    mj_rne(m, d, 0, address(h, H.BIAS))
    xipos, com, cvel = mat(h, H.XIPOS), mat(h, H.COM), mat(h, H.CVEL)
    for j in range(3):
        xipos[0, j] = com[0, j]
    if size[H.FLOATING] == 1:
        for r in range(roots.shape[0]):
            for j in range(3):
                i = roots[r] - 3 + j
                qvel[i] = x[nq + i]
        for b in range(1, cvel.shape[0]):
            for j in range(3):
                cvel[b, 3 + j] += drift[j]


@kernel
def _run_banks(h, t, x, k):
    size = ivec(h, H.SIZES)
    nv, z0 = size[H.NV], size[H.NQ] + size[H.NV]
    tau, wrench, power = vec(h, H.TAU), mat(h, H.WRENCH), vec(h, H.POWER)
    tau[:] = 0.0
    wrench[:] = 0.0
    power[:] = 0.0
    u, y = vec(h, H.U), vec(h, H.Y)
    for i in range(size[H.NZ]):
        k[2 * nv + i] = 0.0
    view = make_view(h)
    table = imat(h, H.BANK_TABLE)
    for b in range(N_BANKS):
        B = table[b]
        if B[T.rows] == 0:
            continue
        p = rows_of(h, table, b)
        xb, dxb = part(x, z0 + B[T.state], B[T.states]), part(k, 2 * nv + B[T.state], B[T.states])
        yb = part(y, B[T.output], B[T.outputs])
        _stage_of(b, t, p, xb, u, view, dxb, tau, wrench, yb, power)
    if size[H.NOWN] > 0:
        _run_own(h, t, x, k, view)
    held = ivec(h, H.HELD)
    for n in range(held.shape[0]):
        k[2 * nv + held[n]] = 0.0


@kernel
def _run_own(h, t, x, k, view):
    """The stages of a user's banks."""
    size = ivec(h, H.SIZES)
    nv, z0 = size[H.NV], size[H.NQ] + size[H.NV]
    tau, wrench, power = vec(h, H.TAU), mat(h, H.WRENCH), vec(h, H.POWER)
    u, y = vec(h, H.U), vec(h, H.Y)
    table = imat(h, H.BANK_TABLE)
    for b in range(N_BANKS, N_BANKS + size[H.NOWN]):
        B = table[b]
        if B[T.rows] == 0:
            continue
        p = rows_of(h, table, b)
        xb, dxb = part(x, z0 + B[T.state], B[T.states]), part(k, 2 * nv + B[T.state], B[T.states])
        yb = part(y, B[T.output], B[T.outputs])
        note_raised(h, b, call_stage(B[T.call_stage], (t, p, xb, u, view, dxb, tau, wrench, yb, power)))


@inlined_kernel
def wrenches_to_efforts(h, wrench, tau):
    """tau += J^T wrench: shift each wrench to its tree's centre of mass, sum towards the root, project on cdof.

    Nothing to do where every wrench is zero, as the bits of all numbers together tell.
    """
    subtree, xipos, com = mat(h, H.SUBTREE), mat(h, H.XIPOS), mat(h, H.COM)
    parent, root, dof_body = i32(h, H.BODY_PARENT), i32(h, H.BODY_ROOT), i32(h, H.DOF_BODY)
    cdof = mat(h, H.CDOF)
    if imat(h, H.BANK_TABLE)[ORBIT, T.rows] == 0:
        bits = np.int64(0)
        words = imat_at(wrench.ctypes.data, 1, wrench.size)
        for i in range(wrench.size):
            bits |= words[0, i]
        if bits == 0:
            return
    bodies = xipos.shape[0]
    for b in range(1, bodies):
        for j in range(6):
            subtree[b, j] = 0.0
    for b in range(bodies - 1, 0, -1):
        c, x, w, s = com[root[b]], xipos[b], wrench[b], subtree[b]
        rx, ry, rz = x[0] - c[0], x[1] - c[1], x[2] - c[2]
        fx, fy, fz = w[3], w[4], w[5]
        s[0] += w[0] + ry * fz - rz * fy
        s[1] += w[1] + rz * fx - rx * fz
        s[2] += w[2] + rx * fy - ry * fx
        s[3] += fx
        s[4] += fy
        s[5] += fz
        if parent[b] > 0:
            above = subtree[parent[b]]
            for j in range(6):
                above[j] += s[j]
    for i in range(tau.shape[0]):
        s, c = subtree[dof_body[i]], cdof[i]
        tau[i] += c[0] * s[0] + c[1] * s[1] + c[2] * s[2] + c[3] * s[3] + c[4] * s[4] + c[5] * s[5]


@kernel
def evaluate_forces(h, t, x, k):
    """Banks, accelerations and audit rates at (t, x) into k; `evaluate_state` must have been called with this x."""
    m, d = address(h, H.MODEL), address(h, H.DATA)
    size = ivec(h, H.SIZES)
    nv, nz = size[H.NV], size[H.NZ]
    vec(h, H.FRACTION)[1] = t
    ivec(h, H.PHASE)[H.ANSWERED] = 0
    _run_banks(h, t, x, k)
    wrenches_to_efforts(h, mat(h, H.WRENCH), vec(h, H.TAU))
    tau, bias, rhs, qacc, qvel = vec(h, H.TAU), vec(h, H.BIAS), vec(h, H.RHS), vec(h, H.QACC), vec(h, H.QVEL)
    for i in range(nv):
        rhs[i] = tau[i] - bias[i]
    mj_solveM(m, d, address(h, H.QACC), address(h, H.RHS), np.int32(1))
    constraint_power = 0.0
    if size[H.NROWS] > 0:
        constraint_power = apply_constraints(h)
    wrench, power = mat(h, H.WRENCH), vec(h, H.POWER)
    for i in range(nv):
        k[i] = qvel[i]
        k[nv + i] = qacc[i]
    a = 2 * nv + nz
    for j in range(3):
        k[a + BOOK.impulse + j] = -wrench[0, 3 + j]
        k[a + BOOK.angular_impulse + j] = -wrench[0, j]
        k[a + POWER + j] = power[j]
    k[a + BOOK.constraint_work] = constraint_power
    inside = wrench.shape[0] - 1
    for j in range(3):
        k[a + BOOK.kept + j] = wrench[inside, 3 + j]
        k[a + BOOK.spin + j] = wrench[inside, j]
    k[a + BOOK.mass_taken_in] = 0.0
