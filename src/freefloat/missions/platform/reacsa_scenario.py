"""What REACSA's scenarios share: a wheel beside the thrusters, and the choice of the controller."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from freefloat.engine.blueprint import Part
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.missions.platform.control import (
    ControllerName,
    MpcSettings,
    PaperSettings,
    TrackerSetup,
    onboard_task,
)
from freefloat.missions.platform.scenario import PlatformScenario
from freefloat.missions.platform.settings import WheelSettings
from freefloat.platforms.catalogue import REACSA, Platform
from freefloat.scenario.fields import setting
from freefloat.units import RPM

BODY = "reacsa"


class ReacsaScenario(PlatformScenario):
    """REACSA follows a reference with thrusters and a wheel."""

    platform: ClassVar[Platform] = REACSA
    body: ClassVar[str] = BODY

    controller: ControllerName = setting("best", "who follows the reference")
    wheel: WheelSettings = setting(WheelSettings(), "the reaction wheel")
    paper: PaperSettings = setting(PaperSettings(), "of controller=paper")
    mpc: MpcSettings = setting(MpcSettings(), "of controller=mpc")

    def actuators(self) -> list[Part]:
        """The wheel."""
        assert self.platform.wheel is not None
        return [self.wheel.part("wheel", self.body, self.platform.wheel.inertia, 0.0)]

    def longest_step(self) -> float:
        """That of the valves, and a fifth of the wheel's lag."""
        return min(super().longest_step(), 0.2 * self.wheel.lag + 1e-9)

    def onboard(self, valves: str, realtime: bool) -> Task:
        """The controller by its name."""
        controller = TrackerSetup(
            self._reference,
            self._model,
            self.wheel,
            self.thrusters,
            self.capture,
            self.paper,
            self.mpc,
            self.floor.kind == "uneven",
            realtime,
        ).controller(self.controller)
        return onboard_task(controller, self.capture, self.body, valves)

    def judge(self, result: Result) -> dict[str, float]:
        """Those of every platform, and the wheel's."""
        fastest = float(np.abs(result["wheel.speed"]).max() / RPM)
        return super().judge(result) | {"wheel_speed_max_rpm": fastest}

    def plotted(self) -> tuple[str, ...]:
        """Pose, rates, thrust and wheel."""
        *motion, slope = super().plotted()
        return (*motion, "wheel.speed", "wheel.tau_applied", slope)
