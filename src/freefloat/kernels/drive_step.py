"""The sub-steps of joint drives: windings, friction, gears and rotors advance together inside one step of the plant.

A sub-step d is an implicit midpoint rule in currents, speeds and the gear's spring; bristle and hysteresis are exact up
to the middle. For the currents the rule is fitted to their turning: with x half the electrical angle that a sub-step
turns, the mean of both ends is cos x times the middle, and their difference is that of a sub-step d tan x / x; so what
turns steadily is exact. The links answer within the step through the columns of M^-1:
q'' = q''(0) + M^-1 (tau - tau(0)) over the driven joints; the stator's own rate goes on as a.w + s a.w'.
A sub-step balances its energy: v i = R i^2 + (L i^2 / 2)' + K f i Om at the middle, likewise a linear spring. What the
plant gets is the impulse and the first moment of the gear's torque and of the rotor's, from which its own stages find the
same momentum and angle of the rotor.
"""

from __future__ import annotations

import math

from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Column, places
from freefloat.kernels.drive_laws import (
    bristle,
    course,
    dahl,
    gear_torque,
    reference_current,
    references,
    resistance,
    shapes,
    spring,
    stretched,
    stribeck,
    voltage,
    wind_up,
)
from freefloat.kernels.drive_row import (
    BRAKE,
    COURSE,
    CURRENT_LOOPS,
    EFFORT,
    FAULT,
    IDEAL,
    N_STATES,
    OPEN_PHASE,
    POSITION,
    RATE,
    STATOR,
    STUCK_BRAKE,
    F,
    S,
)
from freefloat.kernels.handle import part
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.view import rotate

# scratch of a row through a step
WORK = tuple(
    Column(n)
    for n in (
        "q",  # of the link
        "qd",
        "qdd",
        "tau",  # of the gear
        "tau0",  # at the start of the step
        "angle",  # of the rotor
        "momentum",
        "frame_rate",  # a.w of the stator at the start
        "frame_acceleration",  # a.w'
        "torque",  # on the rotor
        "amplitude",  # I
        "resistance",
        "wound",  # wind-up where the hysteresis stands
        "fault",
        "braked",  # 1 where the brake is to hold; 2 once it has slipped in this step
        "lag",  # [s] by which the bristle is behind the middle of the next sub-step
    )
)
W = places(WORK)


@inlined_kernel
def _fitted(x):
    """tan x / x and cos x; beyond 1.2 those of 1.2, where a sub-step turns too far to be exact."""
    if abs(x) < 0.3:
        y = x * x
        tangent = 1.0 + y * (1 / 3 + y * (2 / 15 + y * (17 / 315 + y * (62 / 2835 + y * 1382 / 155925))))
        return tangent, 1.0 - y * (1 / 2 - y * (1 / 24 - y * (1 / 720 - y * (1 / 40320 - y / 3628800))))
    x = min(abs(x), 1.2)
    return math.tan(x) / x, math.cos(x)


@inlined_kernel
def _phase(f, d, R, i, integral, reference, offset, gain, back, rate, open_phase):
    """A winding over a sub-step, means of both ends: i = a - b Om_mid as (a, b), v = v0 - v1 i, integral = x0 - x1 i.

    `back` = K f_X and `reference` are means too; `rate` predicts Om_mid, by which saturation is decided.
    """
    if open_phase:
        return 0.0, 0.0, 0.0, 0.0, integral, 0.0
    stiff = 2.0 * f[F.inductance] / d
    if f[F.kind] == CURRENT_LOOPS:
        kp, half = f[F.kp], 0.5 * d * f[F.ki]
        told, grown = reference - offset, 1.0 + gain
        G = (kp + half) * grown
        v0 = integral + (kp + half) * told
        by = 1.0 / (stiff + R + G)
        a, b = (stiff * i + v0) * by, back * by
        v = v0 - G * (a - b * rate)
        if abs(v) <= f[F.supply]:
            return a, b, v0, G, integral + half * told, half * grown
        v = math.copysign(f[F.supply], v)
        decay = half / kp if kp > 0.0 else 0.0  # d/2 times ki / kp: the integrator follows the limited voltage
        integral = (integral + decay * v) / (1.0 + decay)
    else:
        v = voltage(f, i, reference, integral, offset, gain)
    by = 1.0 / (stiff + R)
    return (stiff * i + v) * by, back * by, v, 0.0, integral, 0.0


