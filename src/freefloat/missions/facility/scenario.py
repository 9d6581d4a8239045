"""What all scenarios of the docking facility have: the lab, its operation, an operator's steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.task import Task
from freefloat.errors import FieldError, InputError, about
from freefloat.facility import axes
from freefloat.facility.application import Application, Course
from freefloat.facility.cameras import write_observation
from freefloat.facility.clearance import Clearance
from freefloat.facility.control import FacilityControl
from freefloat.facility.exchange import Settings as OperationSettings
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.limits import Limits
from freefloat.facility.mockups import mono_camera
from freefloat.facility.operation import Operation
from freefloat.facility.part import START, DockingFacility
from freefloat.facility.procedure import Step
from freefloat.facility.solids import Mounted
from freefloat.facility.user_tool import UserTools
from freefloat.missions.facility.settings import FacilitySettings
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting

GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2] in W


class FacilityScenario(Scenario):
    """The lab with both robots; `begin` is where the axes stand at the start."""

    record_rate: float = quantity(50.0, "Hz", "rate of the world's signals; the data pool has 250 Hz", gt=0, le=1e6)
    facility: FacilitySettings = setting(FacilitySettings(), "the docking facility")

    def begin(self) -> Sequence[float]:
        """Axes (13,) [m, rad] at the start."""
        return START

    def kinematics(self) -> Kinematics:
        """Nominal, with the scenario's user tools."""
        return Kinematics(tools=self.user_tools())

    def user_tools(self) -> UserTools:
        """User tools of both robots."""
        return self.facility.tools()

    def lab(self, **more: Any) -> DockingFacility:
        """The part; `more` goes to it."""
        f, start = self.facility, tuple(self.begin())
        given = {
            "joints": f.joints,
            "delay": f.delay,
            "gravity": GRAVITY,
            "equipment1": (mono_camera(), *(e.make() for e in f.equipment1)),
            "equipment2": tuple(e.make() for e in f.equipment2),
        }
        with about("facility"):
            return DockingFacility(start=start, tools=self.user_tools(), **{**given, **more})

    def control(self, lab: DockingFacility, steps: Sequence[Step], **more: Any) -> FacilityControl:
        """Operation and robot controllers; `more` goes to the operation's settings."""
        f, kinematics, start = self.facility, self.kinematics(), np.array(lab.start)
        mounted = Mounted(lab.equipment1, lab.equipment2, lab.mockup1, lab.mockup2)
        clearance = Clearance(lab.geometry, mounted, margin=f.margin)
        settings = OperationSettings(on_limit=f.on_limit, **more)
        operation = Operation(kinematics, Limits(kinematics), clearance, settings, start)
        lamp = [Step("lamp", {"on": True})] if f.lamp else []
        return FacilityControl(operation, kinematics, [*lamp, *steps], lab)

    def world(self, lab: DockingFacility, control: FacilityControl, *parts: Any) -> WorldSetup:
        """The lab's."""
        rows, integrator = [uniform_gravity(GRAVITY)], self.integrator.make()
        return WorldSetup("lab", [lab, *parts, control], rows=rows, integrator=integrator)

    def mission(self, steps: Sequence[Step], course: Course | None = None, **judged: Any) -> Mission:
        """The lab alone, with an application that commands a course, where there is one."""
        lab = self.lab()
        tasks = [] if course is None else [application_task(course)]
        world = self.world(lab, self.control(lab, steps))
        judged["writers"] = [*judged.get("writers", ()), partial(write_observation, world="lab")]
        return Mission(worlds=[world], tasks=tasks, record_rate=self.record_rate, **judged)


def application_task(course: Course) -> Task:
    """An application at the sync link."""
    wired = {"state": "sync.state"}, {"record": "sync.command"}
    return Task(Application(course), axes.CYCLE, *wired, name="application")


def check_start(kinematics: Kinematics, course: Course, start: Sequence[float], field: str) -> None:
    """Refuse a course whose first command is not reached."""
    try:
        kinematics.to_axes(course.command(0.0), start)
    except InputError as error:
        raise FieldError(field, f"first command: {error}") from None
