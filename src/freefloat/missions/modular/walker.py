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
from freefloat.errors import FieldError, SimulationError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.cartesian_line import CartesianLine
from freefloat.gnc.planning.arm.chain import Chain, Frame
from freefloat.gnc.planning.arm.clearance import Box, Clearance
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics, UnreachableError
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.moves import Move, PlanError, Planner
from freefloat.structure.interface import Misalignment, mated_rotation
from freefloat.structure.latches import Latches
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
    X_EM: Pose  # of the module in hand B
    X_TM: Pose  # of the module when it is placed
    done: TensorBody  # the stack afterwards
    clearance: float  # [m] smallest on the moves


def make_plan(walker: Walker, stack: TensorBody, foot: int, pick: int, place: int, walk: int) -> Plan:
    """End A stands on top of `foot`; B takes the module at `pick` to `place`, unturned, then steps on top of `walk`."""
    taken, done = _contents(stack, foot, pick, place, walk)
    X_TA = stack.X_TF(foot, UP) @ Pose(mated_rotation(0))
    pitch = stack.grid.spacing
    held = [Box(Pose(np.eye(3), (0.0, 0.0, 0.5 * pitch)), (pitch, pitch, pitch))]
    free, loaded = walker.planner("a", "b", X_TA, stack), walker.planner("a", "b", X_TA, taken, held)
    X_TM = done.X_TM(place)
    found: list[tuple[CartesianLine, Move, Pose]] = []
    reasons: list[SimulationError] = []
    for X_TE in mated(stack.X_TF(pick, UP)):
        X_EM = X_TE.inverse() @ stack.X_TM(pick)
        try:
            q_pick, approach = _first(free, X_TA.inverse() @ X_TE)
            found.append((approach, loaded.plan(q_pick, X_TA.inverse() @ X_TM @ X_EM.inverse()), X_EM))
        except (PlanError, UnreachableError) as e:
            reasons.append(e)
    if not found:
        told = f"{_cell(stack, place)} from pick {_cell(stack, pick)}: no plan found: {reasons[0]}"
        raise FieldError("place", told) from reasons[0]
    approach, carry, X_EM = min(found, key=lambda f: f[1].duration)
    aside = walker.planner("a", "b", X_TA, done)
    back = InverseKinematics(walker.chain("b", "a"), np.array(POSTURE))
    try:
        step = aside.plan(carry.at(np.inf)[0], [X_TA.inverse() @ X for X in mated(done.X_TF(walk, UP))])
        q_walk = step.at(np.inf)[0]
        lift = _lift(back, q_walk, walker.limits)
    except (PlanError, UnreachableError) as e:
        raise FieldError("walk", f"{_cell(stack, walk)}: no plan found: {e}") from e
    X_TB = X_TA @ aside.ik.chain.pose(q_walk)
    clear = min(carry.clearance, step.clearance)
    return Plan(approach.at(0.0)[0], approach, carry, step, lift, X_TA, X_TB, X_EM, X_TM, done, clear)


def _lift(ik: InverseKinematics, q: Array, limits: MotionLimits) -> CartesianLine:
    """The tip backs off along its axis as far as it can, at most HOVER."""
    for share in (1.0, 0.6, 0.3):
        raised = ik.chain.pose(q) @ Pose(np.eye(3), (0.0, 0.0, -share * HOVER))
        try:
            return CartesianLine(ik, q, raised, limits, speed=0.05)
        except UnreachableError as e:
            reason = e
    raise reason


def _contents(stack: TensorBody, foot: int, pick: int, place: int, walk: int) -> tuple[TensorBody, TensorBody]:
    """The stack while the module is carried, and when it is placed; refuses what cannot be done."""
    _check_top(stack, foot, "foot")
    _check_top(stack, pick, "pick")
    if foot == pick:
        raise FieldError("pick", f"{_cell(stack, pick)}: the robot stands on it; allowed: another module")
    if stack.shape[place] > 0:
        told = f"{_cell(stack, place)} is occupied by module {stack.identity[place]}; allowed: a free one"
        raise FieldError("place", told)
    taken, orientation = stack.copy(), int(stack.orientation[pick])
    module = taken.remove(pick)
    latches = Latches()
    latches.close_all(stack)
    pieces = latches.without(stack, pick)
    if pieces > 1:
        raise FieldError("pick", f"{_cell(stack, pick)}: the rest would fall into {pieces} pieces")
    latches.close_all(taken)
    reason = latches.begin_closing(taken, place, module, orientation, 0.0, Misalignment())
    if reason:
        raise FieldError("place", f"{_cell(stack, place)}: {reason}")
    done = taken.copy()
    done.insert(place, module, orientation)
    _check_top(done, foot, "foot")
    _check_top(done, walk, "walk")
    if walk == foot:
        raise FieldError("walk", f"{_cell(stack, walk)}: end A stands there; allowed: another module")
    return taken, done


def _check_top(body: TensorBody, place: int, what: str) -> None:
    """A module with an interface on its free top must be there."""
    above = int(body.grid.neighbours[place, UP])
    if body.shape[place] == 0 or body.interfaces()[place, UP] == 0 or (above >= 0 and body.shape[above] > 0):
        raise FieldError(what, f"{_cell(body, place)}: no module with a free interface on top there")


def _cell(body: TensorBody, place: int) -> tuple[int, ...]:
    return tuple(int(c) for c in body.grid.cells[place])


def _first(planner: Planner, X_AT: Pose) -> tuple[Array, CartesianLine]:
    """Joint positions at the goal clear of everything, and the straight approach to it."""
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
