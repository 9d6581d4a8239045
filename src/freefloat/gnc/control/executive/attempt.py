"""An operation under way: its course, what went wrong in it so far, and what is to follow."""

from __future__ import annotations

from dataclasses import dataclass, field

from freefloat.frames import Array
from freefloat.gnc.control.executive.belief import own_side
from freefloat.gnc.control.executive.course import TO_GOAL, Course
from freefloat.gnc.control.executive.remedies import Remedy
from freefloat.gnc.control.executive.steps import Follow
from freefloat.gnc.control.executive.sweep import Sweep
from freefloat.gnc.control.executive.trouble import Trouble
from freefloat.gnc.planning.reconfiguration.problem import Contents, Operation, Places


@dataclass(eq=False)
class Attempt:
    """An operation under way."""

    operation: Operation
    course: Course
    before: Contents  # what was where
    attempts: dict[str, int] = field(default_factory=dict)  # by kind of trouble and step
    pending: Remedy | None = None  # whose undoing goes on
    trouble: Trouble | None = None
    sweep: Sweep | None = None  # where there are several robots
    parks: int = 0  # places tried for a module that stayed in the hand
    taken: Array | None = None  # [rad] in which that module was gripped, where `course` does not tell

    @property
    def gripped(self) -> Array:
        """[rad] from end A: the posture in which the module was gripped."""
        carry = self.course.steps[TO_GOAL]
        assert isinstance(carry, Follow)
        return carry.path.at(0.0)[0] if self.taken is None else self.taken

    def failed_face(self, places: Places, contents: Contents) -> tuple[int, int]:
        """Module and own side of the face that failed: what the hand told, else what it was to grip or stand on."""
        o, trouble = self.operation, self.trouble
        assert trouble is not None
        place, side = trouble.face
        if o.carry is not None and place == o.carry.target and contents.type[place] == 0:
            place, side = int(places.neighbours[place, side]), int(places.facing[side])  # what it was to close on
        if place < 0 or contents.type[place] == 0:
            place, side = (o.carry.source, o.carry.grip) if o.carry is not None else (o.to.place, o.to.side)  # pyright: ignore[reportOptionalMemberAccess]
        return int(contents.identity[place]), own_side(places, int(contents.orientation[place]), side)
