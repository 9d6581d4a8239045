"""The floating platform's planner on Table 4.1's trajectories: durations, on-times, defects and re-integration."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

from freefloat.frames import Array
from freefloat.gnc.planning.platform.check import defects
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.units import RPM
from freefloat.verify.case import Comparison, at_most, case

REST = (0.0, 0.0, 0.0)
TABLE_4_1 = (  # start, goal, limit of the least duration [s]
    (REST, (1.0, 2.0, math.pi), 8.67),
    (REST, (0.2, 3.0, 0.0, 0.0, 0.0, 0.0, 250.0 * RPM), 10.30),
    ((1.0, 1.0, 0.0), (0.0, 1.0, -1.0), 5.82),
)
SIZES = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 500.0 * RPM])  # bounds of the rates; 1 m and 1 rad for the pose
LINE_DURATION = 104.0  # [s]


@case("platform-planner", source="REACSA eqs 4.16-4.23, Table 4.1, Table 5.5 (1.72 s along the line)")
def platform_planner() -> Iterator[Comparison]:
    """Fastest and cheapest plans with 100 knots: 0.5 m/s, 1 rad/s, wheel 1.7 N m and 500 rpm."""
    planner = Planner()
    for number, (start, goal, limit) in enumerate(TABLE_4_1, start=1):
        plan = planner.time_optimal(start, goal)
        yield at_most(f"trajectory {number}: least duration", "s", ours=plan.duration, tolerance=limit)
        yield from _holds(f"trajectory {number}, fastest", plan)
        slow = planner.in_duration(start, goal, 12.0 * plan.duration, "quadratic")
        yield from _holds(f"trajectory {number}, quadratic", slow)
    for cost, published, tolerance in (("quadratic", 1.72, 0.13), ("propellant", 0.0, 1.00)):
        plan = planner.in_duration(REST, TABLE_4_1[0][1], LINE_DURATION, cost)
        yield at_most(f"line, {cost}: on-time", "s", published=published, ours=plan.on_time, tolerance=tolerance)
        yield from _holds(f"line, {cost}", plan)


def _holds(what: str, plan: Plan) -> Iterator[Comparison]:
    """Defects over the bounds; and the end of an integration that knows only model and controls."""
    found = np.abs(defects(plan.model, plan.times, plan.states, plan.controls, None) / SIZES)
    yield at_most(f"{what}: defect over the state's bound", "-", ours=float(found.max()), tolerance=1e-9)
    end = _integrated(plan) - plan.goal
    yield at_most(f"{what}: re-integrated distance from the goal", "m", ours=float(np.hypot(*end[:2])), tolerance=1e-3)
    yield at_most(f"{what}: re-integrated angle", "deg", ours=math.degrees(abs(end[2])), tolerance=0.05)


def _integrated(plan: Plan) -> Array:
    """The last state by DOP853, knot by knot."""
    x, times, controls = plan.states[0].copy(), plan.times, plan.controls

    def rate(t: float, x: Array, k: int) -> Array:
        share = (t - times[k]) / (times[k + 1] - times[k])
        return plan.model.derivative(x, (1.0 - share) * controls[k] + share * controls[k + 1])

    for k in range(len(times) - 1):
        x = solve_ivp(rate, times[k : k + 2], x, method="DOP853", args=(k,), rtol=1e-10, atol=1e-12).y[:, -1]
    return x
