"""LuGre friction of joint drives: where it has closed forms, stick and slip, and that it never gives energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.drives import Friction, Gear, JointDrive, behaviour_of, drive_names, load_drive
from freefloat.frames import Array
from freefloat.robots.drive_bench import LOCKED, DriveBench
from freefloat.verify.case import Comparison, at_most, case, compare, within
from freefloat.verify.drawing import curves_over_time
from freefloat.verify.drive_rig import BENCH, EXACT, IDEAL, NO_BRAKE, NO_LIMIT, OPEN_GEAR, SUBSTEPS, bench_run, sweep
from freefloat.verify.oracles import lugre

SHOULDER = Friction()
SPEEDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0)  # [rad/s] about the Stribeck speed, 0.01
INSTANTS = (7.4581, 10.2236, 13.8208, 16.5863)  # [s] v = 0.01 m/s, upwards and downwards
PEAK = 0.36982  # [m/s]


def _alone(friction: Friction, ratio: float = 1.0) -> JointDrive:
    """Friction on an ideal rotor with nothing behind it."""
    gear = replace(OPEN_GEAR, ratio=ratio)
    return JointDrive(IDEAL, NO_LIMIT, gear, friction, NO_BRAKE, EXACT, EXACT, SUBSTEPS)


@case(
    "lugre",
    source="Canudas de Wit, Olsson, Astrom and Lischinsky 1995: steady state, bristle and presliding in closed form; "
    "stick and slip of their set by Radau and LSODA at 1e-10, and by CVODE; passivity: Barabanov and Ortega 2000",
)
def lugre_case() -> Iterator[Comparison]:
    """Friction at imposed speeds, presliding loops, stick and slip, and jumps out of stick."""
    yield from _steady()
    yield from _presliding()
    yield from _stick_slip()
    yield from _passive()


def _steady() -> Iterator[Comparison]:
    """Imposed speeds both ways: the bristle on its way, and the friction from its heat once it has arrived."""
    worst, bent = 0.0, 0.0
    for v in (*SPEEDS, *(-v for v in SPEEDS)):
        wait = round(30.0 * SHOULDER.stiction / SHOULDER.bristle_stiffness / abs(v) + 0.1, 1)
        result = bench_run(DriveBench(BENCH, _alone(SHOULDER, 160.0), course=160.0 * v), wait + 0.1)
        t, z = result.time(f"{BENCH}.bristle"), result[f"{BENCH}.bristle"][:, 0]
        exact = lugre.bristle(SHOULDER, v, t)
        bent = max(bent, float(np.abs(z - exact).max() / np.abs(exact).max()))
        heat, turned = result[f"{BENCH}.friction_heat"][-101:, 0], result[f"{BENCH}.motor_q"][-101:, 0] / 160.0
        force = (heat[-1] - heat[0]) / (turned[-1] - turned[0])
        worst = max(worst, abs(force / float(lugre.steady_friction(SHOULDER, v)) - 1.0))
    yield at_most("Stribeck curve, 14 speeds, relative", "-", ours=worst, tolerance=1e-6)
    yield at_most("bristle at constant speed, of the largest", "-", ours=bent, tolerance=1e-12)


def _presliding() -> Iterator[Comparison]:
    """Slow loops of the rotor before it slips; far below the Stribeck speed g = Fs."""
    slow = Friction(4.0, 6.0, stribeck=1e3, viscous=0.0, bristle_stiffness=1e4, bristle_damping=0.0)
    A = 4e-4  # [rad]
    bench = DriveBench(BENCH, _alone(slow), course=0.0)
    turns = [A, -A] * 10 + [A]
    result = bench_run(bench, 0.25 * len(turns), lambda session: sweep(session, turns, 0.25))
    x, z = result[f"{BENCH}.motor_q"][:, 0], result[f"{BENCH}.bristle"][:, 0]
    force = slow.bristle_stiffness * z
    last, before, up, down = slice(-501, None), slice(-1001, -500), slice(-251, None), slice(-501, -250)
    gap = float(np.abs(force[last] - force[before]).max())
    yield at_most("presliding, from loop to loop", "N m", ours=gap, tolerance=1e-6)
    off = max(
        float(np.abs(force[part] - lugre.presliding(slow, x[part], A, rising)).max())
        for part, rising in ((up, True), (down, False))
    )
    yield at_most("presliding, distance from Dahl's curve", "N m", ours=off, tolerance=1e-3)
    area = float(np.trapezoid(force[last], x[last]))
    yield within(
        "presliding, area of the loop, relative",
        "-",
        published=1.0,
        ours=area / lugre.presliding_area(slow, A),
        tolerance=1e-4,
    )


def _stick_slip() -> Iterator[Comparison]:
    """The mass is a rotor of 1 kg m^2 behind no gear, its spring the gear's, pulled by a load that nothing stops."""
    c = lugre.Canonical()
    friction = Friction(
        c.coulomb, c.stiction, c.stribeck, c.exponent, c.viscous, c.bristle_stiffness, c.bristle_damping
    )
    spring = Gear(1.0, 2.0, damping=0.0, hysteresis=0.0, kinematic_error=0.0, torque_loss=0.0)
    drive = replace(_alone(friction), motor=replace(IDEAL, inertia=1.0), gear=spring)
    result = bench_run(DriveBench(BENCH, drive, LOCKED, load_speed=0.1), 18.0)
    t, v = result.time(f"{BENCH}.motor_qd"), result[f"{BENCH}.motor_qd"][:, 0]
    ours, (exact, peak) = _crossings(t, v, 0.01), lugre.StickSlip().slips(18.0)
    yield within("stick and slip: times that v passes 0.01 m/s", "-", published=4.0, ours=float(len(ours)), tolerance=0)
    for n, (published, reference, at) in enumerate(zip(INSTANTS, exact, ours, strict=False), 1):
        yield within(f"stick and slip, instant {n}", "s", published=published, ours=float(at), tolerance=2e-3)
        what = f"stick and slip, instant {n}, against CVODE"
        yield within(what, "s", published=float(reference), ours=float(at), tolerance=1e-4)
    plot = curves_over_time(t, {"speed of the mass [m/s]": v}, "v [m/s]", "Stick and slip at steps of 1 ms")
    yield within("stick and slip, largest speed", "m/s", published=PEAK, ours=float(v.max()), tolerance=1e-4, plot=plot)
    what = "stick and slip, largest speed, against CVODE"
    yield within(what, "m/s", published=peak, ours=float(v.max()), tolerance=1e-5)