@inlined_kernel
def _start(h, d, p, x, u, view, answer, new, r, w, booked):
    """Scratch of row r at the start of the step."""
    f, i, xr = p.f[r], p.i[r], part(x, N_STATES * r, N_STATES)
    b, dof = i[STATOR], i[RATE]
    ax, ay, az = rotate(view.xmat[b], f[F.axis], f[F.axis + 1], f[F.axis + 2])
    v, a = view.cvel[b], answer.cacc[b]
    w[W.q, r], w[W.qd, r], w[W.qdd, r] = view.qpos[i[POSITION]], view.qvel[dof], answer.qacc[dof]
    w[W.tau, r] = w[W.tau0, r] = p.forces[2 * r]
    w[W.angle, r], w[W.momentum, r] = xr[S.angle], xr[S.momentum]
    w[W.frame_rate, r] = ax * v[0] + ay * v[1] + az * v[2]
    w[W.frame_acceleration, r] = ax * a[0] + ay * a[1] + az * a[2]
    w[W.torque, r] = p.forces[2 * r + 1]
    fault = u[i[FAULT]] if i[FAULT] >= 0 else 0.0
    w[W.fault, r] = fault
    w[W.amplitude, r] = reference_current(f, u[i[EFFORT]], fault, xr[S.held_current])
    warming = f[F.thermal_capacity] * f[F.thermal_resistance]
    R = resistance(f, xr[S.temperature])
    heating = R * (xr[S.current_a] ** 2 + xr[S.current_b] ** 2) / f[F.thermal_capacity]
    middle = xr[S.temperature] + 0.5 * h * (heating - (xr[S.temperature] - f[F.ambient]) / warming)
    w[W.resistance, r] = resistance(f, middle)
    w[W.wound, r] = wind_up(f, xr[S.angle], w[W.q, r])[0]
    engaged = fault == STUCK_BRAKE or (i[BRAKE] >= 0 and u[i[BRAKE]] > 0.5)
    w[W.braked, r] = 1.0 if engaged and f[F.brake] > 0.0 else 0.0
    w[W.lag, r] = 0.5 * d
    if fault == OPEN_PHASE and xr[S.current_a] != 0.0:  # what the winding held burns where it was cut
        booked[BOOK.heat] += 0.5 * f[F.inductance] * xr[S.current_a] ** 2
        new[N_STATES * r + S.current_a] = 0.0


@inlined_kernel
def _wanted_speed(t, h, d, k, m, w, r, lock, first, u):
    """Speed [rad/s] that an imposed course, or a brake that holds at `lock`, wants at the end of the sub-step k of m.

    What the angle is off is made up for before the end of the step.
    """
    angle, speed = lock, 0.0
    if first >= 0:
        angle, speed = course(u, first, t + k * d)[0], course(u, first, t + (k + 1) * d)[1]
    if k + 1 < m:
        speed += (angle - w[W.angle, r]) / (h - k * d)
    return speed


