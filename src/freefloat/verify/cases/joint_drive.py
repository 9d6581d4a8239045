"""One joint with a full drive against CVODE: motion, torque, energies, order, and what must not change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from freefloat.drives.catalogue import load_drive
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Builder
from freefloat.engine.event import Event
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.engine.integrator import RK4, Dopri5, Dopri54, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.robots.arm import Arm
from freefloat.verify.case import Comparison, Plot, at_least, at_most, case, within
from freefloat.verify.drawing import convergence, errors_over_time
from freefloat.verify.motor_control import PERIOD, MotorPD
from freefloat.verify.oracles.drive_reference import JointRun, OneJoint, run

INERTIA = 70.0  # [kg m^2] of the load
SPAN, SHORT = 10.0, 3.0  # [s] with the catalogue's imperfections, and with others besides
RATE = 0.15  # [rad/s] largest of the way there
W = 20.0  # [rad/s] of the controller
RECORDS = 100.0  # [Hz]
STEPS = (1e-3, 5e-4, 2.5e-4)  # [s]
MOVES = 3.5  # [s] so long it moves before its first stop, where whatever is off decides when it breaks away again
SUBSTEPS = 6  # of every step where the order is measured; as many as a step of 1 ms has by itself
LINK, MOTOR, TORQUE = 1e-6, 1e-4, 1e-4  # [rad], [rad], of the largest
ENERGY = 1e-5  # of the reference's
METHODS: dict[str, type[RK4 | Dopri5]] = {"RK4": RK4, "Dopri5": Dopri5}


class _Ground:
    """A frame `top` that stands."""

    name = "ground"

    def build(self, b: Builder) -> None:
        b.body(Link("", 1.0, np.zeros(3), np.eye(3), (), {"top": Pose.identity()}))
        b.anchor("", Pose.identity())


def mission(
    drive: JointDrive, law: MotorPD, integrator: Integrator, records: float = RECORDS, events: Sequence[Event] = ()
) -> Mission:
    """The joint with its load on a stator that stands still, `arm`, under the law."""
    links = (
        Link("stator", 1.0, np.zeros(3), np.eye(3)),
        Link("load", 10.0, np.zeros(3), np.diag([0.6 * INERTIA, 0.8 * INERTIA, INERTIA])),
    )
    graph = LinkGraph(links, (Joint("turn", "revolute", "stator", "load", Pose.identity()),), "stator")
    parts = [_Ground(), Arm("arm", graph, on="ground.top", drives=[drive])]
    return Mission(parts, [law.task()], events, integrator=integrator, record_rate=records)


def reference(drive: JointDrive, law: MotorPD) -> JointRun:
    """The same by CVODE, which starts anew at every sample of the law; both start unwound."""
    times = np.linspace(0.0, law.duration, round(law.duration * RECORDS) + 1)

    def command(k: int, t: float, x: Array) -> float:
        return float(law.law(t, x[2:3], x[3:4] / drive.motor.inertia)[0])

    return run(OneJoint(drive, INERTIA), command, times, period=PERIOD)


@case(
    "joint-drive",
    source="equations of docs/reference/drives.md by CVODE (Adams, relative tolerance 1e-10; 1e-12 changes 1e-11 rad "
    "of the link and 2e-9 rad of the motor), which starts anew at every sample of the controller",
)
def joint_drive() -> Iterator[Comparison]:
    """The shoulder's drive with its imperfections turns 70 kg m^2 under a motor-side PD at 250 Hz."""
    drive = load_drive("spider-shoulder")
    law = MotorPD([drive], [0.0], [RATE], SPAN, W)
    truth = reference(drive, law)
    for name, method in METHODS.items():
        result = mission(drive, law, method(1e-3)).run(SPAN)
        yield from _motion(f"{name} at 1 ms", result, truth)
        yield from _energies(f"{name} at 1 ms", result, truth, drive)
    for name, method in METHODS.items():
        yield from _order(name, method, drive, law, truth)
    yield from _unchanged(drive, law)
    yield _refusal(drive, law)
    worse = _every_imperfection(drive)
    short = MotorPD([worse], [0.0], [RATE], SHORT, W)
    yield from _motion(
        "every imperfection, RK4 at 1 ms", mission(worse, short, RK4(1e-3)).run(SHORT), reference(worse, short)
    )


def _errors(result: Result, truth: JointRun) -> tuple[Array, Array, Array]:
    """Of link [rad], motor [rad], and the gear's torque relative to its largest, over the time of the result."""
    n = len(result["arm.q"])
    return (
        np.abs(result["arm.q"][:, 0] - truth.x["q"][:n]),
        np.abs(result["arm.motor_q"][:, 0] - truth.x["th"][:n]),
        np.abs(result["arm.torque_gear"][:, 0] - truth.tau[:n]) / np.abs(truth.tau).max(),
    )


