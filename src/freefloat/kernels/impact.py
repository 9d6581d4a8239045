"""Impulses between two bodies that meet: restitution, and Coulomb's law for the impulse along the surface.

With the relative velocity v of the two points and A = J M^-1 J^T, an impulse P changes v by A P. Of the normal speed
the share e comes back. P is the impulse that also ends the slip, where Coulomb's cone holds it, and else on the cone
against the slip at the start.
"""

from __future__ import annotations

import numpy as np

from freefloat.cmujoco import mj_jac, mj_solveM
from freefloat.kernels import handle as H
from freefloat.kernels.contact_pairs import dot, size_of
from freefloat.kernels.handle import address, ivec, local, mat
from freefloat.kernels.jit import kernel
from freefloat.kernels.projection import project_change

ROWS = 10  # of the scratch matrix: 3 of J, 3 of M^-1 J^T, 3 of one body's J, and the velocities' change so far


@kernel
def clear(h):
    """No impulse yet."""
    mat(h, H.IMPACT)[9, :] = 0.0


@kernel
def mobility(h, a, b, p, A):
    """A = J M^-1 J^T (9 floats) [1/kg] of the point p of body b against body a; J and M^-1 J^T stay in the scratch."""
    m, d, work, nv = address(h, H.MODEL), address(h, H.DATA), mat(h, H.IMPACT), ivec(h, H.SIZES)[H.NV]
    point = local(3)
    point[0], point[1], point[2] = p
    row = 8 * nv
    mj_jac(m, d, address(h, H.IMPACT), 0, point.ctypes.data, np.int32(b))
    mj_jac(m, d, address(h, H.IMPACT) + 6 * row, 0, point.ctypes.data, np.int32(a))
    for i in range(3):
        for j in range(nv):
            work[i, j] -= work[6 + i, j]
    mj_solveM(m, d, address(h, H.IMPACT) + 3 * row, address(h, H.IMPACT), np.int32(3))
    if ivec(h, H.SIZES)[H.NROWS] > 0:
        for i in range(3):
            project_change(h, work[3 + i])
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(nv):
                total += work[i, k] * work[3 + j, k]
            A[3 * i + j] = total


@kernel
def changed(h):
    """What the impulses so far have added to the relative velocity of `mobility`'s points [m/s]: three floats."""
    work, nv = mat(h, H.IMPACT), ivec(h, H.SIZES)[H.NV]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(nv):
        x += work[0, k] * work[9, k]
        y += work[1, k] * work[9, k]
        z += work[2, k] * work[9, k]
    return x, y, z


@kernel
def give(h, P):
    """Note the impulse P on the pair of `mobility`."""
    work, nv = mat(h, H.IMPACT), ivec(h, H.SIZES)[H.NV]
    for k in range(nv):
        work[9, k] += work[3, k] * P[0] + work[4, k] * P[1] + work[5, k] * P[2]


@kernel
def times(A, x):
    """A x: three floats."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@kernel
def _solve(A, r):
    """x of A x = r by cofactors, and whether A is regular."""
    c0 = A[4] * A[8] - A[5] * A[7]
    c1 = A[5] * A[6] - A[3] * A[8]
    c2 = A[3] * A[7] - A[4] * A[6]
    det = A[0] * c0 + A[1] * c1 + A[2] * c2
    trace = A[0] + A[4] + A[8]
    if not det > 1e-12 * trace * trace * trace:
        return (0.0, 0.0, 0.0), False
    x = c0 * r[0] + (A[2] * A[7] - A[1] * A[8]) * r[1] + (A[1] * A[5] - A[2] * A[4]) * r[2]
    y = c1 * r[0] + (A[0] * A[8] - A[2] * A[6]) * r[1] + (A[2] * A[3] - A[0] * A[5]) * r[2]
    z = c2 * r[0] + (A[1] * A[6] - A[0] * A[7]) * r[1] + (A[0] * A[4] - A[1] * A[3]) * r[2]
    return (x / det, y / det, z / det), True


@kernel
def impulse(A, v, n, e, mu):
    """P [N s] on body b, for the relative velocity v [m/s] that approaches along -n."""
    approach = -dot(v, n)
    An = times(A, n)
    plain = (1.0 + e) * approach / dot(An, n)
    smooth = (plain * n[0], plain * n[1], plain * n[2])
    if mu == 0.0:
        return smooth
    end = (e * approach * n[0] - v[0], e * approach * n[1] - v[1], e * approach * n[2] - v[2])
    P, regular = _solve(A, end)
    along = dot(P, n)
    t = (P[0] - along * n[0], P[1] - along * n[1], P[2] - along * n[2])
    if regular and along >= 0.0 and size_of(t) <= mu * along:
        return P
    slip = (v[0] + approach * n[0], v[1] + approach * n[1], v[2] + approach * n[2])
    speed = size_of(slip)
    if speed <= 1e-12 * approach:  # no slip yet: it will be against the impulse that would prevent it
        slip, speed = (-t[0], -t[1], -t[2]), size_of(t)
    if speed == 0.0:
        return smooth
    g = mu / speed
    w = (n[0] - g * slip[0], n[1] - g * slip[1], n[2] - g * slip[2])
    less = dot(times(A, w), n)
    if not less > 0.0:  # friction would press the two together without end
        return smooth
    size = (1.0 + e) * approach / less
    return size * w[0], size * w[1], size * w[2]


@kernel
def _lost(A, v, P):
    """Energy [J] that an impulse takes from the bodies."""
    jump = times(A, P)
    return -dot(P, (v[0] + 0.5 * jump[0], v[1] + 0.5 * jump[1], v[2] + 0.5 * jump[2]))


@kernel
def passive_impulse(A, v, n, e, mu):
    """`impulse`, and the energy lost [J]. Newton's restitution with friction may gain energy (Kane and Levinson 1985):
    then as much of the speed comes back as leaves it the same, or friction stays out of it."""
    P = impulse(A, v, n, e, mu)
    lost = _lost(A, v, P)
    if lost >= 0.0 or mu == 0.0:
        return P, lost
    low, high = 0.0, e
    for _ in range(40):
        middle = 0.5 * (low + high)
        if _lost(A, v, impulse(A, v, n, middle, mu)) >= 0.0:
            low = middle
        else:
            high = middle
    P = impulse(A, v, n, low, mu)
    lost = _lost(A, v, P)
    if lost >= 0.0:
        return P, lost
    P = impulse(A, v, n, e, 0.0)
    return P, _lost(A, v, P)
