"""Whether robots can stand where a design puts them: on a free face with an interface that their ends close on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.structure.design.design import Design, Finding, StandingRobot, label
from freefloat.structure.design.robot_kinds import ROBOT_KINDS, RobotKind
from freefloat.structure.module import InterfaceType, compatible
from freefloat.structure.tensor_body import TensorBody


def robot_findings(body: TensorBody, design: Design) -> Iterator[Finding]:
    """An error for every robot that cannot stand as the design says."""
    names: set[str] = set()
    faces: dict[tuple[int, str], str] = {}
    for robot in design.robots:
        problem = _unknown(body, robot) or _cannot_stand(body, design, robot)
        if not problem and robot.name in names:
            problem = "name given twice", robot.name, "one of each"
        elif not problem and (other := faces.get((robot.identity, robot.side))) is not None:
            problem = f"stands where {other} stands", face_name(robot), "a face of its own"
        names.add(robot.name)
        faces.setdefault((robot.identity, robot.side), f"robot {robot.name}")
        if problem:
            yield Finding("error", "robot", f"robot {robot.name}", *problem, robot.identity, robot.where)


def face_name(robot: StandingRobot) -> str:
    """The face on which a robot stands, in words."""
    return f"module {robot.identity}, side {robot.side}"


def angle_problem(kind: RobotKind, q: tuple[float, ...] | None) -> tuple[str, str, str] | None:
    """Why joint angles are not those of a kind of robot: message, value, allowed."""
    if q is None:
        return None
    if len(q) != kind.joints:
        return "wrong number of joint angles", str(len(q)), str(kind.joints)
    for number, (angle, low, high) in enumerate(zip(q, kind.lower, kind.upper, strict=True), start=1):
        if not low <= angle <= high:
            span = f"{np.degrees(low):.4g} to {np.degrees(high):.4g} deg"
            return f"joint {number} beyond its limits", f"{np.degrees(angle):.4g} deg", span
    return None


def end_fits(kind: RobotKind, interface: InterfaceType | None) -> bool:
    """Whether an end of a robot closes on an interface; it brings the drive."""
    return interface is not None and compatible(kind.end, interface)


def _unknown(body: TensorBody, robot: StandingRobot) -> tuple[str, str, str] | None:
    if robot.kind not in ROBOT_KINDS:
        return "unknown kind of robot", robot.kind, ", ".join(ROBOT_KINDS)
    if body.find(robot.identity) is None:
        return "stands on a module that is not in the design", str(robot.identity), "a module of the design"
    if robot.side not in body.grid.side_names:
        return "stands on an unknown side", robot.side, ", ".join(body.grid.side_names)
    return angle_problem(ROBOT_KINDS[robot.kind], robot.q)


def _cannot_stand(body: TensorBody, design: Design, robot: StandingRobot) -> tuple[str, str, str] | None:
    place, side = body.find(robot.identity), body.grid.side_names.index(robot.side)
    assert place is not None
    beside = int(body.grid.neighbours[place, side])
    if beside >= 0 and body.shape[beside] > 0:
        return f"stands on a face that {label(body, beside)} covers", face_name(robot), "a free face"
    kind, number = ROBOT_KINDS[robot.kind], int(body.interfaces()[place, side])
    interface = body.catalogue.interface(number) if number > 0 else None
    if interface is None:
        return "stands on a face without an interface", face_name(robot), "a face with an interface"
    if not end_fits(kind, interface):
        told = f"standard {kind.end.standard}, symmetry {kind.end.symmetry}"
        return "its end does not close on the interface", interface.name, told
    if any((h.identity, h.side, h.state) == (robot.identity, robot.side, "failed") for h in design.held):
        return "stands on a failed interface", face_name(robot), "one that works"
    return None
