"""What scenarios of floating platforms share: the plant, the onboard task, and how a run is judged."""

from __future__ import annotations

import math
from functools import cached_property
from typing import ClassVar

import numpy as np

from freefloat.actuators.gas_supply import GasSupply
from freefloat.actuators.valves import valve_task
from freefloat.engine.blueprint import Part
from freefloat.engine.event import Event
from freefloat.engine.integrator import Dopri5, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.frames import Array
from freefloat.gnc.planning.hermite_reference import HermiteReference
from freefloat.missions.platform_control import (
    PERIOD,
    ControllerName,
    MpcSettings,
    Onboard,
    PaperSettings,
    onboard_model,
    onboard_task,
)
from freefloat.missions.platform_metrics import end_state, on_times, slope_on_time, tracking_errors
from freefloat.missions.platform_settings import FloorSettings, MotionCaptureSettings, ThrusterSettings, WheelSettings
from freefloat.platforms.catalogue import REACSA, RPM
from freefloat.platforms.platform import FloatingPlatform
from freefloat.platforms.track import Track
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import quantity, setting

BODY = "reacsa"
WHOLE_PARTS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 80, 100, 200, 400, 1000)  # of 10 ms, whole in nanoseconds


class PlatformScenario(Scenario):
    """REACSA follows a reference in (x, y, theta) on an air-bearing floor."""

    duration: float = quantity(104.0, "s", "simulated time; the platform holds the end point after the reference", gt=0)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="dopri5", step=PERIOD), "how the plant is integrated; valves with a lag shorten the step to it"
    )
    controller: ControllerName = setting("best", "who follows the reference")
    floor: FloorSettings = setting(FloorSettings(), "the floor")
    thrusters: ThrusterSettings = setting(ThrusterSettings(), "the eight thrusters")
    wheel: WheelSettings = setting(WheelSettings(), "the reaction wheel")
    capture: MotionCaptureSettings = setting(MotionCaptureSettings(), "the motion capture and the wheel's encoder")
    paper: PaperSettings = setting(PaperSettings(), "of controller=paper")
    mpc: MpcSettings = setting(MpcSettings(), "of controller=mpc")

    settled_after: ClassVar[float] = 10.0  # [s] from which on the estimate is judged (Table 5.2)

    def reference(self) -> HermiteReference:
        """The motion to follow."""
        raise NotImplementedError

    @cached_property
    def _reference(self) -> HermiteReference:
        return self.reference()

    def start(self) -> tuple[float, float, float]:
        """[x, y, theta] at the start."""
        x, y, theta = self._reference.poses[0]
        return float(x), float(y), float(theta)

    def others(self) -> list[Part]:
        """Further parts."""
        return []

    def events(self) -> list[Event]:
        """What happens on the way."""
        return []

    def build(self) -> Mission:
        """Platform, thrusters, wheel and gas on the floor; the controller and, with dwell times, the valve driver."""
        return self._build(realtime=False)

    def build_for_realtime(self) -> Mission:
        """The same, where the model predictive controller may stop by the clock too."""
        return self._build(realtime=True)

    def _build(self, realtime: bool) -> Mission:
        platform = REACSA
        assert platform.wheel is not None
        body = FloatingPlatform(
            BODY, platform.body, self.floor.floor(), self.start(), single_contact=self.floor.contact == "single"
        )
        gas = GasSupply("gas", "thrusters", pressure=self.thrusters.pressure)
        parts: list[Part] = [
            body,
            self.thrusters.part("thrusters", BODY, platform, self.seed),
            self.wheel.part("wheel", BODY, platform.wheel.inertia, 0.0),
            gas,
        ]
        return Mission(
            [*parts, *self.others()],
            tasks=self._tasks(realtime),
            events=self.events(),
            upkeeps=[gas],
            integrator=self._stepper(),
            record_rate=self.record_rate,
        )

    def _tasks(self, realtime: bool) -> list[Task]:
        model = onboard_model(REACSA)
        onboard = Onboard(
            self._reference,
            model,
            self.wheel,
            self.thrusters,
            self.capture,
            self.paper,
            self.mpc,
            self.floor.kind == "uneven",
            realtime,
        ).controller(self.controller)
        dwells = self.thrusters.dwells
        tasks = [onboard_task(onboard, self.capture, BODY, "thrusters.request" if dwells else "thrusters.open")]
        if dwells:
            tasks.append(valve_task("thrusters", self.thrusters.min_on, self.thrusters.min_off, PERIOD))
        return tasks

    def _stepper(self) -> Integrator:
        """As set; where valves have a lag, a whole part of the controller's period and at most 2/3 of the lag."""
        lags = [lag for lag in (self.thrusters.opening, self.thrusters.closing) if lag > 0.0]
        if self.integrator.method == "dopri54" or not lags or self.integrator.step <= min(lags) / 1.5:
            return self.integrator.make()
        parts = (n for n in WHOLE_PARTS if PERIOD / n <= min(lags) / 1.5)
        return Dopri5(round(PERIOD / next(parts, WHOLE_PARTS[-1]), 9))

    def metrics(self, result: Result) -> dict[str, float]:
        """Errors of eqs 5.1 to 5.4 up to the reference's end, on-times, wheel, gas, and the estimate's errors."""
        reference = self._reference
        t, pose, rate = result.time(f"{BODY}.pose"), result[f"{BODY}.pose"], result[f"{BODY}.rate"]
        last = int(np.searchsorted(t, min(reference.duration, t[-1]) + 1e-9)) - 1
        error = tracking_errors(reference, t[: last + 1], pose[: last + 1])
        return {
            **error,
            **on_times(result["thrusters.on_time"][last]),
            "slope_on_time_s": slope_on_time(reference, self.floor.heights(), self._contacts(), onboard_model(REACSA)),
            **end_state(reference, float(t[last]), pose[last], rate[last]),
            **self._estimate(result, float(t[last])),
            "wheel_speed_max_rpm": float(np.abs(result["wheel.speed"]).max() / RPM),
            "propellant_kg": float(result["thrusters.propellant"][-1].sum()),
            "bottle_pressure_Pa": float(result["gas.pressure"][-1, 0]),
        }

    def _contacts(self) -> Array:
        return REACSA.body.contacts(self.floor.contact == "single")

    def _estimate(self, result: Result, end: float) -> dict[str, float]:
        """Root mean square of truth minus estimate after `settled_after`, angle the short way round."""
        t, estimate = result.time("onboard.estimate"), result["onboard.estimate"][:, :3]
        true_t, pose = result.time(f"{BODY}.pose"), result[f"{BODY}.pose"]
        chosen = (t >= min(self.settled_after, 0.5 * end)) & (t <= end + 1e-9)
        at = np.searchsorted(true_t, t[chosen] - 1e-9)
        off = pose[np.minimum(at, len(pose) - 1)] - estimate[chosen]
        off[:, 2] = np.remainder(off[:, 2] + math.pi, 2.0 * math.pi) - math.pi
        x, y, theta = np.sqrt(np.mean(off**2, axis=0))
        return {
            "estimate_rms_x_m": float(x),
            "estimate_rms_y_m": float(y),
            "estimate_rms_angle_deg": float(np.rad2deg(theta)),
        }

    def track(self) -> Track:
        """The reference and the floor."""
        t = np.linspace(0.0, self._reference.duration, 1000)
        platforms = (BODY, *(part.name for part in self.others()))
        return Track(platforms, REACSA.body, self.floor.floor(), t, self._reference.sampled(t)[0])

    def plots(self) -> tuple[str, ...]:
        """Pose, rates, thrust and wheel."""
        return (f"{BODY}.pose", f"{BODY}.rate", "thrusters.thrust", "wheel.speed", "wheel.tau_applied", "onboard.slope")
