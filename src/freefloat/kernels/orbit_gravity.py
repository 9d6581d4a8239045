"""Bank: gravity in a frame W that falls along a reference orbit, axes parallel to ECI.

Each body feels the difference between the field at its place and the field at the frame's origin: central and J2 terms
in a form without cancellation, the rest by its first two derivatives at the origin; and the gradient's torque.
"""

from __future__ import annotations

from freefloat.kernels.gravity_difference import (
    anchor,
    central_gradient,
    earth_difference,
    gradient_torque,
    j2_gradient,
    rest_difference,
)
from freefloat.kernels.handle import mat_at
from freefloat.kernels.jit import kernel
from freefloat.kernels.orbit_table import COLUMNS, position, rest_curvature, rest_gradient, velocity
from freefloat.kernels.view import add_pair, add_torque_pair, velocity_at

# f row 0: [t0, dt, mu, c = 1.5 J2 mu Re^2, pole k_I (3)]; the other rows are the knots of `orbit_table`
# y: reference p_I (3) and v_I (3) now


@kernel
def _inertia_W(view, b):
    """I_BBcm in axes of W: (xx, xy, xz, yy, yz, zz) [kg m^2]."""
    E, J = view.ximat[b], view.inertia[b]
    return (
        E[0] * E[0] * J[0] + E[1] * E[1] * J[1] + E[2] * E[2] * J[2],
        E[0] * E[3] * J[0] + E[1] * E[4] * J[1] + E[2] * E[5] * J[2],
        E[0] * E[6] * J[0] + E[1] * E[7] * J[1] + E[2] * E[8] * J[2],
        E[3] * E[3] * J[0] + E[4] * E[4] * J[1] + E[5] * E[5] * J[2],
        E[3] * E[6] * J[0] + E[4] * E[7] * J[1] + E[5] * E[8] * J[2],
        E[6] * E[6] * J[0] + E[7] * E[7] * J[1] + E[8] * E[8] * J[2],
    )


@kernel
def gravity_difference_at(t, p, d):
    """Gravity at the point d of W less that at its origin [m/s^2]: three floats; p as in `stage`."""
    head = p.f[0]
    k = (head[4], head[5], head[6])
    knots = mat_at(p.f.ctypes.data + 8 * COLUMNS, p.f.shape[0] - 1, COLUMNS)
    R = position(t, head[0], head[1], knots)
    G, T = rest_gradient(t, head[0], head[1], knots), rest_curvature(t, head[0], head[1], knots)
    e, r = earth_difference(anchor(head[2], head[3], k, R), d), rest_difference(G, T, d)
    return e[0] + r[0], e[1] + r[1], e[2] + r[2]


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f = m [g(R + d) - g(R)] on every body at d = p_WBcm, and the torque of the gradient there on its inertia."""
    head = p.f[0]
    t0, dt, mu, c = head[0], head[1], head[2], head[3]
    k = (head[4], head[5], head[6])
    knots = mat_at(p.f.ctypes.data + 8 * COLUMNS, p.f.shape[0] - 1, COLUMNS)
    R = position(t, t0, dt, knots)
    V = velocity(t, t0, dt, knots)
    for j in range(3):
        y[j], y[3 + j] = R[j], V[j]
    G, T = rest_gradient(t, t0, dt, knots), rest_curvature(t, t0, dt, knots)
    A, J2 = anchor(mu, c, k, R), j2_gradient(c, k, R)
    for b in range(1, view.mass.shape[0]):
        m = view.mass[b]
        if m == 0.0:
            continue
        d = (view.xipos[b, 0], view.xipos[b, 1], view.xipos[b, 2])
        e, r = earth_difference(A, d), rest_difference(G, T, d)
        fx, fy, fz = m * (e[0] + r[0]), m * (e[1] + r[1]), m * (e[2] + r[2])
        add_pair(view, wrench, 0, b, d[0], d[1], d[2], fx, fy, fz)
        C = central_gradient(mu, (R[0] + d[0], R[1] + d[1], R[2] + d[2]))
        whole = (
            C[0] + J2[0] + G[0],
            C[1] + J2[1] + G[1],
            C[2] + J2[2] + G[2],
            C[3] + J2[3] + G[3],
            C[4] + J2[4] + G[4],
            C[5] + J2[5] + G[5],
        )
        tx, ty, tz = gradient_torque(whole, _inertia_W(view, b))
        add_torque_pair(wrench, 0, b, tx, ty, tz)
        v, w = velocity_at(view, b, d[0], d[1], d[2]), view.cvel[b]
        power[0] += fx * v[0] + fy * v[1] + fz * v[2] + tx * w[0] + ty * w[1] + tz * w[2]
