"""A stack of modules in orbit is rebuilt by a gantry: every handover moves mass between two tensor bodies."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal

import numpy as np

from freefloat.engine.blueprint import Blueprint, Connection, Motion, draw
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.control.sequence import Ask, Follow, Know, Sequencer, Step
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, through
from freefloat.missions.modular.handling import footing, known_mass, plan_tasks
from freefloat.missions.modular.metrics import misplaced, module_metrics
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.modular.stack import LAYERS, PITCH, pictures_of, starting_stack
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.robots.arm import Arm
from freefloat.robots.gantry import gantry, joints_for
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup, HandState, Order
from freefloat.structure.heat.climate import Climate
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import TensorPart, empty_hand

SAFE = 0.15  # [m] over the tallest column on the way
Column = tuple[int, int]
MOVES: tuple[tuple[Column, Column], ...] = (
    ((0, 0), (1, 1)),
    ((0, 2), (1, 1)),
    ((2, 0), (2, 1)),
    ((2, 2), (0, 1)),
    ((1, 0), (1, 2)),
    ((1, 1), (0, 0)),
    ((1, 1), (2, 2)),
    ((0, 1), (0, 2)),
    ((2, 1), (2, 0)),
    ((1, 2), (1, 0)),
    ((0, 1), (1, 1)),
    ((2, 1), (1, 1)),
)


@register
class StackReconfiguration(Scenario):
    """A 3 x 3 x 3 stack of modules in low orbit; a gantry takes modules from the top of columns to other columns."""

    kind: ClassVar[str] = "stack-reconfiguration"
    title: ClassVar[str] = "A gantry rebuilds a stack of 27 modules in orbit, with power and heat running"

    duration: float = quantity(1150.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(10.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    coupling: Literal["auto", "tree", "constraint"] = setting("auto", "how closed interfaces are held")
    eta: float = quantity(50.0, "1/s", "Baumgarte rate of constraints", ge=0, le=1000)
    moves: list[tuple[Column, Column]] = quantity(
        list(MOVES), "-", "from the top of a column (x, y) to the top of another"
    )
    speed: float = quantity(0.1, "m/s", "largest speed of an axis", ge=1e-3)
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")

    def build(self) -> Mission:
        """Stack, gantry and its hand; the plan as a task, the assembly as upkeep."""
        frame = self.orbit.frame(self.duration)
        X_WT = Pose(lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0)), np.zeros(3))
        stack = TensorPart("stack", starting_stack(), motion=Motion(X_WT))
        above = _above(stack.contents, self.moves[0][0]) if self.moves else np.zeros(3)
        arm = Arm("gantry", gantry(), on="stack", q=tuple(joints_for(above)))
        tool = TensorPart("tool", empty_hand("tool", stack.contents.catalogue), on="gantry.hand")
        active = stack.contents.catalogue.interface("active")
        hand = HandSetup("hand", "gantry.hand", "tool", "grip", active)
        assembly = Assembly(
            "modules",
            [stack, tool],
            [hand],
            coupling=self.coupling,
            eta=self.eta,
            climate=Climate(OrbitLight(frame.reference)),
        )
        blueprint = draw([frame, stack, arm, tool, assembly], [Connection("grip", "stack", "gantry.hand")])
        sequencer, planned = self._sequencer(blueprint, stack.contents)
        return Mission(
            blueprint,
            tasks=plan_tasks(sequencer, blueprint.signal("gantry.q"), "stack", "modules", ["hand"], 100.0),
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=partial(_judge, planned=planned),
            plots=("stack.q_WB", "gantry.q", "modules.power", "modules.hand.state", "modules.temperature"),
            writers=[pictures_of([stack, tool]), self.orbit.writer("stack")],
        )

    def _sequencer(self, blueprint: Blueprint, start: TensorBody) -> tuple[Sequencer, TensorBody]:
        """The plan as a sequencer, and the stack after it."""
        limits = MotionLimits.uniform(3, self.speed, 0.05, 0.1)
        foot = footing(blueprint, "gantry", "stack", "tool")
        modes = JointModes({"gantry": foot}, "gantry", effort=200.0, bandwidth=6.0, stiffness=500.0)
        body = start.copy()
        return Sequencer(modes, self._plan(body, limits), ["hand"], limits), body

    def _plan(self, body: TensorBody, limits: MotionLimits) -> list[Step]:
        """Pick and place by columns, with the masses that the onboard software expects; `body` goes along."""
        here = joints_for(_above(body, self.moves[0][0])) if self.moves else np.zeros(3)
        steps: list[Step] = []
        for number, (source, target) in enumerate(self.moves, 1):
            name = f"move {number}"
            down, up = _hand_over(body, source), _above(body, source)
            steps.append(Follow(f"{name}: reach", through([here, joints_for(up), joints_for(down)], limits)))
            steps.append(Ask(f"{name}: latch", "hand", Order.LATCH, HandState.CLOSED, comply=True))
            steps.append(Ask(f"{name}: pick", "hand", Order.PICK, HandState.CARRYING, comply=True))
            place = _top(body, source)
            held = body.copy()
            payload = empty_hand("tool", body.catalogue)
            turned = np.diag([1.0, -1.0, -1.0]) @ body.grid.R_PM[body.orientation[place]]  # the hand looks down
            payload.insert(0, held.remove(place), payload.grid.nearest_orientation(turned))
            steps.append(Know(f"{name}: loaded", "gantry", known_mass(held), known_mass(payload)))
            over = _above(body, target)
            _move(body, source, target, f"moves[{number - 1}]")
            way = [joints_for(p) for p in (down, up, over, _hand_over(body, target))]
            steps.append(Follow(f"{name}: carry", through(way, limits)))
            steps.append(Ask(f"{name}: place", "hand", Order.PLACE, HandState.CLOSED, comply=True))
            steps.append(Know(f"{name}: empty", "gantry", known_mass(body)))
            steps.append(Ask(f"{name}: release", "hand", Order.RELEASE, HandState.OPEN, comply=True))
            here = joints_for(_hand_over(body, target))
        return steps


def _judge(result: Result, planned: TensorBody) -> dict[str, float]:
    """Handovers, balances of mass, power and heat, and what the interfaces carried."""
    metrics = module_metrics(result, ["stack", "tool"], ["hand"])
    state, off = result["modules.hand.state"][:, 0], result["modules.hand.misaligned"]
    if (state == HandState.PLACING).any():
        worst = off[state == HandState.PLACING].max(axis=0)
        metrics |= {"place_position_error_m": worst[0], "place_attitude_error_deg": float(np.rad2deg(worst[1]))}
    return {**metrics, "modules_misplaced": misplaced(result, {"stack": planned})}


def _top(body: TensorBody, column: Column) -> int:
    """The highest occupied place of a column."""
    filled = [p for p in (body.grid.index((*column, k)) for k in range(LAYERS)) if body.shape[p] > 0]
    if not filled:
        raise InputError(f"column {column} is empty; allowed: one with a module")
    return filled[-1]


def _move(body: TensorBody, source: Column, target: Column, where: str) -> None:
    """Take the top of a column to the top of another."""
    if source == target:
        raise InputError(f"{where}: from column {source} to itself; allowed: another one")
    place, layer = _top(body, source), int(body.grid.cells[_top(body, target)][2]) + 1
    if layer >= LAYERS:
        raise InputError(f"{where}: column {target} is full; allowed: {LAYERS} modules")
    transfer(body, place, body, body.grid.index((*target, layer)), int(body.orientation[place]))


def _hand_over(body: TensorBody, column: Column) -> Array:
    """Where the hand touches the top of a column, in T [m]."""
    return body.grid.p_TP[_top(body, column)] + np.array([0.0, 0.0, 0.5 * PITCH])


def _above(body: TensorBody, column: Column) -> Array:
    """Where the hand is over a column with a module in it that clears all others, in T [m]."""
    p = _hand_over(body, column)
    tallest = max(body.grid.p_TP[place, 2] for place in body.occupied.tolist()) + 0.5 * PITCH
    return np.array([p[0], p[1], tallest + PITCH + SAFE])
