"""Robots on one structure beside one another: where each is, and whether it keeps clear of what the others do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.control.executive.attempt import Attempt
from freefloat.gnc.control.executive.course import left_from
from freefloat.gnc.control.executive.job import Planning
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.sweep import Sweep, distance
from freefloat.gnc.control.executive.telemetry import Report
from freefloat.gnc.planning.reconfiguration.problem import Contents, Stance

APART = 0.06  # [m] that robots and what they carry keep from one another
HOME = 5e-3  # [rad] by which a robot at rest may miss where its next motion begins


@dataclass(frozen=True, eq=False)
class Company:
    """The robots at an instant: operations that are under way by robot, and what is where."""

    robots: Sequence[Robot]
    attempts: Mapping[int, Attempt]
    planning: Planning
    contents: Contents
    report: Report

    def others(self, number: int) -> list[Stance]:
        """Where the other robots stand, before a step that is under way."""
        attempts = {k: self.attempts.get(k) for k in range(len(self.robots)) if k != number}
        return [self.robots[k].stance if a is None else a.operation.stance for k, a in attempts.items()]

    def apart(self, number: int, sweep: Sweep) -> bool:
        """Whether a robot that takes so much room keeps clear of all others, whenever and however far each goes.

        Of one under way all that it may still have to do counts, what it carries and where it puts that down included.
        Curves are proven to keep clear of robots that rest at home.
        """
        for k, robot in enumerate(self.robots):
            if k == number:
                continue
            if k in self.attempts:
                begun = self.attempts[k].sweep
                assert begun is not None
                other = begun.since(self.left(k))
            elif self.at_home(k):
                continue
            else:
                other = self.planning.at_rest(self.report.q[robot.name], robot.stands, robot.stance)
            if distance(sweep, other) < APART:
                return False
        return True

    def left(self, number: int) -> int:
        """The first step of its operation that a robot may still have to do."""
        robot, course = self.robots[number], self.attempts[number].course
        return left_from(course, robot.at) if robot.steps is course.steps else 0

    def situation(self, number: int) -> object:
        """What it depends on whether a robot may begin: what others have still to do, or where they rest."""
        return tuple(
            (self.attempts[k].operation.n, self.left(k))
            if k in self.attempts
            else tuple(np.round(self.report.q[robot.name], 2))
            for k, robot in enumerate(self.robots)
            if k != number
        )

    def at_home(self, number: int) -> bool:
        """Whether a robot rests where others' curves have it."""
        robot = self.robots[number]
        home = self.planning.home(self.contents, robot.stance, robot.stands, self.others(number))
        return home is not None and bool(np.abs(home - self.report.q[robot.name]).max() <= HOME)
