"""An arm as a part: a robot graph on a frame of another part, with torque-commanded joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from freefloat.drives.friction import Friction
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.rows import drive_row, drive_signals, friction_row
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Joint, LinkGraph
from freefloat.engine.rows import joint_actuator, joint_spring, joint_torque
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput
from freefloat.errors import InputError
from freefloat.robots.drive_step import DriveAdvice


@dataclass(frozen=True)
class Arm:
    """A robot with n moving joints, mounted on the frame `on` (of another part, or "world"), or free-floating where
    `on` is None. One whose file has no massive base (`graph.root` is "world") stands on the world instead of floating.

    Signals: `name.q`, `.qd`, `.qdd`, `.tau_applied` and poses of every link and frame. Command: `name.tau` (n,).
    Actuators of the robot's file have a command of their own, `name.control` (one number each, in their order), and the
    signal `name.actuator_effort`; what they do adds to `tau`. A joint that another leads (mimic) is held to it.
    Efforts are clipped to the joints' limits; damping, springs, dry friction and, with `stop_stiffness`, stops at the
    position limits act as the robot's file says.

    A file's dry friction is LuGre friction (`Friction.dry`); `friction` says otherwise: for each joint a `Friction`, or
    None for what the file says. Joints with friction have the signal `name.friction` (its efforts, in their order).

    `drives` says what is between a commanded effort and its joint: nothing (None) or a `JointDrive` for each. Joints
    with one have further signals (`motor_q`, `current`, `torque_gear`, ... of these joints in their order) and the
    commands `name.brake` (1 holds) and `name.fault` (`freefloat.drives.faults`); what the file says of the inertia of
    their rotors (armature) and of their dry friction is left to the drive, which has its own. With a `servo` there are
    commands for what a task that is one reads: `name.servo_q`, `servo_qd`, `servo_tau` (n,) and `servo_mode` (1,), 0
    position and 1 torque.
    """

    name: str
    graph: LinkGraph
    on: str | None = None
    q: Sequence[float] | None = None  # [rad or m] start positions; None: the file's, else zero or the nearest allowed
    motion: Motion | None = None  # start of a free-floating robot's root
    stop_stiffness: float = 0.0  # [N m/rad] 0: no stops
    stop_damping: float = 0.0  # [s/rad]
    drives: Sequence[JointDrive | None] | None = None  # of the moving joints; None: ideal torques
    servo: Literal["", "position", "torque"] = ""  # mode of its joint servo at the start; "": there is none
    friction: Sequence[Friction | None] | None = None  # of the moving joints; None: as the file says

    def build(self, b: Builder) -> None:
        """Add links, joints, drives and springs."""
        moving = self.graph.moving
        if not moving:
            raise InputError(f"part {self.name!r}: the robot has no moving joint")
        q = self.q if self.q is not None else self.graph.rest()
        drives = self._drives(moving)
        friction = self._friction(moving, drives)
        names = b.graph(self._without_rotors(drives), q, self.on, self.motion)
        kinds = [j.kind for j in moving]
        b.joint_signals(names, _unit(kinds, "rad", "m"))
        unit = _unit(kinds, "N m", "N")
        most = [j.effort for j in moving]
        tau = b.command("tau", (len(moving),), unit, "commanded joint efforts", ([-e for e in most], most))
        self._add_drives(b, tau, unit, moving, names, q, drives)
        self._add_actuators(b)
        if self.servo:
            self._add_servo(b, q, unit)
        for name, j in zip(names, moving, strict=True):
            if j.stiffness or j.damping or self.stop_stiffness:
                stops = (j.lower, j.upper, self.stop_stiffness, self.stop_damping)
                b.add(joint_spring(name, j.stiffness, j.damping, j.springref, *stops))
        rows = [b.add(friction_row(name, f)) for name, f in zip(names, friction, strict=True) if f is not None]
        if rows:
            signal = Signal(b.full("friction"), unit, (len(rows),), meaning="efforts of the joints' dry friction")
            b.signal(signal, [RowOutput(row.name, "effort") for row in rows])

    def _drives(self, moving: Sequence[Joint]) -> list[JointDrive | None]:
        drives: list[JointDrive | None] = [None] * len(moving) if self.drives is None else list(self.drives)
        if len(drives) != len(moving):
            raise InputError(f"part {self.name!r}: {len(drives)} drives for {len(moving)} joints")
        for drive, j in zip(drives, moving, strict=True):
            if drive is not None and not isinstance(drive, JointDrive):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError(
                    f"part {self.name!r}: drive {drive!r} of joint {j.name!r}; allowed: None, or a JointDrive such as "
                    "load_drive(name)"
                )
            if drive is not None and (j.kind != "revolute" or j.series):
                kind = f"{j.kind} joint {j.name!r}{', which is in series with another' if j.series else ''}"
                raise InputError(f"part {self.name!r}: {drive.place} on the {kind}; allowed: on revolute joints")
        return drives

    def _friction(self, moving: Sequence[Joint], drives: Sequence[JointDrive | None]) -> list[Friction | None]:
        """Of each joint; None where there is none but a drive's."""
        given = [None] * len(moving) if self.friction is None else list(self.friction)
        if len(given) != len(moving):
            raise InputError(f"part {self.name!r}: {len(given)} frictions for {len(moving)} joints")
        found: list[Friction | None] = []
        for j, drive, own in zip(moving, drives, given, strict=True):
            where = f"part {self.name!r}: friction of the joint {j.name!r}"
            if drive is not None and own is not None:
                raise InputError(f"{where}, which has a drive; allowed: in the drive")
            if own is not None and not isinstance(own, Friction):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError(f"{where} is {own!r}; allowed: a Friction, or None for what the file says")
            own = Friction.dry(j.friction) if own is None else own
            acts = drive is None and (own.coulomb > 0.0 or own.viscous > 0.0)
            found.append(own if acts else None)
        return found

    def _without_rotors(self, drives: Sequence[JointDrive | None]) -> LinkGraph:
        """The graph with no armature at joints whose drive has a rotor of its own."""
        left = iter(drives)
        joints = [j if j.kind == "fixed" or next(left) is None else replace(j, armature=0.0) for j in self.graph.joints]
        return replace(self.graph, joints=tuple(joints))

    def _add_drives(
        self,
        b: Builder,
        tau: str,
        unit: str,
        moving: Sequence[Joint],
        names: Sequence[str],
        q: Sequence[float],
        drives: Sequence[JointDrive | None],
    ) -> None:
        """A row for every joint: an ideal effort, or a drive."""
        n = sum(drive is not None for drive in drives)
        brake = b.command("brake", (n,), "-", "1: the brake of the drive holds") if n else ""
        fault = b.command("fault", (n,), "-", "code of the drive's fault; 0: none") if n else ""
        applied: list[RowOutput] = []
        driven = []
        for i, (name, j, drive) in enumerate(zip(names, moving, drives, strict=True)):
            if drive is None:
                applied.append(RowOutput(b.add(joint_torque(name, tau, i, j.effort)).name, "effort"))
                continue
            k, start, axis = len(driven), float(q[i]), j.X_PJ.R @ j.axis
            stator = b.full(j.parent)
            row = drive_row(
                f"{name}.drive", drive, name, stator, axis, start, (tau, i), (brake, k), (fault, k), effort=j.effort
            )
            driven.append(b.add(row))
            applied.append(RowOutput(row.name, "torque_gear"))
        b.signal(
            Signal(b.full("tau_applied"), unit, (len(moving),), meaning="joint efforts after limits, or of gears"),
            applied,
        )
        if driven:
            drive_signals(b, driven)
            b.advise(DriveAdvice(self.name, {n: d for n, d in zip(names, drives, strict=True) if d is not None}))

    def _add_actuators(self, b: Builder) -> None:
        """A row for every actuator of the robot's file."""
        actuators = self.graph.actuators
        if not actuators:
            return
        units = {a.unit for a in actuators}
        unit = units.pop() if len(units) == 1 else ", ".join(a.unit for a in actuators)
        limits = ([a.control[0] for a in actuators], [a.control[1] for a in actuators])
        control = b.command("control", (len(actuators),), unit, "commands of the robot's own actuators", limits)
        named = [(a, b.full(a.name), b.full(a.joint)) for a in actuators]
        rows = [b.add(joint_actuator(name, joint, a, (control, i))) for i, (a, name, joint) in enumerate(named)]
        kinds = {j.name: j.kind for j in self.graph.joints}
        effort = Signal(
            b.full("actuator_effort"),
            _unit([kinds[a.joint] for a in actuators], "N m", "N"),
            (len(rows),),
            meaning="efforts of the robot's own actuators",
        )
        b.signal(effort, [RowOutput(row.name, "effort") for row in rows])

    def _add_servo(self, b: Builder, q: Sequence[float], unit: str) -> None:
        """What a joint servo is told."""
        n = (len(q),)
        where = b.command("servo_q", n, "rad", "joint positions that the servo goes to")
        b.command("servo_qd", n, "rad/s", "their rates")
        b.command("servo_tau", n, unit, "joint efforts that the servo gives, or adds to its own")
        mode = b.command("servo_mode", (1,), "-", "0 position, 1 torque")
        b.blueprint.starts[where] = tuple(float(v) for v in q)
        b.blueprint.starts[mode] = (float(self.servo == "torque"),)


def _unit(kinds: Sequence[str], angular: str, linear: str) -> str:
    """The unit of a quantity of joints: one for all where they are alike, else one for each."""
    units = [angular if kind == "revolute" else linear for kind in kinds]
    return units[0] if len(set(units)) == 1 else ", ".join(units)
