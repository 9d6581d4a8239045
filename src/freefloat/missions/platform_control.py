"""The onboard side of a floating platform: which controller follows the reference, and how it is wired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from freefloat.engine.signals import Signal
from freefloat.engine.task import Controller, Task
from freefloat.frames import Array
from freefloat.gnc.planning.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform_model import PlatformModel
from freefloat.missions.platform_settings import MotionCaptureSettings, ThrusterSettings, WheelSettings
from freefloat.platforms.catalogue import Platform
from freefloat.scenario.fields import Settings, quantity, setting

PERIOD = 0.01  # [s] of estimator and wheel, Table 4.2; valves are switched every tenth time

TORQUE_SHARE = 0.95  # of the motor's limit that controllers use, so that its speed loop never meets the limit

ControllerName = Literal["paper", "best", "mpc"]


class PaperSettings(Settings):
    """The paper's tracker."""

    modulator: Literal["sigma-delta", "pulse-width", "pulse-width-frequency"] = setting(
        "sigma-delta", "from thrust to open valves"
    )
    follow: Literal["clock", "nearest"] = setting("clock", "the reference's point of now, or the nearest in space")
    slope: float = quantity(4e-4, "-", "slope that its filter expects of an uneven floor (root mean square)", ge=0, le=1)


class MpcSettings(Settings):
    """The model predictive tracker."""

    iterations: int = quantity(2000, "-", "solver iterations after which the best plan so far is taken", gt=0, le=10**7)
    time_limit: float = quantity(0.08, "s", "time after which the same happens, with --realtime only", gt=0, le=10.0)


@dataclass(frozen=True)
class Onboard:
    """What a controller is made from."""

    reference: HermiteReference
    model: PlatformModel
    wheel: WheelSettings
    thrusters: ThrusterSettings
    capture: MotionCaptureSettings
    paper: PaperSettings
    mpc: MpcSettings
    uneven: bool = True  # whether the floor is known to be uneven
    realtime: bool = False

    def controller(self, name: ControllerName) -> Controller:
        """The controller of that name."""
        return {"paper": self._paper, "best": self._best, "mpc": self._mpc}[name]()

    def _paper(self) -> Controller:
        from freefloat.gnc.control.paper_tracker import PaperTracker

        return PaperTracker(
            self.reference,
            self.model,
            modulator=self.paper.modulator,
            follow=self.paper.follow,
            slope=self.paper.slope if self.uneven else 0.0,
            variance=(self.capture.position_variance, self.capture.position_variance, self.capture.angle_variance),
            wheel_variance=self.capture.wheel_variance,
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed,
            wheel_idle=self.wheel.idle,
            drive_lag=self.wheel.lag,
        )

    def _best(self) -> Controller:
        from freefloat.gnc.control.best_tracker import BestTracker, BestTuning

        tuning = BestTuning(
            min_off=round(self.thrusters.min_off / 0.1),
            delay=self.capture.delay,
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed - abs(self.wheel.idle),
            wheel_lag=self.wheel.lag,
        )
        return self._idling(BestTracker(self.reference, self.model, tuning))

    def _mpc(self) -> Controller:
        from freefloat.gnc.control.pulse_mpc import PulseMPC, PulseTuning
        from freefloat.gnc.control.pulse_mpc_dwell import Dwell

        tuning = PulseTuning(
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed - abs(self.wheel.idle),
            wheel_lag=self.wheel.lag,
        )
        dwell = Dwell(min_on=self.thrusters.min_on, min_off=self.thrusters.min_off)
        wall = self.mpc.time_limit if self.realtime else None
        tracker = PulseMPC(
            self.reference, self.model, dwell=dwell, tuning=tuning, iterations=self.mpc.iterations, wall=wall
        )
        return self._idling(tracker)

    def _idling(self, controller: Controller) -> Controller:
        return Idling(controller, self.wheel.idle) if self.wheel.idle else controller


@dataclass
class Idling:
    """A controller whose wheel works about an idle speed instead of zero; in the plane the two are the same motion."""

    controller: Any
    idle: float  # [rad/s]

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The controller's answer, with the wheel's speeds shifted."""
        out = self.controller.update(t, {**meas, "wheel": meas["wheel"] - self.idle})
        return {**out, "wheel": out["wheel"] + self.idle}


def onboard_model(platform: Platform) -> PlatformModel:
    """The platform as its controllers know it: nominal."""
    p = np.array([n.position for n in platform.nozzles])
    d = np.array([n.direction for n in platform.nozzles])
    wrench = np.vstack([d.T, p[:, 0] * d[:, 1] - p[:, 1] * d[:, 0]])
    wheel = platform.wheel.inertia if platform.wheel is not None else PlatformModel.wheel_inertia
    return PlatformModel(platform.body.mass, platform.body.inertia, wheel, platform.thrust, wrench)


def onboard_task(controller: Controller, capture: MotionCaptureSettings, body: str, valves: str) -> Task:
    """The controller as a task on the platform `body` with the parts `thrusters` and `wheel`."""
    return Task(
        controller,
        PERIOD,
        reads={"pose": f"{body}.pose", "wheel": "wheel.speed"},
        writes={"valves": valves, "wheel": "wheel.speed_command"},
        sensors=capture.sensors(),
        records={
            "estimate": Signal("onboard.estimate", "m, rad, m/s, rad/s", (6,), "W", "estimated pose and rates"),
            "slope": Signal("onboard.slope", "m/s^2, rad/s^2", (3,), "W", "estimated acceleration by the floor"),
        },
        name="onboard",
    )
