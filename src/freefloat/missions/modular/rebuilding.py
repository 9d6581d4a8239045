"""A reconfiguration that is to be flown: both designs, the plan between them, the robots and their motions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np

from freefloat.errors import FieldError
from freefloat.frames import Array
from freefloat.gnc.control.executive.job import Planning
from freefloat.gnc.control.executive.sweep import Figure
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_step import frames
from freefloat.gnc.planning.reconfiguration.limb_homing import way_home
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, with_locked
from freefloat.gnc.planning.reconfiguration.limb_parking import put_down
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.planner import Limits, plan
from freefloat.gnc.planning.reconfiguration.problem import Contents, Match, Plan, Problem
from freefloat.missions.modular.crew import Member
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_file import load_plan
from freefloat.missions.modular.planning import motions_of, plan_pair
from freefloat.missions.modular.walker import Walker
from freefloat.robots.shipped import load_robot
from freefloat.structure.design.file import load_design
from freefloat.structure.design.robot_kinds import ROBOT_KINDS
from freefloat.structure.tensor_body import TensorBody

SHIPPED = Path(__file__).parent
THICK = 0.105  # [m] radius of the capsules along a robot's centre line, which hold its solids
ROUND = 0.87  # [-] of the pitch: radius of a ball around a module
ON_BOARD, WEIGHTS = 1500, (3.0,)  # expansions and weights of a search in flight


@dataclass(frozen=True, eq=False)
class Rebuilding:
    """The job: designs, plan, and the robots with their onboard planner."""

    pair: DesignPair
    plan: Plan
    planning: Planning
    walker: Walker

    @cached_property
    def body(self) -> TensorBody:
        """The structure at the start."""
        return self.pair.body()

    def contents(self, body: TensorBody) -> Contents:
        """What is where in a body, for planning."""
        return Contents(body.shape.copy(), body.orientation.copy(), body.identity.copy())

    def turned(self, turn: int, orientation: int) -> int:
        """The orientation of a module that is turned in T."""
        grid = self.pair.grid
        return int(grid.nearest_orientation(grid.R_PM[turn] @ grid.R_PM[orientation]))

    def members(self) -> list[Member]:
        """The robots where they stand at the start, as the design has them."""
        return self.crew(self.body)

    def crew(self, body: TensorBody) -> list[Member]:
        """The robots where they stand at the start, at home among the modules of a body."""
        stances = list(self.pair.problem.robots)
        found: list[Member] = []
        for k, (robot, stance) in enumerate(zip(self.pair.robots, stances, strict=True)):
            others = [s for i, s in enumerate(stances) if i != k]
            home = self.planning.motions.home(body.shape > 0, stance, others)
            if home is None:
                raise FieldError("start", f"robot {robot.name}: no posture keeps clear where it stands")
            found.append(Member(robot.name, self.walker, stance, np.array(home)))
        return found


def shipped_plan(name: str) -> Path:
    """The file of a plan that comes along, or a path as it is."""
    file = SHIPPED / f"{name}.plan.json"
    return file if file.is_file() else Path(name)


@lru_cache(maxsize=4)
def rebuilding_of(start: str, goal: str, plan_file: str, match: Match, robots: int, speed: float) -> Rebuilding:
    """Designs by name or file, and their plan: read, or made where there is no file."""
    pair = pair_of(load_design(start), load_design(goal), robots, match)
    motions = motions_of(pair, speed)
    made = load_plan(shipped_plan(plan_file), pair) if plan_file else plan_pair(pair, motions, progress=None)
    return rebuilding(pair, made, motions, speed)


@lru_cache(maxsize=4)
def seconds_alone(start: str, goal: str, plan_file: str, match: Match) -> float:
    """[s] that a plan for one robot predicts for the same job; it is read and gone through like the one that flies."""
    return load_plan(shipped_plan(plan_file), pair_of(load_design(start), load_design(goal), 1, match)).cost


def rebuilding(pair: DesignPair, made: Plan, motions: LimbMotions, speed: float) -> Rebuilding:
    """The job of a plan."""
    kind = ROBOT_KINDS[pair.robots[0].kind]
    walker = Walker(load_robot(kind.name), MotionLimits.uniform(kind.joints, speed, 0.5 * speed, 0.5 * speed))
    figure = Figure(partial(centre_line, motions.limb), THICK, 0.5 * pair.grid.spacing, ROUND * pair.grid.spacing)
    planning = Planning(pair.problem, motions, again, way_home, figure, put_down, with_locked)
    return Rebuilding(pair, made, planning, walker)


def again(problem: Problem, motions: Motions) -> Plan:
    """Another plan, made on board: the first that a search with a heavy weight finds."""
    return plan(problem, motions, limits=Limits(expansions=ON_BOARD, weights=WEIGHTS))


def centre_line(limb: Limb, q: Array) -> Array:
    """(5, 3) [m] foot, shoulder, elbow, wrist and hand, in the frame of the end that stands."""
    axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
    frames(limb.l1, limb.l2, limb.to_steps(q), axes, centres)
    joints = [limb.X_AC.apply(centres[k]) for k in (0, 4, 6)]
    return np.array([np.zeros(3), *joints, limb.pose(q).p])
