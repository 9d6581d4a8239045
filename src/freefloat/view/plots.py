"""Plots of whole runs: every part's signals, the audit, a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from freefloat.charts import STYLE, colours, legend, panels, save
from freefloat.engine.plot import plot_signals
from freefloat.engine.signals import Signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST_ERROR = 1e-18  # [-] zero on a logarithmic axis


def plot_parts(
    frames: Mapping[str, pl.DataFrame], signals: Mapping[str, Signal], folder: str | PathLike[str]
) -> list[Path]:
    """One picture per part with all its signals: `folder/arm.png`, ..."""
    parts: dict[str, list[str]] = {}
    for signal in signals.values():
        if signal.size:
            parts.setdefault(signal.part or signal.name, []).append(signal.name)
    files: list[Path] = []
    for part, names in parts.items():
        file = Path(folder) / f"{part.replace('/', '_')}.png"
        plot_signals(frames, signals, names, file, title=part)
        files.append(file)
    return files


def plot_audit(
    t: ArrayLike,
    errors: Mapping[str, ArrayLike],
    limits: Mapping[str, float] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Relative errors of the conservation laws over time on a logarithmic axis, their limits dashed.

    errors: name -> (n,) [-]; limits: name -> [-] for any of the same names.
    """
    figure, (ax,) = panels(1)
    figure.set_size_inches(STYLE["width"], 1.5 * STYLE["row"])
    time, limits = np.asarray(t, dtype=np.float64), limits or {}
    for (name, error), colour in zip(errors.items(), colours(len(errors)), strict=True):
        size = np.maximum(np.abs(np.asarray(error, dtype=np.float64)), LEAST_ERROR)
        ax.semilogy(time, size, label=name, color=colour)
    _draw_limits(ax, {name: limits[name] for name in errors if name in limits})
    ax.set_ylabel("relative error [-]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = f"Audit: how far the conservation laws are missed; none at all is drawn at {LEAST_ERROR:g}"
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(ax, max(len(errors), 2))
    save(figure, path)
    return figure


def _draw_limits(ax: Axes, limits: Mapping[str, float]) -> None:
    """Dashed lines at the limits, each with the names of the laws that it is for."""
    for value in dict.fromkeys(limits.values()):
        laws = ", ".join(name for name, limit in limits.items() if limit == value)
        whole = ax.get_yaxis_transform()  # x as a share of the panel
        ax.hlines(value, 0.0, 1.0, color=STYLE["ink"], linestyle=(0, (5, 3)), linewidth=1.0, transform=whole)
        ax.annotate(
            f"limit {value:.0e} of {laws}",
            (1.0, value),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            color=STYLE["ink"],
            fontsize=STYLE["font"] - 1.5,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.5},  # above the lines
            zorder=5.0,
        )


def plot_log(log: str | PathLike[str], names: Sequence[str] = (), out: str | PathLike[str] | None = None) -> list[Path]:
    """Plot a log's signals: the named ones into the file `out`, or every part into the folder `out`.

    By default `plot.png` or the folder `plots` beside the log.
    """
    from freefloat.engine.log.writer import read_log

    data, beside = read_log(log), Path(log).parent
    if not names:
        return plot_parts(data.frames, data.signals, out or beside / "plots")
    file = Path(out or beside / "plot.png")
    plot_signals(data.frames, data.signals, names, file)
    return [file]
