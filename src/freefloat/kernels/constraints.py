"""Hard constraints by multipliers on the factorised mass matrix: welds between two bodies, loops included, and joints
whose motion is imposed (`imposed`), whose rows stand behind those of the welds.

J v' + J' v = -2 eta J v - eta^2 e (Baumgarte 1972), A = J M^-1 J^T. Where A is rank-deficient (a structure held twice)
the multipliers of least |f|^2 + |tau|^2 / l^2 are taken, l = 0.1 m. Both bodies feel the force at the same point of
space, so that a violation never creates angular momentum.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.cmujoco import mj_jac, mj_solveM
from freefloat.kernels import handle as H
from freefloat.kernels.acceleration import add_point_acceleration, spatial_accelerations
from freefloat.kernels.audit_layout import BOOK, N_AUDIT
from freefloat.kernels.coupling import coupled_jacobian, coupled_sides
from freefloat.kernels.free_directions import (
    FREE,
    add_friction,
    axes_of,
    empty_rows,
    hold_error,
    hold_sides,
    out_of,
    turn_rows,
    turn_side,
)
from freefloat.kernels.handle import address, imat, ivec, local, mat, vec
from freefloat.kernels.imposed import imposed_sides, subtract_course_rates
from freefloat.kernels.jit import kernel
from freefloat.kernels.projection import constraint_rates, projection_work, solve_least_norm, take_out

TORQUE_LENGTH = 0.1  # [m] l above

# WELD: [body A (0: world), body B]; WELD_POSE: [p_AB (3), q_AB (4), p_BP (3), eta]
POSE_COLUMNS = 11


@kernel
def _rotation_error(qa, qab, qb, out):
    """log(R_WB (R_WA R_AB)^T) in W [rad]."""
    w = qa[0] * qab[0] - qa[1] * qab[1] - qa[2] * qab[2] - qa[3] * qab[3]
    a = qa[0] * qab[1] + qa[1] * qab[0] + qa[2] * qab[3] - qa[3] * qab[2]
    b = qa[0] * qab[2] - qa[1] * qab[3] + qa[2] * qab[0] + qa[3] * qab[1]
    c = qa[0] * qab[3] + qa[1] * qab[2] - qa[2] * qab[1] + qa[3] * qab[0]
    ew = qb[0] * w + qb[1] * a + qb[2] * b + qb[3] * c
    ex = -qb[0] * a + qb[1] * w - qb[2] * c + qb[3] * b
    ey = -qb[0] * b + qb[1] * c + qb[2] * w - qb[3] * a
    ez = -qb[0] * c - qb[1] * b + qb[2] * a + qb[3] * w
    if ew < 0.0:
        ew, ex, ey, ez = -ew, -ex, -ey, -ez
    s = math.sqrt(ex * ex + ey * ey + ez * ez)
    f = 2.0 if s < 1e-12 else 2.0 * math.atan2(s, ew) / s
    out[0], out[1], out[2] = f * ex, f * ey, f * ez


@kernel
def weld_error(h, w, error, point):
    """Violation of weld w: error = [position (3) m; rotation (3) rad] of B against its captured pose, in W; of a
    connection with free directions, along the others.

    `point` receives p_WP, the point of B where the force acts.
    """
    weld, pose = imat(h, H.WELD), mat(h, H.WELD_POSE)
    xpos, xquat, xmat = mat(h, H.XPOS), mat(h, H.XQUAT), mat(h, H.XMAT)
    a, b, p = weld[w, 0], weld[w, 1], pose[w]
    qab = p[3:7]
    # p_AP = p_AB + R_AB p_BP
    x, y, z = p[7], p[8], p[9]
    tx = 2.0 * (qab[2] * z - qab[3] * y)
    ty = 2.0 * (qab[3] * x - qab[1] * z)
    tz = 2.0 * (qab[1] * y - qab[2] * x)
    ax = p[0] + x + qab[0] * tx + qab[2] * tz - qab[3] * ty
    ay = p[1] + y + qab[0] * ty + qab[3] * tx - qab[1] * tz
    az = p[2] + z + qab[0] * tz + qab[1] * ty - qab[2] * tx
    Ra, Rb = xmat[a], xmat[b]
    for j in range(3):
        point[j] = xpos[b, j] + Rb[3 * j] * x + Rb[3 * j + 1] * y + Rb[3 * j + 2] * z
        error[j] = point[j] - xpos[a, j] - Ra[3 * j] * ax - Ra[3 * j + 1] * ay - Ra[3 * j + 2] * az
    _rotation_error(xquat[a], qab, xquat[b], error[3:6])
    if mat(h, H.WELD_FREE)[w, FREE.any] == 1.0:
        hold_error(h, w, error)


@kernel
def weld_jacobian(h, w, point):
    """Rows 6 w .. 6 w + 5 of JAC: relative velocity [linear at `point`; l * angular] of B against A, in W."""
    m, d = address(h, H.MODEL), address(h, H.DATA)
    weld, jac = imat(h, H.WELD), mat(h, H.JAC)
    nv = jac.shape[1]
    work = vec(h, H.CWORK)
    jp, jr = work[: 3 * nv].reshape(3, nv), work[3 * nv : 6 * nv].reshape(3, nv)
    rows = jac[6 * w : 6 * w + 6]
    mj_jac(m, d, jp.ctypes.data, jr.ctypes.data, point.ctypes.data, np.int32(weld[w, 1]))
    for j in range(3):
        for i in range(nv):
            rows[j, i] = jp[j, i]
            rows[3 + j, i] = TORQUE_LENGTH * jr[j, i]
    if weld[w, 0] > 0:
        mj_jac(m, d, jp.ctypes.data, jr.ctypes.data, point.ctypes.data, np.int32(weld[w, 0]))
        for j in range(3):
            for i in range(nv):
                rows[j, i] -= jp[j, i]
                rows[3 + j, i] -= TORQUE_LENGTH * jr[j, i]


@kernel
def delassus(h, n):
    """MINV_JT = (M^-1 J^T)^T and DELASSUS = J M^-1 J^T over the first n rows."""
    m, d = address(h, H.MODEL), address(h, H.DATA)
    jac, minv, A = mat(h, H.JAC), mat(h, H.MINV_JT), mat(h, H.DELASSUS)
    mj_solveM(m, d, address(h, H.MINV_JT), address(h, H.JAC), np.int32(n))
    nv = jac.shape[1]
    for r in range(n):
        for c in range(r + 1):
            total = 0.0
            for i in range(nv):
                total += jac[r, i] * minv[c, i]
            A[r, c] = total
            A[c, r] = total


@kernel
def _weld_sides(h, points, rhs, rate):
    """Right sides less J v', and rates J v, of the rows of the welds; `points` receives where their forces act."""
    size, weld, pose = ivec(h, H.SIZES), imat(h, H.WELD), mat(h, H.WELD_POSE)
    jac, qacc, qvel, nv = mat(h, H.JAC), vec(h, H.QACC), vec(h, H.QVEL), ivec(h, H.SIZES)[H.NV]
    free, R = mat(h, H.WELD_FREE), local(9)
    spatial_accelerations(h, 0.0)
    for w in range(size[H.NWELD]):
        error = rhs[6 * w : 6 * w + 6]
        point = points[3 * w : 3 * w + 3]
        weld_error(h, w, error, point)
        weld_jacobian(h, w, point)
        eta = pose[w, 10]
        for j in range(6):
            error[j] *= -eta * eta
        add_point_acceleration(h, weld[w, 1], point, -1.0, error)
        add_point_acceleration(h, weld[w, 0], point, 1.0, error)
        for j in range(3, 6):
            error[j] *= TORQUE_LENGTH
        if free[w, FREE.any] == 1.0:
            axes_of(h, w, R)
            turn_rows(h, w, R)
            turn_side(error, R)
        for r in range(6 * w, 6 * w + 6):
            velocity = 0.0
            acceleration = 0.0
            for i in range(nv):
                velocity += jac[r, i] * qvel[i]
                acceleration += jac[r, i] * qacc[i]
            rate[r] = velocity
            rhs[r] -= 2.0 * eta * velocity + acceleration
        if free[w, FREE.any] == 1.0:
            hold_sides(h, w, R, error, rate[6 * w : 6 * w + 6])


