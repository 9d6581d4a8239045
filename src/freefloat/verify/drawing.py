"""Plots that several cases share; each function gives the `plot` of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from freefloat.verify.case import Plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def errors_over_time(
    times: ArrayLike, curves: Mapping[str, ArrayLike], limit: float | None = None, title: str = ""
) -> Plot:
    """Magnitudes over time [s] on a logarithmic scale, zeros left out, with the tolerance as a dashed line."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for label, values in curves.items():
            shown = np.abs(np.asarray(values, dtype=np.float64))
            axes.semilogy(np.asarray(times), np.where(shown > 0.0, shown, np.nan), linewidth=1.0, label=label)
        _finish(figure, title, "t [s]", "error", limit)

    return draw


def curves_over_time(times: ArrayLike, curves: Mapping[str, ArrayLike], ylabel: str, title: str = "") -> Plot:
    """Values over time [s]."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for label, values in curves.items():
            axes.plot(np.asarray(times), np.asarray(values), linewidth=1.2, label=label)
        _finish(figure, title, "t [s]", ylabel, None)

    return draw


def errors_of_cases(labels: ArrayLike, curves: Mapping[str, ArrayLike], limit: float, xlabel: str, title: str) -> Plot:
    """Magnitudes of the errors of a few numbered samples on a logarithmic scale; an exact zero stands at 1e-18."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for marker, (label, values) in zip("osd^v", curves.items(), strict=False):
            shown = np.maximum(np.abs(np.asarray(values, dtype=np.float64)), 1e-18)
            axes.semilogy(np.asarray(labels), shown, marker=marker, linestyle="none", markersize=5, label=label)
        axes.set_xticks(np.asarray(labels))
        _finish(figure, title, xlabel, "error", limit)

    return draw


def convergence(steps: Mapping[str, ArrayLike], errors: Mapping[str, ArrayLike], ylabel: str, title: str) -> Plot:
    """Errors over step sizes [s], both logarithmic, with the fitted slope beside each name."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for marker, (label, values) in zip("os", errors.items(), strict=False):
            h = np.asarray(steps[label], dtype=np.float64)
            slope, offset = np.polyfit(np.log(h), np.log(np.asarray(values, dtype=np.float64)), 1)
            (line,) = axes.loglog(h, np.asarray(values), marker=marker, linestyle="none", label=f"{label}: {slope:.2f}")
            axes.loglog(h, np.exp(offset) * h**slope, color=line.get_color(), linewidth=1.0)
        _finish(figure, title, "step [s]", ylabel, None)

    return draw


def _finish(figure: Figure, title: str, xlabel: str, ylabel: str, limit: float | None) -> None:
    axes = figure.axes[0]
    if limit is not None:
        axes.axhline(limit, color="tab:red", linestyle="--", linewidth=1.0, label=f"tolerance {limit:g}")
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.legend(fontsize=8)
