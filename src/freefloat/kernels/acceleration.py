"""Accelerations of points, and what an accelerometer there feels."""

from __future__ import annotations

import math

from freefloat.kernels import handle as H
from freefloat.kernels.banks import ORBIT, POINT_MASS, UNIFORM, T, rows_of
from freefloat.kernels.handle import i32, imat, local, mat, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.orbit_gravity import gravity_difference_at


@kernel
def spatial_accelerations(h, share):
    """CACC: spatial acceleration of every body at its tree's centre of mass (Featherstone's convention) with `share` of
    QACC; without any, what constraints call the bias."""
    cacc, cdof, cdof_dot = mat(h, H.CACC), mat(h, H.CDOF), mat(h, H.CDOF_DOT)
    qvel, qacc = vec(h, H.QVEL), vec(h, H.QACC)
    parent, adr, num = i32(h, H.BODY_PARENT), i32(h, H.BODY_DOF_ADR), i32(h, H.BODY_DOF_NUM)
    for j in range(6):
        cacc[0, j] = 0.0
    for b in range(1, cacc.shape[0]):
        for j in range(6):
            total = cacc[parent[b], j]
            for i in range(adr[b], adr[b] + num[b]):
                total += cdof_dot[i, j] * qvel[i] + share * cdof[i, j] * qacc[i]
            cacc[b, j] = total


@kernel
def add_point_acceleration(h, b, point, sign, out):
    """out += sign * [acceleration of the point of body b; angular acceleration] in W, from CACC."""
    if b == 0:
        return
    com, cvel, cacc, root = mat(h, H.COM), mat(h, H.CVEL), mat(h, H.CACC), i32(h, H.BODY_ROOT)
    c, w, a, drift = com[root[b]], cvel[b], cacc[b], vec(h, H.DRIFT)
    rx, ry, rz = point[0] - c[0], point[1] - c[1], point[2] - c[2]
    vx = w[3] - drift[0] + w[1] * rz - w[2] * ry
    vy = w[4] - drift[1] + w[2] * rx - w[0] * rz
    vz = w[5] - drift[2] + w[0] * ry - w[1] * rx
    out[0] += sign * (a[3] + a[1] * rz - a[2] * ry + w[1] * vz - w[2] * vy)
    out[1] += sign * (a[4] + a[2] * rx - a[0] * rz + w[2] * vx - w[0] * vz)
    out[2] += sign * (a[5] + a[0] * ry - a[1] * rx + w[0] * vy - w[1] * vx)
    for j in range(3):
        out[3 + j] += sign * a[j]


@kernel
def gravity_at(h, t, p, out):
    """Gravity [m/s^2] at the point p_W of the world: the sum of the gravity banks."""
    table = imat(h, H.BANK_TABLE)
    out[0] = out[1] = out[2] = 0.0
    if table[UNIFORM, T.rows] > 0:
        rows = rows_of(h, table, UNIFORM)
        for r in range(rows.f.shape[0]):
            for j in range(3):
                out[j] += rows.f[r, j]
    if table[POINT_MASS, T.rows] > 0:
        rows = rows_of(h, table, POINT_MASS)
        for r in range(rows.f.shape[0]):
            f = rows.f[r]
            x, y, z = p[0] - f[1], p[1] - f[2], p[2] - f[3]
            d2 = x * x + y * y + z * z
            s = -f[0] / (d2 * math.sqrt(d2))
            out[0], out[1], out[2] = out[0] + s * x, out[1] + s * y, out[2] + s * z
    if table[ORBIT, T.rows] > 0:
        g = gravity_difference_at(t, rows_of(h, table, ORBIT), p)
        for j in range(3):
            out[j] += g[j]


@kernel
def specific_force(h, b, p, q, out):
    """What an accelerometer at p_W on body b feels [m/s^2]: acceleration less gravity, in axes of the attitude q_WF."""
    a, g = local(6), local(3)
    for j in range(6):
        a[j] = 0.0
    spatial_accelerations(h, 1.0)
    add_point_acceleration(h, b, p, 1.0, a)
    gravity_at(h, vec(h, H.FRACTION)[1], p, g)
    fx, fy, fz = a[0] - g[0], a[1] - g[1], a[2] - g[2]
    # R_FW f by the conjugate quaternion
    tx, ty, tz = 2.0 * (q[3] * fy - q[2] * fz), 2.0 * (q[1] * fz - q[3] * fx), 2.0 * (q[2] * fx - q[1] * fy)
    out[0] = fx + q[0] * tx - q[2] * tz + q[3] * ty
    out[1] = fy + q[0] * ty - q[3] * tx + q[1] * tz
    out[2] = fz + q[0] * tz - q[1] * ty + q[2] * tx
