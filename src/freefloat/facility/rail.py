"""The linear axis KL1500: a bed on the floor, and the carriage of robot 1, which follows the course of E1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.amounts import Measure, not_negative, positive, take
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import WORLD, Joint, Link
from freefloat.engine.imposed import COURSE, course_labels, course_unit
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput
from freefloat.facility.geometry import LabGeometry
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.industrial_course import COURSES, ElasticAdvice
from freefloat.robots.spring_gear import spring_gear

GREY, YELLOW, STEEL = (0.42, 0.44, 0.47, 1.0), (0.90, 0.72, 0.10, 1.0), (0.66, 0.68, 0.71, 1.0)
BED, TABLE = 0.22, 0.12  # [m] height of the bed, and of the carriage's table
GAUGE = 0.9  # [m] between the guides
OVERHANG = 1.2  # [m] of the bed beyond the range of E1, at both ends


@dataclass(frozen=True)
class Rail:
    """Numbers of the KL1500 (Benninghoff and others 2017, Table 1) and of its carriage."""

    payload: Measure = 3000.0  # [kg] most that the carriage carries
    mass: Measure = 13500.0  # [kg] of the bed
    carriage: Measure = 900.0  # [kg] assumed
    stiffness: Measure = 5e7  # [N/m] of rack and pinion, where joints are elastic; assumed
    damping: Measure = 5e4  # [N s/m] assumed
    eta: Measure = 50.0  # [1/s] Baumgarte rate of the course

    def __post_init__(self) -> None:
        kg = positive("kg")
        take(self, "rail", payload=kg, mass=kg, carriage=kg)
        take(self, "rail", stiffness=positive("N/m"), damping=not_negative("N s/m"), eta=not_negative("1/s"))

    def build(self, b: Builder, lab: LabGeometry, E1: float, joints: Literal["rigid", "elastic"]) -> None:
        """Links `bed` and `carriage`, joint `E1`, command `course`, frame `mount` of robot 1's base; signals `q`, `qd`,
        `qdd` of the carriage, `motor_q`, `motor_qd`, `motor_qdd` of the drive, and its force as `effort` [N].
        """
        x, y, top = lab.base1
        floor = Pose(np.eye(3), (x, y, lab.floor))
        b.body(self._bed(lab))
        b.fix("bed_mount", "bed", WORLD, floor)
        name = b.body(self._carriage(top - lab.floor))
        b.frame("mount", name, Pose(lab.base(1).R, (0.0, 0.0, top - lab.floor)))
        (low, high), axis = lab.rail, np.array([1.0, 0.0, 0.0])
        slide = Joint("E1", "prismatic", WORLD, "carriage", floor, axis, lower=low, upper=high, velocity=lab.rail_speed)
        joint = b.joint(slide, E1)
        b.joint_signals([joint], "m")
        course = self._course(b, E1)
        if joints == "rigid":
            b.impose([joint], course, self.eta)
            return
        row = b.add(spring_gear(joint, self.stiffness, self.damping, (course, 0)))
        signal = Signal(b.full("effort"), "N", (1,), meaning="force of the drive on the carriage", labels=("E1",))
        b.signal(signal, [RowOutput(row.name, "torque")])
        b.advise(ElasticAdvice(b.part, {joint: self.stiffness}))

    def _course(self, b: Builder, E1: float) -> str:
        start = [0.0, E1, *(0.0,) * (COURSE - 2)]
        meaning = "course of E1 [t0, c0 .. c5]: sum of c_k (t - t0)^k"
        course = b.command("course", (COURSE,), course_unit("m"), meaning, start=start, labels=course_labels([""]))
        row = b.add(COURSES.row(b.full("E1.course"), course=course))
        for name, quantity, unit in (
            ("motor_q", "angle", "m"),
            ("motor_qd", "rate", "m/s"),
            ("motor_qdd", "acceleration", "m/s^2"),
        ):
            b.signal_of(name, [row], quantity, "of the course of E1", unit, labels=("E1",))
        return course

    def _bed(self, lab: LabGeometry) -> Link:
        """From end to end of what E1 reaches, on the floor, with two guides."""
        length, middle = lab.rail[1] - lab.rail[0] + 2.0 * OVERHANG, 0.5 * sum(lab.rail)
        guides = tuple(
            Shape("box", (0.5 * length, 0.05, 0.04), Pose(np.eye(3), (middle, s * 0.5 * GAUGE, BED - 0.04)), STEEL)
            for s in (-1, 1)
        )
        ends = tuple(
            Shape("box", (0.08, 0.5 * GAUGE, 0.12), Pose(np.eye(3), (middle + s * 0.5 * length, 0.0, BED)), YELLOW)
            for s in (-1, 1)
        )
        size, at = (length, GAUGE + 0.2, BED - 0.08), (middle, 0.0, 0.5 * (BED - 0.08))
        bed = _block("bed", self.mass, size, at, GREY)
        return Link(bed.name, bed.mass, bed.p_LLcm, bed.I_LLcm_L, (*bed.shapes, *guides, *ends))

    def _carriage(self, height: float) -> Link:
        """Up to the base of robot 1, `height` [m] over the floor."""
        size, at = (1.5, GAUGE + 0.3, TABLE), (0.0, 0.0, BED + 0.5 * TABLE)
        block = _block("carriage", self.carriage, size, at, YELLOW)
        foot = height - BED - TABLE
        stand = Shape("box", (0.5, 0.5, 0.5 * foot), Pose(np.eye(3), (0.0, 0.0, height - 0.5 * foot)), GREY)
        return Link(block.name, block.mass, block.p_LLcm, block.I_LLcm_L, (*block.shapes, stand))


def _block(
    name: str,
    mass: float,
    size: tuple[float, float, float],
    at: tuple[float, float, float],
    rgba: tuple[float, float, float, float],
) -> Link:
    """A solid of even mass with edges `size` [m]."""
    a, b, c = np.square(size)
    inertia = mass / 12.0 * np.diag([b + c, a + c, a + b])
    half = tuple((0.5 * np.array(size)).tolist())
    return Link(name, mass, np.array(at), inertia, (Shape("box", half, Pose(np.eye(3), at), rgba),))
