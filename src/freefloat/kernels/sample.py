"""Signals out of the plant: an op copies one quantity at the present instant into consecutive columns of a row."""

from __future__ import annotations

import math

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.acceleration import specific_force
from freefloat.kernels.audit_layout import AUDIT as A
from freefloat.kernels.audit_layout import AUDIT_WIDTH, N_AUDIT, N_HELD
from freefloat.kernels.banks import N_BANKS, T, dispatcher, rows_of
from freefloat.kernels.constraints import weld_error
from freefloat.kernels.free_directions import push_of
from freefloat.kernels.handle import i32, imat, ivec, local, mat, mat_at, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.loads import load_share, load_sizes, load_through
from freefloat.kernels.plant import make_view
from freefloat.kernels.poses import fixed_pose, turn_back
from freefloat.kernels.verbs import call_stored, note_raised

_stored_of = dispatcher("stored")

# sources; an op is [source, index, length, first column]
POSITION, RATE, ACCELERATION, BANK_STATE, OUTPUT, COMMAND = range(6)
FRAME_P, FRAME_Q, FRAME_V, FRAME_W, FRAME_F = range(6, 11)
WELD_LOAD, WELD_ERROR, AUDIT, MISSING, LOAD, KEPT, PUSH, LOAD_SIZES, LOAD_SHARE = range(11, 20)


@kernel
def frame_pose(h, f, p, q):
    """p_WF and q_WF (w >= 0) of row f of FRAMES: [body, p_BF (3), q_BF (4)]."""
    fixed_pose(h, mat(h, H.FRAMES)[f], p, q)


@kernel
def frame_twist(h, f, w_F, v_W):
    """w_WF_F and v_WF (in W) of row f of FRAMES."""
    p, q = local(3), local(4)
    frame_pose(h, f, p, q)
    b = int(mat(h, H.FRAMES)[f, 0])
    c, cv = mat(h, H.COM)[i32(h, H.BODY_ROOT)[b]], mat(h, H.CVEL)[b]
    rx, ry, rz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    v_W[0] = cv[3] + cv[1] * rz - cv[2] * ry
    v_W[1] = cv[4] + cv[2] * rx - cv[0] * rz
    v_W[2] = cv[5] + cv[0] * ry - cv[1] * rx
    # w_F = R_FW w_W by the conjugate quaternion
    tx = 2.0 * (-q[2] * cv[2] + q[3] * cv[1])
    ty = 2.0 * (-q[3] * cv[0] + q[1] * cv[2])
    tz = 2.0 * (-q[1] * cv[1] + q[2] * cv[0])
    w_F[0] = cv[0] + q[0] * tx - q[2] * tz + q[3] * ty
    w_F[1] = cv[1] + q[0] * ty - q[3] * tx + q[1] * tz
    w_F[2] = cv[2] + q[0] * tz - q[1] * ty + q[2] * tx


@kernel
def _body_momenta(h, b, c, vc, out):
    """Momentum of body b relative to a frame moving with c, vc: out = [p (3), L about c (3), kinetic energy]."""
    mass, inertia = vec(h, H.MASS), mat(h, H.INERTIA)
    xipos, ximat, com = mat(h, H.XIPOS), mat(h, H.XIMAT)[b], mat(h, H.COM)[i32(h, H.BODY_ROOT)[b]]
    w = mat(h, H.CVEL)[b]
    x = xipos[b]
    rx, ry, rz = x[0] - com[0], x[1] - com[1], x[2] - com[2]
    vx = w[3] + w[1] * rz - w[2] * ry - vc[0]
    vy = w[4] + w[2] * rx - w[0] * rz - vc[1]
    vz = w[5] + w[0] * ry - w[1] * rx - vc[2]
    m = mass[b]
    out[0], out[1], out[2] = m * vx, m * vy, m * vz
    dx, dy, dz = x[0] - c[0], x[1] - c[1], x[2] - c[2]
    out[3] = dy * out[2] - dz * out[1]
    out[4] = dz * out[0] - dx * out[2]
    out[5] = dx * out[1] - dy * out[0]
    energy = 0.5 * m * (vx * vx + vy * vy + vz * vz)
    for j in range(3):
        wj = ximat[j] * w[0] + ximat[3 + j] * w[1] + ximat[6 + j] * w[2]
        L = inertia[b, j] * wj
        energy += 0.5 * L * wj
        for i in range(3):
            out[3 + i] += ximat[3 * i + j] * L
    out[6] = energy


@kernel
def _stored_energy(h, x):
    """Energy [J] that banks hold as their states say; what they integrate instead is among the audit's integrals."""
    table, size, energy = imat(h, H.BANK_TABLE), ivec(h, H.SIZES), local(1)
    z0, view = size[H.NQ] + size[H.NV], make_view(h)
    energy[0] = 0.0
    for b in range(table.shape[0]):
        B = table[b]
        if B[T.stores] == 0 or B[T.rows] == 0:
            continue
        p, xb = rows_of(h, table, b), part(x, z0 + B[T.state], B[T.states])
        if b < N_BANKS:
            _stored_of(b, p, xb, view, energy)
        else:
            note_raised(h, b, call_stored(B[T.call_stored], (p, xb, view, energy)))
    return energy[0]


