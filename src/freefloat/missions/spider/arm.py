"""SPIDER on a station or a free flyer: arm with drives, jaws, payload, and its control from tip to motor currents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Blueprint, Builder, Connection, Motion, Part, draw
from freefloat.engine.event import Event
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput
from freefloat.engine.task import Task
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.operational import CURRENTS, HybridControl, HybridGains
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.gnc.control.operations import Operations, Site
from freefloat.gnc.planning.arm.line_check import LineLimits
from freefloat.missions.arm.control import joints_of, onboard_model
from freefloat.missions.drive_settings import SERVO_PERIOD, servo_task
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody
from freefloat.structure.body import box_inertia

if TYPE_CHECKING:
    from freefloat.engine.session import Session

Base = Literal["station", "flyer"]
STATION = (4.2e5, (8.0e7, 8.0e7, 8.0e7), (2.4, 2.4, 0.3))  # [kg], [kg m^2], [m] drawn; assumed
FLYER = (1000.0, None, (1.2, 1.2, 1.2))  # [kg], of a solid box, [m]; assumed
STRETCHED = (0.0,) * 7  # [rad]
PAD_STIFFNESS, PAD_DAMPING = 1e4, 5.0  # [N/m], [s/m] of a jaw's pad; assumed
PLAN_PERIOD = 0.01  # [s]
PROGRESS = ("operation", "all done")
GRIP = 0.1  # [m] from the palm to between the jaws' tips
REACH = 5e-3  # [m] of the latch; assumed
JAWS = ("left", "right")
OPEN = 0.03  # [m] of each jaw
WRENCH = ("torque x", "torque y", "torque z", "force x", "force y", "force z")


@dataclass(frozen=True, eq=False)
class Operator:
    """Part: what is commanded below the tip, and what the jaws and the latch are told.

    `name.level`: 0 the tip and its operations, 1 `name.torque` [N m] at the joints, 2 `name.current` [A] in the motors.
    """

    name: str
    joints: tuple[str, ...]
    most: Array  # [A] largest current of each motor
    held: bool = False  # at the start
    level: int = 0  # at the start

    def build(self, b: Builder) -> None:
        """Commands alone."""
        n, own = (len(self.joints),), self.joints
        b.command("level", (1,), "-", "0: tip and operations, 1: torques, 2: currents")
        b.command("torque", n, "N m", "torques wanted at the joints, at level 1", labels=own)
        amplitude, limits = "amplitudes of the motors' phase currents, at level 2", (-self.most, self.most)
        b.command("current", n, "A", amplitude, limits, labels=own)
        b.command("effort", n, "N m", "what the joint servo gives", labels=own)
        b.command("latch", (1,), "-", "1: the payload is to be held", start=(float(self.held),))
        b.command("held", (1,), "-", "1: the latch holds the payload", start=(float(self.held),))
        if self.level:
            b.blueprint.starts[b.full("level")] = (float(self.level),)
        pads = [RowOutput(f"jaws.{side}.spring", "effort") for side in JAWS]
        tactile = Signal(b.full("tactile"), "N", (2,), meaning="what each pad of the jaws feels", labels=JAWS)
        b.signal(tactile, pads)


class AmplifierState(NamedTuple):
    """[N m/A] torque at the joint per current."""

    constant: Array


class AmplifierOut(NamedTuple):
    """What `Amplifier` gives."""

    tau: Array  # [N m]


class Amplifier(Ticking):
    """Passes the servo's efforts on, or gives those of commanded currents."""

    def __init__(self, constant: Array) -> None:
        self.state, self.out = AmplifierState(constant), AmplifierOut(np.zeros(constant.size))

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: AmplifierState, out: AmplifierOut) -> None:
        """Efforts for the next period."""
        for i in range(out.tau.size):
            out.tau[i] = meas.current[i] * state.constant[i] if meas.level[0] == CURRENTS else meas.effort[i]