@inlined_kernel
def _sub_step(t, h, d, k, m, p, u, answer, new, r, w, impulse, moment, booked):
    """Torques of row r over the sub-step k of m, and all its own states but angle and momentum at its end."""
    f, i, xr = p.f[r], p.i[r], part(new, N_STATES * r, N_STATES)
    J, N, K, fault = f[F.inertia], f[F.ratio], f[F.torque_constant], w[W.fault, r]
    awd = w[W.frame_acceleration, r]
    speed = w[W.momentum, r] / J - w[W.frame_rate, r] - k * d * awd
    rate = speed + 0.5 * d * (w[W.torque, r] / J - awd)  # of the middle, predicted
    angle, q = w[W.angle, r] + 0.5 * d * speed, w[W.q, r] + 0.5 * d * w[W.qd, r]

    wound, kap = wind_up(f, angle, q)
    stretch = stretched(f, wound)
    held = 0.0
    if f[F.hysteresis] > 0.0:
        held = dahl(f, xr[S.hysteresis], wound - w[W.wound, r])
        w[W.wound, r] = wound
        xr[S.hysteresis] = held
    sprung = spring(f, stretch)

    # T = push - drag Om_mid - kap tau
    push, drag = 0.0, f[F.viscous_motor]
    slip = 0.0
    if f[F.coulomb] > 0.0:
        v, load = speed / N, spring(f, stretched(f, wound - 0.5 * d * (kap * speed - w[W.qd, r])))
        near, slope = stribeck(f, v)
        g = f[F.coulomb] + near + f[F.torque_loss] * abs(load)
        z = bristle(f, xr[S.bristle], v, g, w[W.lag, r])
        w[W.lag, r] = d
        xr[S.bristle] = z
        g += slope * (rate / N - v) + f[F.torque_loss] * (abs(sprung) - abs(load))  # at the middle
        slip = f[F.bristle_stiffness] * z * (1.0 - f[F.bristle_damping] * abs(rate / N) / max(g, f[F.coulomb]))
        push -= slip / N
        viscous = f[F.bristle_damping] + f[F.viscous]
    else:
        viscous = f[F.viscous]
    drag += viscous / (N * N)
    if f[F.cogging] > 0.0:
        x = 0.5 * f[F.cogging_count] * d * rate  # mean of the sine over the sub-step
        push -= f[F.cogging] * math.sin(f[F.cogging_count] * angle) * (
            math.sin(x) / x if abs(x) > 0.1 else 1.0 - x * x / 6.0 * (1.0 - x * x / 20.0 * (1.0 - x * x / 42.0))
        )
    I, R = w[W.amplitude, r], w[W.resistance, r]
    ideal = f[F.kind] == IDEAL
    fa = fb = 0.0
    longer = turned = 1.0
    aa = ba = ab = bb = va = ga = vb = gb = xa = ha = xb = hb = 0.0
    if ideal:
        push += K * I
    else:
        if f[F.pole_pairs] == 0.0:
            c, s = 1.0, 0.0
        else:
            c, s = math.cos(f[F.pole_pairs] * angle), math.sin(f[F.pole_pairs] * angle)
        longer, turned = _fitted(0.5 * f[F.pole_pairs] * rate * d)
        fa, fb = shapes(f, c, s)
        cr, sr = references(f, fault, c, s, angle)
        ca, cb = K * fa * turned, K * fb * turned
        mean = I * turned
        aa, ba, va, ga, xa, ha = _phase(
            f, d * longer, R, xr[S.current_a], xr[S.integral_a], mean * cr, f[F.offset], f[F.gain], ca, rate, fault == OPEN_PHASE
        )
        Ka = K * fa / turned
        push += Ka * aa
        drag += Ka * ba
        if f[F.pole_pairs] != 0.0:
            ab, bb, vb, gb, xb, hb = _phase(
                f, d * longer, R, xr[S.current_b], xr[S.integral_b], mean * sr, f[F.offset + 1], f[F.gain + 1], cb, rate, False
            )
            Kb = K * fb / turned
            push += Kb * ab
            drag += Kb * bb

    # tau = A + B kap Om_mid, the link answering by the diagonal of M^-1
    own = answer.minv[r, i[RATE]]
    others = w[W.qdd, r] - own * w[W.tau, r]  # q'' but for this joint's torque
    b, k_half = f[F.damping], 0.5 * d * (f[F.stiffness] + 3.0 * f[F.cubic] * stretch * stretch)
    if f[F.gap] > 0.0 and gear_torque(f, stretch, kap * rate - w[W.qd, r], 0.0) == 0.0:
        b = k_half = sprung = 0.0
    sprung -= k_half * (kap * speed - w[W.qd, r])  # where the wind-up rate stood still; k_half times the rate comes back
    b += k_half
    share = 1.0 / (1.0 + 0.5 * d * b * own)
    A, B = share * (sprung + held - b * (w[W.qd, r] + 0.5 * d * others)), share * b
    middle = (speed - 0.5 * d * awd + 0.5 * d / J * (push - kap * A)) / (1.0 + 0.5 * d / J * (drag + kap * kap * B))
    brake = driven = 0.0
    if i[COURSE] >= 0 or w[W.braked, r] > 0.0:
        wanted = _wanted_speed(t, h, d, k, m, w, r, xr[S.lock], i[COURSE], u)
        at = 0.5 * (speed + wanted)
        needed = J * ((wanted - speed) / d + awd)
        outside = needed - (push - drag * at - kap * (A + B * kap * at))
        if i[COURSE] >= 0:
            driven, middle = outside, at
        elif abs(outside) <= f[F.brake]:
            brake, middle = -outside, at
        else:
            brake = math.copysign(f[F.brake], -outside)
            w[W.braked, r] = 2.0
            middle += -0.5 * d / J * brake / (1.0 + 0.5 * d / J * (drag + kap * kap * B))
    tau = A + B * kap * middle
    T = push - drag * middle - kap * tau - brake + driven
    w[W.tau, r], w[W.torque, r] = tau, T
    w[W.momentum, r] += d * T
    end = w[W.momentum, r] / J - w[W.frame_rate, r] - (k + 1) * d * awd
    w[W.angle, r] += 0.5 * d * (speed + end)

    late = h - (k + 0.5) * d
    impulse[2 * r] += d * tau
    moment[2 * r] += d * late * tau
    impulse[2 * r + 1] += d * T
    moment[2 * r + 1] += d * late * T

    copper = 0.0
    if ideal:
        electric = K * I * middle
    else:
        ia, ib = aa - ba * middle, ab - bb * middle
        swings = longer * turned * turned  # share of the sub-step that what turns to and fro counts for: sin 2x / 2x
        ia, ib = ia / turned, ib / turned
        copper = R * (ia * ia + ib * ib)
        given = (va - ga * ia * turned) / turned * ia + (vb - gb * ib * turned) / turned * ib
        electric = swings * given + (1.0 - swings) * (copper + K * (fa * ia + fb * ib) * middle)
        ia, ib = ia * turned, ib * turned
        xr[S.current_a], xr[S.current_b] = 2.0 * ia - xr[S.current_a], 2.0 * ib - xr[S.current_b]
        xr[S.integral_a] = 2.0 * (xa - ha * ia) - xr[S.integral_a]
        xr[S.integral_b] = 2.0 * (xb - hb * ib) - xr[S.integral_b]
    # what friction, gear and brake take: work of the sub-step, from which the springs' own energy is taken at its end
    turning = middle / N
    unwinding = kap * middle - w[W.qd, r] - 0.5 * d * (others + own * tau)
    rubbed = (slip + viscous * turning) * turning + f[F.viscous_motor] * middle * middle + brake * middle
    rubbed += (tau - sprung - k_half * unwinding) * unwinding
    xr[S.energy] += d * electric
    xr[S.copper_heat] += d * copper
    xr[S.friction_heat] += d * rubbed
    booked[BOOK.work_supplied] += d * (electric + driven * middle)
    booked[BOOK.heat] += d * (copper + rubbed)


