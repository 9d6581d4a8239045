"""An operation as steps of one robot, and the steps that undo it from wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.executive.steps import Ask, Follow, Stand, Step
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.arm.retimed import Ride, turned_round
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation
from freefloat.hand_words import Order

OTHER = {"a": "b", "b": "a"}
TO_GRIP, LATCH, PICK, TO_GOAL, PLACE, LET_GO, AWAY = range(7)  # steps of a transfer
STEP_ON, STEP_LATCH, STEP_STAND, STEP_LIFT, STEP_HOME = range(5)  # of a step


@dataclass(frozen=True, eq=False)
class Course:
    """The steps of an operation by the robot whose end `stands`; joints of its curves count from end A."""

    operation: Operation
    stands: str
    steps: tuple[Step, ...]
    parks: bool = False  # the module was in the hand before, and cannot be put back where it came from

    @property
    def reaches(self) -> str:
        """The other end."""
        return OTHER[self.stands]

    def misses(self, q: Array) -> float:
        """[rad] how far joint positions are from where the first motion begins."""
        first = self.steps[0]
        assert isinstance(first, Follow)
        return float(np.abs(first.path.at(0.0)[0] - q).max())


def course_of(operation: Operation, stands: str, legs: Sequence[Leg], without: frozenset[int] = frozenset()) -> Course:
    """Forwards. `legs` are counted from the end that stands on each; a module is placed `without` some sides."""
    reaches, module = OTHER[stands], operation.module
    if operation.carry is not None:
        to, carry, home = (from_a(leg, stands) for leg in legs)
        steps: tuple[Step, ...] = (
            Follow(f"go to module {module}", to),
            Ask(f"grip module {module}", reaches, Order.LATCH, module),
            Ask(f"take module {module} out", reaches, Order.PICK, module),
            Follow(f"carry module {module}", carry),
            Ask(f"put module {module} in", reaches, Order.PLACE, module, without),
            Ask(f"let module {module} go", reaches, Order.RELEASE),
            Follow("go home", home),
        )
        return Course(operation, stands, steps)
    assert operation.to is not None
    to, home = from_a(legs[0], stands), from_a(legs[1], reaches)
    return Course(
        operation,
        stands,
        (
            Follow(f"step to module {module}", to),
            Ask(f"stand on module {module} too", reaches, Order.LATCH, module),
            # before it lets go: joints give way by the model of the end that holds
            Stand(f"stand on module {module}", reaches, operation.to),
            Ask("lift the other end", stands, Order.RELEASE),
            Follow("go home", home),
        ),
    )


def parked(course: Course, carry: Carry, legs: Sequence[Leg], without: frozenset[int]) -> Course:
    """The course of a module that is in the hand already, to another place."""
    operation = replace(course.operation, carry=carry)
    whole = course_of(operation, course.stands, (legs[0], *legs), without)
    return Course(operation, course.stands, (*course.steps[:TO_GOAL], *whole.steps[TO_GOAL:]), parks=True)


def undone(
    course: Course, at: int, place: float, rate: float, without: frozenset[int] = frozenset()
) -> tuple[Step, ...] | None:
    """From `place` [s] of the step `at`, a motion, or from the end of the one before it, back to the first home, at
    `rate`; None where there is no way back, since the module is placed or the other end is lifted.

    A module is put back `without` some sides of its place.
    """
    end, module = course.reaches, course.operation.module
    if course.operation.carry is None:
        if at == STEP_ON:
            return (_back(course, STEP_ON, place, rate),)
        if at == STEP_LATCH:
            return (_all_back(course, STEP_ON, rate),)
        if at == STEP_LIFT:
            stand = Stand("stand as before", course.stands, course.operation.stance)
            return (stand, Ask("let go again", end, Order.RELEASE), _all_back(course, STEP_ON, rate))
        return None
    away = (Ask(f"let module {module} go", end, Order.RELEASE), _all_back(course, TO_GRIP, rate))
    put_back = (Ask(f"put module {module} back", end, Order.PLACE, module, without, returns=True), *away)
    if course.parks and at in (TO_GOAL, PLACE):
        return None
    if at == TO_GRIP:
        return (_back(course, TO_GRIP, place, rate),)
    if at == LATCH:
        return (_all_back(course, TO_GRIP, rate),)
    if at == PICK:
        return away
    if at == TO_GOAL:
        return (_back(course, TO_GOAL, place, rate), *put_back)
    if at == PLACE:
        return (_all_back(course, TO_GOAL, rate), *put_back)
    return None


def left_from(course: Course, at: int) -> int:
    """The first step that a robot at step `at` may still have to do: its own once there is no way back."""
    return at if undone(course, at, 0.0, 1.0) is None else 0


def backed_off(course: Course, at: int, seconds: float) -> tuple[Step, ...]:
    """From the end of the motion `at` back by so much of its clock, and there again."""
    step = course.steps[at]
    assert isinstance(step, Follow)
    end = step.path.duration
    start = max(end - seconds, 0.0)
    return (
        Follow("back off", step.path, Ride(end, start)),
        Follow("come again", step.path, Ride(start, end)),
    )


def _back(course: Course, at: int, place: float, rate: float) -> Follow:
    step = course.steps[at]
    assert isinstance(step, Follow)
    return Follow("go back", step.path, Ride(place, 0.0, rate))


def _all_back(course: Course, at: int, rate: float) -> Follow:
    step = course.steps[at]
    assert isinstance(step, Follow)
    return _back(course, at, step.path.duration, rate)


def from_a(leg: Leg, stands: str) -> QuinticPieces:
    """A leg with its joints counted from end A."""
    return leg.path if stands == "a" else turned_round(leg.path)
