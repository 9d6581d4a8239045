"""Banks: uniform gravity, and the gravity of a point mass on each body's centre of mass."""

from __future__ import annotations

import math

from freefloat.kernels.bank import Bank, Column
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
    """f_W = m g on every body."""
    for r in range(p.f.shape[0]):
        g = p.f[r]
        for b in range(1, view.mass.shape[0]):
            m = view.mass[b]
            _pull(view, wrench, power, b, m * g[0], m * g[1], m * g[2])


@kernel
def point_mass_stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f_W = -mu m r / |r|^3 with r from the attracting point to Bcm; no gravity-gradient torque."""
    for r in range(p.f.shape[0]):
        f = p.f[r]
        for b in range(1, view.mass.shape[0]):
            rx, ry, rz = view.xipos[b, 0] - f[1], view.xipos[b, 1] - f[2], view.xipos[b, 2] - f[3]
            d2 = rx * rx + ry * ry + rz * rz
            s = -f[0] * view.mass[b] / (d2 * math.sqrt(d2))
            _pull(view, wrench, power, b, s * rx, s * ry, s * rz)


UNIFORM_GRAVITY = Bank(
    "uniform_gravity", uniform_stage, columns=(Column("g_W", "m/s^2", 3, "gravity on every body", frame="W"),)
)
POINT_MASS_GRAVITY = Bank(
    "point_mass_gravity",
    point_mass_stage,
    columns=(Column("mu", "m^3/s^2"), Column("p_WE", "m", 3, "place of the attracting point", 0.0, "W")),
)
