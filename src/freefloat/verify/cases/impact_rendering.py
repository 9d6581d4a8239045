"""Impacts rendered by two robots: the central case, its errors, the naive way, and the cone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from freefloat.api import run
from freefloat.verify.case import Comparison, at_least, at_most, case, compare, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELAYS, CYCLES = (0.0, 0.012, 0.02, 0.04), (0.004, 0.012)  # [s]
ACCELERATIONS = (0.35, 0.38, 0.41, 0.45)  # [m/s^2]
FORCE, ROBOT = 157.0, 364.0  # [N] published of the satellites and of the robots
SPEED, MASS, STIFFNESS = 0.0993, 50.0, 5e4  # [m/s], [kg] reduced, [N/m] in series
LATE = {0.012: 0.036, 0.02: 0.094, 0.04: 0.31}  # speed errors of a prototype without prediction and recomputation
PROTOTYPE = "a prototype in one dimension"


def metrics(name: str, **changes: Any) -> Mapping[str, float]:
    """Of a run whose audit passes; `robots_delay` is the field robots.delay."""
    fields = {key.replace("robots_", "robots.", 1): value for key, value in changes.items()}
    return run(name, fields, strict=True, progress=False).metrics


@case(
    "impact-rendering",
    source="Lange, Grunwald and Albu-Schaeffer 2016, sec. V; errors of a rendering: against the ideal motion",
)
def impact_rendering() -> Iterator[Comparison]:
    """Speeds, places and forces of rendered impacts, with exact knowledge and with typical errors."""
    ours = SPEED * math.sqrt(STIFFNESS * MASS)
    yield within("closed form of the satellites' force", "N", published=FORCE, ours=ours, tolerance=0.02)
    yield from _exact()
    yield from _robots_force()
    yield from _typical()
    yield from _neither()
    yield from _forces_held()
    yield from _cone()


def _exact() -> Iterator[Comparison]:
    for cycle in CYCLES:
        found = [metrics("impact-central", robots_cycle=cycle, robots_delay=delay) for delay in DELAYS]
        where = f"exact knowledge (of the plant, not of the rendering), cycle {1e3 * cycle:g} ms, delays 0 to 40 ms"
        worst = max((m["peak_force_satellite_n"] for m in found), key=lambda f: abs(f - FORCE))
        yield within(f"satellites' largest force, {where}", "N", published=FORCE, ours=worst, tolerance=0.2)
        speed = max(m["speed_error_ratio"] for m in found)
        yield at_most(f"error of speed over the approach's, {where}", "-", ours=speed, tolerance=5e-4)
        place = max(m["position_error_m"] for m in found)
        yield at_most(f"distance from the ideal motion, {where}", "m", ours=place, tolerance=1e-4)
        for delay, m in zip(DELAYS, found, strict=True):
            what = f"robots' largest force, {1e3 * cycle:g} ms cycle, {1e3 * delay:g} ms delay, 0.45 m/s^2"
            yield compare(what, "N", published=ROBOT, ours=m["peak_force_robot_n"])


def _robots_force() -> Iterator[Comparison]:
    found = {
        a: metrics("impact-central", robots_acceleration=a)["peak_force_robot_n"] for a in ACCELERATIONS if a != 0.45
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(list(found), list(found.values()), "o-", label="12 ms delay, 4 ms cycle")
        axes.axhline(ROBOT, color="k", linestyle="--", label="published")
        axes.set_xlabel("acceleration of the robots [m/s^2]")
        axes.set_ylabel("largest force [N]")
        axes.legend()

    for a, force in found.items():
        what = f"robots' largest force, 12 ms delay, {a:g} m/s^2; the published acceleration is unknown"
        yield compare(what, "N", published=ROBOT, ours=force, plot=draw if a == ACCELERATIONS[0] else None)


def _typical() -> Iterator[Comparison]:
    for delay in (0.02, 0.04):
        where = f"typical errors, {1e3 * delay:g} ms"
        whole = metrics("impact-central", errors="typical", robots_delay=delay)
        yield at_most(f"distance from the ideal motion, {where}", "m", ours=whole["position_error_m"], tolerance=1e-4)
        once = metrics("impact-central", errors="typical", robots_delay=delay, recomputation="onset")
        what = f"error of speed, redone once at the onset, {where}"
        yield at_most(what, "-", ours=once["speed_error_ratio"], tolerance=0.03)
    across = metrics("impact-central", errors="typical", robots_delay=0.04, robots_direction="across")
    what = "distance from the ideal motion, typical errors, 40 ms, across the reach"
    yield compare(what, "m", published=1.2e-4, ours=across["position_error_m"], source=PROTOTYPE)
    paper = metrics("impact-central", errors="typical", robots_delay=0.02, rendering="paper", recomputation="onset")
    what = "error of speed, typical errors, 20 ms, rendering=paper, redone at the onset; stiffness 10 % off"
    yield compare(what, "-", published=0.075, ours=paper["speed_error_ratio"], source=PROTOTYPE)


def _neither() -> Iterator[Comparison]:
    for delay, published in LATE.items():
        m = metrics("impact-central", rendering="paper", prediction="off", recomputation="off", robots_delay=delay)
        what = f"error of speed, rendering=paper, neither prediction nor recomputation, {1e3 * delay:g} ms"
        yield compare(what, "-", published=published, ours=m["speed_error_ratio"], source=PROTOTYPE)


def _forces_held() -> Iterator[Comparison]:
    ours = metrics("impact-naive")["exit_speed_ratio"]
    yield at_least("speed of parting over that of approach, naive", "-", published=1.5, ours=ours, tolerance=0.0)
    passive = metrics("impact-naive", rendering="passivity")
    what = "largest kinetic energy of the satellites over the first, passivity"
    yield at_most(what, "-", published=1.0, ours=passive["satellite_energy_ratio"], tolerance=1e-6)
    hybrid = metrics("impact-naive", rendering="hybrid", robots_acceleration=10.0)
    what = "the same, hybrid, robots that keep up (10 m/s^2)"
    yield at_most(what, "-", published=1.0, ours=hybrid["satellite_energy_ratio"], tolerance=1e-6)


def _cone() -> Iterator[Comparison]:
    for rendering, bar in (("observer", 0.005), ("paper", 0.015)):
        m = metrics("impact-cone", rendering=rendering)
        yield within(f"contacts in the cone, {rendering}", "-", published=4.0, ours=m["contacts"], tolerance=0.0)
        yield at_most(f"error of speed in the cone, {rendering}", "-", ours=m["speed_error_ratio"], tolerance=bar)
        what = f"executed against simulated away from contacts, RMS, {rendering}"
        yield at_most(what, "m", ours=m["rms_difference_free_m"], tolerance=2e-4)
