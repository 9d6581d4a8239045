"""Joints of a URDF: kinds, axes, limits, damping, friction, and which one leads another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freefloat.engine.graph import Coupling, Joint, JointKind
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots.attributes import LARGEST, Range, children, number, only_attributes, text, vector
from freefloat.robots.declared import DeclaredJoint
from freefloat.robots.reading import Reading
from freefloat.robots.urdf_names import Names
from freefloat.robots.urdf_shapes import leaf, one, origin
from freefloat.robots.xmltree import Element, nearest, shown

AXIS = Range(-LARGEST, LARGEST, "-")
RATIO = Range(-LARGEST, LARGEST, "-")
KINDS: Mapping[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
ALL_KINDS = (*KINDS, "planar", "floating", "spherical")
PARTS = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
PAST = ("safety_controller", "joint_properties", "sensor", "hardwareInterface")
_OTHERS_LIMITS = ("command_effort", "current", "gear_velocity", "acceleration", "deceleration", "jerk")
_EFFORT = "N m or N"
_COORDINATE = "let single joints follow single joints"
_OTHERS_DYNAMICS = ("D", "K", "mu_coulomb", "mu_viscous")


class Limits(NamedTuple):
    """Of a joint; infinite where there is none."""

    lower: float = -math.inf  # [rad or m]
    upper: float = math.inf  # [rad or m]
    velocity: float = math.inf  # [rad/s or m/s]
    effort: float = math.inf  # [N m or N]


def read_joint(e: Element, joints: Names, links: Names, reading: Reading) -> list[DeclaredJoint]:
    """The joint of an element; a planar one is three in series, and one whose ends are unknown is left out."""
    only_attributes(e, reading, ("name", "type"), past=("dont_collapse",))
    declared = text(e, "type", ", ".join(ALL_KINDS))
    if declared not in ALL_KINDS:
        kinds = ", ".join(ALL_KINDS)
        raise e.error(f"type = {shown(declared)} is unknown.{nearest(declared, ALL_KINDS)} Allowed: {kinds}")
    parts = children(e, reading, (*PARTS, "calibration"), past=PAST)
    ends = [reading.attempt(lambda tag=tag: _end(e, parts, tag, links, reading), "") for tag in ("parent", "child")]
    X_PJ = reading.attempt(lambda: origin(parts["origin"], reading), Pose.identity())
    if "" in ends:
        return []
    joint = Joint(joints.of(e), KINDS.get(declared, "fixed"), ends[0], ends[1], X_PJ)
    if declared == "floating":
        reading.note(f"{e.where}: link {shown(ends[1])} floats: nothing ties it to {shown(ends[0])}")
        return [DeclaredJoint(joint, e.where, free=True)]
    if declared == "fixed":
        for tag in ("axis", "limit", "dynamics", "mimic"):
            if parts[tag]:
                reading.alike(f"<{tag}> of a fixed joint is read past", e.where)
        return [DeclaredJoint(joint, e.where)]
    if declared == "spherical":  # of Bullet
        turns = [
            replace(joint, name=f"{joint.name}_{n}", kind="revolute", axis=a)
            for n, a in zip("xyz", np.eye(3), strict=True)
        ]
        rest = [replace(j, X_PJ=Pose.identity(), series=True) for j in turns[1:]]
        reading.note(
            f"{e.where}: taken as three turns in series, {joint.name}_x, _y, _z, singular at 90 deg of the second"
        )
        with reading.collecting():
            _check_spherical(parts, reading)
        return [DeclaredJoint(j, e.where) for j in (turns[0], *rest)]
    axis = reading.attempt(lambda: _axis(parts["axis"], reading), np.array([1.0, 0.0, 0.0]))
    if declared == "planar":
        reading.note(f"{e.where}: taken as joints in series: {joint.name}_x, {joint.name}_y, {joint.name}_theta")
        rates = reading.attempt(lambda: _planar_limits(parts["limit"], reading), Limits())
        damping, friction = reading.attempt(lambda: _dynamics(parts["dynamics"], reading), (0.0, 0.0))
        if rates != Limits() or damping or friction:
            reading.alike("its effort, velocity, damping and friction hold for each of the three", e.where)
        joint = replace(joint, **rates._asdict(), damping=damping, friction=friction)
        return [DeclaredJoint(j, e.where) for j in _planar(joint, axis)]
    limits = reading.attempt(lambda: _limits(e, declared, parts["limit"], reading), Limits())
    damping, friction = reading.attempt(lambda: _dynamics(parts["dynamics"], reading), (0.0, 0.0))
    joint = replace(joint, axis=axis, **limits._asdict(), damping=damping, friction=friction)
    return [DeclaredJoint(joint, e.where)]


def _end(joint: Element, parts: Mapping[str, list[Element]], tag: str, links: Names, reading: Reading) -> str:
    return links.of(leaf(one(joint, parts, tag, f'<{tag} link="NAME"/>'), reading, "link"), "link")


def _axis(found: list[Element], reading: Reading) -> np.ndarray:
    if not found:
        return np.array([1.0, 0.0, 0.0])
    e = leaf(found[0], reading, "xyz", past=("rpy",))
    axis = vector(e, "xyz", 3, AXIS)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise e.error(f"xyz = {shown(e.attributes['xyz'])} has no direction; allowed: a vector other than 0 0 0")
    return axis / length


def _planar(joint: Joint, normal: np.ndarray) -> list[Joint]:
    """Two slides in the plane across its normal and a turn about it; of the normal z, x and y are the slides."""
    other = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = other - (other @ normal) * normal
    x /= np.linalg.norm(x)
    first = replace(joint, name=f"{joint.name}_x", kind="prismatic", axis=x)
    rest = {"X_PJ": Pose.identity(), "series": True}
    second = replace(first, name=f"{joint.name}_y", axis=np.cross(normal, x), **rest)
    return [first, second, replace(second, name=f"{joint.name}_theta", kind="revolute", axis=normal)]


def _planar_limits(found: list[Element], reading: Reading) -> Limits:
    if not found:
        return Limits()
    e = leaf(found[0], reading, "lower", "upper", "effort", "velocity", past=_OTHERS_LIMITS)
    _cannot_each(e, ("lower", "upper"), "planar", reading)
    return Limits(velocity=_given(e, "velocity", "m/s or rad/s", reading), effort=_given(e, "effort", _EFFORT, reading))


def _check_spherical(parts: Mapping[str, list[Element]], reading: Reading) -> None:
    """What holds for the whole turn holds for none of three turns in series."""
    for e in parts["limit"]:
        leaf(e, reading, "lower", "upper", "effort", "velocity", past=_OTHERS_LIMITS)
        _cannot_each(e, ("lower", "upper", "effort", "velocity"), "spherical", reading)
    for e in parts["dynamics"]:
        leaf(e, reading, "damping", "friction", past=_OTHERS_DYNAMICS)
        _cannot_each(e, ("damping", "friction"), "spherical", reading)


def _cannot_each(e: Element, names: Sequence[str], kind: str, reading: Reading) -> None:
    for name in names:
        value = number(e, name, Range(-math.inf, math.inf, "-"), 0.0)
        if value and abs(value) <= LARGEST:
            reading.cannot(e.where, f"{name} = {value:g} of a {kind} joint", "declare three joints instead")


def _dynamics(found: list[Element], reading: Reading) -> tuple[float, float]:
    """(damping, friction)."""
    if not found:
        return 0.0, 0.0
    e = leaf(found[0], reading, "damping", "friction", past=_OTHERS_DYNAMICS)
    damping = number(e, "damping", Range(0.0, LARGEST, "N m s/rad or N s/m"), 0.0)
    return damping, number(e, "friction", Range(0.0, LARGEST, _EFFORT), 0.0)


def _limits(joint: Element, declared: str, found: list[Element], reading: Reading) -> Limits:
    if not found:
        if declared != "continuous":
            reading.alike("<limit> is missing: the joint has no limits", joint.where)
        return Limits()
    unit = "m" if declared == "prismatic" else "rad"
    e = leaf(found[0], reading, "lower", "upper", "effort", "velocity", past=_OTHERS_LIMITS)
    velocity = _given(e, "velocity", f"{unit}/s", reading)
    effort = _given(e, "effort", "N" if unit == "m" else "N m", reading)
    if declared == "continuous":
        if "lower" in e.attributes or "upper" in e.attributes:
            reading.alike("lower and upper of a continuous joint are read past", joint.where)
        return Limits(velocity=velocity, effort=effort)
    if "lower" not in e.attributes and "upper" not in e.attributes:
        reading.alike("<limit> has neither lower nor upper: the joint turns or slides without end", joint.where)
        return Limits(velocity=velocity, effort=effort)
    position = Range(-math.inf, math.inf, unit)
    lower, upper = (_bound(number(e, name, position, 0.0)) for name in ("lower", "upper"))
    if lower > upper:
        what = f"lower = {lower:g} above upper = {upper:g} [{unit}]"
        reading.cannot(e.where, what, "give lower <= upper, or none", "no limits")
        return Limits(velocity=velocity, effort=effort)
    return Limits(lower, upper, velocity, effort)


def _bound(value: float) -> float:
    """A position, infinite where it is beyond all that a joint reaches."""
    return value if abs(value) <= LARGEST else math.copysign(math.inf, value)


def _given(e: Element, name: str, unit: str, reading: Reading) -> float:
    """A largest value. Zero, which many files have where nobody knows it, would make the joint dead."""
    value = number(e, name, Range(0.0, math.inf, unit), 0.0)
    if value == 0.0:
        told = f'{name} = "0"' if name in e.attributes else f"no {name}"
        reading.alike(f"{told}: taken as not given, so without limit", e.where)
    return value or math.inf


def read_mimics(elements: Sequence[Element], joints: Names, kinds: Mapping[str, JointKind], reading: Reading) -> Mimics:
    """Couplings of the joints that mimic another."""
    found = Mimics(kinds)
    for e in elements:
        kind = e.attributes.get("type")
        for mimic in (m for m in e.children if m.tag == "mimic" and kind in ("planar", "spherical", "floating")):
            reading.cannot(mimic.where, f"a mimic of a {kind} joint", _COORDINATE)
        for mimic in (m for m in e.children if m.tag == "mimic" and kinds.get(joints.own[e.attributes["name"]])):
            with reading.collecting():
                leaf(mimic, reading, "joint", "multiplier", "offset")
                ratio, offset = number(mimic, "multiplier", RATIO, 1.0), number(mimic, "offset", RATIO, 0.0)
                if mimic.attributes.get("joint") in joints.own:
                    found.add(joints.of(e), joints.of(mimic, "joint"), ratio, offset, mimic)
                    continue
                try:
                    joints.of(mimic, "joint")
                except ModelError as error:
                    reading.leave_out(error)
    return found


class Mimics:
    """Which joint follows which, q = ratio q_leader + offset; `couplings` and `held` resolve chains."""

    def __init__(self, kinds: Mapping[str, JointKind]) -> None:
        self.kinds = kinds
        self.of: dict[str, tuple[str, float, float, Element]] = {}

    def add(self, joint: str, leader: str, ratio: float, offset: float, e: Element) -> None:
        if self.kinds[joint] != "fixed":
            self.of[joint] = (leader, ratio, offset, e)

    def resolve(self, reading: Reading) -> tuple[list[Coupling], dict[str, float]]:
        """Couplings with leaders that follow nothing, and the positions of joints whose leader is fixed."""
        couplings: list[Coupling] = []
        held: dict[str, float] = {}
        for joint, (leader, ratio, offset, e) in self.of.items():
            seen = [joint]
            while leader in self.of and leader not in seen:
                seen.append(leader)
                leader, more, shift, _ = self.of[leader]
                ratio, offset = ratio * more, ratio * shift + offset
            if leader in seen:
                reading.problem(f"{e.where}: joint {shown(joint)} follows itself; allowed: a leader that is free")
            elif self.kinds.get(leader) == "fixed":
                held[joint] = offset
                reading.note(f"{e.where}: its leader {shown(leader)} is fixed, so joint {shown(joint)} is held")
            elif leader in self.kinds:
                couplings.append(Coupling(joint, leader, (offset, ratio, 0.0, 0.0, 0.0)))
            else:
                reading.cannot(e.where, f"the leader {shown(leader)}, which is no single joint,", _COORDINATE)
        return couplings, held
