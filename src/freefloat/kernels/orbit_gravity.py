"""Bank: gravity in a frame W that falls along a reference orbit, axes parallel to ECI.

Each body feels the difference between the field at its place and the field at the frame's origin: central and J2 terms
in a form without cancellation, the rest by its first two derivatives at the origin; and the gradient's torque.
"""

from __future__ import annotations

from freefloat.kernels.bank import Bank, Column
from freefloat.kernels.gravity_difference import (
    anchor,
    earth_difference,
    earth_pull,
    j2_gradient,
    rest_difference,
)
from freefloat.kernels.handle import local, mat_at, table_of
from freefloat.kernels.jit import inlined, inlined_kernel, kernel
from freefloat.kernels.orbit_table import COLUMNS, position, rest_curvature, rest_gradient, velocity
from freefloat.kernels.view import velocity_at

# row 0 of the table: [t0, dt, mu, c = 1.5 J2 mu Re^2, pole k_I (3)]; the others are the knots of `orbit_table`

BLOCK = 32  # bodies at a time
SCRATCH = 12 * BLOCK


@inlined
def _axis_torque(x, y, z, J, e, r, K):
    """-J a x (G a) [N m] for a principal axis a = (x, y, z) and G = e r r^T + K."""
    s = e * (r[0] * x + r[1] * y + r[2] * z)
    gx = s * r[0] + (K[0] * x + K[1] * y + K[2] * z)
    gy = s * r[1] + (K[1] * x + K[3] * y + K[4] * z)
    gz = s * r[2] + (K[2] * x + K[4] * y + K[5] * z)
    return J * (gy * z - gz * y), J * (gz * x - gx * z), J * (gx * y - gy * x)


@inlined_kernel
def _pull(view, wrench, power, first, count, R, A, G, T, K):
    """Force, torque and power on `count` bodies, at most BLOCK, from `first` on; the world takes the reaction.

    Quantity k of body j is s[BLOCK k + j]: LLVM makes vector code of the loop in the middle.
    """
    s = local(SCRATCH)
    for j in range(count):
        p, E, J = view.xipos[first + j], view.ximat[first + j], view.inertia[first + j]
        s[j], s[BLOCK + j], s[2 * BLOCK + j] = p[0], p[1], p[2]
        s[3 * BLOCK + j], s[4 * BLOCK + j], s[5 * BLOCK + j] = E[1], E[4], E[7]
        s[6 * BLOCK + j], s[7 * BLOCK + j], s[8 * BLOCK + j] = E[2], E[5], E[8]
        s[9 * BLOCK + j], s[10 * BLOCK + j] = J[1] - J[0], J[2] - J[0]
        s[11 * BLOCK + j] = view.mass[first + j]
    for j in range(count):
        d = (s[j], s[BLOCK + j], s[2 * BLOCK + j])
        e, g, m = earth_pull(A, d), rest_difference(G, T, d), s[11 * BLOCK + j]
        r = (R[0] + d[0], R[1] + d[1], R[2] + d[2])
        a = _axis_torque(s[3 * BLOCK + j], s[4 * BLOCK + j], s[5 * BLOCK + j], s[9 * BLOCK + j], e[3], r, K)
        b = _axis_torque(s[6 * BLOCK + j], s[7 * BLOCK + j], s[8 * BLOCK + j], s[10 * BLOCK + j], e[3], r, K)
        s[3 * BLOCK + j], s[4 * BLOCK + j], s[5 * BLOCK + j] = a[0] + b[0], a[1] + b[1], a[2] + b[2]
        s[6 * BLOCK + j], s[7 * BLOCK + j] = m * (e[0] + g[0]), m * (e[1] + g[1])
        s[8 * BLOCK + j] = m * (e[2] + g[2])
    sx, sy, sz = 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    work = 0.0
    o = view.xipos[0]
    for j in range(count):
        px, py, pz = s[j], s[BLOCK + j], s[2 * BLOCK + j]
        tx, ty, tz = s[3 * BLOCK + j], s[4 * BLOCK + j], s[5 * BLOCK + j]
        fx, fy, fz = s[6 * BLOCK + j], s[7 * BLOCK + j], s[8 * BLOCK + j]
        v, w, f = velocity_at(view, first + j, px, py, pz), view.cvel[first + j], wrench[first + j]
        work += fx * v[0] + fy * v[1] + fz * v[2] + tx * w[0] + ty * w[1] + tz * w[2]
        f[0] += tx
        f[1] += ty
        f[2] += tz
        f[3] += fx
        f[4] += fy
        f[5] += fz
        x, y, z = px - o[0], py - o[1], pz - o[2]
        sx, sy, sz = sx + fx, sy + fy, sz + fz
        lx, ly, lz = lx + tx + (y * fz - z * fy), ly + ty + (z * fx - x * fz), lz + tz + (x * fy - y * fx)
    f = wrench[0]
    f[0] -= lx
    f[1] -= ly
    f[2] -= lz
    f[3] -= sx
    f[4] -= sy
    f[5] -= sz
    power[0] += work


@kernel
def gravity_difference_at(t, p, d):
    """Gravity at the point d of W less that at its origin [m/s^2]: three floats; p as in `stage`."""
    table = table_of(p.tables, 0)
    head = table[0]
    k = (head[4], head[5], head[6])
    knots = mat_at(table.ctypes.data + 8 * COLUMNS, table.shape[0] - 1, COLUMNS)
    R = position(t, head[0], head[1], knots)
    G, T = rest_gradient(t, head[0], head[1], knots), rest_curvature(t, head[0], head[1], knots)
    e, r = earth_difference(anchor(head[2], head[3], k, R), d), rest_difference(G, T, d)
    return e[0] + r[0], e[1] + r[1], e[2] + r[2]


@inlined_kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f = m [g(R + d) - g(R)] on every body at d = p_WBcm, and the torque of the gradient there on its inertia."""
    table = table_of(p.tables, 0)
    head = table[0]
    t0, dt, mu, c = head[0], head[1], head[2], head[3]
    k = (head[4], head[5], head[6])
    knots = mat_at(table.ctypes.data + 8 * COLUMNS, table.shape[0] - 1, COLUMNS)
    R = position(t, t0, dt, knots)
    V = velocity(t, t0, dt, knots)
    for j in range(3):
        y[j], y[3 + j] = R[j], V[j]
    G, T = rest_gradient(t, t0, dt, knots), rest_curvature(t, t0, dt, knots)
    A, J2 = anchor(mu, c, k, R), j2_gradient(c, k, R)
    K = (G[0] + J2[0], G[1] + J2[1], G[2] + J2[2], G[3] + J2[3], G[4] + J2[4], G[5] + J2[5])
    first = 1
    while first < view.mass.shape[0]:
        count = min(BLOCK, view.mass.shape[0] - first)
        _pull(view, wrench, power, first, count, R, A, G, T, K)
        first += count


ORBIT_GRAVITY = Bank(
    "orbit_gravity",
    stage,
    outputs=(
        *(Column(f"p_IW_{a}", "m", meaning="origin of the falling frame in ECI", frame="I") for a in "xyz"),
        *(Column(f"v_IW_{a}", "m/s", meaning="velocity of the falling frame in ECI", frame="I") for a in "xyz"),
    ),
    table=COLUMNS,
    alone=True,
)
