"""Bank: reaction wheels. Mass and transverse inertia belong to the wheel's body; the spin is a state of the bank."""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_force, rotate, velocity_at

# f: [axis a_B (3), axial inertia J, torque limit, speed limit, viscous friction, dry friction,
#     static imbalance (kg m), dynamic imbalance (kg m^2), p_BP (3) of the wheel's centre, e_B (3) across the axis,
#     lag of the speed loop (0: the command is a torque)]
# i: [body, command]; x: [h = J (Omega + a . w), spin angle]; y: [speed Omega, motor torque]

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
        ax, ay, az = rotate(R, f[0], f[1], f[2])
        h = x[2 * r]
        speed = h / f[3] - (ax * w[0] + ay * w[1] + az * w[2])
        command = u[p.i[r, 1]]
        if f[16] > 0.0:
            command = f[3] * (command - speed) / f[16]
        motor = min(max(command, -f[4]), f[4])
        friction = f[6] * speed + f[7] * math.tanh(speed / DRY_WIDTH)
        if speed >= f[5]:
            motor = min(motor, friction)
        elif speed <= -f[5]:
            motor = max(motor, friction)
        T = motor - friction
        dx[2 * r] = T
        dx[2 * r + 1] = speed
        y[2 * r] = speed
        y[2 * r + 1] = motor
        power[0] += motor * speed
        power[1] += T * h / f[3]
        power[2] += friction * speed
        tx = -T * ax - h * (w[1] * az - w[2] * ay)
        ty = -T * ay - h * (w[2] * ax - w[0] * az)
        tz = -T * az - h * (w[0] * ay - w[1] * ax)
        if f[8] != 0.0 or f[9] != 0.0:
            ex, ey, ez = rotate(R, f[13], f[14], f[15])
            c, s = math.cos(x[2 * r + 1]), math.sin(x[2 * r + 1])
            nx = c * ex + s * (ay * ez - az * ey)
            ny = c * ey + s * (az * ex - ax * ez)
            nz = c * ez + s * (ax * ey - ay * ex)
            px, py, pz = rotate(R, f[10], f[11], f[12])
            px, py, pz = px + o[0], py + o[1], pz + o[2]
            force, couple = f[8] * speed * speed, f[9] * speed * speed
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
        wrench[b, 0] += tx
        wrench[b, 1] += ty
        wrench[b, 2] += tz
        wrench[inside, 0] -= tx
        wrench[inside, 1] -= ty
        wrench[inside, 2] -= tz
