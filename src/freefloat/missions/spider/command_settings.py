"""What SPIDER is commanded in a scenario file, at every level from motor currents to named operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from freefloat.errors import FieldError, InputError
from freefloat.frames import Pose, rpy_to_matrix
from freefloat.gnc.control.operational import CURRENTS, OPERATIONAL, TORQUES
from freefloat.gnc.control.operations import Operation
from freefloat.scenario.fields import Rotation, Settings, Vector3, quantity, setting

SETTLE = "time at rest in each point"
SPEED = "speed of the tip; at most the arm's limit"


class Command(Settings):
    """Something that SPIDER is commanded: at which level, and which operations of the tip."""

    level: ClassVar[int] = OPERATIONAL

    def operations(self, X_AT: Pose) -> list[Operation]:
        """None, unless a kind of command says otherwise; from a pose of the tip."""
        return []


class RequirementCommand(Command):
    """The published requirements: a line at full speed, one at 1 mm/s, and a step of the tip."""

    kind: Literal["requirement"] = setting("requirement", "what the requirements of SPIDER are shown with")
    fast: Vector3 = quantity((0.0, 0.5, 0.0), "m", "way at full speed, in the mount's axes")
    fast_speed: float = quantity(0.1, "m/s", SPEED, gt=0)
    slow: Vector3 = quantity((0.0, 0.0, 0.01), "m", "way at low speed")
    slow_speed: float = quantity(1e-3, "m/s", SPEED, gt=0)
    step: Vector3 = quantity((0.0, 0.0, 0.001), "m", "step of the tip")
    settle: float = quantity(4.0, "s", SETTLE, gt=0)

    def operations(self, X_AT: Pose) -> list[Operation]:
        """Three moves from a pose of the tip."""
        found, p = [], X_AT.p
        for way, speed in ((self.fast, self.fast_speed), (self.slow, self.slow_speed), (self.step, 0.01)):
            p = p + np.asarray(way)
            found.append(Operation("move", to=Pose(X_AT.R, p), speed=speed, settle=self.settle))
        return found


class TipPoint(Settings):
    """A pose of the tip."""

    place: Vector3 = quantity((0.95, 0.1, 0.62), "m", "p_AT, in the mount's axes A")
    attitude: Rotation | None = quantity(
        None, "rad", "attitude in A (roll, pitch, yaw about fixed axes); none: as before"
    )


class TipCommand(Command):
    """A path of the tip."""

    kind: Literal["tip"] = setting("tip", "a path of the tip")
    points: tuple[TipPoint, ...] = setting((TipPoint(),), "poses that it goes to in straight lines")
    speed: float = quantity(0.05, "m/s", SPEED, gt=0)
    settle: float = quantity(1.0, "s", SETTLE, gt=0)

    def operations(self, X_AT: Pose) -> list[Operation]:
        """A move to each point."""
        found, R = [], X_AT.R
        for point in self.points:
            R = R if point.attitude is None else rpy_to_matrix(*point.attitude)
            found.append(Operation("move", to=Pose(R, point.place), speed=self.speed, settle=self.settle))
        return found


class JointCommand(Command):
    """A path of the joints."""

    kind: Literal["joints"] = setting("joints", "a path of the joints")
    points: tuple[tuple[float, ...], ...] = quantity(
        ((0.0, 0.5, 0.1, 1.1, 0.1, 0.7, 0.1),), "rad", "joint positions that it goes to"
    )
    speed: float = quantity(0.05, "m/s", SPEED, gt=0)
    settle: float = quantity(1.0, "s", SETTLE, gt=0)

    def operations(self, X_AT: Pose) -> list[Operation]:
        """A move to each point."""
        return [Operation("move", joints=np.array(q), speed=self.speed, settle=self.settle) for q in self.points]


class TorqueCommand(Command):
    """Torques at the joints, by the servo's torque loop; then the arm holds where it is."""

    level: ClassVar[int] = TORQUES
    kind: Literal["torques"] = setting("torques", "torques at the joints")
    torque: tuple[float, ...] = quantity((0.5, 1.0, 0.0, -0.5, 0.0, 0.1, 0.0), "N m", "at each joint")
    time: float = quantity(0.3, "s", "how long", gt=0)


class CurrentCommand(Command):
    """Currents in the motors; then the arm holds where it is."""

    level: ClassVar[int] = CURRENTS
    kind: Literal["currents"] = setting("currents", "currents in the motors")
    current: tuple[float, ...] = quantity((0.4, 0.45, 0.0, -0.4, 0.0, 0.3, 0.0), "A", "amplitude in each motor")
    time: float = quantity(0.3, "s", "how long", gt=0)


class OperationSettings(Settings):
    """One operation; each word uses what it needs."""

    do: Literal["move", "approach", "press", "slide", "grip", "latch", "release"] = setting("move", "what is done")
    to: Vector3 | None = quantity(None, "m", "move: p_AT in the mount's axes A")
    attitude: Rotation | None = quantity(None, "rad", "move: attitude in A (roll, pitch, yaw); none: as before")
    joints: tuple[float, ...] | None = quantity(None, "rad", "move: joint positions, in place of `to`")
    speed: float = quantity(0.05, "m/s", SPEED, gt=0)
    settle: float = quantity(1.0, "s", "move, slide: time at rest at the end; press: how long", gt=0)
    direction: Vector3 = quantity((0.0, 0.0, -1.0), "-", "approach: direction in A")
    distance: float = quantity(0.1, "m", "approach: longest way", gt=0)
    force: float = quantity(20.0, "N", "approach: that ends it; press: that is kept; grip: of each jaw", gt=0)
    by: Vector3 = quantity((0.0, 0.0, 0.0), "m", "slide: way in A")
    payload: str = setting("payload", "latch: which payload")


class OperationsCommand(Command):
    """Named operations, one after the other."""

    kind: Literal["operations"] = setting("operations", "named operations")
    list: tuple[OperationSettings, ...] = setting(
        (OperationSettings(to=(0.95, 0.0, 0.6)), OperationSettings(do="grip")), "what is done, in order"
    )

    def operations(self, X_AT: Pose) -> list[Operation]:
        """As the controller takes them."""
        found, R = [], X_AT.R
        for o in self.list:
            R = R if o.attitude is None else rpy_to_matrix(*o.attitude)
            to = None if o.to is None else Pose(R, o.to)
            q = None if o.joints is None else np.array(o.joints)
            rest = {n: getattr(o, n) for n in ("speed", "settle", "direction", "distance", "force", "by", "payload")}
            found.append(Operation(o.do, to=to, joints=q, **rest))
        return found


SpiderCommand = RequirementCommand | TipCommand | JointCommand | TorqueCommand | CurrentCommand | OperationsCommand


def checked_values(values: Sequence[float], most: Sequence[float], where: str, unit: str) -> tuple[float, ...]:
    """Seven numbers within limits."""
    if len(values) != len(most):
        raise FieldError(where, f"{len(values)} numbers; allowed: {len(most)}")
    for i, (value, limit) in enumerate(zip(values, most, strict=True)):
        if abs(value) > limit:
            raise FieldError(where, f"{value:g} {unit} at joint {i + 1}; allowed: -{limit:g} to {limit:g} {unit}")
    return tuple(values)


def placed_in(field: str, error: InputError) -> FieldError:
    """An error of the check of a command, at its field."""
    return FieldError(field, str(error))