@kernel
def _weld_loads(h, points, lam):
    """Multipliers of the welds into forces and torques; what the world feels of them enters WRENCH[0]."""
    weld, wrench, xipos = imat(h, H.WELD), mat(h, H.WRENCH), mat(h, H.XIPOS)
    free, friction, R = mat(h, H.WELD_FREE), vec(h, H.FRICTION), local(9)
    for w in range(ivec(h, H.SIZES)[H.NWELD]):
        f = lam[6 * w : 6 * w + 6]
        if free[w, FREE.any] == 1.0:
            axes_of(h, w, R)
            if free[w, FREE.mu] > 0.0:
                for j in range(3):
                    f[j] += friction[2 * ivec(h, H.SIZES)[H.NV] + j]
            out_of(R, f[:3])
            out_of(R, f[3:])
        for j in range(3, 6):
            f[j] *= TORQUE_LENGTH
        if weld[w, 0] == 0:
            rx = points[3 * w] - xipos[0, 0]
            ry = points[3 * w + 1] - xipos[0, 1]
            rz = points[3 * w + 2] - xipos[0, 2]
            wrench[0, 0] -= f[3] + ry * f[2] - rz * f[1]
            wrench[0, 1] -= f[4] + rz * f[0] - rx * f[2]
            wrench[0, 2] -= f[5] + rx * f[1] - ry * f[0]
            for j in range(3):
                wrench[0, 3 + j] -= f[j]


