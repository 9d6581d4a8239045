"""The onboard side of a floating platform: which controller follows the reference, and how it is wired."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from freefloat.engine.blueprint import PLANAR
from freefloat.engine.signals import Signal
from freefloat.engine.task import Controller, Task
from freefloat.frames import Array
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.missions.platform.settings import MotionCaptureSettings, ThrusterSettings, WheelSettings
from freefloat.platforms.catalogue import Platform
from freefloat.scenario.fields import Settings, quantity, setting

PERIOD = 0.01  # [s] of estimator and wheel, Table 4.2; valves are switched every tenth time

STATE = (*PLANAR, *(f"rate of {name}" for name in PLANAR))
STATE_UNIT, SLOPE_UNIT = "m, m, rad, m/s, m/s, rad/s", "m/s^2, m/s^2, rad/s^2"
LEAST = 1e-4  # [m, rad] deviation of a measurement that filters believe
POLICY_LENGTH = 14e-3  # [m] error that is worth a pulse: the price of gas against place of controller=best
TORQUE_SHARE = 0.95  # of the motor's limit that controllers use, so that its speed loop never meets the limit

ControllerName = Literal["paper", "best", "mpc"]


class PaperSettings(Settings):
    """The paper's tracker."""

    modulator: Literal["sigma-delta", "pulse-width", "pulse-width-frequency"] = setting(
        "sigma-delta", "from thrust to open valves"
    )
    follow: Literal["clock", "nearest"] = setting("clock", "the reference's point of now, or the nearest in space")
    slope: float = quantity(4e-4, "-", "slope along an axis that its filter expects of an uneven floor", ge=0, le=1)


class MpcSettings(Settings):
    """The model predictive tracker."""

    iterations: int = quantity(4000, "-", "solver iterations after which the best plan so far is taken", gt=0, le=10**7)
    max_on: float = quantity(0.3, "s", "longest time open, where thrusters have dwell times", gt=0)
    time_limit: float = quantity(0.08, "s", "time after which the same happens, with --realtime only", gt=0, le=10.0)


@dataclass(frozen=True)
class TrackerSetup:
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
        from freefloat.gnc.control.platform.tvlqr_tracker import TvlqrTracker

        place, angle = self._deviations
        return TvlqrTracker(
            self.reference,
            self.model,
            modulator=self.paper.modulator,
            follow=self.paper.follow,
            slope=self.paper.slope if self.uneven else 0.0,
            variance=(place**2, place**2, angle**2),
            wheel_variance=max(self.capture.wheel_variance, LEAST**2),
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed,
            wheel_idle=self.wheel.idle,
            drive_lag=self.wheel.lag,
        )

    def _best(self) -> Controller:
        from freefloat.gnc.control.platform.policy_tracker import PolicyTracker, PolicyTuning

        place, angle = self._deviations
        tuning = PolicyTuning(
            length=POLICY_LENGTH,
            position=replace(PolicyTuning.position, sigma=place),
            angle=replace(PolicyTuning.angle, sigma=angle),
            min_on=self.thrusters.min_on,
            min_off=self.thrusters.min_off,
            delay=self.capture.delay,
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed,
            wheel_idle=self.wheel.idle,
            wheel_lag=self.wheel.lag,
        )
        return PolicyTracker(self.reference, self.model, tuning)

    def _mpc(self) -> Controller:
        from freefloat.gnc.control.platform.dwell import Dwell
        from freefloat.gnc.control.platform.mpc_tracker import MpcTracker, MpcTuning

        place, angle = self._deviations
        tuning = MpcTuning(
            position=replace(MpcTuning.position, sigma=place),
            angle=replace(MpcTuning.angle, sigma=angle),
            wheel_torque=TORQUE_SHARE * self.wheel.max_torque,
            wheel_speed=self.wheel.max_speed - abs(self.wheel.idle),
            wheel_lag=self.wheel.lag,
        )
        dwells = self.thrusters.dwells
        dwell = Dwell(self.thrusters.min_on, self.mpc.max_on if dwells else math.inf, self.thrusters.min_off)
        wall = self.mpc.time_limit if self.realtime else None
        tracker = MpcTracker(
            self.reference, self.model, dwell=dwell, tuning=tuning, iterations=self.mpc.iterations, wall=wall
        )
        return self._idling(tracker)

    @property
    def _deviations(self) -> tuple[float, float]:
        """[m, rad] of a measured place and angle, as filters are told; they need more than nothing."""
        place, angle = math.sqrt(self.capture.position_variance), math.sqrt(self.capture.angle_variance)
        return max(place, LEAST), max(angle, LEAST)

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


@cache
def onboard_model(platform: Platform) -> PlatformModel:
    """The platform as its controllers know it: nominal."""
    p = np.array([n.position for n in platform.nozzles])
    d = np.array([n.direction for n in platform.nozzles])
    wrench = np.vstack([d.T, p[:, 0] * d[:, 1] - p[:, 1] * d[:, 0]])
    wheel = platform.wheel.inertia if platform.wheel is not None else PlatformModel.wheel_inertia
    return PlatformModel(platform.body.mass, platform.body.inertia, wheel, platform.thrust, wrench)


def onboard_task(
    controller: Controller, capture: MotionCaptureSettings, body: str, valves: str, wheel: str | None = "wheel"
) -> Task:
    """The controller as a task on the platform `body`: it commands `valves` and, if there is one, the part `wheel`."""
    reads, writes = {"pose": f"{body}.pose"}, {"valves": valves}
    if wheel is not None:
        reads["wheel"], writes["wheel"] = f"{wheel}.speed", f"{wheel}.speed_command"
    return Task(
        controller,
        PERIOD,
        reads=reads,
        writes=writes,
        sensors={name: sensor for name, sensor in capture.sensors().items() if name in reads},
        records={
            "estimate": Signal("onboard.estimate", STATE_UNIT, (6,), "W", "estimated pose and rates", STATE),
            "slope": Signal("onboard.slope", SLOPE_UNIT, (3,), "W", "estimated acceleration by the floor", PLANAR),
        },
        name="onboard",
        record_every=10,
    )