def _crossings(t: Array, v: Array, level: float) -> Array:
    at = np.flatnonzero((v[:-1] < level) != (v[1:] < level))
    return t[at] + (level - v[at]) / (v[at + 1] - v[at]) * (t[at + 1] - t[at])


def _passive() -> Iterator[Comparison]:
    """Slow creep bends the bristles as far as stiction does, then the speed jumps; heat must never be taken back."""
    sets = {name: load_drive(name).friction for name in drive_names()}
    rng = np.random.default_rng(4)
    for n in range(8):  # at the limit of the condition
        Fc, rise, s0 = 10.0 ** rng.uniform(-1.0, 1.5), rng.uniform(1.1, 2.0), 10.0 ** rng.uniform(3.0, 5.0)
        s1, vs = 10.0 ** rng.uniform(0.0, 2.0), 10.0 ** rng.uniform(-3.0, -1.0)
        sets[f"random {n}"] = Friction(Fc, rise * Fc, vs, 2.0, s1 * (rise - 1.0), s0, s1)
    worst = max(_returned(friction, jump) for friction in sets.values() for jump in (0.5, 3.0))
    what = "energy that 12 passive sets return beyond what they stored, of that"
    yield at_most(what, "-", ours=worst, tolerance=1e-9)
    outside = replace(SHOULDER, bristle_damping=100.0)
    what = "the same of one outside the condition (s1 = 100 N m s/rad)"
    yield compare(what, "-", published=0.0, ours=_returned(outside, 0.5))
    unnamed = 0
    for name in drive_names():
        found = behaviour_of(load_drive(name))
        named = any("may give energy" in remark for remark in found.remarks)
        unnamed += int(found.passivity_margin < 0.0 and not named)
        what = f"{name}: s2 over s1 (Fs - Fc) / Fc"
        yield compare(what, "N m s/rad", published=0.0, ours=found.passivity_margin)
    yield at_most("shipped sets outside the condition that are not named", "-", ours=float(unnamed), tolerance=0.0)
    told = behaviour_of(replace(JointDrive(), friction=outside)).remarks
    named = float(any("may give energy" in remark for remark in told))
    yield within("a set outside the condition is named", "-", published=1.0, ours=named, tolerance=0.0)


def _returned(friction: Friction, jump: float) -> float:
    """Most that the heat ever falls [-], of what the bristles held as the speed jumped to `jump` [rad/s]."""
    creep = 0.05 * friction.stribeck
    wait = round(8.0 * friction.stiction / (friction.bristle_stiffness * creep), 3) + 1e-3

    def leap(session):  # type: ignore[no-untyped-def]
        session.step(wait)
        session.write(f"{BENCH}.course", [session.time, creep * session.time, jump, 0.0, 0.0, 0.0, 0.0])

    result = bench_run(DriveBench(BENCH, _alone(friction), course=creep), wait + 0.02, leap)
    heat, z = result[f"{BENCH}.friction_heat"][:, 0], np.abs(result[f"{BENCH}.bristle"][:, 0]).max()
    fallen = float((np.maximum.accumulate(heat) - heat).max())
    return fallen / float(0.5 * friction.bristle_stiffness * z**2)
