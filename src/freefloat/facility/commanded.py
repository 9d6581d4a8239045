"""Commands as a source of set-points: of an application, a file or corrections, executed as they are within limits."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from freefloat.errors import InputError
from freefloat.facility.answers import Answers, Course
from freefloat.facility.axes import CYCLE, NAMES, UNITS
from freefloat.facility.exchange import Inputs, Kinematics, Settings, Trajectory
from freefloat.facility.guard import FOLLOWED, Found, Guard
from freefloat.facility.modes import Reason
from freefloat.facility.profile import Motion, chase
from freefloat.facility.record import Record, frame_of
from freefloat.facility.sources import Footing, Halt, unreached
from freefloat.frames import Array


class Feed(Protocol):
    """Commands, one each cycle; at their end, a `Halt`."""

    def take(self, axes: Array, inputs: Inputs) -> tuple[Array, Record | None] | str:
        """Axes to be at in this cycle, with the record that says so; a text where there is none, which says why."""
        ...


class FromRecords:
    """Records of an application."""

    def __init__(self, kinematics: Kinematics, answers: Answers, settings: Settings) -> None:
        self._kinematics, self._answers, self._settings = kinematics, answers, settings

    def take(self, axes: Array, inputs: Inputs) -> tuple[Array, Record | None] | str:
        """The answer of this cycle."""
        record, problem = self._answers.record, self._answers.problem
        if record is None:
            if problem and not self._answers.late and self._settings.on_invalid == "stop":
                raise Halt(Reason("invalid", problem))
            return problem or "no answer"
        return reached(self._kinematics, record, axes), record


class FromFile:
    """Rows of a trajectory, one a cycle."""

    def __init__(self, kinematics: Kinematics, trajectory: Trajectory) -> None:
        self._kinematics, self._trajectory, self._row = kinematics, trajectory, 0

    def take(self, axes: Array, inputs: Inputs) -> tuple[Array, Record | None] | str:
        """The next row."""
        if self._row == len(self._trajectory.frames):
            raise Halt(Reason("end", f"end of the trajectory of {self._row} rows"))
        record = row_of(self._trajectory, self._row)
        try:
            q = reached(self._kinematics, record, axes)
        except Halt as halt:
            raise Halt(Reason(halt.reason.cause, f"line {self._row + 1}: {halt.reason.text}")) from None
        self._row += 1
        return q, record


class FromCorrections:
    """Corrections of axes, added to those at the start."""

    def __init__(self, axes: Array) -> None:
        self._start = axes.copy()

    def take(self, axes: Array, inputs: Inputs) -> tuple[Array, Record | None] | str:
        """The start and the corrections of this cycle."""
        if inputs.corrections is None:
            return "no corrections"
        given = np.asarray(inputs.corrections, np.float64)
        if given.shape != self._start.shape or not np.isfinite(given).all():
            raise Halt(Reason("invalid", f"corrections {given.tolist()}; allowed: {self._start.size} finite numbers"))
        return self._start + given, None


class Commanded:
    """Commands, executed as they are within the limits.

    Where one is missing the axes go on at constant velocity, for so many cycles. Where a command is beyond limits that
    can be followed, the axes follow until they have caught up: after missing cycles as fast as accelerations allow, or
    jerk-limited where the settings say so.
    """

    finished = False  # it ends by a stop

    def __init__(self, feed: Feed, guard: Guard, settings: Settings, cycle: int, axes: Array) -> None:
        self._feed, self._guard, self._settings = feed, guard, settings
        self._course = Course(cycle, axes)
        self._cycle, self._chasing = cycle, False
        self._missed = 0  # cycles in a row without a command
        self.command: Record | None = None

    def next(self, footing: Footing, inputs: Inputs) -> Motion:
        """The set-points of this cycle."""
        self.command, skipped = None, inputs.cycle > self._cycle + 1
        self._cycle = inputs.cycle
        taken = self._taken(footing, inputs)
        if isinstance(taken, str):
            return self._coast(footing, taken)
        axes, record = taken
        broken = self._jump(inputs.cycle, axes)
        self._course.add(inputs.cycle, axes)
        rejoins = self._missed > 0 or self._chasing or skipped
        self._missed = 0
        broken = broken or self._guard.check(axes, footing.motion[0], footing.last)
        broken = broken or self._guard.stop(self._course.motion)
        if broken is None and not (rejoins and self._off_pace(footing.motion[0])):
            self._chasing, self.command = False, record
            return self._course.motion
        follows = broken and self._settings.on_limit == "follow" and broken.kind in (*FOLLOWED, "jump")
        if broken and not follows and not (rejoins and broken.kind in FOLLOWED and self._moderate()):
            raise Halt(broken.reason)
        limits = self._settings.axes
        jerk = limits.jerk if follows else 2.0 * limits.acceleration / CYCLE  # one of commands is not limited
        motion, caught = chase(footing.motion, self._course.motion, limits, jerk)
        self._chasing = not caught
        return self._checked(motion, footing)

    def _taken(self, footing: Footing, inputs: Inputs) -> tuple[Array, Record | None] | str:
        """The command of this cycle. At the end of a file that the axes still follow, the last one is held."""
        try:
            return self._feed.take(footing.motion[0], inputs)
        except Halt as halt:
            if halt.reason.cause != "end" or not self._chasing:
                raise
            return self._course.motion[0], None

    def _coast(self, footing: Footing, why: str) -> Motion:
        self._missed += 1
        if self._missed > self._settings.silent_cycles:
            raise Halt(Reason("silent", f"{self._missed} cycles in a row without a valid command ({why})"))
        q, v, _ = footing.motion
        return self._checked((q + CYCLE * v, v, np.zeros_like(v)), footing)

    def _checked(self, motion: Motion, footing: Footing) -> Motion:
        """A motion that no command asks for like that, unless it breaks a limit of postures."""
        found = self._guard.check(motion[0], footing.motion[0], footing.last)
        found = found if found and found.kind not in FOLLOWED else self._guard.stop(motion)
        if found:  # speeds and accelerations are limited where it is made
            raise Halt(found.reason)
        return motion

    def _jump(self, cycle: int, axes: Array) -> Found | None:
        off = self._course.off(cycle, axes) / (self._settings.axes.speed * CYCLE)
        worst = int(np.argmax(off))
        if off[worst] <= self._settings.jump:
            return None
        return jump_of(worst, float(off[worst]), self._settings)

    def _off_pace(self, now: Array) -> bool:
        """Whether a step to the last command asks for too much acceleration in the cycle after it."""
        c, v, a = self._course.motion
        ahead = CYCLE * v + 0.5 * CYCLE**2 * a
        return bool((np.abs(ahead - (c - now)) > self._settings.axes.acceleration * CYCLE**2).any())

    def _moderate(self) -> bool:
        """Whether the commands themselves are within limits of speed and acceleration."""
        _, v, a = self._course.motion
        limits = self._settings.axes
        return bool((np.abs(v) <= limits.speed).all() and (np.abs(a) <= limits.acceleration).all())


def row_of(trajectory: Trajectory, row: int) -> Record:
    """One command of a trajectory."""
    return Record(frame_of(float(trajectory.frames[row])), trajectory.values[row])


def jump_of(axis: int, off: float, settings: Settings) -> Found:
    """An axis that is `off` times its travel in a cycle at full speed from where it was heading."""
    travel = float(settings.axes.speed[axis]) * CYCLE
    told = f"{NAMES[axis]} jumps by {off * travel:.4g} {UNITS[axis]}"
    return Found("jump", (NAMES[axis], ""), off, f"{told}; allowed: {settings.jump * travel:.4g} {UNITS[axis]} a cycle")


def reached(kinematics: Kinematics, record: Record, axes: Array) -> Array:
    """Axes of a command, continuous with those of now; a `Halt` where there are none."""
    try:
        return kinematics.to_axes(record, axes)
    except InputError as error:
        raise Halt(unreached(error)) from None
