"""Pictures of loops with delay: the map of critical delays, and the loop through two worlds."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from freefloat.charts import STYLE, colours, legend, save, tidy
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.gnc.control.loop_delay import critical_delay
from freefloat.missions.impacts.delay_lanes import Lanes
from freefloat.missions.impacts.delay_points import DelayGrid, closed_form, damping_of
from freefloat.missions.impacts.delay_search import rebound_critical_delay

FINE = 60  # stiffnesses and damping ratios at which the closed form is drawn
REBOUNDS = 25  # damping ratios at which the rebound is simulated
STEPS = (1.0, 2.0, 5.0)  # of each decade: lines of equal delay
COLOURS = "viridis"


def draw_map(grid: DelayGrid, lanes: Lanes, path: str | PathLike[str]) -> None:
    """Critical delays over stiffness and damping ratio, a panel a mass; below, the one curve behind them all."""
    across = len(grid.masses)
    figure = Figure(figsize=(max(7.0, 3.1 * across + 1.0), 6.6), dpi=STYLE["dpi"], layout="constrained")
    rows = figure.add_gridspec(2, 1, height_ratios=(1.15, 1.0))
    top, below = figure.add_subfigure(rows[0]), figure.add_subfigure(rows[1])
    axes: list[Axes] = top.subplots(1, across, sharey=True, squeeze=False)[0].tolist()
    k, z = (np.geomspace(values[0], values[-1], FINE) for values in (grid.stiffnesses, grid.ratios))
    fields = [1e3 * closed_form(mass, k, z) for mass in grid.masses]
    norm = LogNorm(min(f.min() for f in fields), max(f.max() for f in fields))
    drawn = [
        _draw_mass(ax, grid, mass, (k, z, field), norm)
        for ax, mass, field in zip(axes, grid.masses, fields, strict=True)
    ]
    for ax in axes[1:]:
        ax.yaxis.label.set_visible(False)
    bar = top.colorbar(drawn[0], ax=axes, aspect=16)
    bar.set_label("critical delay [ms]", color=STYLE["ink"], fontsize=STYLE["font"])
    bar.ax.tick_params(labelsize=STYLE["font"] - 1)
    bar.formatter = FuncFormatter(lambda ms, _: f"{ms:g}")
    head = "Critical delay of force feedback through a late machine: beyond it, a rendered contact gains energy"
    told = f"Dots: {len(grid.points)} loops simulated, filled with what they gave; relative difference {grid.worst:.0e}"
    top.suptitle(f"{head}\n{told}", x=0.01, ha="left", fontsize=STYLE["font"], color=STYLE["ink"])
    _draw_scaled(below.subplots(), grid, lanes)
    save(figure, path)


def _draw_mass(ax: Axes, grid: DelayGrid, mass: float, shown: tuple[Array, Array, Array], norm: LogNorm) -> Any:
    tidy(ax)
    ax.set_xscale("log")
    _plain_log(ax.yaxis, ax.set_yscale)
    k, z, field = shown
    colour = ax.pcolormesh(k, z, field, norm=norm, cmap=COLOURS, shading="gouraud", rasterized=True)
    decades = range(math.floor(math.log10(field.min())), math.ceil(math.log10(field.max())) + 1)
    levels = [step * 10.0**d for d in decades for step in STEPS]
    lines = ax.contour(k, z, field, levels, colors="white", linewidths=0.7)
    ax.clabel(lines, fmt=lambda ms: f"{ms:g} ms", fontsize=STYLE["font"] - 2)
    own = [p for p in grid.points if p.mass == mass]
    values = [1e3 * p.simulated for p in own]
    where = [p.stiffness for p in own], [p.ratio for p in own]
    dots = {"s": 28, "edgecolors": "white", "linewidths": 1.0, "zorder": 3, "clip_on": False}
    ax.scatter(*where, c=values, norm=norm, cmap=COLOURS, **dots)
    ax.grid(False)
    _label(ax, "contact stiffness k [N/m]", "damping ratio b / (2 √(k m)) [-]", f"mass {mass:g} kg")
    return colour


def _draw_scaled(ax: Axes, grid: DelayGrid, lanes: Lanes) -> None:
    """Over the damping ratio alone: the delay in units of sqrt(m / k) is the same for every mass and stiffness."""
    tidy(ax)
    z = np.geomspace(grid.ratios[0], grid.ratios[-1], FINE)
    coarse = np.geomspace(grid.ratios[0], grid.ratios[-1], REBOUNDS)
    unit = [math.sqrt(p.stiffness / p.mass) for p in grid.points]
    ax.plot(z, [critical_delay(1.0, 1.0, 2.0 * ratio) for ratio in z], label="closed form")
    bounced = [rebound_critical_delay(1.0, 1.0, 2.0 * ratio) for ratio in coarse]
    ax.plot(coarse, bounced, "--", label="leaves as fast as it came\n(contact only pushes, simulated)")
    simulated = [p.simulated * u for p, u in zip(grid.points, unit, strict=True)]
    dots = {"s": 26, "facecolors": "none", "edgecolors": STYLE["ink"], "zorder": 3}
    ax.scatter([p.ratio for p in grid.points], simulated, label="simulated points,\nall masses and stiffnesses", **dots)
    ratio = lanes.damping / damping_of(lanes.mass, lanes.stiffness, 1.0)
    held = math.sqrt(lanes.stiffness / lanes.mass) * (
        critical_delay(lanes.mass, lanes.stiffness, lanes.damping) - 0.5 * lanes.cycle
    )
    if held > 0.0:
        cycle = f"force held over {1e3 * lanes.cycle:g} ms:\nhalf a cycle less (the loop of this run)"
        ax.scatter([ratio], [held], marker="D", s=34, color=STYLE["colors"][3], label=cycle, zorder=4)
    _plain_log(ax.xaxis, ax.set_xscale)
    ax.set_ylim(bottom=0.0)
    title = "The same for all: in units of √(m / k) it depends on the damping ratio alone; 0.74 at 0.64 is the most"
    _label(ax, "damping ratio b / (2 √(k m)) [-]", "critical delay · √(k / m) [-]", title)
    legend(ax, 4)


def draw_lanes(result: Result, lanes: Lanes, path: str | PathLike[str]) -> None:
    """How the satellites swing at their delays, and how their growth changes its sign."""
    figure = Figure(figsize=(STYLE["width"], 5.2), dpi=STYLE["dpi"], layout="constrained")
    over_time, over_delay = figure.subplots(2, 1)
    tidy(over_time)
    tidy(over_delay)
    order = sorted(range(len(lanes.delays)), key=lambda n: lanes.delays[n])
    hues = colours(len(order))
    for n, hue in zip(order, hues, strict=True):
        signal = lanes.sent(n + 1)
        x = 1e3 * result[signal][:, 0]
        over_time.plot(result.time(signal), x, color=hue, label=f"{1e3 * lanes.delays[n]:.3f} ms")
    _label(over_time, "time [s]", "penetration [mm]", "The satellites on their walls, by the age of the force")
    legend(over_time, len(order))
    growths = lanes.growths_of(result)
    closed = critical_delay(lanes.mass, lanes.stiffness, lanes.damping)
    ms = 1e3 * np.array(lanes.delays)[order]
    if growths is None:
        growths = np.full(len(order), np.nan)
        over_delay.text(0.5, 0.5, "the run is too short to tell", transform=over_delay.transAxes, ha="center")
    over_delay.scatter(ms, growths[order], c=hues, s=30, zorder=3)
    over_delay.axhline(0.0, color=STYLE["ink"], linewidth=0.8, label="neither grows nor decays")
    expected = 1e3 * (closed - 0.5 * lanes.cycle)
    over_delay.axvline(expected, color=STYLE["colors"][0], linestyle="--", label="closed form less half a cycle")
    title = f"Growth of the oscillation; the closed form alone says {1e3 * closed:.3f} ms"
    _label(over_delay, "age of the force when it is applied [ms]", "growth [1/s]", title)
    legend(over_delay, 2)
    save(figure, path)


def _plain_log(axis: Axis, set_scale: Callable[[str], None]) -> None:
    """A logarithmic axis with 1, 2 and 5 of each decade as plain numbers."""
    set_scale("log")
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_locator(LogLocator(subs=STEPS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _label(ax: Axes, x: str, y: str, title: str) -> None:
    look = {"color": STYLE["ink"], "fontsize": STYLE["font"]}
    ax.set_xlabel(x, **look)
    ax.set_ylabel(y, **look)
    ax.set_title(title, loc="left", **look)
