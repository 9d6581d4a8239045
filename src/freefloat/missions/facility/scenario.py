"""What all scenarios of the docking facility have: the lab, its operation, an operator's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.task import Controller, Task
from freefloat.errors import FieldError, InputError, about
from freefloat.facility import axes
from freefloat.facility.accuracy import Accuracy, mounted
from freefloat.facility.application import Application, Course
from freefloat.facility.cameras import write_observation
from freefloat.facility.clearance import Clearance
from freefloat.facility.control import FacilityControl
from freefloat.facility.equipment import Equipment
from freefloat.facility.exchange import Settings as OperationSettings
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.limits import Limits
from freefloat.facility.mockups import mono_camera
from freefloat.facility.operation import Operation
from freefloat.facility.part import START, DockingFacility
from freefloat.facility.procedure import Step
from freefloat.facility.security import BLINDS
from freefloat.facility.solids import Mounted
from freefloat.facility.user_tool import UserTools
from freefloat.gnc.planning.optional import ruckig
from freefloat.missions.facility.settings import EquipmentSettings, FacilitySettings
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
            "equipment1": (mono_camera(), *_mounted("equipment1", f.equipment1)),
            "equipment2": _mounted("equipment2", f.equipment2),
        }
        with about("facility"):
            lab = DockingFacility(start=start, tools=self.user_tools(), **{**given, **more})
        return lab if f.accuracy == "ideal" and not f.model else self._erring(lab)

    def _erring(self, lab: DockingFacility) -> DockingFacility:
        """The lab with its errors, at rest where its control believes it to be at the start."""
        f, loads = self.facility, mounted(lab.robot(1), lab.robot(2))
        with about("facility.model" if f.model else "facility.accuracy"):
            accuracy = Accuracy(f.accuracy, self.seed, f.joints, loads, file=f.model)
        start = accuracy.model.to_motor(np.array(lab.start))
        return replace(lab, accuracy=accuracy, start=tuple(start.tolist()))

    def control(self, lab: DockingFacility, steps: Sequence[Step], **more: Any) -> FacilityControl:
        """Operation and robot controllers; `more` goes to the operation's settings."""
        ruckig()  # every stop needs it: told before anything moves
        f, kinematics, model = self.facility, self.kinematics(), lab.accuracy.model
        mounted = Mounted(lab.equipment1, lab.equipment2, lab.mockup1, lab.mockup2)
        clearance = Clearance(lab.geometry, mounted, margin=f.margin)
        settings = OperationSettings(on_limit=f.on_limit, **more)
        start = model.to_ideal(np.array(lab.start))
        operation = Operation(kinematics, Limits(kinematics), clearance, settings, start, model)
        found = operation.guard.posture(start)
        if found is not None:
            raise FieldError("facility", f"where the robots stand at the start: {found.text}")
        lamp = lamp_steps() if f.lamp else []
        return FacilityControl(operation, kinematics, [*lamp, *steps], lab)

    def world(self, lab: DockingFacility, control: FacilityControl, *parts: Any) -> WorldSetup:
        """The lab's."""
        rows, integrator = [uniform_gravity(GRAVITY)], self.integrator.make()
        return WorldSetup("lab", [lab, *parts, control], rows=rows, integrator=integrator)

    def mission(self, steps: Sequence[Step], program: Course | Controller | None = None, **judged: Any) -> Mission:
        """The lab alone, with an application where there is one: a course of commands, or a controller of one's own."""
        lab = self.lab()
        tasks = [] if program is None else [application_task(program)]
        world = self.world(lab, self.control(lab, steps))
        judged["writers"] = [*judged.get("writers", ()), partial(write_observation, world="lab")]
        return Mission(worlds=[world], tasks=tasks, record_rate=self.record_rate, **judged)


def lamp_steps() -> list[Step]:
    """Blinds down, lamp on."""
    return [*(Step("blind", {"name": name, "up": False}) for name in BLINDS), Step("lamp", {"on": True})]


def _mounted(field: str, given: Sequence[EquipmentSettings]) -> tuple[Equipment, ...]:
    found = list[Equipment]()
    for k, one in enumerate(given):
        with about(f"facility.{field}.{k}"):
            found.append(one.make())
    return tuple(found)


def application_task(program: Course | Controller) -> Task:
    """An application at the sync link: it reads `state` and returns `record`, both (24,)."""
    controller = program if callable(getattr(program, "update", None)) else Application(cast(Course, program))
    wired = {"state": "sync.state"}, {"record": "sync.command"}
    return Task(cast(Controller, controller), axes.CYCLE, *wired, name="application")


def check_start(kinematics: Kinematics, course: Course, start: Sequence[float], field: str) -> None:
    """Refuse a course whose first command is not reached."""
    try:
        kinematics.to_axes(course.command(0.0), start)
    except InputError as error:
        raise FieldError(field, f"first command: {error}") from None
