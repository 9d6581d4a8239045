"""Moves of the tip from face to face: back off along the normal, go over, come down along the normal, keep clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import SimulationError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.cartesian_line import CartesianLine
from freefloat.gnc.planning.arm.clearance import Clearance
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics, UnreachableError
from freefloat.gnc.planning.arm.jerk_limited import Legs, MotionLimits, State, through
from freefloat.gnc.planning.arm.joint_search import connect

LINE_SAMPLES = 25


class PlanError(SimulationError):
    """No move was found that keeps clear."""


@dataclass(frozen=True, eq=False)
class Move:
    """Retreat, transfer and approach in a row; a path as a whole. `clearance` [m] is the smallest distance on the way,
    the tip and what it holds counted only in the transfer.
    """

    retreat: CartesianLine
    transfer: Legs
    approach: CartesianLine
    clearance: float
    legs: Legs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "legs", Legs((self.retreat, self.transfer, self.approach)))

    @property
    def duration(self) -> float:
        """[s]"""
        return self.legs.duration

    def at(self, t: float) -> State:
        """Joint position, rate and acceleration at t [s]."""
        return self.legs.at(t)


@dataclass(eq=False)
class _End:
    """Joint positions q before the goal X_AT, and the approach from there once it was looked for."""

    q: Array
    X_AT: Pose
    approach: CartesianLine | None = None
    tried: bool = False


@dataclass(eq=False)
class _Way:
    """A retreat and an end to join by a transfer; `clear` [m] is the clearance of the straight one."""

    retreat: CartesianLine
    end: _End
    clear: float = -np.inf

    @property
    def q0(self) -> Array:
        return self.retreat.at(np.inf)[0]

    @property
    def q1(self) -> Array:
        return self.end.q


@dataclass(frozen=True, eq=False)
class Planner:
    """Plans moves for one chain among given obstacles. The same seed gives the same move.

    `distances` [m] are tried in turn for the straight legs, along the tip's z axis; on these the tip and what it holds
    may touch (overlap up to `overlap`), the rest keeps `margin` from obstacles and from itself, as does everything in
    the transfer.
    """

    ik: InverseKinematics
    clearance: Clearance
    limits: MotionLimits
    distances: tuple[float, ...] = (0.1, 0.2, 0.45)  # [m]
    margin: float = 0.02  # [m]
    overlap: float = 1e-3  # [m]
    line_speed: float = 0.05  # [m/s] of the tip on the straight legs
    solutions: int = 6  # joint positions tried per goal and distance
    searches: int = 6  # ends between which a way is searched where no straight transfer keeps clear
    seed: int = 0

    def plan(self, q0: ArrayLike, goals: Pose | Sequence[Pose]) -> Move:
        """A move from q0 to the first of the poses X_AT that can be had, the nearest in joint space first.

        Raises `PlanError` that names the leg which cannot be had, for a transfer with the best clearance found.
        """
        targets = (goals,) if isinstance(goals, Pose) else tuple(goals)
        retreats = list(self._retreats(np.array(q0, np.float64)))
        if not retreats:
            raise PlanError("no straight retreat of the tip keeps clear and within the joint limits")
        ends = [end for X_AT in targets for end in self._ends(X_AT, retreats[0].at(np.inf)[0])]
        ways = [_Way(retreat, end) for retreat in retreats for end in ends]
        ways.sort(key=lambda way: float(np.linalg.norm(way.q1 - way.q0)))
        for way in ways:
            way.clear = self._straight(way.q0, way.q1)
            if way.clear >= self.margin and (approach := self._approach(way.end)):
                return self._move(way.retreat, approach, [way.q0, way.q1])
        return self._search([way for way in ways if self._approach(way.end)])

    def _search(self, ways: Sequence[_Way]) -> Move:
        """A move by the first way that a search in joint space finds."""
        if not ways:
            raise PlanError("no straight approach of the tip to its goal keeps clear and within the joint limits")
        for k, way in enumerate(ways[: self.searches]):
            points = self._connect(way.q0, way.q1, self.seed + k)
            if points is not None and (approach := self._approach(way.end)):
                return self._move(way.retreat, approach, points)
        best = max(way.clear for way in ways)
        raise PlanError(
            f"no transfer keeps {self.margin:g} m clear: {len(ways)} straight ones leave {best:.3g} m at best,"
            f" and {min(self.searches, len(ways))} searches fail"
        )

    def _retreats(self, q0: Array) -> Iterator[CartesianLine]:
        X_AT = self.ik.chain.pose(q0)
        for distance in self.distances:
            line = self._line(q0, X_AT @ _back(distance))
            if line is not None and self.clearance.at(line.at(np.inf)[0], self.margin) >= self.margin:
                yield line

    def _ends(self, X_AT: Pose, near: Array) -> Iterator[_End]:
        """Joint positions before the goal from which to come in."""
        for distance in self.distances:
            for q in islice(self.ik.solutions(X_AT @ _back(distance), near), self.solutions):
                if self.clearance.at(q, self.margin) >= self.margin:
                    yield _End(q, X_AT)

    def _approach(self, end: _End) -> CartesianLine | None:
        if not end.tried:
            end.approach, end.tried = self._line(end.q, end.X_AT), True
        return end.approach

    def _line(self, q: Array, X_AT: Pose) -> CartesianLine | None:
        """The straight leg from q, or None where it is not possible or not clear."""
        try:
            line = CartesianLine(self.ik, q, X_AT, self.limits, self.line_speed)
        except UnreachableError:
            return None
        points = line.points(LINE_SAMPLES)
        if self.clearance.along(points, self.margin, touching=True) < self.margin:
            return None
        return line if all(self.clearance.overlap_of_tip(p) <= self.overlap for p in points) else None

    def _straight(self, q0: Array, q1: Array) -> float:
        """Clearance [m] of the straight transfer; below the margin it may be too high."""
        return self.clearance.along(self.clearance.straight(q0, q1), self.margin)

    def _connect(self, q0: Array, q1: Array, seed: int) -> list[Array] | None:
        def free(a: Array, b: Array) -> bool:
            return self._straight(b, a) >= self.margin

        chain = self.ik.chain
        lower, upper = np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi)
        lower, upper = np.minimum(lower, np.minimum(q0, q1)), np.maximum(upper, np.maximum(q0, q1))
        return connect(q0, q1, lower, upper, free, seed)

    def _move(self, start: CartesianLine, end: CartesianLine, points: list[Array]) -> Move:
        clear = [self.clearance.along(self.clearance.straight(a, b)) for a, b in pairwise(points)]
        clear += [self.clearance.along(line.points(LINE_SAMPLES), touching=True) for line in (start, end)]
        return Move(start, through(points, self.limits), end, min(clear))


def _back(distance: float) -> Pose:
    """Against the tip's z axis [m]."""
    return Pose(np.eye(3), (0.0, 0.0, -distance))
