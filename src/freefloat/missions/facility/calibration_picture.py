"""Picture of a calibration: misses of the plates raw and calibrated, and 3 sigma of every facility."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from freefloat.charts import STYLE, save, tidy
from freefloat.facility.accuracy_study import Misses, Study

PUBLISHED_M, PUBLISHED_DEG = 1.56e-3, 0.2  # 3 sigma: Benninghoff and others 2017, sec. 2.2.4
KINDS = {
    "raw": "raw",
    "calibrated": "calibrated, all errors",
    "modelled": "calibrated, no errors but those a model can have",
}


def draw_calibration(studies: Sequence[Study], path: str | PathLike[str]) -> None:
    """Above, every judged pose of the first facility; below, 3 sigma of all, beside the published figures."""
    figure = Figure(figsize=(STYLE["width"], 7.4), dpi=STYLE["dpi"], layout="constrained")
    rows = figure.add_gridspec(2, 2, height_ratios=(1.5, 1.0))
    _draw_poses(figure.add_subplot(rows[0, :]), studies[0])
    _draw_labs(figure.add_subplot(rows[1, 0]), studies, "m")
    _draw_labs(figure.add_subplot(rows[1, 1]), studies, "deg")
    save(figure, path)


def _draw_poses(ax: Axes, one: Study) -> None:
    tidy(ax)
    for colour, (kind, name) in zip(STYLE["colors"], KINDS.items(), strict=False):
        misses: Misses = getattr(one, kind)
        x, y = 1e3 * misses.shifts.ravel(), np.degrees(misses.turns).ravel()
        told = f"{name}\n3σ {1e3 * misses.three_sigma_m():.3g} mm, {misses.three_sigma_deg():.2g}°"
        ax.scatter(x, y, s=5, color=colour, alpha=0.45, linewidths=0, label=told, rasterized=True)
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    title = f"Facility of seed {one.seed}: {len(one.raw.shifts)} poses of each plate that no tracker has seen"
    _label(ax, "plate beside its place [mm]", "turned off its attitude [deg]", title)
    shown = ax.legend(loc="upper left", fontsize=STYLE["font"] - 1, frameon=False, markerscale=3.0)
    for handle in shown.legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)


def _draw_labs(ax: Axes, studies: Sequence[Study], unit: str) -> None:
    tidy(ax)
    seeds = [one.seed for one in studies]
    for colour, kind in zip(STYLE["colors"], KINDS, strict=False):
        of: list[Misses] = [getattr(one, kind) for one in studies]
        values = [1e3 * m.three_sigma_m() if unit == "m" else m.three_sigma_deg() for m in of]
        ax.scatter(seeds, values, s=30, color=colour, zorder=3)
    published = 1e3 * PUBLISHED_M if unit == "m" else PUBLISHED_DEG
    ax.axhline(published, color=STYLE["ink"], linewidth=0.9, linestyle="--")
    ax.set_yscale("log")
    ax.margins(0.08)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    y = "3σ of the place [mm]" if unit == "m" else "3σ of the attitude [deg]"
    told = f"dashed: {published:g} {'mm' if unit == 'm' else 'deg'}, to which the gears' errors are scaled"
    _label(ax, "seed of the facility [-]", y, f"Every facility, both plates;\n{told}")


def _label(ax: Axes, x: str, y: str, title: str) -> None:
    look = {"color": STYLE["ink"], "fontsize": STYLE["font"]}
    ax.set_xlabel(x, **look)
    ax.set_ylabel(y, **look)
    ax.set_title(title, loc="left", **look)