@dataclass(frozen=True)
class Payload:
    """A box with a bar at the middle of one face; held from the start, or at a place in the mount's axes."""

    mass: float  # [kg]
    size: tuple[float, float, float] = (0.5, 0.5, 0.5)  # [m]
    X_AG: Pose | None = None  # of its bar; None: held

    @property
    def X_PG(self) -> Pose:
        """The bar in the box."""
        return Pose(np.eye(3), (0.0, 0.0, -0.5 * self.size[2]))

    @property
    def in_hand(self) -> Mass:
        """In the frame of the palm."""
        return Mass(self.mass, np.array([0.0, 0.0, GRIP + 0.5 * self.size[2]]), box_inertia(self.mass, self.size))


@dataclass(frozen=True, eq=False)
class Spider:
    """The assembled arm: what a mission is made of."""

    blueprint: Blueprint
    arm: ArmModel
    control: HybridControl
    operations: Operations
    tasks: tuple[Task, ...]
    events: tuple[Event, ...]
    drives: tuple[JointDrive, ...]


def mount_of(base: Base) -> Pose:
    """X_BA of the arm's mount: the middle of the upper face."""
    _, _, size = STATION if base == "station" else FLYER
    return Pose(np.eye(3), (0.0, 0.0, 0.5 * size[2]))


def assemble(
    drives: Sequence[JointDrive],
    q: Sequence[float],
    base: Base = "station",
    payload: Payload | None = None,
    gains: HybridGains | None = None,
    force_noise: float = 0.0,  # [N] standard deviation of the wrist sensor
    parts: Sequence[Part] = (),
    level: int = 0,  # of the commands at the start
    connections: Sequence[Connection] = (),  # of the parts
) -> Spider:
    """SPIDER at the joint positions q, with its control as tasks."""
    mass, inertia, size = STATION if base == "station" else FLYER
    mount = mount_of(base)
    body = RigidBody(base, mass, inertia, size, frames={"mount": mount})
    robot = load_robot("spider")
    held = payload is not None and payload.X_AG is None
    arm = Arm("arm", robot, on=f"{base}.mount", q=tuple(q), drives=drives, servo="position")
    opened = (0.0, 0.0) if held else (OPEN, OPEN)
    jaws = Arm("jaws", load_robot("spider_jaws"), "arm.flange", opened, None, PAD_STIFFNESS, PAD_DAMPING)
    bare = draw([body, arm, jaws])
    onboard = onboard_model(bare)
    names = tuple(joints_of("arm", bare, onboard))
    lower, upper = (np.array([getattr(j, end) for j in robot.moving]) for end in ("lower", "upper"))
    model = ArmModel(onboard.model, names, "arm.base", "arm.tool", "jaws.palm", lower, upper)
    most = np.array([d.driver.max_current for d in drives])
    operator = Operator("operator", tuple(j.name for j in robot.moving), most, held, level)
    every: list[Part] = [body, arm, jaws, operator]
    latches: list[Connection] = []
    if payload is not None:
        X_AG = model.chain.pose(q) if payload.X_AG is None else payload.X_AG
        start = Motion(mount @ X_AG @ payload.X_PG.inverse())
        every.append(
            RigidBody("payload", payload.mass, size=payload.size, frames={"grapple": payload.X_PG}, motion=start)
        )
        latches = [Connection("latch", "jaws.grip", "payload.grapple", closed=held)]
    blueprint = draw([*every, *parts], [*latches, *connections])
    least, largest = _inertias(model, payload, held, q)
    speed = np.array([j.velocity for j in robot.moving])
    control = HybridControl(model, speed, q, gains, SERVO_PERIOD)
    site = Site(LineLimits(speed, np.array(q)), payloads={} if payload is None else {"payload": payload.in_hand})
    operations = Operations(control, site, np.array(q), "payload" if held else "", PLAN_PERIOD)
    tasks = _tasks(blueprint, operations, drives, [j.effort for j in robot.moving], least, largest, force_noise)
    return Spider(blueprint, model, control, operations, tasks, _events(payload), tuple(drives))


