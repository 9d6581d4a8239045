"""Force feedback with delay: closed form, continuous delay, the sampled loop through two worlds, a rebound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.gnc.control.loop_delay import critical_delay, sampled_growth
from freefloat.missions.impacts.delay_lanes import Lanes
from freefloat.missions.impacts.delay_points import DelayGrid
from freefloat.missions.impacts.delay_search import continuous_growth, rebound_critical_delay
from freefloat.verify.case import Comparison, at_least, at_most, case, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS, STIFFNESS = 50.0, 5e4  # [kg], [N/m]: two of 100 kg that touch with 1e5 N/m each
TABLE = {100.0: (1.9973e-3, 1.957e-3), 500.0: (9.6702e-3, 8.749e-3)}  # b [N s/m] -> [s] critical, for a rebound of one
SAMPLED = ((100.0, 1e-3), (500.0, 4e-3))  # [N s/m], [s] cycle
GRID = ((10.0, 50.0, 100.0, 1000.0), (1e3, 1e6), (0.01, 2.0), 5)
UNDAMPED = 1e-4  # [s] of delay without damping


@case(
    "delay-map",
    source="closed form of Zebenay, Boge, Krenn and Choukroun 2015; rebound of one: a simulation by a prototype",
)
def delay_map() -> Iterator[Comparison]:
    """Critical delays of force feedback: the motion grows where the closed form says so, and leaves faster beyond."""
    for damping, (closed, rebound) in TABLE.items():
        ours = critical_delay(MASS, STIFFNESS, damping)
        yield within(f"critical delay, b = {damping:g} N s/m", "s", published=closed, ours=ours, tolerance=6e-8)
        ours = rebound_critical_delay(MASS, STIFFNESS, damping)
        what = f"delay of a rebound of one, b = {damping:g} N s/m"
        yield within(what, "s", published=rebound, ours=ours, tolerance=6e-7)
    yield within(
        "critical delay without damping", "s", published=0.0, ours=critical_delay(MASS, STIFFNESS, 0.0), tolerance=0.0
    )
    yield within(
        "growth without damping at 0.1 ms, simulated; k h / (2 m)",
        "1/s",
        published=0.5 * STIFFNESS * UNDAMPED / MASS,
        ours=continuous_growth(MASS, STIFFNESS, 0.0, UNDAMPED),
        tolerance=1e-5,
    )
    yield from _continuous()
    for damping, cycle in SAMPLED:
        yield from _sampled(damping, cycle)


def _continuous() -> Iterator[Comparison]:
    grid = DelayGrid.between(*GRID)
    yield at_least("loops with continuous delay", "-", published=60.0, ours=float(len(grid.points)), tolerance=0.0)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for mass in grid.masses:
            own = [p for p in grid.points if p.mass == mass]
            axes.loglog([p.closed for p in own], [p.simulated for p in own], ".", label=f"{mass:g} kg")
        axes.set(xlabel="closed form [s]", ylabel="simulated [s]", title="critical delays")
        axes.legend()

    what = "their critical delay against the closed form, worst, relative"
    yield at_most(what, "-", ours=grid.worst, tolerance=1e-4, plot=draw)


def _sampled(damping: float, cycle: float) -> Iterator[Comparison]:
    """Through the worlds `space` and `lab`; beside the closed form, and beside the eigenvalues of the sampled loop."""
    lanes = Lanes.around(MASS, STIFFNESS, damping, cycle)
    result = Mission(worlds=lanes.worlds(), tasks=lanes.tasks()).run(2.0, strict=True)
    growths = lanes.growths_of(result)
    assert growths is not None
    found, expected = lanes.critical(growths), critical_delay(MASS, STIFFNESS, damping) - 0.5 * cycle
    name = f"two worlds, cycle {1e3 * cycle:g} ms, b = {damping:g} N s/m"
    ours = float("nan") if found is None else found / expected
    what = f"{name}: critical delay over h_crit - cycle / 2"
    yield within(what, "-", published=1.0, ours=ours, tolerance=0.01)
    exact = np.array([sampled_growth(MASS, STIFFNESS, damping, cycle, h) for h in lanes.delays])
    what = f"{name}: growth at {len(exact)} delays against eigenvalues, worst"
    yield at_most(what, "1/s", ours=float(np.abs(growths - exact).max()), tolerance=1e-6)
