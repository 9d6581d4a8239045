"""A walking robot rebuilds a modular spacecraft in orbit: it picks a module, carries and places it, and walks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar, Literal

import numpy as np

from freefloat.contact import Contact, HuntCrossley
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Blueprint, Motion, draw
from freefloat.engine.connection import Connection
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.errors import FieldError, about
from freefloat.frames import Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.control.sequence import Ask, Follow, Know, Sequencer, Step
from freefloat.gnc.control.walking_feedforward import WalkingFeedforward
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.hand_words import HandState, Order
from freefloat.missions.attitude_settings import AttitudeSettings, WheelSettings
from freefloat.missions.drive_settings import DrivenSettings, drive_metrics, servo_task
from freefloat.missions.modular.handling import LONG_STEP, footing, inertia_range, known_mass, plan_tasks
from freefloat.missions.modular.metrics import misplaced, module_metrics, placing_error, pointing_error, violation
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.modular.review.pictures import mission_pictures
from freefloat.missions.modular.review.review import reviewer
from freefloat.missions.modular.review.subject import subject_of
from freefloat.missions.modular.stack import starting_stack
from freefloat.missions.modular.walker import UP, Plan, Walker, make_plan, standing_edge
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup
from freefloat.structure.heat.climate import Climate
from freefloat.structure.latches import Latches
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import TensorPart, empty_hand

Cell = tuple[int, int, int]
HANDS = ("a", "b")
LOADS = ("load_a", "load_b")
WEAK = 0.02  # [N m] that an interface bears which fails under load
CLEARANCE = 0.002  # [m] between the faces of a carried module and those of its neighbours on the grid
SOFT = HuntCrossley(2e4, damping=2.0, exponent=1.0)  # assumed, docs/reference/parameters.md
RATE = 250.0  # [Hz] of the joint controller
MEAN_POWER = 77.0  # [W] of the robot where its drives do not tell
PLOTS = (
    "wm.q",
    "wm.tau_applied",
    "attitude.error",
    "modules.b.state",
    "modules.b.load",
    "modules.power",
    "modules.temperature",
)


@register
class PickAndPlace(Scenario):
    """The walking manipulator stands with end A on a stack of 27 modules; wheels hold the attitude."""

    kind: ClassVar[str] = "pick-and-place"
    title: ClassVar[str] = "A walking robot takes a module of a stack to another place and walks one step, in orbit"

    duration: float = quantity(240.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(20.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    coupling: Literal["auto", "tree", "constraint"] = setting(
        "auto", "how closed interfaces are held: by the tree where there is no loop (auto, tree), or by constraints"
    )
    eta: float = quantity(50.0, "1/s", "Baumgarte rate of constraints", ge=0, le=1000)
    foot: Cell = quantity((1, 1, 2), "-", "place on which end A stands, on its top")
    pick: Cell = quantity((2, 1, 2), "-", "place of the module that is taken, by its top")
    place: Cell = quantity((0, 1, 3), "-", "place where it goes")
    walk: Cell = quantity((1, 2, 2), "-", "place on which end B steps at the end, on its top")
    joint_speed: float = quantity(float(np.deg2rad(5.0)), "rad/s", "largest joint speed", ge=1e-3, le=0.349)
    attitude: Literal["off", "feedback", "feedforward"] = setting(
        "feedforward",
        "attitude control of the stack: none, quaternion feedback with reaction wheels, or the same with feedforward "
        "of the robot's motion",
    )
    onboard_mass_error: float = quantity(
        0.0, "-", "relative error of the mass and inertia of robot and payload in the onboard model", gt=-1, le=10
    )
    fault: Literal["none", "no-close", "misplaced", "overload", "collision"] = setting(
        "none",
        "what goes wrong: the interface at the goal does not close, the module is not where the plan says, "
        "the interface of end B bears only 0.02 N m, or another module is in the way of the one that is carried",
    )
    robot: DrivenSettings = setting(DrivenSettings(drive="walker"), "the robot's drives")
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")
    wheels: WheelSettings = setting(WheelSettings(), "the reaction wheels")
    attitude_control: AttitudeSettings = setting(AttitudeSettings(bandwidth=0.2), "the attitude controller")

    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """Stack, robot and its hands, wheels; plan and attitude control as tasks, the assembly as upkeep."""
        frame = self.orbit.frame(self.duration)
        X_WT = Pose(lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0)), np.zeros(3))
        job = _job(self.foot, self.pick, self.place, self.walk, self.joint_speed)
        body = job.stack.copy()
        if self.fault == "misplaced":
            transfer(body, job.pick, body, body.grid.index((0, 0, 3)), int(body.orientation[job.pick]))
        if self.fault == "collision":
            _put_in_the_way(body, job)
        stack = TensorPart("stack", body, motion=Motion(X_WT))
        stands = Motion(X_WT @ job.stack.X_TF(job.foot, UP))
        drives = self.robot.joint_drives(len(job.plan.q_start), "robot")
        servo = "position" if drives else ""
        arm = Arm("wm", job.walker.graph, q=tuple(job.plan.q_start), motion=stands, drives=drives, servo=servo)
        loads = [
            TensorPart(f"load_{h}", empty_hand(f"load_{h}", body.catalogue), on=f"wm.end_{h}", clearance=CLEARANCE)
            for h in HANDS
        ]
        touch = [Contact("touch", "stack", "load_b", SOFT)] if self.fault == "collision" else []
        assembly = self._assembly([stack, *loads], job, OrbitLight(frame.reference), drives)
        hold = "constraint" if self.coupling == "constraint" else "tree"
        blueprint = draw(
            [frame, stack, arm, *loads, *touch, self.wheels.part("wheels", "stack"), assembly],
            [
                Connection("foot_a", "stack", "wm.end_a", hold, self.eta, closed=True),
                Connection("foot_b", "stack", "wm.end_b", hold, self.eta),
            ],
        )
        modes = _modes(blueprint, job, 1.0 + self.onboard_mass_error)
        tasks = _plan_tasks(blueprint, job, modes, drives, felt=self.fault == "collision")
        if self.attitude != "off":
            inertia = np.array(job.stack.mass_properties().I_TTcm_T)
            ahead = 0.5 / self.attitude_control.rate
            forward = WalkingFeedforward((modes,), ahead) if self.attitude == "feedforward" else None
            tasks += (self.attitude_control.task("stack", X_WT.q, inertia, self.wheels, forward),)
        subject = subject_of(assembly, {"wm": job.walker.graph}, self.wheels.capacity(), CLEARANCE)
        return Mission(
            blueprint,
            tasks=tasks,
            integrator=self.integrator.make(driven=drives is not None, longest=None if touch else LONG_STEP),
            record_rate=self.record_rate,
            judge=partial(_judge, job=job, drives=drives),
            plots=[name for name in PLOTS if self.attitude != "off" or not name.startswith("attitude.")],
            writers=[mission_pictures(subject), self.orbit.writer("stack")],
            review=reviewer(subject),
        )

    def _assembly(
        self, parts: list[TensorPart], job: Job, light: OrbitLight, drives: Sequence[JointDrive] | None
    ) -> Assembly:
        """Full drives take what they need from the modules' bus; otherwise the robot takes its mean power."""
        full = drives is not None and all(drive.motor.kind != "ideal" for drive in drives)
        standby = sum(drive.driver.standby for drive in drives or ())
        active = job.stack.catalogue.interface("active")
        weak = replace(active, max_torque=WEAK)
        types = {"a": active, "b": weak if self.fault == "overload" else active}
        felt = {"a": "", "b": "touch" if self.fault == "collision" else ""}
        below = int(job.stack.grid.neighbours[job.place, 5])
        return Assembly(
            "modules",
            parts,
            [HandSetup(h, f"wm.end_{h}", f"load_{h}", f"foot_{h}", types[h], contact=felt[h]) for h in HANDS],
            robots={"wm": HANDS},
            robot_demand=standby if full else MEAN_POWER,
            robot_energy={"wm": "wm.drive_energy"} if full else None,
            coupling=self.coupling,
            eta=self.eta,
            climate=Climate(light),
            faults={int(job.stack.identity[below]): "close"} if self.fault == "no-close" and below >= 0 else (),
            closed=["a"],
        )


