"""The sub-steps of joint drives: windings, friction, gears and rotors advance together inside one step of the plant.

A sub-step d is an implicit midpoint rule in currents, speeds and the gear's spring; bristle and hysteresis are exact up
to the middle. For the currents the rule is fitted to their turning: with x half the electrical angle that a sub-step
turns, the mean of both ends is cos x times the middle, and their difference is that of a sub-step d tan x / x; so what
turns steadily is exact. Links and stators answer within the step, as M^-1 says, to torques that have changed by dtau
(gears) and dT (rotors) since its start: q'' = q''(0) + M^-1 dtau - C^T dT, (a.w)' = (a.w)'(0) + C dtau - E dT, with the
rows A of unit torques on the stators about their axes, C = A M^-1 and of E = A M^-1 A^T the diagonal, which is all that
counts. A sub-step balances its energy: v i = R i^2 + (L i^2 / 2)' + K f i Om, likewise a linear spring.

The plant gets impulse and first moment of the gear's torque and of the rotor's, from which its own stages find the same
momentum and angle of the rotor. Second order in the step.
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
    turned_by,
    wind_up,
)
from freefloat.kernels.drive_row import (
    BRAKE,
    COURSE,
    CURRENT_LOOPS,
    EFFORT,
    FAULT,
    FEWEST,
    IDEAL,
    LARGEST_PHASE,
    LARGEST_SHARE,
    N_STATES,
    OPEN_PHASE,
    POSITION,
    RATE,
    STATOR,
    STUCK_BRAKE,
    F,
    S,
)
from freefloat.kernels.drive_winding import fitted, phase, sinc
from freefloat.kernels.handle import part
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.view import rotate

WORK = tuple(
    Column(n)
    for n in (
        "q",  # of the link: angle, rate, acceleration
        "qd",
        "qdd",
        "frame",  # of the stator about the axis: rate, acceleration
        "frame_d",
        "frame_d0",  # at the start of the step
        "tau",  # of the gear now, and at the start of the step
        "tau0",
        "torque",  # on the rotor now, and at the start
        "torque0",
        "angle",  # of the rotor
        "momentum",
        "amplitude",  # I
        "resistance",
        "wound",  # wind-up where the hysteresis stands
        "fault",
        "braked",  # 1 where the brake is to hold; 2 once it has slipped in this step
        "phasor",  # the angle at which the cosines and sines below stand
        "cos_e",  # of the electrical angle
        "sin_e",
        "cos_2",  # of twice the angle
        "sin_2",
        "cogs",  # the angle at which those of the cogging stand
        "cos_c",
        "sin_c",
        "yielding",  # what a torque of the rotor does to its stator's rate
    )
)
W = places(WORK)
MOST_SUB_STEPS = 1e6  # of a step
LEAST_SLIP = 1e-9  # [rad] of a brake in a step
N_WORK = len(WORK)  # rows of scratch before the square matrices M^-1, C and C^T among the drives


@inlined_kernel
def _start(h, p, x, u, view, answer, new, r, booked):
    """Scratch of row r at the start of the step."""
    f, i, xr, w = p.f[r], p.i[r], part(x, N_STATES * r, N_STATES), p.work
    b, dof, angle = i[STATOR], i[RATE], xr[S.angle]
    ax, ay, az = rotate(view.xmat[b], f[F.axis], f[F.axis + 1], f[F.axis + 2])
    v, a = view.cvel[b], answer.cacc[b]
    w[W.q, r], w[W.qd, r], w[W.qdd, r] = view.qpos[i[POSITION]], view.qvel[dof], answer.qacc[dof]
    w[W.tau, r] = w[W.tau0, r] = p.forces[2 * r]
    w[W.torque, r] = w[W.torque0, r] = p.forces[2 * r + 1]
    w[W.angle, r], w[W.momentum, r] = angle, xr[S.momentum]
    w[W.frame, r] = ax * v[0] + ay * v[1] + az * v[2]
    w[W.frame_d, r] = w[W.frame_d0, r] = ax * a[0] + ay * a[1] + az * a[2]
    fault = u[i[FAULT]] if i[FAULT] >= 0 else 0.0
    w[W.fault, r] = fault
    w[W.amplitude, r] = reference_current(f, u[i[EFFORT]], fault, xr[S.held_current])
    R = resistance(f, xr[S.temperature])
    heating = R * (xr[S.current_a] ** 2 + xr[S.current_b] ** 2)
    heating -= (xr[S.temperature] - f[F.ambient]) / f[F.thermal_resistance]
    w[W.resistance, r] = resistance(f, xr[S.temperature] + 0.5 * h * heating / f[F.thermal_capacity])
    engaged = fault == STUCK_BRAKE or (i[BRAKE] >= 0 and u[i[BRAKE]] > 0.5)
    w[W.braked, r] = 1.0 if engaged and f[F.brake] > 0.0 else 0.0
    w[W.phasor, r], w[W.cogs, r] = angle, f[F.cogging_count] * angle
    if fault == OPEN_PHASE and xr[S.current_a] != 0.0:  # what the winding held burns where it was cut
        burnt = 0.5 * f[F.inductance] * xr[S.current_a] ** 2
        booked[BOOK.heat] += burnt
        new[N_STATES * r + S.friction_heat] += burnt
        new[N_STATES * r + S.current_a] = 0.0
    _couplings(p, answer, r)


@inlined_kernel
def _couplings(p, answer, r):
    """Columns r of M^-1, C and C^T among the drives, with the other drive as the first index; and E_rr."""
    w, n, dof, turn, answers = p.work, p.i.shape[0], p.i[r, RATE], answer.efforts[2 * r + 1], answer.minv[2 * r + 1]
    for c in range(n):
        w[N_WORK + c, r] = answer.minv[2 * c, dof]
        w[N_WORK + n + c, r] = answer.minv[2 * c + 1, dof]
        w[N_WORK + 2 * n + c, r] = answers[p.i[c, RATE]]
    total = 0.0
    for i in range(turn.shape[0]):
        total += turn[i] * answers[i]
    w[W.yielding, r] = total


@inlined_kernel
def _sub_steps(f, h, own):
    """How many sub-steps a drive needs of the step h; `own` is what a torque at its joint does to q''."""
    if f[F.substeps] > 0.0:
        return int(f[F.substeps])
    reflected = 1.0 / (f[F.inertia] * f[F.ratio] ** 2)
    fastest = math.sqrt(f[F.stiffness] * (own + reflected)) / LARGEST_PHASE
    if f[F.kind] != IDEAL:
        kp = f[F.kp] if f[F.kind] == CURRENT_LOOPS else 0.0
        fastest = max(fastest, (f[F.resistance] + kp) / (LARGEST_SHARE * f[F.inductance]), FEWEST / h)
    return math.ceil(min(h * fastest, MOST_SUB_STEPS) - 1e-9)


@inlined_kernel
def _wanted_speed(t, h, d, k, m, angle, lock, first, u):
    """Speed [rad/s] that an imposed course, or a brake that holds at `lock`, wants at the end of the sub-step k of m.

    What the angle is off is made up for before the end of the step.
    """
    wanted, speed = lock, 0.0
    if first >= 0:
        wanted, speed = course(u, first, t + k * d)[0], course(u, first, t + (k + 1) * d)[1]
    if k + 1 < m:
        speed += (wanted - angle) / (h - k * d)
    return speed


@inlined_kernel
def _sub_step(t, h, d, k, m, p, u, new, r, impulse, moment, booked):
    """Torques of row r over the sub-step k of m, and its own states at its end."""
    f, i, xr, w = p.f[r], p.i[r], part(new, N_STATES * r, N_STATES), p.work
    per_J, per_N, K, fault = 1.0 / f[F.inertia], 1.0 / f[F.ratio], f[F.torque_constant], w[W.fault, r]
    frame_d, qd = w[W.frame_d, r], w[W.qd, r]
    speed = w[W.momentum, r] * per_J - w[W.frame, r]
    rate = speed + 0.5 * d * (w[W.torque, r] * per_J - frame_d)  # of the middle, predicted
    angle, q = w[W.angle, r] + 0.5 * d * speed, w[W.q, r] + 0.5 * d * qd
    moved = angle - w[W.phasor, r]
    w[W.phasor, r] = angle

    # the gear: wind-up, what its spring and its hysteresis hold
    if f[F.kinematic_error] != 0.0 or f[F.motor_error] != 0.0:
        w[W.cos_2, r], w[W.sin_2, r] = turned_by(w[W.cos_2, r], w[W.sin_2, r], 2.0 * moved)
    wound, kap = wind_up(f, angle, q, w[W.cos_2, r], w[W.sin_2, r])
    stretch = stretched(f, wound)
    sprung = spring(f, stretch)
    held = 0.0
    if f[F.hysteresis] > 0.0:
        held = dahl(f, xr[S.hysteresis], wound - w[W.wound, r])
        w[W.wound, r] = wound
        xr[S.hysteresis] = held

    # T = push - drag Om_mid - kap tau
    push, slip, viscous = 0.0, 0.0, f[F.viscous]
    if f[F.coulomb] > 0.0:
        v, load = speed * per_N, abs(spring(f, stretched(f, wound - 0.5 * d * (kap * speed - qd))))
        near, slope = stribeck(f, v)
        g = f[F.coulomb] + near + f[F.torque_loss] * load
        z = bristle(f, xr[S.bristle], v, g, d if k > 0 else 0.5 * d)
        xr[S.bristle] = z
        g += slope * (rate * per_N - v) + f[F.torque_loss] * (abs(sprung) - load)  # at the middle
        slip = f[F.bristle_stiffness] * z * (1.0 - f[F.bristle_damping] * abs(rate * per_N) / max(g, f[F.coulomb]))
        push -= slip * per_N
        viscous += f[F.bristle_damping]
    rubs = f[F.viscous_motor] + viscous * per_N * per_N
    drag = rubs
    if f[F.cogging] > 0.0:  # mean over the way of the sub-step, so that its work is the change of a potential
        half_turn = 0.5 * d * f[F.cogging_count]
        at, most = f[F.cogging_count] * w[W.angle, r] + half_turn * rate, f[F.cogging] * sinc(half_turn * rate)
        w[W.cos_c, r], w[W.sin_c, r] = turned_by(w[W.cos_c, r], w[W.sin_c, r], at - w[W.cogs, r])
        w[W.cogs, r] = at
        slope = most * half_turn * w[W.cos_c, r]
        push -= most * w[W.sin_c, r] - slope * rate
        drag += slope
    amplitude, R = w[W.amplitude, r], w[W.resistance, r]
    ideal, fa, fb = f[F.kind] == IDEAL, 1.0, 0.0
    longer = turned = per_turned = 1.0
    aa = ba = ab = bb = va = ga = vb = gb = xa = ha = xb = hb = 0.0
    if ideal:
        push += K * amplitude
    else:
        cr, sr = 1.0, 0.0
        two = f[F.pole_pairs] != 0.0
        if two:
            w[W.cos_e, r], w[W.sin_e, r] = turned_by(w[W.cos_e, r], w[W.sin_e, r], f[F.pole_pairs] * moved)
            longer, turned = fitted(0.5 * f[F.pole_pairs] * rate * d)
            per_turned = 1.0 / turned
            fa, fb = shapes(f, w[W.cos_e, r], w[W.sin_e, r])
            cr, sr = references(f, fault, w[W.cos_e, r], w[W.sin_e, r], w[W.sin_2, r])
        mean, back, made, dt = amplitude * turned, K * turned, K * per_turned, d * longer
        ia, ib, xia, xib = xr[S.current_a], xr[S.current_b], xr[S.integral_a], xr[S.integral_b]
        limit, cut = f[F.supply] * turned, fault == OPEN_PHASE
        aa, ba, va, ga, xa, ha = phase(
            f, dt, R, ia, xia, mean * cr, f[F.offset], f[F.gain], back * fa, rate, limit, cut
        )
        push += made * fa * aa
        drag += made * fa * ba
        if two:
            ab, bb, vb, gb, xb, hb = phase(
                f, dt, R, ib, xib, mean * sr, f[F.offset + 1], f[F.gain + 1], back * fb, rate, limit, False
            )
            push += made * fb * ab
            drag += made * fb * bb

    # tau = A + B kap Om_mid, the link answering by the diagonal of M^-1; the spring at the middle
    own = w[N_WORK + r, r]
    others = w[W.qdd, r] - own * w[W.tau, r]  # q'' but for this joint's torque
    b, half = f[F.damping], 0.5 * d * (f[F.stiffness] + 3.0 * f[F.cubic] * stretch * stretch)
    lost = 0.0
    if f[F.gap] > 0.0 and gear_torque(f, stretch, kap * rate - qd, 0.0) == 0.0:
        lost = sprung  # the damper takes what teeth that part still hold
        b = half = sprung = 0.0
    sprung -= half * (kap * speed - qd)  # what comes back with the rate of the middle, not that of the start
    b += half
    share = 1.0 / (1.0 + 0.5 * d * b * own)
    A, B = share * (sprung + held - b * (qd + 0.5 * d * others)), share * b
    yielding = w[W.yielding, r]
    frame_d += yielding * w[W.torque, r]  # but for this rotor's torque
    ease = 0.5 * d * (per_J + yielding)
    give = 1.0 / (1.0 + ease * (drag + kap * kap * B))
    middle = (speed - 0.5 * d * frame_d + ease * (push - kap * A)) * give
    brake = driven = 0.0
    if i[COURSE] >= 0 or w[W.braked, r] > 0.0:
        lock = xr[S.lock] if w[W.braked, r] == 1.0 else w[W.angle, r]  # no way back once it has slipped
        wanted = _wanted_speed(t, h, d, k, m, w[W.angle, r], lock, i[COURSE], u)
        at = 0.5 * (speed + wanted)
        needed = ((wanted - speed) / d + frame_d) / (per_J + yielding)
        outside = needed - (push - drag * at - kap * (A + B * kap * at))
        if i[COURSE] >= 0:
            driven, middle = outside, at
        elif abs(outside) <= f[F.brake]:
            brake, middle = -outside, at
        else:
            brake = math.copysign(f[F.brake], -outside)
            w[W.braked, r] = 2.0
            middle -= ease * brake * give
    tau = A + B * kap * middle
    T = push - drag * middle - kap * tau - brake + driven
    w[W.tau, r], w[W.torque, r] = tau, T
    w[W.momentum, r] += d * T

    late = h - (k + 0.5) * d
    impulse[2 * r] += d * tau
    moment[2 * r] += d * late * tau
    impulse[2 * r + 1] += d * T
    moment[2 * r + 1] += d * late * T

    electric, copper = K * amplitude * middle, 0.0
    if not ideal:
        ia, ib = aa - ba * middle, ab - bb * middle
        xr[S.current_a], xr[S.current_b] = 2.0 * ia - xr[S.current_a], 2.0 * ib - xr[S.current_b]
        xr[S.integral_a] = 2.0 * (xa - ha * ia) - xr[S.integral_a]
        xr[S.integral_b] = 2.0 * (xb - hb * ib) - xr[S.integral_b]
        squared = per_turned * per_turned  # from means to the middle
        copper = R * (ia * ia + ib * ib) * squared
        given = ((va - ga * ia) * ia + (vb - gb * ib) * ib) * squared
        swings = longer * turned * turned  # sin 2x / 2x: the share for which counts what a winding takes and gives back
        electric = swings * given + (1.0 - swings) * (copper + K * (fa * ia + fb * ib) * per_turned * middle)
    # what friction, gear and brake take; of this, springs of friction and hysteresis get theirs at the end of the step
    unwinding = kap * middle - qd - 0.5 * d * (others + own * tau)
    rubbed = (slip * per_N + rubs * middle + brake) * middle
    rubbed += (tau - sprung - half * unwinding - lost) * unwinding
    xr[S.energy] += d * electric
    xr[S.copper_heat] += d * copper
    xr[S.friction_heat] += d * rubbed
    booked[BOOK.work_supplied] += d * (electric + driven * middle)
    booked[BOOK.heat] += d * (copper + rubbed)


@inlined_kernel
def _answer(d, p, answer):
    """Links and stators over a sub-step, under the torques that the drives have found."""
    w, n = p.work, p.i.shape[0]
    for r in range(n):
        w[W.qdd, r], w[W.frame_d, r] = answer.qacc[p.i[r, RATE]], w[W.frame_d0, r]
    for c in range(n):
        more, spun = w[W.tau, c] - w[W.tau0, c], w[W.torque, c] - w[W.torque0, c]
        for r in range(n):
            w[W.qdd, r] += w[N_WORK + c, r] * more - w[N_WORK + n + c, r] * spun
            w[W.frame_d, r] += w[N_WORK + 2 * n + c, r] * more
        w[W.frame_d, c] -= w[W.yielding, c] * spun
    for r in range(n):
        a, before = w[W.qdd, r], w[W.frame, r]
        w[W.q, r] += d * (w[W.qd, r] + 0.5 * d * a)
        w[W.qd, r] += d * a
        w[W.frame, r] += d * w[W.frame_d, r]
        per_J = 1.0 / p.f[r, F.inertia]
        ends = 2.0 * w[W.momentum, r] - d * w[W.torque, r]  # sum of the momenta at both ends
        w[W.angle, r] += 0.5 * d * (ends * per_J - before - w[W.frame, r])


@kernel
def advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    """All drives over the step h; `impulse` and `moment` are those of the gear's torque and of the rotor's."""
    n = p.i.shape[0]
    m = 1
    for r in range(n):
        _start(h, p, x, u, view, answer, new, r, booked)
        m = max(m, _sub_steps(p.f[r], h, p.work[N_WORK + r, r]))
        impulse[2 * r] = moment[2 * r] = impulse[2 * r + 1] = moment[2 * r + 1] = 0.0
    d = h / m
    for k in range(m):
        for r in range(n):
            _sub_step(t, h, d, k, m, p, u, new, r, impulse, moment, booked)
        _answer(d, p, answer)
    for r in range(n):
        _finish(h, d, p, x, new, r, booked)


@inlined_kernel
def _finish(h, d, p, x, new, r, booked):
    """Bristle and hysteresis of row r go on to the end of the step; temperature, lock, energy of their springs."""
    f, xr, old, w = p.f[r], part(new, N_STATES * r, N_STATES), part(x, N_STATES * r, N_STATES), p.work
    c, s = turned_by(w[W.cos_2, r], w[W.sin_2, r], 2.0 * (w[W.angle, r] - w[W.phasor, r]))
    wound = wind_up(f, w[W.angle, r], w[W.q, r], c, s)[0]
    kept = 0.0
    if f[F.hysteresis] > 0.0:
        xr[S.hysteresis] = dahl(f, xr[S.hysteresis], wound - w[W.wound, r])
        kept += 0.5 * (xr[S.hysteresis] ** 2 - old[S.hysteresis] ** 2) / f[F.hysteresis_stiffness]
    if f[F.coulomb] > 0.0:
        v = (w[W.momentum, r] / f[F.inertia] - w[W.frame, r]) / f[F.ratio]
        g = f[F.coulomb] + stribeck(f, v)[0] + f[F.torque_loss] * abs(spring(f, stretched(f, wound)))
        xr[S.bristle] = bristle(f, xr[S.bristle], v, g, 0.5 * d)
        kept += 0.5 * f[F.bristle_stiffness] * (xr[S.bristle] ** 2 - old[S.bristle] ** 2)
    xr[S.friction_heat] -= kept
    booked[BOOK.heat] -= kept
    half = 0.5 * h / (f[F.thermal_capacity] * f[F.thermal_resistance])
    heated = (xr[S.copper_heat] - old[S.copper_heat]) / f[F.thermal_capacity]
    xr[S.temperature] = (old[S.temperature] * (1.0 - half) + heated + 2.0 * half * f[F.ambient]) / (1.0 + half)
    # a step cut short may ask for more than the brake has to undo what rounding left: that is no slip
    if w[W.braked, r] == 0.0 or (w[W.braked, r] == 2.0 and abs(w[W.angle, r] - xr[S.lock]) > LEAST_SLIP):
        xr[S.lock] = w[W.angle, r]
    xr[S.held_current] = w[W.amplitude, r]
