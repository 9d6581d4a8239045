"""Bank: joint drives, from the winding to the load. A row is one joint: motor, driver, gear, friction, brake, sensors.

The rotor's momentum h = J (Om + a.w) and its angle th are states of the plant; windings, bristle and hysteresis are
fast states, which `drive_step.advance` leaves. The gear's torque acts between the joint's links; the rotor reacts on
the stator's link, which has its mass and its transverse inertia.
"""

from __future__ import annotations

import math

from freefloat.kernels.bank import Bank, Body, Coordinate, Rate
from freefloat.kernels.drive_laws import (
    course,
    gear_torque,
    reading,
    reference_current,
    references,
    shapes,
    spring,
    stretched,
    stribeck,
    voltage,
    wind_up,
)
from freefloat.kernels.drive_row import (
    BRAKE,
    COLUMNS,
    COURSE,
    EFFORT,
    FAULT,
    IDEAL,
    LOST_RESOLVER,
    N_OUTPUTS,
    N_STATES,
    OPEN_PHASE,
    OUTPUTS,
    POSITION,
    RATE,
    STATES,
    STATOR,
    STUCK_BRAKE,
    F,
    S,
    Y,
)
from freefloat.kernels.drive_step import WORK, W, advance
from freefloat.kernels.handle import part
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.view import add_torque_pair, carried, rotate

HOLDS = 1e-6  # [s] a brake that could stop its rotor in less is taken to hold, where its torque of now is asked for


@inlined_kernel
def _torques(t, f, i, x, u, speed, q, qd, y, w, r):
    """Torque of the gear on the link, and of everything on the rotor [N m], as the states say; outputs into y.

    Cosines, sines and the wind-up go into row r of the scratch w, where `advance` finds those of the step's start.
    """
    N, K = f[F.ratio], f[F.torque_constant]
    angle = x[S.angle]
    c, s = 1.0, 0.0
    if f[F.pole_pairs] != 0.0:
        c, s = math.cos(f[F.pole_pairs] * angle), math.sin(f[F.pole_pairs] * angle)
    c2, s2 = math.cos(2.0 * angle), math.sin(2.0 * angle)
    fault = u[i[FAULT]] if i[FAULT] >= 0 else 0.0
    current = reference_current(f, u[i[EFFORT]], fault, x[S.held_current])
    wound, kap = wind_up(f, angle, q, c2, s2)
    w[W.wound, r], w[W.cos_e, r], w[W.sin_e, r], w[W.cos_2, r], w[W.sin_2, r] = wound, c, s, c2, s2
    stretch = stretched(f, wound)
    tau = gear_torque(f, stretch, kap * speed - qd, x[S.hysteresis])
    va = vb = 0.0
    motor = -f[F.viscous_motor] * speed
    if f[F.kind] == IDEAL:
        motor += K * current
        y[Y.power] = K * current * speed
    else:
        fa, fb = shapes(f, c, s)
        cr, sr = references(f, fault, c, s, s2)
        ia = 0.0 if fault == OPEN_PHASE else x[S.current_a]
        ib = x[S.current_b]
        if fault != OPEN_PHASE:
            va = voltage(f, ia, current * cr, x[S.integral_a], f[F.offset], f[F.gain])
        if f[F.pole_pairs] != 0.0:
            vb = voltage(f, ib, current * sr, x[S.integral_b], f[F.offset + 1], f[F.gain + 1])
        motor += K * (fa * ia + fb * ib)
        y[Y.power] = va * ia + vb * ib
    if f[F.cogging] > 0.0:
        cogs = f[F.cogging_count] * angle
        w[W.cos_c, r], w[W.sin_c, r] = math.cos(cogs), math.sin(cogs)
        motor -= f[F.cogging] * w[W.sin_c, r]
    friction = f[F.viscous] * speed / N
    if f[F.coulomb] > 0.0:
        v = speed / N
        g = f[F.coulomb] + stribeck(f, v)[0] + f[F.torque_loss] * abs(spring(f, stretch))
        s0, z = f[F.bristle_stiffness], x[S.bristle]
        friction += s0 * z + f[F.bristle_damping] * (v - s0 * abs(v) / g * z)
    T = motor - kap * tau - friction / N
    if i[COURSE] >= 0:
        ahead, back = course(u, i[COURSE], t + 1e-6)[1], course(u, i[COURSE], t)[1]
        T = f[F.inertia] * (ahead - back) / 1e-6
    elif f[F.brake] > 0.0 and (fault == STUCK_BRAKE or (i[BRAKE] >= 0 and u[i[BRAKE]] > 0.5)):
        held = abs(speed) * f[F.inertia] < f[F.brake] * HOLDS
        T = 0.0 if held else T - math.copysign(f[F.brake], speed)
    y[Y.speed], y[Y.torque_motor], y[Y.torque_gear] = speed, motor, tau
    y[Y.voltage_a], y[Y.voltage_b] = va, vb
    y[Y.motor_resolver] = reading(angle, f[F.motor_error], f[F.motor_quantum], s2) if fault != LOST_RESOLVER else 0.0
    y[Y.load_resolver] = reading(q, f[F.load_error], f[F.load_quantum], math.sin(2.0 * q))
    y[Y.torque_sensor] = reading(tau, 0.0, f[F.torque_quantum], 0.0)
    return tau, T


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """tau on the link; h' = T, th' = h/J - a.w; on the stator -T a - w x (h a). `advance` books work and heat."""
    inside = wrench.shape[0] - 1
    for r in range(p.i.shape[0]):
        f, i, xr, dxr = p.f[r], p.i[r], part(x, N_STATES * r, N_STATES), part(dx, N_STATES * r, N_STATES)
        b, dof = i[STATOR], i[RATE]
        w = view.cvel[b]
        ax, ay, az = rotate(view.xmat[b], f[F.axis], f[F.axis + 1], f[F.axis + 2])
        h = xr[S.momentum]
        speed = h / f[F.inertia] - (ax * w[0] + ay * w[1] + az * w[2])
        gear = T = 0.0
        if p.inside == 0:
            yr = part(y, N_OUTPUTS * r, N_OUTPUTS)
            gear, T = _torques(t, f, i, xr, u, speed, view.qpos[i[POSITION]], view.qvel[dof], yr, p.work, r)
        gear, T = carried(p, 2 * r, gear), carried(p, 2 * r + 1, T)
        tau[dof] += gear
        dxr[S.momentum], dxr[S.angle] = T, speed
        tx = -T * ax - h * (w[1] * az - w[2] * ay)
        ty = -T * ay - h * (w[2] * ax - w[0] * az)
        tz = -T * az - h * (w[0] * ay - w[1] * ax)
        add_torque_pair(wrench, inside, b, tx, ty, tz)


