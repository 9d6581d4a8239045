"""The lab as a part: rail, two robots with adapter plates, equipment and mock-ups, a Sun lamp, floor and fence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Measures, mixed, take_rows
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import ImposedSource, RowOutput, Source
from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.facility.equipment import PLATES, Equipment, check_equipment
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.hall import draw_hall
from freefloat.facility.lamp import SunLamp
from freefloat.facility.mockups import client_mockup, mono_camera, servicer_mockup
from freefloat.facility.plate import adapter_link, mockup_on
from freefloat.facility.rail import Rail
from freefloat.facility.user_tool import FIG24, UserTools
from freefloat.frames import Array, Pose
from freefloat.robots.industrial import IndustrialRobot
from freefloat.robots.industrial_course import COURSES
from freefloat.six_axis_arms import AXES

Joints = Literal["rigid", "elastic"]
MOTORS = {name: ("m", "rad") for name in ("q",)}
SETTLED = 1e-15  # [rad] change of the links at which their wind-up is found
ROUNDS = 100  # at most, in which it is found
# user tools of Fig. 24 at zero angles: U1 at (5, 0, 0) m with data lin 1.5 m, U2 at (1.9, 0, 0) m
START = (6.55, *np.radians([0.0, -59.0730, 129.8348, 0.0, -70.7617, 0.0]).tolist())


@dataclass(frozen=True)
class DockingFacility:
    """A linear axis with a KR100 HA on it (robot 1), a KR240-2 beside its end (robot 2), in the lab frame G = W.

    Commands: `name.rail.course` (7,), `name.rob1.course` and `name.rob2.course` (6, 7), each [t0, c0 .. c5] of an axis;
    `courses_to_commands` splits those of all axes. `name.lamp.on`.

    Signals of the thirteen axes in the order of `facility.axes` (E1 in m): `name.motor_q`, `name.motor_qd` of the
    motors, which is what encoders see; `name.torque` [N, N m] of the drives. `name.rob1.wrist`, `name.rob2.wrist` of the
    force sensors between plate and mock-up, and all that the robots tell. Frames `name.rob1.tool` (the plate, T) and
    `name.rob1.user` (U), the same of robot 2. Mock-ups are the links `name.rob1.mockup` and `name.rob2.mockup`.

    `start` is where the motors stand; elastic gears are wound up by `gravity` there, so that everything is at rest.
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
