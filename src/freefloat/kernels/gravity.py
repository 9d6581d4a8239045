"""Banks: uniform gravity, and the gravity of a point mass on each body's centre of mass."""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, velocity_at


@kernel
def _pull(view, wrench, power, b, fx, fy, fz):
    c = view.xipos[b]
    add_pair(view, wrench, 0, b, c[0], c[1], c[2], fx, fy, fz)
    v = velocity_at(view, b, c[0], c[1], c[2])
    power[0] += fx * v[0] + fy * v[1] + fz * v[2]


@kernel
def uniform_stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f_W = m g on every body. f: [g_W (3)] [m/s^2]."""
    for r in range(p.f.shape[0]):
        g = p.f[r]
        for b in range(1, view.mass.shape[0]):
            m = view.mass[b]
            _pull(view, wrench, power, b, m * g[0], m * g[1], m * g[2])


@kernel
def point_mass_stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f_W = -mu m r / |r|^3 with r from the attracting point to Bcm; no gravity-gradient torque. f: [mu, p_WE (3)]."""
    for r in range(p.f.shape[0]):
        f = p.f[r]
        for b in range(1, view.mass.shape[0]):
            rx, ry, rz = view.xipos[b, 0] - f[1], view.xipos[b, 1] - f[2], view.xipos[b, 2] - f[3]
            d2 = rx * rx + ry * ry + rz * rz
            s = -f[0] * view.mass[b] / (d2 * math.sqrt(d2))
            _pull(view, wrench, power, b, s * rx, s * ry, s * rz)
