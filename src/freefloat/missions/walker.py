"""The walking manipulator on a stack: where it stands, and its plan to pick, carry, place and walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import mujoco
import numpy as np

from freefloat.engine.graph import Joint, LinkGraph
from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.cartesian_line import CartesianLine
from freefloat.gnc.planning.chain import Chain, Frame
from freefloat.gnc.planning.clearance import Box, Clearance
from freefloat.gnc.planning.inverse_kinematics import InverseKinematics, UnreachableError
from freefloat.gnc.planning.jerk_limited import MotionLimits
from freefloat.gnc.planning.moves import Move, PlanError, Planner
from freefloat.structure.interface import mated_rotation
from freefloat.structure.tensor_body import TensorBody

POSTURE = (0.0, 0.6, 0.0, -1.2, 0.0, 0.6, 0.0)  # [rad] comfortable
HOVER = 0.25  # [m] of the free end over its first face, and of the lifted foot at the end
UP = 4  # the side +z of a place


@dataclass(frozen=True, eq=False)
class Walker:
    """The robot's geometry for planning; either end may be the base."""

    graph: LinkGraph
    limits: MotionLimits
    margin: float = 0.02  # [m]

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The robot alone."""
        return compile_tree(self.graph.links, self.graph.joints, (), [self.graph.root]).model

    @cached_property
    def ends(self) -> dict[str, tuple[str, Pose]]:
        """End -> its link and X_LE."""
        frames = {f: (link.name, X) for link in self.graph.links for f, X in link.frames.items()}
        return {end: frames[f"end_{end}"] for end in ("a", "b")}

    def chain(self, base: str, tip: str) -> Chain:
        """From one end to the other."""
        moving = [j for j in self.graph.joints if j.kind != "fixed"]
        (la, Xa), (lb, Xb) = self.ends[base], self.ends[tip]
        return Chain(
            self.model,
            [j.name for j in moving],
            Frame(la, Xa),
            Frame(lb, Xb),
            [j.lower for j in moving],
            [j.upper for j in moving],
        )

    def planner(self, base: str, tip: str, X_TA: Pose, stack: TensorBody, payload: Sequence[Box] = ()) -> Planner:
        """For the free end, with the base end at X_TA and the stack's modules in the way."""
        chain = self.chain(base, tip)
        ik = InverseKinematics(chain, np.array(POSTURE))
        pitch = stack.grid.spacing
        edges = (pitch, pitch, pitch)
        obstacles = [Box(X_TA.inverse() @ Pose(np.eye(3), stack.grid.p_TP[p]), edges) for p in stack.occupied]
        solids = {link.name: link.shapes for link in self.graph.links}
        return Planner(ik, Clearance(chain, solids, obstacles, payload), self.limits, margin=self.margin)


def mated(X_TF: Pose) -> list[Pose]:
    """X_TE of an end on a face, in its four attitudes."""
    return [X_TF @ Pose(mated_rotation(k)) for k in range(4)]


@dataclass(frozen=True, eq=False)
class Plan:
    """Paths of one job: approach, carry, step aside, lift the foot; and where the ends stand."""

    q_start: Array
    approach: CartesianLine
    carry: Move
    step: Move
    lift: CartesianLine
    X_TA: Pose  # of end A while it stands
    X_TB: Pose  # of end B when it stands
    clearance: float  # [m] smallest on the moves


def make_plan(walker: Walker, stack: TensorBody, pick: int, place: int, walk: int, X_TA: Pose) -> Plan:
    """End A stands at X_TA; B takes the module at `pick` to `place`, then steps on top of `walk`."""
    if stack.shape[pick] == 0 or stack.shape[place] > 0:
        raise InputError(f"plan: place {pick} must hold a module and place {place} must be free")
    taken = stack.copy()
    module = taken.remove(pick)
    pitch = stack.grid.spacing
    held = [Box(Pose(np.eye(3), (0.0, 0.0, 0.5 * pitch)), (pitch, pitch, pitch))]
    goals = [X_TA.inverse() @ X for X in mated(stack.X_TF(pick, UP))]
    free = walker.planner("a", "b", X_TA, stack)
    q_pick, approach = _first(free, goals)
    done = taken.copy()
    done.insert(place, module, int(stack.orientation[pick]))
    carry = walker.planner("a", "b", X_TA, taken, held).plan(
        q_pick, [X_TA.inverse() @ X for X in mated(done.X_TF(place, UP))]
    )
    aside = walker.planner("a", "b", X_TA, done)
    step = aside.plan(carry.at(np.inf)[0], [X_TA.inverse() @ X for X in mated(done.X_TF(walk, UP))])
    q_walk = step.at(np.inf)[0]
    X_TB = X_TA @ aside.ik.chain.pose(q_walk)
    back = walker.planner("b", "a", X_TB, done)
    lift = CartesianLine(
        back.ik, q_walk, back.ik.chain.pose(q_walk) @ Pose(np.eye(3), (0.0, 0.0, -HOVER)), walker.limits, speed=0.05
    )
    return Plan(approach.at(0.0)[0], approach, carry, step, lift, X_TA, X_TB, min(carry.clearance, step.clearance))


def _first(planner: Planner, goals: Sequence[Pose]) -> tuple[Array, CartesianLine]:
    """Joint positions on the first goal that can be had clear of everything, and the straight approach to it."""
    for X_AT in goals:
        for q in islice(planner.ik.solutions(X_AT), 8):
            if planner.clearance.at(q, touching=True) < planner.margin:
                continue
            over = X_AT @ Pose(np.eye(3), (0.0, 0.0, -HOVER))
            try:
                away = CartesianLine(planner.ik, q, over, planner.limits, speed=0.05)
                down = CartesianLine(planner.ik, away.at(np.inf)[0], X_AT, planner.limits, speed=0.05)
            except UnreachableError:
                continue
            if planner.clearance.along(down.points(25), touching=True) >= planner.margin:
                return down.at(np.inf)[0], down
    raise PlanError("no clear approach to the module that is to be picked")


def standing_edge(walker: Walker, arm: str, stack: str, end: str, X_TE: Pose) -> Joint:
    """The fixed edge by which an end of the part `arm` stands on the stack."""
    link, X_LE = walker.ends[end]
    return Joint(f"{arm}.stands", "fixed", stack, f"{arm}.{link}", X_TE @ X_LE.inverse())
