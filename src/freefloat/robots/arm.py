"""An arm as a part: a robot graph on a frame of another part, with torque-commanded joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, take
from freefloat.drives.friction import Friction
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.rows import drive_row, drive_signals, friction_row
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import WORLD, Joint, LinkGraph
from freefloat.engine.rows import joint_actuator, joint_spring, joint_torque
from freefloat.engine.signals import Signal, shared
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
    q: Measures | None = None  # [rad or m] start positions; None: the file's, else zero or the nearest allowed
    motion: Motion | None = None  # start of a free-floating robot's root
    stop_stiffness: Measure = 0.0  # [N m/rad] 0: no stops
    stop_damping: Measure = 0.0  # [s/rad]
    drives: Sequence[JointDrive | None] | None = None  # of the moving joints; None: ideal torques
    servo: Literal["", "position", "torque"] = ""  # mode of its joint servo at the start; "": there is none
    friction: Sequence[Friction | None] | None = None  # of the moving joints; None: as the file says

    def __post_init__(self) -> None:
        where = f"part {self.name!r}"
        if not isinstance(self.graph, LinkGraph):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{where}: graph {self.graph!r}; allowed: a LinkGraph, such as load_urdf(path)")
        take(self, where, stop_stiffness=Amount("N m/rad", ge=0.0), stop_damping=Amount("s/rad", ge=0.0))

    def _start(self, moving: Sequence[Joint]) -> list[float]:
        """Positions of the moving joints at the start."""
        if self.q is None:
            return self.graph.rest()
        given = np.ravel(np.asarray(self.q, dtype=object)).tolist()
        if len(given) != len(moving):
            raise InputError(f"part {self.name!r}: {len(given)} start positions q for {len(moving)} joints")
        units = ["m" if j.kind == "prismatic" else "rad" for j in moving]
        where = f"part {self.name!r}: start of joint"
        return [Amount(u).number(v, f"{where} {j.name!r}") for u, v, j in zip(units, given, moving, strict=True)]

    def build(self, b: Builder) -> None:
        """Add links, joints, drives and springs."""
        moving = self.graph.moving
        if not moving:
            raise InputError(f"part {self.name!r}: the robot has no moving joint")
        q = self._start(moving)
        drives = self._drives(moving)
        friction = self._friction(moving, drives)
        names = b.graph(self._without_rotors(drives), q, self.on, self.motion)
        b.joint_signals(names, shared(["rad" if j.kind == "revolute" else "m" for j in moving]))
        unit = shared(["N m" if j.kind == "revolute" else "N" for j in moving])
        most = [j.effort for j in moving]
        limits = ([-e for e in most], most)
        tau = b.command("tau", (len(moving),), unit, "commanded joint efforts", limits, labels=b.short(names))
        self._add_drives(b, tau, unit, moving, names, q, drives)
        self._add_actuators(b)
        if self.servo:
            self._add_servo(b, q, unit, b.short(names))
        for name, j in zip(names, moving, strict=True):
            if j.stiffness or j.damping or self.stop_stiffness:
                stops = (j.lower, j.upper, self.stop_stiffness, self.stop_damping)
                b.add(joint_spring(name, j.stiffness, j.damping, j.springref, *stops))
        rubbed = [(name, f, j) for name, f, j in zip(names, friction, moving, strict=True) if f is not None]
        if rubbed:
            rows = [b.add(friction_row(name, f)) for name, f, _ in rubbed]
            unit = shared(["N m" if j.kind == "revolute" else "N" for _, _, j in rubbed])
            labels, meaning = b.short([name for name, _, _ in rubbed]), "efforts of the joints' dry friction"
            signal = Signal(b.full("friction"), unit, (len(rows),), meaning=meaning, labels=labels)
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
        own = b.short([name for name, drive in zip(names, drives, strict=True) if drive is not None])
        n = len(own)
        brake = b.command("brake", (n,), "-", "1: the brake of the drive holds", labels=own) if n else ""
        fault = b.command("fault", (n,), "-", "code of the drive's fault; 0: none", labels=own) if n else ""
        applied: list[RowOutput] = []
        driven = []
        for i, (name, j, drive) in enumerate(zip(names, moving, drives, strict=True)):
            if drive is None:
                applied.append(RowOutput(b.add(joint_torque(name, tau, i, j.effort)).name, "effort"))
                continue
            placed = b.blueprint.joints[name]  # where the robot stands on something, from that
            if placed.parent == WORLD:
                raise InputError(
                    f"part {self.name!r}: {drive.place} on joint {j.name!r}, which stands on the world; allowed: on "
                    "joints between links, such as those of a robot on a body"
                )
            k, start, axis = len(driven), float(q[i]), placed.X_PJ.R @ placed.axis
            commands = (tau, i), (brake, k), (fault, k)
            row = drive_row(f"{name}.drive", drive, name, placed.parent, axis, start, *commands, effort=j.effort)
            driven.append(b.add(row))
            applied.append(RowOutput(row.name, "torque_gear"))
        meaning = "joint efforts after limits, or of gears"
        b.signal(Signal(b.full("tau_applied"), unit, (len(moving),), meaning=meaning, labels=b.short(names)), applied)
        if driven:
            drive_signals(b, driven, own)
            b.advise(DriveAdvice(self.name, {n: d for n, d in zip(names, drives, strict=True) if d is not None}))

    def _add_actuators(self, b: Builder) -> None:
        """A row for every actuator of the robot's file."""
        actuators = self.graph.actuators
        if not actuators:
            return
        n, labels = (len(actuators),), tuple(a.name for a in actuators)
        unit, limits = shared([a.unit for a in actuators]), tuple(zip(*(a.control for a in actuators), strict=True))
        meaning = "commands of the robot's own actuators"
        control = b.command("control", n, unit, meaning, (limits[0], limits[1]), labels=labels)
        named = [(a, b.full(a.name), b.full(a.joint)) for a in actuators]
        rows = [b.add(joint_actuator(name, joint, a, (control, i))) for i, (a, name, joint) in enumerate(named)]
        kinds = {j.name: j.kind for j in self.graph.joints}
        unit = shared(["N m" if kinds[a.joint] == "revolute" else "N" for a in actuators])
        meaning = "efforts of the robot's own actuators"
        effort = Signal(b.full("actuator_effort"), unit, n, meaning=meaning, labels=labels)
        b.signal(effort, [RowOutput(row.name, "effort") for row in rows])

    def _add_servo(self, b: Builder, q: Sequence[float], unit: str, labels: Sequence[str]) -> None:
        """What a joint servo is told."""
        n = (len(q),)
        where = b.command("servo_q", n, "rad", "joint positions that the servo goes to", labels=labels)
        b.command("servo_qd", n, "rad/s", "joint rates that the servo goes to", labels=labels)
        b.command("servo_tau", n, unit, "joint efforts that the servo gives, or adds to its own", labels=labels)
        mode = b.command("servo_mode", (1,), "-", "0 position, 1 torque")
        b.blueprint.starts[where] = tuple(float(v) for v in q)
        b.blueprint.starts[mode] = (float(self.servo == "torque"),)
