"""Where something is that is fixed to a body."""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.handle import mat
from freefloat.kernels.jit import kernel


@kernel
def fixed_pose(h, F, p, q):
    """p_WF and q_WF (w >= 0) of F = [body, p_BF (3), q_BF (4)]."""
    b = int(F[0])
    x, R, a = mat(h, H.XPOS)[b], mat(h, H.XMAT)[b], mat(h, H.XQUAT)[b]
    for j in range(3):
        p[j] = x[j] + R[3 * j] * F[1] + R[3 * j + 1] * F[2] + R[3 * j + 2] * F[3]
    q[0] = a[0] * F[4] - a[1] * F[5] - a[2] * F[6] - a[3] * F[7]
    q[1] = a[0] * F[5] + a[1] * F[4] + a[2] * F[7] - a[3] * F[6]
    q[2] = a[0] * F[6] - a[1] * F[7] + a[2] * F[4] + a[3] * F[5]
    q[3] = a[0] * F[7] + a[1] * F[6] - a[2] * F[5] + a[3] * F[4]
    if q[0] < 0.0:
        for j in range(4):
            q[j] = -q[j]


@kernel
def turn_back(q, v):
    """v = R^T v by the conjugate of the unit quaternion q."""
    x, y, z = v[0], v[1], v[2]
    tx = 2.0 * (q[3] * y - q[2] * z)
    ty = 2.0 * (q[1] * z - q[3] * x)
    tz = 2.0 * (q[2] * x - q[1] * y)
    v[0] = x + q[0] * tx - q[2] * tz + q[3] * ty
    v[1] = y + q[0] * ty - q[3] * tx + q[1] * tz
    v[2] = z + q[0] * tz - q[1] * ty + q[2] * tx