def _motion(what: str, result: Result, truth: JointRun) -> Iterator[Comparison]:
    link, motor, torque = _errors(result, truth)
    plot = errors_over_time(truth.t, {"link [rad]": link, "motor [rad]": motor, "torque": torque}, LINK, what)
    yield at_most(f"{what}: link, largest error", "rad", ours=float(link.max()), tolerance=LINK, plot=plot)
    yield at_most(f"{what}: motor, largest error", "rad", ours=float(motor.max()), tolerance=MOTOR)
    yield at_most(f"{what}: gear's torque, error of its largest", "-", ours=float(torque.max()), tolerance=TORQUE)
    drift = result.audit.drifts["energy_drift"]
    yield at_most(f"{what}: drift of energy in the audit", "-", ours=drift, tolerance=1e-6)


def _energies(what: str, result: Result, truth: JointRun, drive: JointDrive) -> Iterator[Comparison]:
    motor, rise = drive.motor, truth.x["Tw"] - drive.motor.ambient
    copper = motor.thermal_capacity * rise[-1] + np.trapezoid(rise, truth.t) / motor.thermal_resistance
    for signal, name, published in (
        ("drive_energy", "electric energy", truth.supplied[-1]),
        ("copper_heat", "heat of the copper", copper),
        ("friction_heat", "heat of friction and gear", truth.heat[-1] - copper),
    ):
        ours, limit = float(result[f"arm.{signal}"][-1, 0]), ENERGY * float(published)
        yield within(f"{what}: {name}", "J", published=float(published), ours=ours, tolerance=limit)


def _order(
    name: str, method: type[RK4 | Dopri5], drive: JointDrive, law: MotorPD, truth: JointRun
) -> Iterator[Comparison]:
    """Slope of the errors over the step before the first stop, with as many sub-steps in every step."""
    fixed = replace(drive, substeps=SUBSTEPS)
    found = [_errors(mission(fixed, law, method(step)).run(MOVES), truth) for step in STEPS]
    errors = {what: [float(e[i].max()) for e in found] for i, what in enumerate(("link", "motor"))}
    plot: Plot | None = convergence(dict.fromkeys(errors, STEPS), errors, "largest error [rad]", name)
    for what, values in errors.items():
        slope = float(np.polyfit(np.log(STEPS), np.log(values), 1)[0])
        how = f"order in the {what}'s angle, {name}, steps of 1, 0.5, 0.25 ms with {SUBSTEPS} sub-steps"
        yield at_least(how, "-", published=2.0, ours=slope, tolerance=0.2, plot=plot)
        plot = None


def _unchanged(drive: JointDrive, law: MotorPD) -> Iterator[Comparison]:
    """Records at another rate, and an event that is located while the joint moves."""
    plain = mission(drive, law, RK4(1e-3)).run(SPAN)
    seen = Event("seen", lambda session: None, signal="arm.q", level=0.1, direction="both")
    for what, other, every in (
        ("records at 300 Hz", mission(drive, law, RK4(1e-3), 300.0).run(SPAN), 3),
        ("a located event", mission(drive, law, RK4(1e-3), events=[seen]).run(SPAN), 1),
    ):
        if what == "a located event":
            yield at_least(
                "instants at which the event fired", "-", published=2.0, ours=len(other.events), tolerance=0.0
            )
        for signal, limit in (("q", LINK), ("motor_q", MOTOR)):
            change = np.abs(other[f"arm.{signal}"][::every] - plain[f"arm.{signal}"]).max()
            of = "link" if signal == "q" else "motor"
            yield at_most(f"{what}: largest change of the {of}", "rad", ours=float(change), tolerance=limit)


def _refusal(drive: JointDrive, law: MotorPD) -> Comparison:
    """1 where an integrator whose error estimate does not see the drive is refused, with that reason."""
    try:
        mission(drive, law, Dopri54()).session()
        told = ""
    except InputError as error:
        told = str(error)
    refused = float("Dopri54" in told and "error estimate" in told)
    return at_least("Dopri54 is refused with the reason", "-", published=1.0, ours=refused, tolerance=0.0)


def _every_imperfection(drive: JointDrive) -> JointDrive:
    """The drive with what the catalogue leaves out too: backlash, cubic spring, unlike phases, offsets, gain errors."""
    return replace(
        drive,
        motor=replace(drive.motor, unbalance=0.02, third_harmonic=0.01, viscous=1e-5),
        driver=replace(drive.driver, offset=(0.05, -0.03), gain=(0.01, -0.01)),
        gear=replace(drive.gear, cubic=1e8, kinematic_phase=0.7, backlash=3e-4),
    )
