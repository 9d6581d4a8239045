"""What telemetry must say before an operation begins, and where it differs from what was expected."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.control.executive.course import OTHER
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.telemetry import Report
from freefloat.gnc.planning.reconfiguration.problem import Contents, Operation
from freefloat.hand_words import HandState


def unfit(o: Operation, robot: Robot, report: Report, contents: Contents) -> str:
    """Why an operation cannot begin as telemetry has it; empty where it can."""
    foot, free = (report.hands[robot.hands[e]] for e in (robot.stands, OTHER[robot.stands]))
    stands_on = int(contents.identity[o.stance.place])
    if o.stance != robot.stance or foot.state is not HandState.CLOSED or foot.module != stands_on:
        return f"{robot.name} does not stand on module {stands_on}"
    if free.state is not HandState.OPEN:
        return f"the free hand of {robot.name} is {free.state.name.lower()}"
    place = o.carry.source if o.carry is not None else o.to.place if o.to is not None else -1
    if contents.identity[place] != o.module:
        return f"module {o.module} is not at its place"
    if o.carry is not None and o.carry.target != place and contents.type[o.carry.target] > 0:
        return f"the goal of module {o.module} is taken by module {contents.identity[o.carry.target]}"
    return ""


def difference(expected: Contents, found: Contents) -> str:
    """The first module that is not where or as it is expected, in words."""
    for place in np.flatnonzero(expected.identity != found.identity).tolist():
        who = int(found.identity[place] or expected.identity[place])
        return f"module {who} is not where the plan has it"
    for place in np.flatnonzero(expected.orientation != found.orientation).tolist():
        return f"module {int(found.identity[place])} is turned otherwise than the plan has it"
    return ""