@kernel
def audit_row(h, x, row):
    """Momenta, energies, scales and audit integrals at the present instant (`audit_layout.COLUMNS`)."""
    mass, com = vec(h, H.MASS), mat(h, H.COM)
    n = mass.shape[0]
    row[:AUDIT_WIDTH] = 0.0
    c, zero, vc, one = com[0], local(3), local(3), local(7)
    zero[:] = 0.0
    for b in range(1, n):
        _body_momenta(h, b, c, zero, one)
        for j in range(3):
            row[A.momentum + j] += one[j]
        row[A.kinetic_energy] += one[6]
        row[A.mass] += mass[b]
    for j in range(3):
        vc[j] = row[A.momentum + j] / row[A.mass]
        row[A.p_WCcm + j] = c[j]
    for b in range(1, n):
        _body_momenta(h, b, c, vc, one)
        for j in range(3):
            row[A.angular_momentum + j] += one[3 + j]
        row[A.momentum_held] += math.sqrt(one[0] ** 2 + one[1] ** 2 + one[2] ** 2)
        row[A.angular_momentum_held] += math.sqrt(one[3] ** 2 + one[4] ** 2 + one[5] ** 2)
        row[A.internal_kinetic_energy] += one[6]
    armature, qvel = vec(h, H.ARMATURE), vec(h, H.QVEL)
    rotors = 0.0
    for i in range(qvel.shape[0]):
        rotors += 0.5 * armature[i] * qvel[i] * qvel[i]
    row[A.kinetic_energy] += rotors
    row[A.internal_kinetic_energy] += rotors
    a = x.shape[0] - N_AUDIT
    for j in range(N_AUDIT):
        row[N_HELD + j] = x[a + j]
    row[A.energy_stored] += _stored_energy(h, x)


@kernel
def sample(h, x, source, index, length, out):
    """Write the quantity (source, index) of `length` numbers into `out`."""
    if source == POSITION:
        values = vec(h, H.QPOS)
    elif source == RATE:
        values = vec(h, H.QVEL)
    elif source == ACCELERATION:
        values = vec(h, H.QACC)
    elif source == BANK_STATE:
        size = ivec(h, H.SIZES)
        index += size[H.NQ] + size[H.NV]
        for j in range(length):
            out[j] = x[index + j]
        return
    elif source == OUTPUT:
        values = vec(h, H.Y)
    elif source == KEPT:
        values = vec(h, H.KEPT)
    elif source == COMMAND:
        values = vec(h, H.U)
    elif source == WELD_LOAD:
        values = vec(h, H.LAMBDA)
    elif source == FRAME_P:
        frame_pose(h, index, out, local(4))
        return
    elif source == FRAME_Q:
        frame_pose(h, index, local(3), out)
        return
    elif source == FRAME_V:
        frame_twist(h, index, local(3), out)
        return
    elif source == FRAME_W:
        frame_twist(h, index, out, local(3))
        return
    elif source == FRAME_F:
        p, q = local(3), local(4)
        frame_pose(h, index, p, q)
        specific_force(h, int(mat(h, H.FRAMES)[index, 0]), p, q, out)
        return
    elif source in (LOAD, LOAD_SIZES, LOAD_SHARE):
        p, q, row = local(3), local(4), imat(h, H.LOADS)[index]
        if row[2] >= 0:
            frame_pose(h, row[2], p, q)
        if source == LOAD_SIZES:
            load_sizes(h, index, p, out)
        elif source == LOAD_SHARE:
            load_share(h, index, p, out)
        else:
            load_through(h, index, p, out)
        if source == LOAD and row[3] != 0:
            turn_back(q, part(out, 0, 3))
            turn_back(q, part(out, 3, 3))
        return
    elif source == PUSH:
        out[0] = push_of(h, index, vec(h, H.LAMBDA))
        return
    elif source == WELD_ERROR:
        weld_error(h, index, out, local(3))
        return
    elif source == MISSING:
        out[:] = np.nan
        return
    else:
        audit_row(h, x, out)
        return
    for j in range(length):
        out[j] = values[index + j]


@kernel
def fill_row(h, x, first, last, row):
    """Run ops first..last into `row`."""
    ops = imat(h, H.OPS)
    for o in range(first, last):
        column = ops[o, 3]
        sample(h, x, ops[o, 0], ops[o, 1], ops[o, 2], row[column : column + ops[o, 2]])


# GROUPS row: [period ns, next ns, first op, last op, columns, buffer address, capacity, rows held]
GROUP_COLUMNS = 8


@kernel
def next_record(h):
    """Time of the next record [ns]."""
    groups = imat(h, H.GROUPS)
    soonest = np.int64(9_000_000_000_000_000_000)
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        soonest = min(soonest, groups[g, 1])
    return soonest


@kernel
def record(h, x, now):
    """Write the rows that are due at `now` [ns]; False when a buffer is full (its group gets nothing then)."""
    groups = imat(h, H.GROUPS)
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        G = groups[g]
        if G[1] != now:
            continue
        if G[7] >= G[6]:
            return False
        row = mat_at(G[5], G[6], G[4])[G[7]]
        row[0] = now / 1e9
        fill_row(h, x, G[2], G[3], row)
        G[7] += 1
        G[1] += G[0]
    return True