@kernel
def advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    """All drives over the step h; `impulse` and `moment` are those of the gear's torque and of the rotor's."""
    n, w = p.i.shape[0], p.work
    m = 1
    for r in range(n):
        m = max(m, int(p.f[r, F.substeps]))
    d = h / m
    for r in range(n):
        _start(h, d, p, x, u, view, answer, new, r, w, booked)
        impulse[2 * r] = moment[2 * r] = impulse[2 * r + 1] = moment[2 * r + 1] = 0.0
    for k in range(m):
        for r in range(n):
            _sub_step(t, h, d, k, m, p, u, answer, new, r, w, impulse, moment, booked)
        for r in range(n):
            dof = p.i[r, RATE]
            a = answer.qacc[dof]
            for c in range(n):
                a += answer.minv[c, dof] * (w[W.tau, c] - w[W.tau0, c])
            w[W.qdd, r] = a
            w[W.q, r] += d * (w[W.qd, r] + 0.5 * d * a)
            w[W.qd, r] += d * a
    for r in range(n):
        _finish(h, d, p, x, new, r, w, booked)


@inlined_kernel
def _finish(h, d, p, x, new, r, w, booked):
    """Bristle and hysteresis of row r go on to the end of the step; temperature, lock, energy of the springs."""
    f, xr, old = p.f[r], part(new, N_STATES * r, N_STATES), part(x, N_STATES * r, N_STATES)
    J = f[F.inertia]
    speed = w[W.momentum, r] / J - w[W.frame_rate, r] - h * w[W.frame_acceleration, r]
    wound = wind_up(f, w[W.angle, r], w[W.q, r])[0]
    kept = 0.0
    if f[F.hysteresis] > 0.0:
        xr[S.hysteresis] = dahl(f, xr[S.hysteresis], wound - w[W.wound, r])
        kept += 0.5 * (xr[S.hysteresis] ** 2 - old[S.hysteresis] ** 2) / f[F.hysteresis_stiffness]
    if f[F.coulomb] > 0.0:
        v = speed / f[F.ratio]
        g = f[F.coulomb] + stribeck(f, v)[0] + f[F.torque_loss] * abs(spring(f, stretched(f, wound)))
        xr[S.bristle] = bristle(f, xr[S.bristle], v, g, 0.5 * d)
        kept += 0.5 * f[F.bristle_stiffness] * (xr[S.bristle] ** 2 - old[S.bristle] ** 2)
    xr[S.friction_heat] -= kept
    booked[BOOK.heat] -= kept
    half = 0.5 * h / (f[F.thermal_capacity] * f[F.thermal_resistance])
    heated = (xr[S.copper_heat] - old[S.copper_heat]) / f[F.thermal_capacity]
    xr[S.temperature] = (old[S.temperature] * (1.0 - half) + heated + 2.0 * half * f[F.ambient]) / (1.0 + half)
    if w[W.braked, r] != 1.0:
        xr[S.lock] = w[W.angle, r]
    xr[S.held_current] = w[W.amplitude, r]
