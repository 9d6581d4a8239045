"""Bank: platforms on air bearings over an uneven floor with walls around it."""

from __future__ import annotations

from freefloat.kernels.bank import Bank, Body, Column, places
from freefloat.kernels.contact_laws import HUNT_CROSSLEY, normal_force
from freefloat.kernels.height_map import height
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, rotate, velocity_at

CONTACTS = 3  # at most
COLUMNS = (
    Column("weight", "N", meaning="on each contact"),
    Column("contacts", meaning="how many, 1 to 3"),
    Column("p_BC", "m", 2 * CONTACTS, "x and y of each", frame="B"),
    Column("spacing", "m", meaning="of the coefficients"),
    Column("rows", meaning="of the coefficients, along x"),
    Column("columns", meaning="of the coefficients, along y"),
    Column("half", "m", 2, "half length of the floor along x and y"),
    Column("radius", "m", meaning="of the body"),
    Column("stiffness", "N/m", meaning="of the walls"),
    Column("damping", "s/m", meaning="of the walls: Hunt and Crossley's factor on their own force"),
    Column("coefficients", "m", 0, "of the height's cubic B-spline, centred on the world's origin"),
)
F = places(COLUMNS)


@kernel
def floor_height(f, x, y):
    """Height [m] and its gradient at (x, y) of the map in a row f; beyond its edge the floor goes on level."""
    return height(f, F.coefficients, f[F.spacing], int(f[F.rows]), int(f[F.columns]), x, y)


@kernel
def _wall(f, q, v, half):
    """Force [N] along one axis on a body at q with speed v, its spring's part, and the spring's energy [J].

    Hunt and Crossley's law with exponent 1: no jump at first touch, never a pull. A row's damping is 3/2 of their c.
    """
    side = 1.0 if q > 0.0 else -1.0
    d = side * q + f[F.radius] - half
    if d <= 0.0:
        return 0.0, 0.0, 0.0
    force, spring, stored = normal_force(HUNT_CROSSLEY, f[F.stiffness], 1.0, f[F.damping] / 1.5, 1.0, 0.0, d, side * v)
    return -side * max(force, 0.0), -side * spring, stored


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """V = w sum h(p_i): the gravity along the slope under each bearing is -w grad h; walls act on the body's rim."""
    for r in range(p.i.shape[0]):
        f, b = p.f[r], p.i[r, 0]
        o, R = view.xpos[b], view.xmat[b]
        z = view.xipos[b, 2]
        V, Fx, Fy, T = 0.0, 0.0, 0.0, 0.0
        for k in range(int(f[F.contacts])):
            cx, cy, _ = rotate(R, f[F.p_BC + 2 * k], f[F.p_BC + 1 + 2 * k], 0.0)
            px, py = o[0] + cx, o[1] + cy
            h, gx, gy = floor_height(f, px, py)
            fx, fy = -f[F.weight] * gx, -f[F.weight] * gy
            V += f[F.weight] * h
            Fx += fx
            Fy += fy
            T += cx * fy - cy * fx
            add_pair(view, wrench, 0, b, px, py, z, fx, fy, 0.0)
            v = velocity_at(view, b, px, py, z)
            power[1] -= fx * v[0] + fy * v[1]
        v = velocity_at(view, b, o[0], o[1], z)
        wx, sx, ex = _wall(f, o[0], v[0], f[F.half])
        wy, sy, ey = _wall(f, o[1], v[1], f[F.half + 1])
        if wx != 0.0 or wy != 0.0:
            add_pair(view, wrench, 0, b, o[0], o[1], z, wx, wy, 0.0)
            power[1] -= sx * v[0] + sy * v[1]
            power[2] -= (wx - sx) * v[0] + (wy - sy) * v[1]
        y[4 * r] = V + ex + ey
        y[4 * r + 1] = Fx + wx
        y[4 * r + 2] = Fy + wy
        y[4 * r + 3] = T


FLOOR = Bank(
    "floor",
    stage,
    COLUMNS,
    references={"body": Body},
    outputs=(
        Column("potential", "J"),
        Column("force_x", "N", meaning="of floor and walls on the body", frame="W"),
        Column("force_y", "N", meaning="of floor and walls on the body", frame="W"),
        Column("torque_z", "N m", meaning="of the floor on the body", frame="W"),
    ),
)
