"""What connections and mounts carry: Newton and Euler for the bodies behind them.

Convention of all loads: [force (3) N; torque (3) N m] in W, on side b from side a, or on a link from what it hangs on;
the torque about a point that each load names.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.acceleration import add_point_acceleration, spatial_accelerations
from freefloat.kernels.constraints import weld_error
from freefloat.kernels.handle import i32, imat, ivec, local, mat, part, vec
from freefloat.kernels.jit import kernel

# LOADS row: [how it is held, index of the body or weld, row of FRAMES for the torque's point (-1: the weld's own),
# 1: told in axes of that frame, first entry of U of its limits or -1]
OPEN, MOUNT, MOUNT_REVERSED, WELD = range(4)
LOAD_COLUMNS = 5


@kernel
def _add_wrench(force, torque, at, p, sign, out):
    """out += sign * [force; torque about p] of a wrench that is given about `at`."""
    rx, ry, rz = at[0] - p[0], at[1] - p[1], at[2] - p[2]
    fx, fy, fz = force[0], force[1], force[2]
    out[0] += sign * fx
    out[1] += sign * fy
    out[2] += sign * fz
    out[3] += sign * (torque[0] + ry * fz - rz * fy)
    out[4] += sign * (torque[1] + rz * fx - rx * fz)
    out[5] += sign * (torque[2] + rx * fy - ry * fx)


@kernel
def _add_inertial(h, b, p, out):
    """out += [m a; I alpha + w x I w, about p] of body b, from CACC."""
    mass, inertia, R = vec(h, H.MASS)[b], mat(h, H.INERTIA)[b], mat(h, H.XIMAT)[b]
    x, w = mat(h, H.XIPOS)[b], mat(h, H.CVEL)[b]
    a, rates = local(6), local(6)  # rates: I alpha and I w in W
    for j in range(6):
        a[j] = rates[j] = 0.0
    add_point_acceleration(h, b, x, 1.0, a)
    for j in range(3):
        alpha = inertia[j] * (R[j] * a[3] + R[3 + j] * a[4] + R[6 + j] * a[5])
        spin = inertia[j] * (R[j] * w[0] + R[3 + j] * w[1] + R[6 + j] * w[2])
        for i in range(3):
            rates[i] += R[3 * i + j] * alpha
            rates[3 + i] += R[3 * i + j] * spin
    for j in range(3):
        a[j] *= mass
    rates[0] += w[1] * rates[5] - w[2] * rates[4]
    rates[1] += w[2] * rates[3] - w[0] * rates[5]
    rates[2] += w[0] * rates[4] - w[1] * rates[3]
    _add_wrench(a, rates, x, p, 1.0, out)


@kernel
def mount_load(h, b, p, sign, out):
    """Load on body b from its parent, torque about p_W, times a sign.

    It moves everything behind the mount and balances what acts there from outside and through loops. MuJoCo numbers
    bodies depth first: those behind b follow it, up to the first one that hangs before b.
    """
    parent, wrench, xipos = i32(h, H.BODY_PARENT), mat(h, H.WRENCH), mat(h, H.XIPOS)
    for j in range(6):
        out[j] = 0.0
    end = b
    if vec(h, H.MASS)[b] == 0.0 and (b + 1 == parent.shape[0] or parent[b + 1] < b):
        return  # an empty hand with nothing behind it
    spatial_accelerations(h, 1.0)
    while end < parent.shape[0] and (end == b or parent[end] >= b):
        outside = wrench[end]
        _add_inertial(h, end, p, out)
        _add_wrench(part(outside, 3, 3), outside, xipos[end], p, -1.0, out)
        end += 1
    weld, lam = imat(h, H.WELD), vec(h, H.LAMBDA)
    error, point = local(6), local(3)
    for w in range(ivec(h, H.SIZES)[H.NWELD]):
        behind_a, behind_b = b <= weld[w, 0] < end, b <= weld[w, 1] < end
        if behind_a != behind_b:
            weld_error(h, w, error, point)
            _add_wrench(part(lam, 6 * w, 3), part(lam, 6 * w + 3, 3), point, p, 1.0 if behind_a else -1.0, out)
    for j in range(6):
        out[j] *= sign


@kernel
def load_through(h, k, p, out):
    """The load of row k of LOADS, torque about p_W; not a number while the connection is open."""
    row = imat(h, H.LOADS)[k]
    how, index = row[0], row[1]
    if how in (MOUNT, MOUNT_REVERSED):
        mount_load(h, index, p, 1.0 if how == MOUNT else -1.0, out)
        return
    for j in range(6):
        out[j] = vec(h, H.LAMBDA)[6 * index + j] if how == WELD else np.nan
    if how == WELD and row[2] >= 0:
        f, error, point = local(6), local(6), local(3)
        for j in range(6):
            f[j], out[j] = out[j], 0.0
        weld_error(h, index, error, point)
        _add_wrench(f, part(f, 3, 3), point, p, 1.0, out)


@kernel
def load_sizes(h, k, p, out):
    """Force and torque of the load of row k of LOADS as sizes [N, N m], torque about p_W."""
    load = local(6)
    load_through(h, k, p, load)
    out[0] = math.sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2])
    out[1] = math.sqrt(load[3] * load[3] + load[4] * load[4] + load[5] * load[5])


@kernel
def load_share(h, k, p, out):
    """The larger share that force or torque of row k of LOADS has of its limit."""
    limits, sizes = part(vec(h, H.U), imat(h, H.LOADS)[k, 4], 2), local(2)
    load_sizes(h, k, p, sizes)
    out[0] = max(sizes[0] / limits[0], sizes[1] / limits[1])
