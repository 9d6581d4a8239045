"""Bank: reaction wheels. Mass and transverse inertia belong to the wheel's body; the spin is a state of the bank."""

from __future__ import annotations

import math

from freefloat.kernels.bank import Bank, Body, Column, State, places
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_force, add_torque_pair, rotate, velocity_at

COLUMNS = (
    Column("axis", size=3, meaning="unit vector", frame="B"),
    Column("inertia", "kg m^2", meaning="about the axis"),
    Column("max_torque", "N m", default=math.inf),
    Column("max_speed", "rad/s", default=math.inf),
    Column("viscous", "N m s/rad", default=0.0),
    Column("dry", "N m", default=0.0),
    Column("static_imbalance", "kg m", default=0.0),
    Column("dynamic_imbalance", "kg m^2", default=0.0),
    Column("p_BP", "m", 3, "centre of the wheel", 0.0, "B"),
    Column("across", size=3, meaning="unit vector across the axis", frame="B"),
    Column("speed_lag", "s", meaning="of the speed loop; 0: the command is a torque", default=0.0),
)
F = places(COLUMNS)

DRY_WIDTH = 0.1  # [rad/s] over which dry friction turns its sign


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """h' = T, and on the body -T a - w x (h a), T motor torque less friction (Hughes, Spacecraft Attitude Dynamics).

    Omega = h / J - a . w is the speed that motor and friction see; at the speed limit the motor drives no further. With
    a speed loop the motor's torque is J (command - Omega) / lag, within its limit.
    An imbalance adds the rotating force Us Omega^2 and couple Ud Omega^2. What the rotor takes up enters the last row
    of `wrench`: momentum kept inside.
    """
    inside = wrench.shape[0] - 1
    for r in range(p.i.shape[0]):
        f, b = p.f[r], p.i[r, 0]
        R, o, w = view.xmat[b], view.xpos[b], view.cvel[b]
        ax, ay, az = rotate(R, f[F.axis], f[F.axis + 1], f[F.axis + 2])
        h = x[2 * r]
        speed = h / f[F.inertia] - (ax * w[0] + ay * w[1] + az * w[2])
        command = u[p.i[r, 1]]
        if f[F.speed_lag] > 0.0:
            command = f[F.inertia] * (command - speed) / f[F.speed_lag]
        motor = min(max(command, -f[F.max_torque]), f[F.max_torque])
        friction = f[F.viscous] * speed + f[F.dry] * math.tanh(speed / DRY_WIDTH)
        if speed >= f[F.max_speed]:
            motor = min(motor, friction)
        elif speed <= -f[F.max_speed]:
            motor = max(motor, friction)
        T = motor - friction
        dx[2 * r] = T
        dx[2 * r + 1] = speed
        y[2 * r] = speed
        y[2 * r + 1] = motor
        power[0] += motor * speed
        power[1] += T * h / f[F.inertia]
        power[2] += friction * speed
        tx = -T * ax - h * (w[1] * az - w[2] * ay)
        ty = -T * ay - h * (w[2] * ax - w[0] * az)
        tz = -T * az - h * (w[0] * ay - w[1] * ax)
        if f[F.static_imbalance] != 0.0 or f[F.dynamic_imbalance] != 0.0:
            ex, ey, ez = rotate(R, f[F.across], f[F.across + 1], f[F.across + 2])
            c, s = math.cos(x[2 * r + 1]), math.sin(x[2 * r + 1])
            nx = c * ex + s * (ay * ez - az * ey)
            ny = c * ey + s * (az * ex - ax * ez)
            nz = c * ez + s * (ax * ey - ay * ex)
            px, py, pz = rotate(R, f[F.p_BP], f[F.p_BP + 1], f[F.p_BP + 2])
            px, py, pz = px + o[0], py + o[1], pz + o[2]
            force, couple = f[F.static_imbalance] * speed * speed, f[F.dynamic_imbalance] * speed * speed
            fx, fy, fz = force * nx, force * ny, force * nz
            add_force(view, wrench, b, px, py, pz, fx, fy, fz)
            rx, ry, rz = px - view.xipos[0, 0], py - view.xipos[0, 1], pz - view.xipos[0, 2]
            wrench[inside, 0] -= ry * fz - rz * fy
            wrench[inside, 1] -= rz * fx - rx * fz
            wrench[inside, 2] -= rx * fy - ry * fx
            wrench[inside, 3] -= fx
            wrench[inside, 4] -= fy
            wrench[inside, 5] -= fz
            tx, ty, tz = tx + couple * nx, ty + couple * ny, tz + couple * nz
            v = velocity_at(view, b, px, py, pz)
            power[0] += fx * v[0] + fy * v[1] + fz * v[2] + couple * (nx * w[0] + ny * w[1] + nz * w[2])
        add_torque_pair(wrench, inside, b, tx, ty, tz)


WHEEL = Bank(
    "wheel",
    stage,
    COLUMNS,
    references={"body": Body},
    commands=("motor",),
    states=(
        State("momentum", "N m s", meaning="J (Omega + a . w)"),
        State("angle", "rad", meaning="spin angle"),
    ),
    outputs=(Column("speed", "rad/s", meaning="Omega"), Column("torque", "N m", meaning="of the motor")),
)
