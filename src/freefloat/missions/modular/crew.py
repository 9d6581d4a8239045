"""The robots of a reconfiguration: their parts, their onboard models, and the tasks that let the executive fly them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from freefloat.engine.blueprint import Blueprint, Motion
from freefloat.engine.connection import Connection
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array, Pose
from freefloat.gnc.control.executive.belief import X_of_foot
from freefloat.gnc.control.executive.executive import Executive
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.telemetry import hand_measures
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.planning.reconfiguration.problem import Places, Stance
from freefloat.missions.modular.handling import footing
from freefloat.missions.modular.walker import Walker, standing_edge
from freefloat.robots.arm import Arm
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.hand import HandSetup
from freefloat.structure.module import InterfaceType
from freefloat.structure.tensor_part import TensorPart, empty_hand

ENDS = ("a", "b")
STACK, ASSEMBLY = "stack", "modules"
RATE = 250.0  # [Hz] of joint control
PROGRESS = ("operations", "all done", "safe stop")
COUNTS = ("transfers", "steps", "recoveries", "plans made anew")


@dataclass(frozen=True, eq=False)
class Member:
    """One robot: it begins on `stance` with end A, in the posture q."""

    name: str
    walker: Walker
    stance: Stance
    q: Array  # [rad] from end A

    @property
    def hands(self) -> dict[str, str]:
        """End -> name of its hand."""
        return {end: f"{self.name}_{end}" for end in ENDS}

    @property
    def loads(self) -> dict[str, str]:
        """End -> the part that is in its hand."""
        return {end: f"{self.name}_load_{end}" for end in ENDS}

    @property
    def feet(self) -> dict[str, str]:
        """End -> the connection by which it stands."""
        return {end: f"{self.name}_foot_{end}" for end in ENDS}

    @property
    def effort(self) -> list[float]:
        """[N m] of each joint."""
        return [j.effort for j in self.walker.graph.joints if j.kind != "fixed"]

    def arm(self, X_WT: Pose, places: Places) -> Arm:
        """The robot as a part that stands on its face."""
        _, X_LE = self.walker.ends["a"]
        X_WL = X_WT @ X_of_foot(places, self.stance) @ X_LE.inverse()
        return Arm(self.name, self.walker.graph, q=tuple(self.q), motion=Motion(X_WL))

    def tools(self, catalogue: Catalogue, pitch: float, clearance: float) -> list[TensorPart]:
        """What is in its hands: nothing yet."""
        return [
            TensorPart(part, empty_hand(part, catalogue, pitch), on=f"{self.name}.end_{end}", clearance=clearance)
            for end, part in self.loads.items()
        ]

    def connections(self, hold: str, eta: float) -> list[Connection]:
        """Of its ends with the structure; end A stands."""
        return [
            Connection(foot, STACK, f"{self.name}.end_{end}", hold, eta, closed=end == "a")
            for end, foot in self.feet.items()
        ]

    def setups(self, interface: InterfaceType) -> list[HandSetup]:
        """Its hands."""
        return [
            HandSetup(self.hands[end], f"{self.name}.end_{end}", self.loads[end], self.feet[end], interface)
            for end in ENDS
        ]


def onboard_robot(bp: Blueprint, member: Member, others: Sequence[Member], places: Places, mass_scale: float) -> Robot:
    """A robot as the executive leads it, with one onboard model for each end on which it may stand."""
    without = [link for o in others for link in bp.links if link.startswith(f"{o.name}.") or link in o.loads.values()]
    tips = {"a": member.loads["b"], "b": member.loads["a"]}
    X_TE = X_of_foot(places, member.stance)
    feet = {
        end: footing(
            bp,
            member.name,
            STACK,
            tips[end],
            standing_edge(member.walker, member.name, STACK, end, X_TE),
            without,
            f"{member.name}.end_{end}",
            mass_scale,
        )
        for end in ENDS
    }
    modes = JointModes(feet, "a", effort=member.effort)
    return Robot(member.name, modes, member.hands, member.stance)


def crew_tasks(bp: Blueprint, executive: Executive, crew: Sequence[Member]) -> tuple[Task, ...]:
    """The executive as the task `plan`, and a joint controller for each robot."""
    reads = {name: f"{STACK}.{name}" for name in ("identity", "orientation", "powered")}
    writes: dict[str, str] = {}
    for member in crew:
        reads |= {f"{member.name}.{x}": f"{member.name}.{x}" for x in ("q", "qd")}
        for end, hand in member.hands.items():
            reads |= hand_measures(hand, member.loads[end], ASSEMBLY)
            writes |= {f"{hand}.{what}": f"{ASSEMBLY}.{hand}.{what}" for what in ("without", "order")}
    records = {
        "progress": Signal("plan.step", "-", (3,), meaning="progress of the plan; 1: yes", labels=PROGRESS),
        "counts": Signal("plan.counts", "-", (4,), meaning="what was done so far", labels=COUNTS),
    }
    plan = Task(executive, executive.period, reads, writes, records=records, name="plan")
    return (plan, *(_joint_task(bp, robot) for robot in executive.robots))


def _joint_task(bp: Blueprint, robot: Robot) -> Task:
    joints, arm = bp.signal(f"{robot.name}.q"), robot.name
    reads = {"q": f"{arm}.q", "qd": f"{arm}.qd"}
    reads |= {"q_WB": f"{STACK}.q_WB", "v_WB": f"{STACK}.v_WB", "w_WB_B": f"{STACK}.w_WB_B"}
    meaning = "reference minus measured joint position"
    return Task(
        robot.modes,
        1.0 / RATE,
        reads,
        {"tau": f"{arm}.tau"},
        records={"error": replace(joints, name=f"{arm}.error", meaning=meaning)},
        name=f"{arm}-joints",
    )
