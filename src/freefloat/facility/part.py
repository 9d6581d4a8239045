"""The lab as a part: rail, two robots with adapter plates, equipment and mock-ups, a Sun lamp, floor and fence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, mixed, take, take_rows
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import ImposedSource, RowOutput, Source
from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.facility.accuracy import Accuracy
from freefloat.facility.equipment import PLATES, Equipment, check_equipment
from freefloat.facility.execution import DELAY, Execution
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.hall import draw_hall
from freefloat.facility.lamp import SunLamp
from freefloat.facility.local_control import LocalControl, Warming
from freefloat.facility.mockups import client_mockup, mono_camera, servicer_mockup
from freefloat.facility.plate import adapter_link, mockup_on
from freefloat.facility.rail import Rail
from freefloat.facility.user_tool import FIG24, UserTools
from freefloat.frames import Array, Pose
from freefloat.robots.industrial import IndustrialRobot
from freefloat.six_axis_arms import AXES

Joints = Literal["rigid", "elastic"]
SETTLED = 1e-15  # [rad] change of the links at which their wind-up is found
ROUNDS = 100  # at most, in which it is found
# user tools of Fig. 24 at zero angles: U1 at (5, 0, 0) m with data lin 1.5 m, U2 at (1.9, 0, 0) m
DEGREES = (0.0, -59.0730, 129.8348, 0.0, -70.7617, 0.0, 51.5739, -64.8380, 82.2357, 76.6556, -53.6246, -68.2003)
START = (6.55, *np.radians(DEGREES).tolist())


@dataclass(frozen=True)
class DockingFacility:
    """A linear axis with a KR100 HA on it (robot 1), a KR240-2 beside its end (robot 2), in the lab frame G = W.

    Commands: `name.rail.course` (7,), `name.rob1.course` and `name.rob2.course` (6, 7), each [t0, c0 .. c5] of an axis;
    `courses_to_commands` splits those of all axes. `name.lamp.on`.

    Signals of the thirteen axes in the order of `facility.axes` (E1 in m): `name.motor_q`, `name.motor_qd` of the
    motors, which is what encoders see; `name.torque` [N, N m] of the drives. `name.rob1.wrist`, `name.rob2.wrist` of
    the force sensors between plate and mock-up, and all that the robots tell. Frames `name.rob1.tool` (the plate, T)
    and `name.rob1.user` (U), the same of robot 2. Mock-ups are the links `name.rob1.mockup`, `name.rob2.mockup`.

    `start` is where the motors stand, as their encoders show it; elastic gears are wound up by `gravity` there, so that
    everything is at rest.
    """

    name: str = "epos"
    start: Measures = START  # [m, rad] of the thirteen motors
    joints: Joints = "rigid"
    equipment1: Sequence[Equipment] = field(default_factory=lambda: (mono_camera(),))
    equipment2: Sequence[Equipment] = ()
    mockup1: Equipment = field(default_factory=servicer_mockup)
    mockup2: Equipment = field(default_factory=client_mockup)
    tools: UserTools = FIG24
    rail: Rail = field(default_factory=Rail)
    lamp: SunLamp = field(default_factory=SunLamp)
    gravity: Measures = (0.0, 0.0, -9.81)  # [m/s^2] in W, which gears stand wound up against at the start
    geometry: LabGeometry = field(default_factory=LabGeometry)
    delay: Measure = 0.012  # [s] from a set-point to its execution, assumed
    warming: Warming = field(default_factory=Warming)
    accuracy: Accuracy = field(default_factory=Accuracy)  # errors of geometry, gears and rail, and what corrects them

    def __post_init__(self) -> None:
        where = f"facility {self.name!r}"
        object.__setattr__(self, "start", mixed(self.start, axes.UNITS, f"{where}: start"))
        take_rows(self, where, 3, gravity=Amount("m/s^2"))
        take(self, where, delay=DELAY)
        if self.joints not in ("rigid", "elastic"):
            raise InputError(f"{where}: joints {self.joints!r}; allowed: rigid, elastic")
        check_equipment(1, self.equipment1, self.mockup1, f"{where}: equipment1")
        check_equipment(2, self.equipment2, self.mockup2, f"{where}: equipment2")
        self._check_start(where)

    def _check_start(self, where: str) -> None:
        lab = self.geometry
        for name, unit, x, low, high in zip(axes.NAMES, axes.UNITS, self.start, lab.lower, lab.upper, strict=True):
            if not low <= x <= high:
                raise InputError(f"{where}: start of {name} {x:g} {unit}; allowed: {low:g} to {high:g} {unit}")

    @property
    def courses_start(self) -> Array:
        """Axes (13,) that the courses begin with: what gears make of the motors' `start`."""
        return self.accuracy.executed(self.start)

    def local_control(self) -> LocalControl:
        """The robots' own controllers, off and at the start; a task writes what their cycle gives, with the latency of
        their execution."""
        return LocalControl(Execution(self.courses_start, self.delay), self.warming)

    def robot(self, number: Literal[1, 2]) -> IndustrialRobot:
        """Robot 1, on the carriage, or 2, with its links where its motors hold them at rest."""
        lab, X_FT = self.geometry, self.geometry.X_FT
        things, mockup = ((self.equipment1, self.mockup1), (self.equipment2, self.mockup2))[number - 1]
        motors = self.courses_start[axes.ROBOTS[number - 1]]
        robot = IndustrialRobot(
            f"{self.name}.rob{number}",
            lab.arms[number - 1],
            Pose.identity() if number == 1 else lab.base(2),
            tuple(motors.tolist()),
            mockup_on(mockup, X_FT),
            self.joints,
            endless=lab.endless[number - 1],
            gravity=self.gravity,
            adapter=adapter_link(PLATES[number - 1], things, X_FT),
            gears="springs",
            on=f"{self.name}.rail.mount" if number == 1 else "",
        )
        robot = self.accuracy.erred(robot, number)
        return robot if self.joints == "rigid" else _at_rest(robot, motors, lab.base(number))

    def build(self, b: Builder) -> None:
        """Rail, robots, lamp, hall, and the signals of all axes."""
        lab, robots = self.geometry, (self.robot(1), self.robot(2))
        self.rail.build(Builder(b.blueprint, b.full("rail")), lab, float(self.courses_start[axes.RAIL]), self.joints)
        for robot, X_TU in zip(robots, (self.tools.rob1, self.tools.rob2), strict=True):
            own = Builder(b.blueprint, robot.name)
            robot.build(own)
            own.frame("user", own.full("mockup"), lab.X_FT @ X_TU)
        self.lamp.build(Builder(b.blueprint, b.full("lamp")), lab.floor)
        b.blueprint.seen.drawn[b.full("hall")] = draw_hall(lab)
        self._axis_signals(b)

    def _axis_signals(self, b: Builder) -> None:
        joints = [b.full("rail.E1"), *(b.full(f"rob{n}.{axis}") for n in (1, 2) for axis in AXES)]
        for name, quantity, per in (("motor_q", "angle", ""), ("motor_qd", "rate", "/s")):
            unit = ", ".join(f"{unit}{per}" for unit in axes.UNITS)
            signal = Signal(b.full(name), unit, (axes.COUNT,), meaning=f"{quantity} of the motors", labels=axes.NAMES)
            b.signal(signal, [RowOutput(f"{joint}.course", quantity) for joint in joints], recorded=False)
        rigid = self.joints == "rigid"
        efforts: list[Source] = [
            ImposedSource(joint, "effort") if rigid else RowOutput(f"{joint}.gear", "torque") for joint in joints
        ]
        unit = ", ".join("N" if unit == "m" else "N m" for unit in axes.UNITS)
        signal = Signal(b.full("torque"), unit, (axes.COUNT,), meaning="efforts of the drives", labels=axes.NAMES)
        b.signal(signal, efforts, recorded=False)


def courses_to_commands(courses: Array, name: str = "epos") -> Mapping[str, Array]:
    """Courses (13, 7) of all axes as the commands of the rail and the robots of the facility `name`."""
    return {
        f"{name}.rail.course": courses[axes.RAIL],
        f"{name}.rob1.course": courses[axes.ROBOT1],
        f"{name}.rob2.course": courses[axes.ROBOT2],
    }


def _at_rest(robot: IndustrialRobot, motors: Array, X_WB: Pose) -> IndustrialRobot:
    """The robot with its links where gravity and gears balance: q = motors - torques(q) / stiffness, in some rounds."""
    stiffness = np.array(robot.stiffness)
    for _ in range(ROUNDS):
        links = motors - robot.holding_torques(X_WB) / stiffness
        change = float(np.abs(links - np.array(robot.q)).max())
        robot = replace(robot, q=tuple(links.tolist()))
        if change <= SETTLED:
            break
    return robot
