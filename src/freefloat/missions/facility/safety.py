"""A rehearsal of everything that can go wrong: one fault in each round, and how the facility stops."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.facility.axes import CYCLE, RAIL
from freefloat.facility.cameras import write_observation
from freefloat.facility.clearance import Clearance
from freefloat.facility.control import FacilityControl
from freefloat.facility.solids import Mounted
from freefloat.missions.facility.fault_application import Round, tasks_of
from freefloat.missions.facility.fault_courses import course_of
from freefloat.missions.facility.fault_kinds import FaultSettings, steps_of
from freefloat.missions.facility.safety_judge import Judge, Met, stop_way
from freefloat.missions.facility.safety_laws import broken_laws
from freefloat.missions.facility.safety_log import SafetyLog, safety_log
from freefloat.missions.facility.scenario import FacilityScenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register

TIMELINE = (
    FaultSettings(kind="silent"),
    FaultSettings(kind="jump"),
    FaultSettings(kind="nan"),
    FaultSettings(kind="door"),
    FaultSettings(kind="gate"),
    FaultSettings(kind="estop"),
    FaultSettings(kind="error"),
    FaultSettings(kind="speed", after=0.1),
    FaultSettings(kind="clearance", after=0.1),
    FaultSettings(kind="range", after=0.1),
    FaultSettings(kind="stop", after=1.8, speed=1.0),
    FaultSettings(kind="reach", after=0.1),
)


@register
class EposSafety(FacilityScenario):
    """Rounds from power to running, each with its fault: an application that goes wrong, a door, a robot's error."""

    kind: ClassVar[str] = "epos-safety"
    title: ClassVar[str] = "The docking facility meets a timeline of faults: how soon it stops, and why"

    duration: float = quantity(39.0, "s", "simulated time", gt=0, le=1e9)
    timeline: tuple[FaultSettings, ...] = setting(TIMELINE, "the rounds, one after the other")

    def build(self) -> Mission:
        """The operator works through the rounds; the application and a robot go wrong in theirs."""
        if not self.timeline:
            raise FieldError("timeline", "no rounds; allowed: one and more")
        for k, fault in enumerate(self.timeline):
            fault.check(f"timeline.{k}")
        lab, kinematics, start = self.lab(), self.kinematics(), np.array(self.begin())
        control = self.control(lab, steps_of(self.timeline))
        rounds = [
            Round(course_of(f.kind, f.after, f.speed, kinematics, start), f.kind, f.after, f.where)
            for f in self.timeline
        ]
        mounted = Mounted(lab.equipment1, lab.equipment2, lab.mockup1, lab.mockup2)
        clearance = Clearance(lab.geometry, mounted, margin=self.facility.margin)
        return Mission(
            worlds=[self.world(lab, control)],
            tasks=tasks_of(rounds, lab.name),
            record_rate=self.record_rate,
            judge=partial(self.judge, control, clearance),
            writers=[partial(self._write, control, clearance), partial(write_observation, world="lab")],
        )

    def judge(self, control: FacilityControl, clearance: Clearance, result: Result) -> dict[str, float]:
        """How each fault was met, and in how many cycles a law was broken."""
        log, limits = self._log(result), control.operation.settings.axes
        found = self._met(control, clearance, log)
        laws = broken_laws(log, limits, control.kinematics.geometry, clearance)
        apart, _ = clearance.along(log.done)
        unsafe = np.logical_or.reduce(list(laws.values()))
        figures = {
            "faults": float(sum(np.isfinite(one.came) for one in found)),
            "faults_missed": float(sum(not one.caught for one in found)),
            "unsafe_cycles": float(unsafe.sum()),
            "clearance_min_m": float(apart.min()),
        }
        reactions = [one.done for one in found if np.isfinite(one.done)]
        if reactions:
            figures["reaction_max_s"] = max(reactions)
        a, j = float(limits.acceleration[RAIL]), float(limits.jerk[RAIL])
        off = [abs(one.stopped - stop_way(one.speed, a, j)) for one in found if one.kind == "stop" and one.caught]
        if off:
            figures["stop_distance_error_m"] = max(off)
        figures |= {f"unsafe.{law}_s": CYCLE * float(flags.sum()) for law, flags in laws.items()}
        return figures | {key: value for one in found for key, value in _figures(one).items()}

    def _log(self, result: Result) -> SafetyLog:
        return safety_log(result, self.facility.delay, self.facility.joints == "elastic")

    def _met(self, control: FacilityControl, clearance: Clearance, log: SafetyLog) -> list[Met]:
        return Judge(log, control.kinematics, clearance, control.operation.settings).met(self.timeline)

    def _write(self, control: FacilityControl, clearance: Clearance, result: Result, out: Path) -> None:
        from freefloat.missions.facility.safety_picture import draw_safety  # heavy, and only needed here

        log, limits = self._log(result), control.operation.settings.axes
        draw_safety(log, self._met(control, clearance, log), limits, clearance, out / "plots" / "safety.png")


def _figures(one: Met) -> dict[str, float]:
    """Of one fault that came, those that there are."""
    if not np.isfinite(one.came):
        return {}
    figures = {"caught": float(one.caught), "setpoint_s": one.told, "reaction_s": one.done, "rest_s": one.rest}
    figures["tool_way_m"] = one.way
    if one.kind == "stop":
        figures |= {"speed_m_s": one.speed, "distance_m": one.stopped}
    return {f"fault.{one.name}.{key}": value for key, value in figures.items() if np.isfinite(value)}
