"""How the metrics are distributed: a histogram of each, with the quantiles and how sure they are."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from freefloat.campaign.pictures.canvas import NO_SUCCESS, SUCCESS, key, name, panels
from freefloat.campaign.statistics import quantile
from freefloat.campaign.table import Table
from freefloat.charts import STYLE

Vector = NDArray[np.float64]

MOST = 9  # metrics
FEW = 12  # different values, each of which gets a bar
SHOWN = {0.05: ":", 0.5: "-", 0.95: ":"}  # quantiles, and their lines


def draw_distributions(table: Table) -> Figure | None:
    """A histogram of each metric that tells something, cases with success and without above each other."""
    names = table.telling(MOST)
    names = [n for n in names if np.isfinite(table.metrics[n][table.ok]).any()]
    if not names:
        return None
    made, axes = panels(len(names), 3, 3.6, 2.6)
    for ax, metric in zip(axes, names, strict=True):
        _histogram(ax, table, metric)
    ink = STYLE["ink"]
    key(
        made,
        [
            Patch(color=SUCCESS, label="success"),
            Patch(color=NO_SUCCESS, label="no success"),
            Line2D([], [], color=ink, linestyle="-", label="median"),
            Line2D([], [], color=ink, linestyle=":", label="5 % and 95 % quantile"),
            Patch(color=ink, alpha=0.15, label="their 95 % intervals"),
        ],
    )
    return made


def _histogram(ax: Axes, table: Table, metric: str) -> None:
    values = table.metrics[metric]
    good, bad = (values[chosen & table.ok & np.isfinite(values)] for chosen in (table.success, ~table.success))
    both = np.concatenate([good, bad])
    different = np.unique(both)
    if len(different) <= FEW:
        width = 0.6 * (np.diff(different).min() if len(different) > 1 else 1.0)
        counts = [[int((part == value).sum()) for value in different] for part in (good, bad)]
        ax.bar(different, counts[0], width, color=SUCCESS)
        ax.bar(different, counts[1], width, bottom=counts[0], color=NO_SUCCESS)
        if len(different) <= 6:
            ax.set_xticks(different, [f"{value:.4g}" for value in different])
    else:
        bins = np.linspace(both.min(), both.max(), int(np.clip(np.sqrt(len(both)), 8, 40)) + 1)
        ax.hist([good, bad], bins=list(bins), stacked=True, color=[SUCCESS, NO_SUCCESS])
        ax.locator_params(axis="x", nbins=4)
        _quantiles(ax, both)
    without = int(table.ok.sum()) - len(both)
    name(ax, metric, "cases", f"{without} cases without a value" if without else "")
    ax.locator_params(axis="y", integer=True, nbins=5)


def _quantiles(ax: Axes, values: Vector) -> None:
    for p, line in SHOWN.items():
        found = quantile(values, p)
        ax.axvline(found.value, color=STYLE["ink"], linestyle=line, linewidth=1.2)
        if found.low is not None and found.high is not None:
            ax.axvspan(found.low, found.high, color=STYLE["ink"], alpha=0.15, linewidth=0.0)
