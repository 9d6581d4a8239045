"""What scenarios of every floating platform share: the plant on its floor, and how a run is judged."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.actuators.gas_supply import GasSupply
from freefloat.engine.blueprint import Part
from freefloat.engine.event import Event
from freefloat.engine.integrator import RK4, Dopri5, Integrator
from freefloat.engine.mission import Mission, Writer
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.errors import FieldError
from freefloat.geometry.scenery import Label, Line
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.missions.platform.control import PERIOD, onboard_model
from freefloat.missions.platform.metrics import end_state, on_times, slope_on_time, tracking_errors
from freefloat.missions.platform.settings import FloorSettings, MotionCaptureSettings, ThrusterSettings
from freefloat.platforms.catalogue import Platform
from freefloat.platforms.height_map import HeightMap
from freefloat.platforms.platform import FloatingPlatform, Floor
from freefloat.platforms.track import Track
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.structure.scenery import Scenery

REFERENCE = (0.1, 0.1, 0.12, 1.0)  # colour of the path to follow
WHOLE_PARTS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 80, 100, 200, 400, 1000)  # of 10 ms, whole in nanoseconds


class PlatformScenario(Scenario):
    """A platform follows a reference in (x, y, theta) on an air-bearing floor."""

    platform: ClassVar[Platform]
    body: ClassVar[str]  # name of the platform's part
    steps_in_lag: ClassVar[float] = 3.0  # least number of integration steps in a valve's lag
    settled_after: ClassVar[float] = 10.0  # [s] from which on the estimate is judged (Table 5.2)

    duration: float = quantity(104.0, "s", "simulated time; the platform holds the end point after the reference", gt=0)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="dopri5", step=PERIOD),
        "how the plant is integrated; valves with a lag shorten the step to it",
    )
    floor: FloorSettings = setting(FloorSettings(), "the floor")
    thrusters: ThrusterSettings = setting(ThrusterSettings(), "the eight thrusters")
    capture: MotionCaptureSettings = setting(MotionCaptureSettings(), "the motion capture, and the encoder of a wheel")

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

    def onboard(self, valves: str, realtime: bool) -> Task:
        """The controller, which writes the command `valves`; in real time it may stop by the clock."""
        raise NotImplementedError

    def actuators(self) -> list[Part]:
        """Further actuators of the platform, beside its thrusters."""
        return []

    def others(self) -> list[Part]:
        """Further parts."""
        return []

    def events(self) -> list[Event]:
        """What happens on the way."""
        return []

    def build(self) -> Mission:
        """Platform, actuators and gas on the floor; the controller and, with dwell times, the valve driver."""
        return self._build(realtime=False)

    def build_for_realtime(self) -> Mission:
        """The same, where a controller may stop by the clock too."""
        return self._build(realtime=True)

    def _build(self, realtime: bool) -> Mission:
        single, floor, others = self.floor.contact == "single", self.floor.floor(), self.others()
        gas = GasSupply("gas", "thrusters", self.platform.bottles, self.thrusters.pressure)
        self._check_reference()
        parts: list[Part] = [
            FloatingPlatform(self.body, self.platform.body, floor, self.start(), single_contact=single),
            self.thrusters.part("thrusters", self.body, self.platform, self.seed, PERIOD),
            *self.actuators(),
            gas,
            _drawn(self._reference),
        ]
        return Mission(
            [*parts, *others],
            tasks=self._tasks(realtime),
            events=self.events(),
            integrator=self._stepper(),
            record_rate=self.record_rate,
            judge=lambda result: self.judge(result) | _gas_metrics(result, gas),
            plots=self.plotted(),
            writers=[self._pictures(floor, [part.name for part in others])],
        )

    @cached_property
    def _model(self) -> PlatformModel:
        return onboard_model(self.platform)

    def _pictures(self, floor: Floor, others: list[str]) -> Writer:
        """Of the run beside the reference and over the floor."""
        wheel = "wheel" if self.platform.wheel is not None else None

        def write(result: Result, out: Path) -> None:
            from freefloat.view.floor import draw_track  # heavy, and only needed here

            t = np.linspace(0.0, self._reference.duration, 1000)
            platforms = (self.body, *others)
            track = Track(platforms, self.platform.body, floor, t, self._reference.sampled(t)[0], wheel)
            draw_track(result, track, out / "plots")

        return write

    def _check_reference(self) -> None:
        """Refuse a reference that leads the platform into a wall."""
        for axis, (name, reach) in enumerate(zip("xy", _reach(self._reference), strict=True)):
            room = 0.5 * self.floor.size[axis] - self.platform.body.radius
            if reach > room + 1e-6:
                raise FieldError(
                    "floor.size",
                    f"{self.floor.size[axis]:g} m along {name}, but the reference goes to {reach:.4g} m "
                    f"from the middle; allowed: {2.0 * (reach + self.platform.body.radius):.4g} m or more",
                )

    def _tasks(self, realtime: bool) -> list[Task]:
        return [self.onboard("thrusters.request" if self.thrusters.dwells else "thrusters.open", realtime)]

    def longest_step(self) -> float:
        """[s] that the integrator may take for the lags of the actuators."""
        lags = [lag for lag in (self.thrusters.opening, self.thrusters.closing) if lag > 0.0]
        return min(lags, default=math.inf) / self.steps_in_lag

    def _stepper(self) -> Integrator:
        """As set; where that is longer than `longest_step`, or "auto", a whole part of the controller's period."""
        longest, step = self.longest_step(), self.integrator.step
        if self.integrator.method == "dopri54" or (step != "auto" and step <= longest):
            return self.integrator.make()
        parts = (n for n in WHOLE_PARTS if PERIOD / n <= longest)
        step = round(PERIOD / next(parts, WHOLE_PARTS[-1]), 9)
        return RK4(step) if self.integrator.method == "rk4" else Dopri5(step)

    def judge(self, result: Result) -> dict[str, float]:
        """Errors of eqs 5.1 to 5.4 up to the reference's end, on-times, and the estimate's errors."""
        reference = self._reference
        name = f"{self.body}.pose"
        t, pose, rate = result.time(name), result[name], result[f"{self.body}.rate"]
        last = int(np.searchsorted(t, min(reference.duration, t[-1]) + 1e-9)) - 1
        error = tracking_errors(reference, t[: last + 1], pose[: last + 1])
        return {
            **error,
            **on_times(result["thrusters.on_time"][last]),
            "slope_on_time_s": _slope_on_time(
                reference, self.floor.heights(), self.platform, self.floor.contact == "single"
            ),
            **end_state(reference, float(t[last]), pose[last], rate[last]),
            **self._estimate(result, float(t[last])),
        }

    def _estimate(self, result: Result, end: float) -> dict[str, float]:
        """Root mean square of truth minus estimate after `settled_after`, angle the short way round."""
        t, estimate = result.time("onboard.estimate"), result["onboard.estimate"][:, :3]
        true_t, pose = result.time(f"{self.body}.pose"), result[f"{self.body}.pose"]
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

    def plotted(self) -> tuple[str, ...]:
        """Signals that a run plots: pose, rates and thrust."""
        return (f"{self.body}.pose", f"{self.body}.rate", "thrusters.thrust", "onboard.slope")