@dataclass(frozen=True, eq=False)
class Job:
    """The stack before, the places in it that the robot uses, and the plan."""

    stack: TensorBody
    foot: int
    pick: int
    place: int
    walk: int
    walker: Walker
    plan: Plan


def _put_in_the_way(body: TensorBody, job: Job) -> None:
    """The first module that can be spared stands where the plan wants to place another."""
    used = (job.foot, job.pick, job.walk, int(body.grid.neighbours[job.place, 5]))
    latches = Latches()
    latches.close_all(body)
    for spare in reversed(body.occupied.tolist()):
        above = int(body.grid.neighbours[spare, UP])
        if spare not in used and (above < 0 or body.shape[above] == 0) and latches.without(body, spare) == 1:
            transfer(body, spare, body, job.place, int(body.orientation[spare]))
            return
    raise FieldError("fault", "collision: no module can be spared; allowed: a stack with a free module on top")


@lru_cache(maxsize=8)
def _job(foot: Cell, pick: Cell, place: Cell, walk: Cell, speed: float) -> Job:
    stack = starting_stack()
    walker = Walker(load_urdf(asset("walking_manipulator")), MotionLimits.uniform(7, speed, 0.5 * speed, 0.5 * speed))
    places: list[int] = []
    for name, cell in {"foot": foot, "pick": pick, "place": place, "walk": walk}.items():
        with about(name):
            places.append(stack.grid.index(cell))
    stands, taken, goal, aside = places
    plan = make_plan(walker, stack, stands, taken, goal, aside)
    return Job(stack, stands, taken, goal, aside, walker, plan)


