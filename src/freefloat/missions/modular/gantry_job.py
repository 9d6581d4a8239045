"""Modules of a stack in orbit are moved one after the other by a gantry: the mission, its plan and its judge."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from freefloat.engine.blueprint import Blueprint, Motion, draw
from freefloat.engine.connection import Connection
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.control.sequence import Ask, Follow, Know, Sequencer, Step
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, through
from freefloat.hand_words import HandState, Order
from freefloat.missions.modular.handling import footing, known_mass, plan_tasks
from freefloat.missions.modular.metrics import misplaced, module_metrics
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.modular.stack import pictures_of
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.robots.arm import Arm
from freefloat.robots.gantry import GantrySize, gantry, joints_for
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.structure.assembly import Assembly
from freefloat.structure.faults import Face
from freefloat.structure.hand import HandSetup
from freefloat.structure.heat.climate import Climate
from freefloat.structure.module import InterfaceType
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import TensorPart, empty_hand

SAFE = 0.15  # [m] over the tallest column on the way
DOWN = np.diag([1.0, -1.0, -1.0])  # R_TE of a hand that looks down
Transfer = tuple[int, int]  # the place that a module leaves, and the one where it goes


@dataclass(frozen=True, eq=False)
class GantryJob:
    """The stack before, its moves one after the other, and the gantry that makes them."""

    start: TensorBody
    moves: Sequence[Transfer]
    hand: InterfaceType
    size: GantrySize = field(default_factory=GantrySize)
    apart: frozenset[Face] = frozenset()  # interfaces that are open at the start
    broken: frozenset[Face] = frozenset()  # interfaces that have failed
    keep_off: float = 0.0  # [m] from columns to the middle of the ram between moves; 0: it goes straight on

    def over(self, body: TensorBody, place: int) -> Array:
        """Where the hand touches the top of a place, in T [m]."""
        return body.grid.p_TP[place] + np.array([0.0, 0.0, 0.5 * body.grid.spacing])

    def above(self, body: TensorBody, place: int) -> Array:
        """Where the hand is over a place with a module in it that clears all others, in T [m]."""
        x, y, _ = self.over(body, place)
        return np.array([x, y, _tallest(body) + body.grid.spacing + SAFE])

    def at_start(self) -> Array:
        """Where the hand is before the first move, in T [m]."""
        if self.moves:
            return self.above(self.start, self.moves[0][0])
        return np.array([0.0, 0.0, _tallest(self.start) + self.start.grid.spacing + SAFE])

    def joints(self, points: Sequence[Array]) -> list[Array]:
        """Joint positions at points of T [m]."""
        return [joints_for(p, self.size) for p in points]

    def plan(self, limits: MotionLimits) -> tuple[list[Step], TensorBody]:
        """Pick and place with the masses that the onboard software expects, and the stack afterwards."""
        body, here = self.start.copy(), self.at_start()
        steps: list[Step] = []
        for number, (source, target) in enumerate(self.moves, 1):
            name = f"move {number}"
            down, up = self.over(body, source), self.above(body, source)
            rise = [np.array([here[0], here[1], up[2]])] if self._blocked(body, here, up) else []
            steps.append(Follow(f"{name}: reach", through(self.joints([here, *rise, up, down]), limits)))
            steps.append(Ask(f"{name}: latch", "hand", Order.LATCH, HandState.CLOSED, comply=True))
            steps.append(Ask(f"{name}: pick", "hand", Order.PICK, HandState.CARRYING, comply=True))
            held, orientation = body.copy(), int(body.orientation[source])
            payload = empty_hand("tool", body.catalogue, body.grid.spacing)
            turned = payload.grid.nearest_orientation(DOWN @ body.grid.R_PM[orientation])
            payload.insert(0, held.remove(source), turned)
            steps.append(Know(f"{name}: loaded", "gantry", known_mass(held), known_mass(payload)))
            over = self.above(body, target)
            transfer(body, source, body, target, orientation)
            here = self.over(body, target)
            steps.append(Follow(f"{name}: carry", through(self.joints([down, up, over, here]), limits)))
            steps.append(Ask(f"{name}: place", "hand", Order.PLACE, HandState.CLOSED, comply=True))
            steps.append(Know(f"{name}: empty", "gantry", known_mass(body)))
            steps.append(Ask(f"{name}: release", "hand", Order.RELEASE, HandState.OPEN, comply=True))
        return steps, body

    def _blocked(self, body: TensorBody, start: Array, end: Array) -> bool:
        """Whether a module is beside the ram on the straight way between two points of the hand in T."""
        points = start + np.linspace(0.0, 1.0, 101)[:, None] * (end - start)
        half = 0.5 * body.grid.spacing
        for p in body.grid.p_TP[body.occupied] if self.keep_off > 0.0 else ():
            beside = (np.abs(points[:, :2] - p[:2]) < half + self.keep_off).all(axis=1)
            if (beside & (points[:, 2] < p[2] + half - 1e-6)).any():
                return True
        return False


def _tallest(body: TensorBody) -> float:
    """Height in T [m] of the highest module's top."""
    return max(float(body.grid.p_TP[place, 2]) for place in body.occupied.tolist()) + 0.5 * body.grid.spacing


