"""What is to be done: the goal, the plan for it, what is left of the plan, and how to make another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from freefloat.errors import FreefloatError
from freefloat.frames import Array
from freefloat.gnc.control.executive.steps import Step
from freefloat.gnc.control.executive.sweep import Figure, Sweep, resting, sweep_of
from freefloat.gnc.planning.reconfiguration.motions import Leg, Motions
from freefloat.gnc.planning.reconfiguration.offers import offers
from freefloat.gnc.planning.reconfiguration.problem import (
    Carry,
    Contents,
    Excluded,
    Flags,
    Match,
    Operation,
    Plan,
    Problem,
    Stance,
)

Replanner = Callable[[Problem, Motions], Plan]  # raises a FreefloatError where there is no plan
Homing = Callable[[Any, Flags, Stance, Array, Sequence[Stance]], Leg]  # motions; from joint positions to home
Parking = Callable[[Any, Flags, Stance, Array, Array, Sequence[Carry], Sequence[Stance]], tuple[Carry, Leg, Leg]]
Locking = Callable[[Any, int, float, int, Array], Motions]  # motions, joint from A, angle, end that stands, posture


@dataclass(eq=False)
class Planning:
    """The onboard planner: verified motions, and plans over them. Copies share it, since its answers do not change."""

    problem: Problem
    motions: Motions
    replan: Replanner | None = None
    homing: Homing | None = None
    figure: Figure | None = None  # of robots, where there are several
    parking: Parking | None = None
    locking: Locking | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Planning:
        return self

    def legs(self, operation: Operation, contents: Contents, others: Sequence[Stance]) -> tuple[Leg, ...]:
        """The motions of an operation among these contents; `FreefloatError` where it has none."""
        occupied = contents.type > 0
        if operation.carry is not None:
            return self.motions.legs_of_transfer(occupied, operation.stance, operation.carry, others)
        assert operation.to is not None
        return self.motions.legs_of_step(occupied, operation.stance, operation.to, others)

    def way_home(self, contents: Contents, stance: Stance, q: Array, others: Sequence[Stance]) -> Leg | None:
        """From where a robot rests, seen from the end that stands, to its home; None where there is no way."""
        if self.homing is None:
            return None
        try:
            return self.homing(self.motions, contents.type > 0, stance, q, others)
        except FreefloatError:
            return None

    def park(
        self, problem: Problem, stance: Stance, q: Array, gripped: Array, carry: Carry, others: Sequence[Stance]
    ) -> tuple[Carry, Leg, Leg] | None:
        """Where a module in the hand goes, and how: `problem` has it at the source of its carry, `gripped` is the
        posture in which it was taken; None where no place is found."""
        if self.parking is None:
            return None
        occupied = problem.start.type > 0
        occupied[carry.source] = False
        try:
            return self.parking(self.motions, occupied, stance, q, gripped, offers(problem, carry), others)
        except FreefloatError:
            return None

    def locked(self, joint: int, angle: float, end: int, q: Array) -> Planning | None:
        """The same with a joint that stands for good, of a robot that rests at q on an end; None: not known."""
        if self.locking is None:
            return None
        return replace(self, motions=self.locking(self.motions, joint, angle, end, q))

    def sweep(self, steps: Sequence[Step], stands: str, stance: Stance) -> Sweep:
        """The room that a robot takes during steps that begin with an end on a stance."""
        assert self.figure is not None
        return sweep_of(steps, stands, stance, self.problem.places, self.figure)

    def at_rest(self, q: Array, stands: str, stance: Stance) -> Sweep:
        """The room of a robot that rests with joints at q [rad], counted from end A."""
        assert self.figure is not None
        return resting(q, stands, stance, self.problem.places, self.figure)

    def home(self, contents: Contents, stance: Stance, stands: str, others: Sequence[Stance]) -> Array | None:
        """Where a robot rests among these contents, joints counted from end A; None where nothing is clear."""
        q = self.motions.home(contents.type > 0, stance, others)
        return None if q is None else q if stands == "a" else q[::-1]

    def plan(self, contents: Contents, stances: Sequence[Stance], excluded: Excluded) -> Plan:
        """From here to the goal without what is excluded."""
        assert self.replan is not None
        return self.replan(
            replace(self.problem, start=contents, robots=tuple(stances), excluded=excluded), self.motions
        )


@dataclass(eq=False)
class Agenda:
    """Operations of a plan that are done, under way and left."""

    operations: tuple[Operation, ...]
    done: set[int] = field(default_factory=set)
    under_way: dict[int, int] = field(default_factory=dict)  # robot -> operation

    @property
    def finished(self) -> bool:
        """Whether nothing is left."""
        return len(self.done) == len(self.operations)

    def next_for(self, robot: int) -> Operation | None:
        """The first of a robot's operations that is not done, where all that must be before it is."""
        for o in self.operations:
            if o.robot == robot and o.n not in self.done and o.n not in self.under_way.values():
                return o if all(n in self.done for n in o.after) else None
        return None


def reached(goal: Contents, now: Contents, match: Match) -> bool:
    """Whether every place has what the goal asks for."""
    by = (goal.identity == now.identity) if match == "identity" else (goal.type == now.type)
    return bool((by & (goal.orientation == now.orientation) | ((goal.type == 0) & (now.type == 0))).all())


def with_more(old: Excluded, **more: Any) -> Excluded:
    """What does not work any more, and this too."""
    joined = {name: getattr(old, name) | frozenset(values) for name, values in more.items()}
    return replace(old, **joined)


def pinned(problem: Problem, now: Contents, excluded: Excluded) -> str:
    """Why no plan can reach the goal: the first module that does not let go where the goal wants another."""
    goal = problem.goal
    for place in range(problem.places.n):
        who = int(now.identity[place])
        if who not in excluded.opens:
            continue
        kept = goal.identity[place] == who if problem.match == "identity" else goal.type[place] == now.type[place]
        if not (kept and goal.orientation[place] == now.orientation[place]):
            kind = problem.kinds.names[now.type[place]]
            return f"module {who} ({kind}) does not let go of its neighbours, and the goal does not have it there"
    return ""