def _modes(blueprint: Blueprint, job: Job, mass_scale: float) -> JointModes:
    """Joint control, with one onboard model for each end that the robot stands on."""
    walker, plan = job.walker, job.plan
    edges = {
        "a": standing_edge(walker, "wm", "stack", "a", plan.X_TA),
        "b": standing_edge(walker, "wm", "stack", "b", plan.X_TB),
    }
    tips = {"a": "load_b", "b": "load_a"}
    feet = {
        end: footing(blueprint, "wm", "stack", tips[end], edges[end], end=f"wm.end_{end}", mass_scale=mass_scale)
        for end in HANDS
    }
    return JointModes(feet, "a", effort=[j.effort for j in walker.graph.joints if j.kind != "fixed"])


def _plan_tasks(
    blueprint: Blueprint, job: Job, modes: JointModes, drives: Sequence[JointDrive] | None, felt: bool
) -> tuple[Task, ...]:
    """Sequencer and joint control."""
    walker, plan, steps = job.walker, job.plan, _steps(job)
    sequencer = Sequencer(modes, steps, HANDS, walker.limits)
    servo = None
    if drives is not None:
        moves = (plan.approach, plan.carry, plan.step, plan.lift)
        postures = [move.at(t)[0] for move in moves for t in np.linspace(0.0, move.duration, 5)]
        loads = [Mass.none(), *(step.payload for step in steps if isinstance(step, Know) and step.payload is not None)]
        inertias = inertia_range(modes.footings, postures, loads)
        servo = servo_task(blueprint.signal("wm.q"), drives, modes.effort, *inertias)
    return plan_tasks(sequencer, blueprint.signal("wm.q"), "stack", "modules", HANDS, RATE, felt, servo)


def _steps(job: Job) -> list[Step]:
    """The whole job with the masses that the onboard software expects."""
    plan, taken = job.plan, job.stack.copy()
    module = taken.remove(job.pick)
    payload, done = empty_hand("load_b", taken.catalogue), plan.done
    payload.insert(0, module, *payload.offset_of(0, plan.X_EM))
    latch = Order.LATCH, HandState.CLOSED
    return [
        Know("stand on A", "a", known_mass(job.stack)),
        Follow("approach the module", plan.approach),
        Ask("latch the module", "b", *latch, comply=True),
        Ask("pick it", "b", Order.PICK, HandState.CARRYING, comply=True),
        Know("carry it", "a", known_mass(taken), known_mass(payload)),
        Follow("carry the module", plan.carry),
        Ask("place it", "b", Order.PLACE, HandState.CLOSED, comply=True),
        Know("hand empty", "a", known_mass(done)),
        Ask("let it go", "b", Order.RELEASE, HandState.OPEN, comply=True),
        Follow("step aside", plan.step),
        Ask("stand on B too", "b", *latch, comply=True),
        Ask("lift A", "a", Order.RELEASE, HandState.OPEN, comply=True),
        Know("stand on B", "b", known_mass(done), Mass.none()),
        Follow("raise A", plan.lift),
    ]


def _judge(result: Result, job: Job, drives: Sequence[JointDrive] | None) -> dict[str, float]:
    """How well the module was placed, what was kept, and how still the stack stayed."""
    plan = job.plan
    return {
        **module_metrics(result, ["stack", *LOADS], HANDS),
        **violation(result, {"foot_a": "a", "foot_b": "b"}),
        **placing_error(result, plan.X_EM, plan.X_TM),
        "modules_misplaced": misplaced(result, {"stack": plan.done}),
        "walked": float(
            result["modules.b.state"][-1, 0] == HandState.CLOSED
            and result["modules.b.module"][-1, 0] == job.stack.identity[job.walk]
            and result["modules.a.state"][-1, 0] == HandState.OPEN
        ),
        **pointing_error(result, "stack"),
        "tracking_error_max_rad": float(np.abs(result["wm.error"]).max()),
        "joint_torque_max_N_m": float(np.abs(result["wm.tau_applied"]).max()),
        **drive_metrics(result, "wm", drives),
    }
