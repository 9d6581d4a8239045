"""Bank: how a frame of one body stands to that of another, as an effect that has outputs and no force."""

from __future__ import annotations

import math

from freefloat.kernels.bank import Body, Column, Effect
from freefloat.kernels.view import rotate_back, velocity_at


def sight(t, p, x, u, view, dx, tau, wrench, y, power):  # type: ignore[no-untyped-def]
    """Origin of H and its velocity as seen in C, and the angle between z of H and -z of C."""
    for r in range(p.i.shape[0]):
        c, h = p.i[r, 0], p.i[r, 1]
        R, Q, o, at = view.xmat[c], view.xmat[h], view.xpos[c], view.xpos[h]
        px, py, pz = at[0], at[1], at[2]
        ax, ay, az = velocity_at(view, c, px, py, pz)
        bx, by, bz = velocity_at(view, h, px, py, pz)
        k = 7 * r
        y[k], y[k + 1], y[k + 2] = rotate_back(R, px - o[0], py - o[1], pz - o[2])
        y[k + 3], y[k + 4], y[k + 5] = rotate_back(R, bx - ax, by - ay, bz - az)
        nx, ny, nz = rotate_back(R, Q[2], Q[5], Q[8])
        y[k + 6] = math.atan2(math.sqrt(nx * nx + ny * ny), -nz)


SIGHT = Effect(
    "docking_sight",
    sight,
    references={"cone": Body, "head": Body},
    outputs=[
        *(Column(f"p_{a}", "m", frame="C") for a in "xyz"),
        *(Column(f"v_{a}", "m/s", frame="C") for a in "xyz"),
        Column("tilt", "rad"),
    ],
)