def _inertias(model: ArmModel, payload: Payload | None, held: bool, q: Sequence[float]) -> tuple[Array, Array]:
    """Least and largest of what each joint turns: with the payload, and without where it is not yet held."""
    loads = [Mass.none()] if payload is None else [payload.in_hand] if held else [payload.in_hand, Mass.none()]
    ranges = []
    for load in loads:
        model.carry(load)
        ranges.append(model.inertia_range([np.array(STRETCHED), np.array(q, np.float64)]))
    return np.min([low for low, _ in ranges], axis=0), np.max([high for _, high in ranges], axis=0)


def _events(payload: Payload | None) -> tuple[Event, ...]:
    """The latch follows the command `operator.latch`."""
    if payload is None:
        return ()
    return (
        Event("latched", _latch, "operator.latch", level=0.5, direction="rising"),
        Event("released", _release, "operator.latch", level=0.5, direction="falling"),
    )


def _latch(session: Session) -> str:
    if session.read("operator.held")[0] > 0.5:
        return "held"
    gap = (session.pose("jaws.grip").inverse() @ session.pose("payload.grapple")).p
    off = float(np.linalg.norm(gap))
    if off > REACH:
        raise InputError(f"latch: the payload's bar is {off:.3g} m from the jaws; allowed: within {REACH:g} m")
    lost = session.attach("latch")
    session.write("operator.held", [1.0])
    return f"{lost:.3g} J lost"


def _release(session: Session) -> None:
    if session.read("operator.held")[0] > 0.5:
        session.detach("latch")
        session.write("operator.held", [0.0])


def _tasks(
    blueprint: Blueprint,
    operations: Operations,
    drives: Sequence[JointDrive],
    effort: Sequence[float],
    least: Array,
    largest: Array,
    noise: float,
) -> tuple[Task, ...]:
    plan = Task(
        operations,
        PLAN_PERIOD,
        {"tactile": "operator.tactile", "held": "operator.held"},
        {"jaws": "jaws.tau", "latch": "operator.latch"},
        records={"step": Signal("plan.step", "-", (2,), meaning="operation under way; 1: all done", labels=PROGRESS)},
        name="plan",
    )
    tip = Task(
        operations.control,
        SERVO_PERIOD,
        {
            "q": "arm.load_resolver",
            "load": "jaws.palm.mount_load",
            "q_WS": "jaws.palm.q_WB",
            "level": "operator.level",
            "torque": "operator.torque",
        },
        {"q_ref": "arm.servo_q", "qd_ref": "arm.servo_qd", "tau_ref": "arm.servo_tau", "mode": "arm.servo_mode"},
        sensors={"load": Sensor(noise=noise)} if noise > 0.0 else {},
        records={
            "p_wanted": Signal("tip.p_wanted", "m", (3,), "A", "place of the tip that is wanted, in the mount's axes"),
            "q_wanted": Signal("tip.q_wanted", "-", (4,), "A", "attitude of the tip that is wanted, scalar first"),
            "p_reached": Signal("tip.p_reached", "m", (3,), "A", "place of the tip by the load's resolvers"),
            "wrench": Signal("tip.wrench", "N m, N", (6,), "C", "what the tip gives, by the wrist sensor", WRENCH),
        },
        name="tip",
        record_every=10,
    )
    servo = servo_task(blueprint.signal("arm.q"), drives, effort, least, largest, presliding=True)
    servo = replace(servo, writes={"tau": "operator.effort"}, record_every=10)
    constant = np.array([d.gear.ratio * d.motor.torque_constant for d in drives])
    reads = {name: f"operator.{name}" for name in ("level", "current", "effort")}
    amplifier = Task(Amplifier(constant), SERVO_PERIOD, reads, {"tau": "arm.tau"}, name="amplifier")
    return plan, tip, servo, amplifier
