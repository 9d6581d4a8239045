"""A test bench for one joint drive: its stator stands on the ground, its output turns a load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Amount, Measure, positive, take
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.rows import drive_row, drive_signals
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import Joint, Link
from freefloat.engine.imposed import course_labels, course_unit
from freefloat.engine.rows import joint_torque
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.drive_row import COURSE_SIZE

AXIS = (0.0, 0.0, 1.0)
LOCKED = 1e12  # [kg m^2] a load that nothing moves
HOUSING = Shape("cylinder", (0.08, 0.06), Pose(np.eye(3), [0.0, 0.0, -0.07]), (0.45, 0.48, 0.52, 1.0))
ARM = Shape("box", (0.15, 0.02, 0.01), Pose(np.eye(3), [0.11, 0.0, 0.0]), (0.84, 0.33, 0.20, 1.0))

ROTOR = "imposed angle of the rotor: sum of c_k (t - t0)^k"


@dataclass(frozen=True)
class DriveBench:
    """A drive with a load on a hinge; neither gravity nor anything else but the drive and `name.load` acts on it.

    Signals: `name.q`, `.qd`, `.qdd` of the load, those of a drive (`motor_q`, `current`, `torque_motor`, ...), and what
    is inside it: `name.bristle` and `name.hysteresis`.
    Commands, each (1,): `name.tau` [N m] effort, `name.brake` (1 holds), `name.fault` (`freefloat.drives.faults`) and
    `name.load` [N m], a torque on the load from outside.

    With a `course` the rotor turns at that speed whatever it takes. The command `name.course` (7,), [t0, c0 ... c5],
    changes it: its angle is then c0 + c1 (t - t0) + ... + c5 (t - t0)^5.
    """

    name: str
    drive: JointDrive
    inertia: Measure = 1.0  # [kg m^2] of the load about the axis; LOCKED: it goes on as it started
    tau: Measure = 0.0  # [N m] effort until another is commanded
    course: Measure | None = None  # [rad/s] imposed on the rotor; None: it is free
    load_speed: Measure | None = None  # [rad/s] of the load at the start; None: that of the course, or rest
    start: Measure = 0.0  # [rad/s] of a free rotor at the start

    def __post_init__(self) -> None:
        where, speed = f"bench {self.name!r}", Amount("rad/s")
        take(self, where, inertia=positive("kg m^2"), tau=Amount("N m"))
        take(self, where, course=speed, load_speed=speed, start=speed)
        if self.course is not None and self.start != 0.0:
            raise InputError(f"{where}: start {self.start:g} rad/s; allowed: 0 where there is a course")

    def build(self, b: Builder) -> None:
        """Housing, load, and the drive between them."""
        drive, speed = self.drive, self.start if self.course is None else self.course
        b.body(Link("housing", 1.0, np.zeros(3), np.eye(3), (HOUSING,)))
        b.anchor("housing", Pose.identity())
        b.body(Link("arm", 1.0, np.zeros(3), self.inertia * np.eye(3), (ARM,)))
        qd = self.load_speed
        if qd is None:
            qd = 0.0 if self.course is None else self.course / drive.gear.ratio
        joint = b.joint(Joint("axis", "revolute", "housing", "arm", Pose.identity(), np.array(AXIS)), qd=qd)
        b.joint_signals([joint])
        most = drive.gear.ratio * drive.motor.torque_constant * drive.driver.max_current
        tau = b.command("tau", (1,), "N m", "commanded effort", (-most, most), start=(self.tau,))
        brake = b.command("brake", (1,), "-", "1: the brake holds")
        fault = b.command("fault", (1,), "-", "code of the drive's fault; 0: none")
        load = b.command("load", (1,), "N m", "torque on the load from outside")
        b.add(joint_torque(joint, load, 0))
        course = None
        if self.course is not None:
            steady = (0.0, 0.0, self.course, 0.0, 0.0, 0.0, 0.0)
            course = b.command(
                "course", (COURSE_SIZE,), course_unit("rad"), ROTOR, start=steady, labels=course_labels([""])
            )
        row = drive_row(
            b.full("drive"),
            drive,
            joint,
            b.full("housing"),
            AXIS,
            0.0,
            (tau, 0),
            (brake, 0),
            (fault, 0),
            None if course is None else (course, 0),
            speed=speed,
        )
        drive_signals(b, [b.add(row)])
        b.signal_of("bristle", [row], "bristle")
        b.signal_of("hysteresis", [row], "hysteresis")