@kernel
def stored(p, x, view, energy):
    """Energy [J] of rotors (spin), springs, bristles, hysteresis and windings, and in the field that cogs."""
    total = 0.0
    for r in range(p.i.shape[0]):
        f, i, xr = p.f[r], p.i[r], part(x, N_STATES * r, N_STATES)
        c2, s2 = math.cos(2.0 * xr[S.angle]), math.sin(2.0 * xr[S.angle])
        stretch = stretched(f, wind_up(f, xr[S.angle], view.qpos[i[POSITION]], c2, s2)[0])
        squared = stretch * stretch
        total += 0.5 * xr[S.momentum] ** 2 / f[F.inertia]
        total += 0.5 * f[F.stiffness] * squared + 0.25 * f[F.cubic] * squared * squared
        total += 0.5 * f[F.inductance] * (xr[S.current_a] ** 2 + xr[S.current_b] ** 2)
        total += 0.5 * f[F.bristle_stiffness] * xr[S.bristle] ** 2
        total += 0.5 * xr[S.hysteresis] ** 2 / f[F.hysteresis_stiffness]
        if f[F.cogging] > 0.0:
            total -= f[F.cogging] / f[F.cogging_count] * math.cos(f[F.cogging_count] * xr[S.angle])
    energy[0] += total


DRIVE = Bank(
    "drive",
    stage,
    COLUMNS,
    references={"stator": Body, "position": Coordinate, "rate": Rate},
    commands=("command", "brake_command", "fault", "course"),
    states=STATES,
    outputs=OUTPUTS,
    advance=advance,
    stored=stored,
    carried=("gear", "rotor"),
    answers=("rate", "stator"),
    work=len(WORK),
)