@kernel
def apply_constraints(h):
    """Add the constraint accelerations to QACC; returns the power of the forces of welds and couplings [W], and adds
    that of imposed motions to the power supplied.

    LAMBDA receives, per weld, [force (3) N; torque (3) N m] on B at P in W; then the efforts of the imposed motions
    [N m or N], and their errors [rad or m].
    """
    size = ivec(h, H.SIZES)
    nv, nweld, n = size[H.NV], size[H.NWELD], size[H.NROWS]
    imposed = 6 * nweld + imat(h, H.IMPOSED).shape[0]
    minv, A, qacc = mat(h, H.MINV_JT), mat(h, H.DELASSUS), vec(h, H.QACC)
    lam, work = vec(h, H.LAMBDA), vec(h, H.CWORK)
    points = work[6 * nv : 6 * nv + 3 * nweld]
    rhs = work[6 * nv + 3 * nweld : 6 * nv + 3 * nweld + n]
    rate = work[6 * nv + 3 * nweld + n : 6 * nv + 3 * nweld + 2 * n]
    if nweld > 0:
        _weld_sides(h, points, rhs, rate)
    imposed_sides(h, rhs, rate)
    coupled_sides(h, rhs, rate)
    delassus(h, n)
    solve_least_norm(A, rhs, lam[:n], work[6 * nv + 3 * nweld + 2 * n :])
    for w in range(nweld):
        if mat(h, H.WELD_FREE)[w, FREE.mu] > 0.0:
            rest = work[6 * nv + 3 * nweld + 2 * n :]
            vec(h, H.POWER)[2] += add_friction(h, w, lam, rest)
    power, supplied = 0.0, 0.0
    for r in range(n):
        if 6 * nweld <= r < imposed:
            supplied += lam[r] * rate[r]
        else:
            power += lam[r] * rate[r]
        for i in range(nv):
            qacc[i] += minv[r, i] * lam[r]
    _weld_loads(h, points, lam)
    weight = mat(h, H.IMPOSED_RATES)
    for r in range(6 * nweld, imposed):
        lam[r] *= weight[r - 6 * nweld, 1]
    vec(h, H.POWER)[0] += supplied
    return power


@kernel
def project_velocity(h, v):
    """Plastic impact on all constraints at once: v -= M^-1 J^T A^+ (J v - r), r the rates of the courses, else zero.

    The work of imposed motions is booked as supplied, at the mean of their rates in X and in the new v: those of X are
    from before the impact, of which v may be a part already. `evaluate_state` must have been called.
    """
    size, x, mean = ivec(h, H.SIZES), vec(h, H.X), vec(h, H.JOLT_MEAN)
    error, point, R = local(6), local(3), local(9)
    for w in range(size[H.NWELD]):
        weld_error(h, w, error, point)
        weld_jacobian(h, w, point)
        if mat(h, H.WELD_FREE)[w, FREE.any] == 1.0:
            axes_of(h, w, R)
            turn_rows(h, w, R)
            empty_rows(h, w)
    coupled_jacobian(h)
    delassus(h, size[H.NROWS])
    constraint_rates(h, v)
    subtract_course_rates(h, ivec(h, H.CLOCK)[H.NOW] / 1e9 + vec(h, H.FRACTION)[0])
    take_out(h, v)
    for i in range(size[H.NV]):
        mean[i] = 0.5 * (x[size[H.NQ] + i] + v[i])
    work = projection_work(h, mean, 6 * size[H.NWELD], 6 * size[H.NWELD] + imat(h, H.IMPOSED).shape[0])
    x[x.shape[0] - N_AUDIT + BOOK.work_supplied] += work
