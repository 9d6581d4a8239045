"""Bank: commanded wrenches on bodies, from outside the system."""

from __future__ import annotations

from freefloat.kernels.bank import Bank, Body, Column, places
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, add_torque_pair, rotate, velocity_at

COLUMNS = (
    Column("p_BP", "m", 3, "point where the wrench acts", frame="B"),
    Column("in_body", meaning="1: the command is expressed in B; 0: in W"),
)
F = places(COLUMNS)


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """Wrench [torque; force] (u[c : c + 6]) at the point P of body B; the reaction goes to the world."""
    for r in range(p.i.shape[0]):
        b, c = p.i[r, 0], p.i[r, 1]
        tx, ty, tz, fx, fy, fz = u[c], u[c + 1], u[c + 2], u[c + 3], u[c + 4], u[c + 5]
        if tx == 0.0 and ty == 0.0 and tz == 0.0 and fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        R, o, w = view.xmat[b], view.xpos[b], view.cvel[b]
        px, py, pz = rotate(R, p.f[r, F.p_BP], p.f[r, F.p_BP + 1], p.f[r, F.p_BP + 2])
        px, py, pz = px + o[0], py + o[1], pz + o[2]
        if p.f[r, F.in_body] == 1.0:
            tx, ty, tz = rotate(R, tx, ty, tz)
            fx, fy, fz = rotate(R, fx, fy, fz)
        add_pair(view, wrench, 0, b, px, py, pz, fx, fy, fz)
        add_torque_pair(wrench, 0, b, tx, ty, tz)
        vx, vy, vz = velocity_at(view, b, px, py, pz)
        power[0] += fx * vx + fy * vy + fz * vz + tx * w[0] + ty * w[1] + tz * w[2]


BODY_WRENCH = Bank("body_wrench", stage, COLUMNS, references={"body": Body}, commands=("wrench",))