@lru_cache(maxsize=4)  # many runs follow one reference, here and below
def _reach(reference: HermiteReference) -> tuple[float, float]:
    """How far it goes from the middle, along x and y [m]."""
    x, y = np.abs(reference.sampled(np.linspace(0.0, reference.duration, 1000))[0][:, :2]).max(axis=0)
    return float(x), float(y)


@lru_cache(maxsize=4)
def _drawn(reference: HermiteReference) -> Scenery:
    """The path to follow, between the floor and what moves, with its ends and the heading at every tenth of it."""
    poses = reference.sampled(np.linspace(0.0, reference.duration, 301))[0]
    path = np.column_stack([poses[:, :2], np.full(len(poses), -0.003)])
    at, theta = path[::30], poses[::30, 2]
    marks = np.stack([at, at + 0.15 * np.column_stack([np.cos(theta), np.sin(theta), 0.0 * theta])], axis=1)
    ends = [Label(text, (*at[k, :2].tolist(), 0.1)) for text, k in (("start", 0), ("end", -1))]
    lines = (Line(path, REFERENCE, 0.02), Line(marks.reshape(-1, 3), REFERENCE, 0.012, "pairs"))
    return Scenery("reference", (*lines, *ends))


@lru_cache(maxsize=4)
def _slope_on_time(reference: HermiteReference, height: HeightMap, platform: Platform, single: bool) -> float:
    return slope_on_time(reference, height, platform.body.contacts(single), onboard_model(platform))


def _gas_metrics(result: Result, gas: GasSupply) -> dict[str, float]:
    drawn = float(result["thrusters.propellant"][-1].sum())
    return {"propellant_kg": drawn, "bottle_pressure_Pa": gas.pressure_after(drawn)}
