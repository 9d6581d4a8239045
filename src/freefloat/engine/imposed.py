"""Imposed motions in names: which joint follows the course that which command holds (`kernels.imposed`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Polynomial

from freefloat.engine.advice import Longest
from freefloat.engine.graph import Joint
from freefloat.engine.signals import Signal, per_second, shared
from freefloat.engine.sources import ImposedSource
from freefloat.engine.tree import coordinates_of
from freefloat.errors import InputError, unknown_name

if TYPE_CHECKING:
    from freefloat.engine.blueprint import Builder
    from freefloat.engine.world import World

COURSE = 7  # numbers of a course: [t0, c0 .. c5]
START_TOLERANCE = 1e-9  # [rad or m, and per second] by which a course may miss the joint's start
EFFORTS = {"rad": "N m", "m": "N"}
LARGEST_STEP = 0.5  # of eta times the step: beyond, the energy audit fails soon after


@dataclass(frozen=True)
class Imposed:
    """A joint whose coordinate q follows sum of c_k (t - t0)^k, [t0, c0 .. c5] held in a command."""

    joint: str  # its coordinate's full name
    command: str
    entry: int  # of the command, where the course begins
    eta: float  # [1/s] Baumgarte rate
    unit: str  # of q: "rad" or "m"

    @property
    def name(self) -> str:
        """For advice on the step."""
        return f"imposed motion of {self.joint!r}"

    def longest_step(self, world: World) -> Longest:
        """What eta allows."""
        return Longest(LARGEST_STEP / self.eta if self.eta > 0.0 else np.inf, f"eta {self.eta:g} 1/s")


def impose(b: Builder, joints: Sequence[str], command: str, eta: float) -> None:
    """Declare imposed motions of some joints, and their signals; see `Builder.impose`."""
    bp = b.blueprint
    if command not in bp.commands:
        raise unknown_name("command", command, bp.commands)
    size = bp.commands[command].size
    if size != COURSE * len(joints):
        raise InputError(f"command {command!r} has {size} numbers; {len(joints)} courses need {COURSE} each")
    if not 0.0 <= eta < np.inf:
        raise InputError(f"imposed motion {b.part!r}: eta {eta!r} 1/s must be finite and not negative")
    start, units = bp.starts.get(command, (0.0,) * size), list[str]()
    for entry, joint in zip(range(0, size, COURSE), joints, strict=True):
        units.append(unit_of(bp.joints, joint))
        if joint in bp.imposed:
            raise InputError(f"joint {joint!r} follows {bp.imposed[joint].command!r} already; one course per joint")
        bp.joint_start[joint] = _started(joint, start[entry : entry + COURSE], bp.joint_start[joint], units[-1])
        bp.imposed[joint] = Imposed(joint, command, entry, eta, units[-1])
        b.advise(bp.imposed[joint])
    unit, efforts, labels = shared(units), shared([EFFORTS[unit] for unit in units]), b.short(joints)
    for name, of, meaning in (
        ("effort", efforts, "effort that the imposed motion takes, besides what else acts at the joint"),
        ("error", unit, "joint position less its course"),
    ):
        signal = Signal(b.full(name), of, (len(joints),), meaning=meaning, labels=labels)
        b.signal(signal, [ImposedSource(j, name) for j in joints])


def course_unit(unit: str) -> str:
    """The units of a course's numbers, of a coordinate in `unit`."""
    return ", ".join(["s", unit, *(per_second(unit, k) for k in range(1, COURSE - 1))])


def course_labels(joints: Sequence[str]) -> tuple[str, ...]:
    """What the numbers of courses are called."""
    numbers = ["t0", *(f"c{k}" for k in range(COURSE - 1))]
    return tuple(f"{joint} {number}".strip() for joint in joints for number in numbers)


def unit_of(joints: Mapping[str, Joint], coordinate: str) -> str:
    """ "rad" or "m" of a coordinate that can be imposed; others are refused."""
    units: dict[str, str] = {}
    for joint in joints.values():
        for name in coordinates_of(joint):
            angular = joint.kind == "revolute" or name == f"{joint.name}.theta"
            units[name] = "rad" if angular else "m"
    if coordinate in joints and joints[coordinate].kind == "fixed":
        raise InputError(f"joint {coordinate!r} is fixed; only a joint that moves can follow a course")
    if coordinate not in units:
        raise unknown_name("joint", coordinate, units)
    return units[coordinate]


def _started(joint: str, course: Sequence[float], start: tuple[float, float], unit: str) -> tuple[float, float]:
    """Position and rate of a joint that starts on its course: one that starts at rest takes the course's rate."""
    path = Polynomial(course[1:])
    q, rate = float(path(-course[0])), float(path.deriv()(-course[0]))
    if not abs(q - start[0]) <= START_TOLERANCE:
        raise InputError(
            f"joint {joint!r} starts at {start[0]:.12g} {unit}, its course at {q:.12g}; start the joint there, or let "
            f"the course begin with c0 = {start[0]:.12g}"
        )
    if start[1] != 0.0 and not abs(rate - start[1]) <= START_TOLERANCE:
        raise InputError(
            f"joint {joint!r} starts with {start[1]:.12g} {unit}/s, its course with {rate:.12g}; give both the same "
            "rate, or none to the joint, which then takes the course's"
        )
    return start[0], rate
