"""Seven joints with full drives on a free bus against rotors that are bodies of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.engine.integrator import RK4, Dopri5
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.frames import Array
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import errors_over_time
from freefloat.verify.driven_arm import arm_drives, driven_mission, motor_law, quiet_session, reference
from freefloat.verify.oracles.rotor_tree import TreeRun

SPAN = 10.0  # [s]
LINK, MOTOR, TORQUE = 1e-6, 1e-4, 1e-4  # [rad], [rad], of the largest
MOMENTUM = 1e-12  # of the largest that the bodies hold or the rotors took up
SPIN = 1e-9  # of the largest
SAMPLES = 20  # instants at which the rotors' momenta are added up
_WHY = (
    "cogging and kinematic error take the wrist's light links through their resonances of 400 and 440 rad/s, and a "
    "scheme keeps momentum to its order; in 2 s RK4 drifts by 2e-9 with both and by 5e-12 without; Dopri5 at 0.5 ms "
    "keeps the limit"
)


@case(
    "arm-drives",
    source="multibody of links and rotors with the equations of docs/reference/drives.md, by CVODE (Adams, relative "
    "tolerance 1e-10), which starts anew at every sample of the controller",
)
def arm_drives_case() -> Iterator[Comparison]:
    """Start, stop and reversal of seven joints in 10 s, about as fast as the arm may be; motor-side PD at 250 Hz."""
    yield from comparisons(SPAN)


def comparisons(span: float) -> Iterator[Comparison]:
    """All rows of a motion that takes `span` [s]."""
    drives = arm_drives()
    law = motor_law(drives, span)
    truth = reference(drives, law, span)
    for step in (1e-3, 5e-4):
        for name, method in (("RK4", RK4), ("Dopri5", Dopri5)):
            what = f"{name} at {1e3 * step:g} ms"
            mission = driven_mission(drives, law, method(step))
            session = quiet_session(mission)
            carried, spun = _spins(session, span)
            session.finish()
            result = mission.result(session, 0.0)
            if step == 1e-3:
                yield from _motion(what, result, truth)
            off = float(np.abs(carried - spun).max() / np.abs(carried).max())
            about = f"{what}: rotors' momenta against the audit's spin"
            yield at_most(about, "-", ours=off, tolerance=SPIN, reason=_WHY)
            drift = result.audit.drifts["angular_momentum_drift"]
            yield at_most(f"{what}: drift of angular momentum", "-", ours=drift, tolerance=MOMENTUM, reason=_WHY)


def _motion(what: str, result: Result, truth: TreeRun) -> Iterator[Comparison]:
    link = np.abs(result["arm.q"] - truth.q)
    motor = np.abs(result["arm.motor_q"] - truth.motor_q)
    torque = np.abs(result["arm.torque_gear"] - truth.tau) / np.abs(truth.tau).max()
    plot = errors_over_time(truth.t, {f"joint {i + 1}": e for i, e in enumerate(link.T)}, LINK, f"{what}, links [rad]")
    yield at_most(f"{what}: links, largest error", "rad", ours=float(link.max()), tolerance=LINK, plot=plot)
    yield at_most(f"{what}: motors, largest error", "rad", ours=float(motor.max()), tolerance=MOTOR)
    yield at_most(f"{what}: gears' torques, error of the largest", "-", ours=float(torque.max()), tolerance=TORQUE)
    taken = float(result["arm.drive_energy"][-1].sum())
    lost = float((result["arm.copper_heat"] + result["arm.friction_heat"])[-1].sum())
    for name, ours, published in (("electric energy", taken, truth.supplied), ("heat", lost, truth.heat)):
        limit = 1e-5 * float(published[-1])
        yield within(f"{what}: {name} of all drives", "J", published=float(published[-1]), ours=ours, tolerance=limit)
    drift = result.audit.drifts["energy_drift"]
    yield at_most(f"{what}: drift of energy in the audit", "-", ours=drift, tolerance=1e-6)


def _spins(session: Session, span: float) -> tuple[Array, Array]:
    """Sum of the rotors' momenta h a, and what the audit has integrated, (SAMPLES, 3) each in W [N m s]."""
    joints = [j for j in session.world.joints.values() if j.kind != "fixed"]
    carried, spun = np.zeros((2, SAMPLES, 3))
    for k in range(SAMPLES):
        session.step(span / SAMPLES)
        for h, j in zip(session.read("arm.rotor_momentum"), joints, strict=True):
            carried[k] += h * (session.world.motion(j.parent)[0].R @ j.X_PJ.R @ j.axis)
        spun[k] = session.world.audit()["spin"]
    return carried, spun
