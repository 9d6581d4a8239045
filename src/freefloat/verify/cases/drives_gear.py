"""Gears and brakes of joint drives against closed forms: hysteresis, efficiency, backlash, holding and slipping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.drives import Brake, Friction, JointDrive
from freefloat.engine.session import Session
from freefloat.robots.drive_bench import LOCKED, DriveBench
from freefloat.verify.case import Comparison, Plot, at_least, at_most, case, within
from freefloat.verify.drive_rig import (
    BENCH,
    EXACT,
    IDEAL,
    NO_BRAKE,
    NO_FRICTION,
    NO_LIMIT,
    OPEN_GEAR,
    PLAIN_GEAR,
    SUBSTEPS,
    bench_run,
    sweep,
)
from freefloat.verify.oracles import gear as oracle

PLAIN = JointDrive(IDEAL, NO_LIMIT, PLAIN_GEAR, NO_FRICTION, NO_BRAKE, EXACT, EXACT, SUBSTEPS)
SLIP = 0.5  # [N m] of the brake


@case(
    "gear",
    source="closed forms: loop of Dahl 1968, torque-proportional loss, backlash, a rotor under its brake's torque",
)
def gear_case() -> Iterator[Comparison]:
    """Hysteresis, both efficiencies, the brake and the backlash, each alone."""
    yield from _hysteresis()
    yield from _efficiency()
    yield from _backlash()
    yield from _brake()


def _hysteresis() -> Iterator[Comparison]:
    """Rotor led to and fro, load locked: the torque of the gear over its wind-up, a spring beside it."""
    gear = replace(PLAIN_GEAR, hysteresis=1.5, hysteresis_stiffness=2e4, damping=0.0)
    D = 2e-4  # [rad] at the output, where the loop is far from a parallelogram
    far = gear.ratio * D
    bench = DriveBench(BENCH, replace(PLAIN, gear=gear), LOCKED, course=0.0)
    turns = [far, -far] * 4 + [far]
    result = bench_run(bench, 0.25 * len(turns), lambda session: sweep(session, turns, 0.25))
    d = result[f"{BENCH}.motor_q"][:, 0] / gear.ratio - result[f"{BENCH}.q"][:, 0]
    tau, heat = result[f"{BENCH}.torque_gear"][:, 0], result[f"{BENCH}.friction_heat"][:, 0]
    last = slice(1750, 2251)
    held = tau - gear.stiffness * d
    area = oracle.dahl_area(gear.hysteresis, gear.hysteresis_stiffness, D)
    ours = float(np.trapezoid(tau[last], d[last])) / area
    plot = _loop(d[last], held[last], gear.hysteresis, gear.hysteresis_stiffness, D)
    yield within("hysteresis, area of the loop, relative", "-", published=1.0, ours=ours, tolerance=1e-4, plot=plot)
    ours = float(heat[2250] - heat[1750]) / area
    yield within("hysteresis, heat of a loop, relative to its area", "-", published=1.0, ours=ours, tolerance=1e-4)
    ours = float(held[last].max()) / oracle.dahl_peak(gear.hysteresis, gear.hysteresis_stiffness, D)
    yield within("hysteresis, torque at the turning points, relative", "-", published=1.0, ours=ours, tolerance=1e-4)


def _loop(d, held, limit: float, stiffness: float, D: float) -> Plot:  # type: ignore[no-untyped-def]
    def draw(figure):  # type: ignore[no-untyped-def]
        axes = figure.subplots()
        x = np.linspace(-D, D, 50)
        for rising in (True, False):
            closed = oracle.dahl_branch(limit, stiffness, x, D, rising)
            axes.plot(1e3 * x, closed, "k.", markersize=3, label="closed form" if rising else None)
        axes.plot(1e3 * d, held, label="ours")
        axes.set(xlabel="wind-up [mrad]", ylabel="torque of the hysteresis [N m]", title="Hysteresis of a gear")
        axes.legend()

    return draw


def _efficiency() -> Iterator[Comparison]:
    """Steady turning under a constant torque on the load; what Coulomb and viscous friction take is left out."""
    friction = Friction()
    gear = replace(PLAIN_GEAR, torque_loss=0.1)
    drive = replace(PLAIN, gear=gear, friction=friction)
    for name, load, tau, closed in (
        ("driving", -50.0, 70.0, oracle.driving_efficiency(gear)),
        ("back-driving", 50.0, -30.0, oracle.back_driving_efficiency(gear)),
    ):
        bench = DriveBench(BENCH, drive, 1.0, tau=tau)
        result = bench_run(bench, 8.0, lambda session, load=load: session.write(f"{BENCH}.load", [load]))
        v, motor = result[f"{BENCH}.motor_qd"][-1, 0], float(result[f"{BENCH}.torque_motor"][-1, 0])
        output = float(result[f"{BENCH}.torque_gear"][-1, 0])
        rest = gear.ratio * motor - friction.coulomb - friction.viscous * v / gear.ratio
        ours = output / rest if name == "driving" else rest / output
        yield within(f"efficiency, {name}", "-", published=closed, ours=ours, tolerance=1e-4)
        exact = oracle.steady_motor_torque(drive, float(v), output)
        what = f"motor torque, {name}, relative to the closed form"
        yield within(what, "-", published=1.0, ours=motor / exact, tolerance=1e-4)


def _backlash() -> Iterator[Comparison]:
    """Rotor held: how far the load goes between two torques. Load locked: how far the rotor turns without torque."""
    gear = replace(PLAIN_GEAR, backlash=1e-3, damping=100.0, cubic=1e9)
    drive, torque = replace(PLAIN, gear=gear), 20.0

    def to_and_fro(session: Session) -> None:
        for value in (torque, -torque):
            session.write(f"{BENCH}.load", [value])
            session.step(1.0)

    result = bench_run(DriveBench(BENCH, drive, course=0.0), 2.0, to_and_fro, step=1e-4)
    q = result[f"{BENCH}.q"][:, 0]
    ours = float(q[1000] - q[2000]) / oracle.lost_motion(gear, torque)
    what = "backlash, motion of the load between -20 and 20 N m, relative"
    yield within(what, "-", published=1.0, ours=ours, tolerance=1e-4)
    far = gear.ratio * gear.backlash
    bench = DriveBench(BENCH, replace(drive, gear=replace(gear, damping=0.0)), LOCKED, course=0.0)
    result = bench_run(bench, 3.0, lambda session: sweep(session, [far, -far, far], 1.0))
    th, tau = result[f"{BENCH}.motor_q"][1000:2001, 0], result[f"{BENCH}.torque_gear"][1000:2001, 0]
    left, right = _zero(th, tau, "leaves"), _zero(th, tau, "meets")
    ours = (left - right) / oracle.lost_motor_motion(gear)
    yield within("backlash, turn of the rotor without torque, relative", "-", published=1.0, ours=ours, tolerance=1e-3)


def _zero(th, tau, which: str) -> float:  # type: ignore[no-untyped-def]
    """Angle at which the torque vanishes or comes back, by its slope there."""
    touching = np.flatnonzero(tau != 0.0)
    jump = touching[np.flatnonzero(np.diff(touching) > 1)[0]]
    first = jump - 1 if which == "leaves" else touching[touching > jump][0]
    a, b = first, first + 1
    return float(th[a] - tau[a] * (th[b] - th[a]) / (tau[b] - tau[a]))


def _brake() -> Iterator[Comparison]:
    """A load below the slip torque for 100 s; a rotor alone pushed beyond it, and stopped by it."""
    drive = replace(PLAIN, gear=replace(PLAIN_GEAR, damping=100.0), brake=Brake(SLIP))
    most = SLIP * PLAIN_GEAR.ratio

    def load(session: Session) -> None:
        session.write(f"{BENCH}.brake", [1.0])
        for k in range(100):  # slowly, so that it does not swing beyond
            session.write(f"{BENCH}.load", [0.0099 * (k + 1) * most])
            session.step(0.02)

    held = bench_run(DriveBench(BENCH, drive), 103.0, load)[f"{BENCH}.motor_q"][3000:, 0]
    what = "brake, creep of the rotor in 100 s at 0.99 of the slip torque"
    yield at_most(what, "rad", ours=float(np.ptp(held)), tolerance=1e-12)
    alone = replace(PLAIN, gear=OPEN_GEAR, brake=Brake(SLIP))
    for torque, start in ((1.001 * SLIP, 0.0), (1.5 * SLIP, 0.0), (0.6 * SLIP, 100.0), (-1.5 * SLIP, 100.0)):
        bench = DriveBench(BENCH, alone, tau=torque, start=start)
        result = bench_run(bench, 0.1, lambda session: session.write(f"{BENCH}.brake", [1.0]))
        t, speed = result.time(f"{BENCH}.motor_qd"), result[f"{BENCH}.motor_qd"][:, 0]
        exact, angle = oracle.brake_motion(IDEAL.inertia, SLIP, start, torque, t)
        told = f"brake of {SLIP} N m, motor {torque:g} N m, from {start:g} rad/s"
        ours = float(np.abs(speed - exact).max() / np.abs(exact).max())
        yield at_most(f"{told}: speed, of the largest", "-", ours=ours, tolerance=1e-4)
        ours = float(abs(result[f"{BENCH}.motor_q"][-1, 0] / angle[-1] - 1.0))
        yield at_most(f"{told}: angle at the end, relative", "-", ours=ours, tolerance=1e-4)
    slips = bench_run(DriveBench(BENCH, drive, tau=0.0), 2.5, lambda session: _overload(session, most))
    turned = float(slips[f"{BENCH}.motor_q"][-1, 0])
    yield at_least(
        "brake, turn under a load of 1.01 of the slip torque", "rad", published=1.0, ours=turned, tolerance=0
    )


def _overload(session: Session, most: float) -> None:
    session.write(f"{BENCH}.brake", [1.0])
    for k in range(101):
        session.write(f"{BENCH}.load", [0.01 * (k + 1) * most])
        session.step(0.02)
