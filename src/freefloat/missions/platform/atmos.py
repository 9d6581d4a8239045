"""ATMOS, a light platform without a wheel: eight thrusters make force and torque."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np

from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.gnc.control.platform.wrench_tracker import WrenchTracker, WrenchTuning
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, rest_to_rest
from freefloat.missions.platform.control import LEAST, onboard_task
from freefloat.missions.platform.scenario import PlatformScenario
from freefloat.platforms.catalogue import ATMOS, Platform
from freefloat.scenario.fields import quantity
from freefloat.scenario.registry import register


@register
class AtmosLine(PlatformScenario):
    """From the origin to (1 m, 1 m, 90 deg), rest to rest, then it holds."""

    kind: ClassVar[str] = "atmos-line"
    title: ClassVar[str] = "A light platform without a wheel goes along a line as it turns, and stays"
    platform: ClassVar[Platform] = ATMOS
    body: ClassVar[str] = "atmos"
    settled_after: ClassVar[float] = 5.0

    duration: float = quantity(40.0, "s", "simulated time; the platform holds the end point after the reference", gt=0)
    travel: float = quantity(20.0, "s", "duration of the reference", gt=0)
    goal: tuple[float, float] = quantity((1.0, 1.0), "m", "x and y at the end")
    turn: float = quantity(0.5 * math.pi, "rad", "angle at the end")

    def reference(self) -> HermiteReference:
        """One cubic."""
        return rest_to_rest((0.0, 0.0, 0.0), (*self.goal, self.turn), self.travel)

    def onboard(self, valves: str, realtime: bool) -> Task:
        """PD with the slope fed forward, by pulse width."""
        seen = self.capture
        tuning = WrenchTuning(
            place_filter=replace(WrenchTuning.place_filter, sigma=max(math.sqrt(seen.position_variance), LEAST)),
            angle_filter=replace(WrenchTuning.angle_filter, sigma=max(math.sqrt(seen.angle_variance), LEAST)),
            min_on=self.thrusters.min_on,
            min_off=self.thrusters.min_off,
            delay=seen.delay,
        )
        tracker = WrenchTracker(self._reference, self._model, tuning)
        return onboard_task(tracker, self.capture, self.body, valves, wheel=None)

    def judge(self, result: Result) -> dict[str, float]:
        """The tracking figures, and how far it strays from the goal after the reference's end."""
        found = super().judge(result)
        t, pose = result.time(f"{self.body}.pose"), result[f"{self.body}.pose"]
        off = np.abs(pose[t >= self.travel] - self._reference.poses[-1])
        if off.size:
            found["hold_position_max_m"] = float(np.hypot(off[:, 0], off[:, 1]).max())
            found["hold_angle_max_deg"] = float(np.rad2deg(off[:, 2].max()))
        return found