class GantryScenario(Scenario):
    """What scenarios with a gantry on a stack share; a subclass gives the job."""

    record_rate: float = quantity(10.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    coupling: Literal["auto", "tree", "constraint"] = setting("auto", "how closed interfaces are held")
    eta: float = quantity(50.0, "1/s", "Baumgarte rate of constraints", ge=0, le=1000)
    speed: float = quantity(0.1, "m/s", "largest speed of an axis", ge=1e-3)
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")

    @abstractmethod
    def job(self) -> GantryJob:
        """Stack, moves and gantry."""

    def build(self) -> Mission:
        """Stack, gantry and its hand; the plan as a task, the assembly as upkeep."""
        job = self.job()
        frame = self.orbit.frame(self.duration)
        X_WT = Pose(lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0)), np.zeros(3))
        stack = TensorPart("stack", job.start, motion=Motion(X_WT))
        arm = Arm("gantry", gantry(size=job.size), on="stack", q=tuple(joints_for(job.at_start(), job.size)))
        empty = empty_hand("tool", job.start.catalogue, job.start.grid.spacing)
        tool = TensorPart("tool", empty, on="gantry.hand")
        hand = HandSetup("hand", "gantry.hand", "tool", "grip", job.hand)
        assembly = Assembly(
            "modules",
            [stack, tool],
            [hand],
            coupling=self.coupling,
            eta=self.eta,
            climate=Climate(OrbitLight(frame.reference)),
            apart=job.apart,
            broken=job.broken,
        )
        blueprint = draw([frame, stack, arm, tool, assembly], [Connection("grip", "stack", "gantry.hand")])
        limits = MotionLimits.uniform(3, self.speed, 0.05, 0.1)
        steps, planned = job.plan(limits)
        return Mission(
            blueprint,
            tasks=plan_tasks(
                _sequencer(blueprint, steps, limits), blueprint.signal("gantry.q"), "stack", "modules", ["hand"], 100.0
            ),
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=partial(judge, planned=planned),
            plots=("stack.q_WB", "gantry.q", "modules.power", "modules.hand.state", "modules.temperature"),
            writers=[pictures_of([stack, tool]), self.orbit.writer("stack")],
        )


def _sequencer(blueprint: Blueprint, steps: Sequence[Step], limits: MotionLimits) -> Sequencer:
    foot = footing(blueprint, "gantry", "stack", "tool")
    modes = JointModes({"gantry": foot}, "gantry", effort=200.0, bandwidth=6.0, stiffness=500.0)
    return Sequencer(modes, steps, ["hand"], limits)


def judge(result: Result, planned: TensorBody) -> dict[str, float]:
    """Handovers, balances of mass, power and heat, and what the interfaces carried."""
    metrics = module_metrics(result, ["stack", "tool"], ["hand"])
    state, off = result["modules.hand.state"][:, 0], result["modules.hand.misaligned"]
    if (state == HandState.PLACING).any():
        worst = off[state == HandState.PLACING].max(axis=0)
        metrics |= {"place_position_error_m": worst[0], "place_attitude_error_deg": float(np.rad2deg(worst[1]))}
    return {**metrics, "modules_misplaced": misplaced(result, {"stack": planned})}
