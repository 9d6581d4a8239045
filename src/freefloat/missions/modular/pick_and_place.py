"""A walking robot rebuilds a modular spacecraft in orbit: it picks a module, carries and places it, and walks."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from freefloat.actuators import ReactionWheels
from freefloat.engine.blueprint import Connection, Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array, Pose
from freefloat.gnc.control.allocation import WheelAllocation, pyramid_axes
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.control.pointing import InertialPointing
from freefloat.gnc.control.sequence import Ask, Follow, Know, Sequencer, Step
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.missions.arm.arm_on_satellite import AttitudeSettings, WheelSettings
from freefloat.missions.modular.handling import footing, mass_of, plan_tasks
from freefloat.missions.modular.metrics import misplaced, module_metrics, placing_error, violation
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.modular.stack_reconfiguration import starting_stack
from freefloat.missions.modular.walker import UP, Plan, Walker, make_plan, standing_edge
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup, HandState, Order
from freefloat.structure.heat.climate import Climate
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import TensorPart, empty_hand

Cell = tuple[int, int, int]
HANDS = ("a", "b")
LOADS = ("load_a", "load_b")
WEAK = 0.02  # [N m] that an interface bears which fails under load
RATE = 250.0  # [Hz] of the joint controller


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
    attitude: Literal["off", "feedback"] = setting("feedback", "attitude control of the stack with reaction wheels")
    fault: Literal["none", "no-close", "misplaced", "overload"] = setting(
        "none",
        "what goes wrong: the interface at the goal does not close, the module is not where the plan says, "
        "or the interface of end B bears only 0.02 N m",
    )
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")
    wheels: WheelSettings = setting(WheelSettings(), "the reaction wheels")
    attitude_control: AttitudeSettings = setting(AttitudeSettings(bandwidth=0.2), "the attitude controller")

    def build(self) -> Mission:
        """Stack, robot and its hands, wheels; plan and attitude control as tasks, the assembly as upkeep."""
        frame = self.orbit.frame(self.duration)
        X_WT = Pose(lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0)), np.zeros(3))
        planned = starting_stack()
        cells = [planned.grid.index(c) for c in (self.foot, self.pick, self.place, self.walk)]
        walker, plan = _planned(self.foot, self.pick, self.place, self.walk, self.joint_speed)
        body = planned.copy()
        if self.fault == "misplaced":
            transfer(body, cells[1], body, body.grid.index((0, 0, 3)), int(body.orientation[cells[1]]))
        stack = TensorPart("stack", body, motion=Motion(X_WT))
        arm = Arm("wm", walker.graph, q=tuple(plan.q_start), motion=Motion(X_WT @ planned.X_TF(cells[0], UP)))
        loads = [TensorPart(f"load_{h}", empty_hand(f"load_{h}", body.catalogue), on=f"wm.end_{h}") for h in HANDS]
        wheels = ReactionWheels(
            "wheels",
            "stack",
            pyramid_axes(),
            self.wheels.inertia,
            self.wheels.max_torque,
            self.wheels.max_speed,
            viscous=self.wheels.viscous,
            dry=self.wheels.dry,
        )
        assembly = self._assembly([stack, *loads], planned, cells)
        hold = "constraint" if self.coupling == "constraint" else "tree"
        mission = Mission(
            [frame, stack, arm, *loads, wheels, assembly],
            connections=[
                Connection("foot_a", "stack", "wm.end_a", hold, self.eta, closed=True),
                Connection("foot_b", "stack", "wm.end_b", hold, self.eta),
            ],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
        )
        mission.tasks = self._plan_tasks(mission, walker, plan, planned, cells)
        if self.attitude != "off":
            mission.tasks += (self._attitude_task(planned, X_WT.q),)
        return mission

    def _assembly(self, parts: list[TensorPart], planned: TensorBody, cells: list[int]) -> Assembly:
        active = planned.catalogue.interface("active")
        weak = replace(active, max_torque=WEAK)
        types = {"a": active, "b": weak if self.fault == "overload" else active}
        below = int(planned.grid.neighbours[cells[2], 5])
        return Assembly(
            "modules",
            parts,
            [HandSetup(h, f"wm.end_{h}", f"load_{h}", f"foot_{h}", types[h]) for h in HANDS],
            robots={"wm": HANDS},
            robot_demand=77.0,
            coupling=self.coupling,
            eta=self.eta,
            climate=Climate(OrbitLight(self.orbit.frame(self.duration).reference)),
            faults={int(planned.identity[below]): "close"} if self.fault == "no-close" and below >= 0 else None,
            closed=["a"],
        )

    def _plan_tasks(
        self, mission: Mission, walker: Walker, plan: Plan, planned: TensorBody, cells: list[int]
    ) -> tuple[Task, ...]:
        """Sequencer and joint control, with one onboard model for each end that the robot stands on."""
        edges = {
            "a": standing_edge(walker, "wm", "stack", "a", plan.X_TA),
            "b": standing_edge(walker, "wm", "stack", "b", plan.X_TB),
        }
        tips = {"a": "load_b", "b": "load_a"}
        feet = {end: footing(mission, "wm", "stack", tips[end], edges[end]) for end in HANDS}
        modes = JointModes(feet, "a", effort=[j.effort for j in walker.graph.joints if j.kind != "fixed"])
        sequencer = Sequencer(modes, _steps(plan, planned, cells), HANDS, walker.limits)
        return plan_tasks(sequencer, "wm", "stack", "modules", HANDS, RATE)

    def _attitude_task(self, planned: TensorBody, q_WR: Array) -> Task:
        c, w = self.attitude_control, self.wheels
        inertia = np.array(planned.mass_properties().I_TTcm_T)
        system = AttitudeSystem(
            AttitudeController(inertia, InertialPointing(q_WR), AttitudeGains(c.bandwidth, c.damping, c.integral)),
            WheelAllocation(pyramid_axes(), w.inertia, w.max_torque, w.max_speed, horizon=1.0 / c.rate),
        )
        return Task(
            system,
            1.0 / c.rate,
            reads={"q_WB": "stack.q_WB", "w_WB_B": "stack.w_WB_B", "speed": "wheels.speed"},
            writes={"tau_wheel": "wheels.tau"},
            records={"error": Signal("attitude.error", "rad", (3,), "B", "attitude error")},
            name="attitude",
        )

    def metrics(self, result: Result) -> dict[str, float]:
        """How well the module was placed, what was kept, and how still the stack stayed."""
        stack, plan = starting_stack(), _planned(self.foot, self.pick, self.place, self.walk, self.joint_speed)[1]
        q = result["stack.q_WB"]
        turn = 2.0 * np.arccos(np.minimum(np.abs(q @ q[0]), 1.0))
        stands_on = stack.identity[stack.grid.index(self.walk)]
        return {
            **module_metrics(result, ["stack", *LOADS], HANDS),
            **violation(result, {"foot_a": "a", "foot_b": "b"}),
            **placing_error(result, plan.X_EM, plan.X_TM),
            "modules_misplaced": misplaced(result, {"stack": plan.done}),
            "walked": float(
                result["modules.b.state"][-1, 0] == HandState.CLOSED
                and result["modules.b.module"][-1, 0] == stands_on
                and result["modules.a.state"][-1, 0] == HandState.OPEN
            ),
            "pointing_error_max_deg": float(np.rad2deg(turn.max())),
            "tracking_error_max_rad": float(np.abs(result["wm.error"]).max()),
            "joint_torque_max_N_m": float(np.abs(result["wm.tau_applied"]).max()),
        }

    def modules(self) -> dict[str, TensorBody]:
        """The stack and what the hands hold."""
        stack = starting_stack()
        return {"stack": stack, **{name: empty_hand(name, stack.catalogue) for name in LOADS}}

    def write(self, result: Result, out: Path) -> None:
        """The flown orbit as a CCSDS ephemeris."""
        self.orbit.write(result, ["stack"], out)

    def plots(self) -> tuple[str, ...]:
        """Motion, interfaces, power and heat."""
        return (
            "wm.q",
            "wm.tau_applied",
            "attitude.error",
            "modules.b.state",
            "modules.b.load",
            "modules.power",
            "modules.temperature",
        )


@lru_cache(maxsize=8)
def _planned(foot: Cell, pick: Cell, place: Cell, walk: Cell, speed: float) -> tuple[Walker, Plan]:
    stack = starting_stack()
    graph = load_urdf(asset("walking_manipulator"))
    walker = Walker(graph, MotionLimits.uniform(7, speed, 0.5 * speed, 0.5 * speed))
    stands, taken, goal, aside = (stack.grid.index(c) for c in (foot, pick, place, walk))
    return walker, make_plan(walker, stack, stands, taken, goal, aside)


def _steps(plan: Plan, planned: TensorBody, cells: list[int]) -> list[Step]:
    """The whole job with the masses that the onboard software expects."""
    pick = cells[1]
    taken = planned.copy()
    module = taken.remove(pick)
    payload, done = empty_hand("load_b", planned.catalogue), plan.done
    payload.insert(0, module, *payload.offset_of(0, plan.X_EM))
    latch = Order.LATCH, HandState.CLOSED
    return [
        Know("stand on A", "a", mass_of(planned)),
        Follow("approach the module", plan.approach),
        Ask("latch the module", "b", *latch, comply=True),
        Ask("pick it", "b", Order.PICK, HandState.CARRYING, comply=True),
        Know("carry it", "a", mass_of(taken), mass_of(payload)),
        Follow("carry the module", plan.carry),
        Ask("place it", "b", Order.PLACE, HandState.CLOSED, comply=True),
        Know("hand empty", "a", mass_of(done)),
        Ask("let it go", "b", Order.RELEASE, HandState.OPEN, comply=True),
        Follow("step aside", plan.step),
        Ask("stand on B too", "b", *latch, comply=True),
        Ask("lift A", "a", Order.RELEASE, HandState.OPEN, comply=True),
        Know("stand on B", "b", mass_of(done), Mass.none()),
        Follow("raise A", plan.lift),
    ]
