"""REACSA plans from a random pose to the origin, goes there and stays (sec. 5.3.2)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from freefloat.engine.randomness import stream
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.gnc.planning.platform.problem import PlanLimits
from freefloat.missions.platform.metrics import END
from freefloat.missions.platform.reacsa_scenario import BODY, ReacsaScenario
from freefloat.missions.platform.settings import ThrusterSettings
from freefloat.platforms.catalogue import REACSA
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register


class PlanSettings(Settings):
    """The planner: time-optimal first, then propellant-optimal in a longer time."""

    alpha: float = quantity(12.0, "-", "the longer time over the shortest (eq. 4.7)", gt=1, le=1000)
    cap: float = quantity(125.0, "s", "longest duration of a plan", gt=0)
    cost: Literal["quadratic", "propellant"] = setting("quadratic", "sum of squared thrusts, or of thrusts")
    knots: int = quantity(100, "-", "knots of the collocation", ge=5, le=2000)
    clearance: float = quantity(0.0, "m", "between the platform and the walls", ge=0)


class StartSettings(Settings):
    """Where the platform starts: uniform in these ranges, from the run's seed."""

    x: tuple[float, float] = quantity((-2.0, 2.0), "m", "least and largest x")
    y: tuple[float, float] = quantity((-4.0, 4.0), "m", "least and largest y")
    angle: tuple[float, float] = quantity((-math.pi, math.pi), "rad", "least and largest angle")


@register
class ReacsaToOrigin(ReacsaScenario):
    """Real thrusters: dwell times, valves with a lag, strengths that differ. Success is eq. 5.6, kept."""

    kind: ClassVar[str] = "reacsa-to-origin"
    title: ClassVar[str] = "A floating platform goes from anywhere to the origin and stays"

    duration: float = quantity(180.0, "s", "simulated time; the platform holds the origin after the plan", gt=0, le=1e6)
    start_from: StartSettings = setting(StartSettings(), "where it starts")
    plan: PlanSettings = setting(PlanSettings(), "the planner")
    in_time: float = quantity(140.0, "s", "time by which it must have arrived", gt=0)
    stays: float = quantity(180.0, "s", "time until which it must stay; a shorter run is no success", gt=0)
    thrusters: ThrusterSettings = setting(
        ThrusterSettings(opening=3.3e-3, closing=3.3e-3, min_on=0.1, min_off=0.2, strength_sigma=0.1),
        "the eight thrusters",
    )

    @cached_property
    def plans(self) -> tuple[Plan, Plan]:
        """The time-optimal plan and the one that is flown."""
        rng = stream(self.seed, "start")
        ranges = (self.start_from.x, self.start_from.y, self.start_from.angle)
        start = np.array([rng.uniform(min(r), max(r)) for r in ranges])
        half = [0.5 * s for s in self.floor.size]
        for name, given, limit in zip("xy", start, half, strict=False):
            room = limit - REACSA.body.radius - self.plan.clearance
            if abs(given) > room:
                raise FieldError(
                    f"start_from.{name}",
                    f"drew {given:.4g} m; allowed with this floor.size and plan.clearance: {-room:.4g} to {room:.4g} m",
                )
        limits = PlanLimits(
            wheel_speed=self.wheel.max_speed,
            wheel_torque=self.wheel.max_torque,
            floor=(-half[0], half[0], -half[1], half[1]),
            radius=REACSA.body.radius,
            clearance=self.plan.clearance,
        )
        planner = Planner(self._model, limits, self.plan.knots)
        fastest = planner.time_optimal(start, np.zeros(3))
        duration = min(self.plan.alpha * fastest.duration, self.plan.cap)
        return fastest, planner.in_duration(start, np.zeros(3), duration, self.plan.cost)

    def reference(self) -> HermiteReference:
        """The plan's poses and rates."""
        return self.plans[1].reference()

    def judge(self, result: Result) -> dict[str, float]:
        """The tracking figures, the plan's, and whether and when the platform arrived for good."""
        t, pose, rate = result.time(f"{BODY}.pose"), result[f"{BODY}.pose"], result[f"{BODY}.rate"]
        place = np.maximum(np.hypot(pose[:, 0], pose[:, 1]), np.abs(pose[:, 2]))
        inside = place < END
        still = np.maximum(np.hypot(rate[:, 0], rate[:, 1]), np.abs(rate[:, 2])) < END
        stays = np.logical_and.accumulate(inside[::-1])[::-1]
        arrived = np.flatnonzero(stays & still)
        fastest, flown = self.plans
        found = super().judge(result) | {
            "success": float(arrived.size > 0 and t[arrived[0]] <= self.in_time and t[-1] >= self.stays - 1e-6),
            "start_x_m": float(pose[0, 0]),
            "start_y_m": float(pose[0, 1]),
            "start_angle_deg": float(np.rad2deg(pose[0, 2])),
            "plan_shortest_s": fastest.duration,
            "plan_duration_s": flown.duration,
            "plan_on_time_s": flown.on_time,
        }
        if arrived.size:
            found["arrival_s"] = float(t[arrived[0]])
        return found
