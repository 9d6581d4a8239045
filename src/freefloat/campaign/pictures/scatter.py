"""Every pair of a few inputs and metrics as points: what goes with what, and where success ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from freefloat.campaign.influence import by_influence
from freefloat.campaign.pictures.canvas import (
    NO_SUCCESS,
    SUCCESS,
    figure,
    folded,
    key,
    name_values,
    size_powers,
    some_of,
)
from freefloat.campaign.table import Input, Table
from freefloat.charts import STYLE, tidy

MOST_INPUTS, MOST_METRICS = 4, 3
SIZE = 1.75  # [inch] of a panel


def draw_scatter_matrix(table: Table) -> Figure | None:
    """The lower half of the matrix, with histograms on its diagonal."""
    inputs = [table.inputs[path] for path in by_influence(table)[:MOST_INPUTS]]
    metrics = [
        Input(metric, "", table.metrics[metric])
        for metric in table.telling(3 * MOST_METRICS)
        if len(np.unique(table.metrics[metric][np.isfinite(table.metrics[metric])])) > 2
    ]
    shown = [*inputs, *metrics[:MOST_METRICS]]
    rows = np.flatnonzero(table.ok)
    if len(shown) < 2 or not len(rows):
        return None
    count = len(shown)
    made = figure(SIZE * count + 0.6, SIZE * count + 0.6)
    axes = made.subplots(count, count, squeeze=False)
    for i, across in enumerate(shown):
        for j, along in enumerate(shown):
            ax = axes[i, j]
            if j > i:
                ax.remove()
                continue
            _panel(ax, table, along, None if i == j else across, rows)
            _name(ax, along if i == count - 1 else None, across if j == 0 and i else None, across if i == j else None)
    point = {"linestyle": "none", "markersize": 5}
    key(
        made,
        [
            Line2D([], [], marker="o", color=SUCCESS, label="case with success", **point),
            Line2D([], [], marker="x", color=NO_SUCCESS, label="case without success", **point),
        ],
    )
    return made


def _panel(ax: Axes, table: Table, along: Input, across: Input | None, rows: np.ndarray) -> None:
    tidy(ax)
    ax.margins(0.04)
    good, bad = rows[table.success[rows]], rows[~table.success[rows]]
    if across is None:
        parts = [part[np.isfinite(part)] for part in (along.values[good], along.values[bad])]
        bins = max(len(along.names), 2) if along.names else 16
        ax.hist(parts, bins=bins, stacked=True, color=[SUCCESS, NO_SUCCESS])
        ax.set_yticks([])
    else:
        across = replace(across, values=_spread(across))
        along = replace(along, values=_spread(along))
        good, bad = some_of(good), some_of(bad)
        alpha = float(np.clip(40.0 / np.sqrt(max(len(rows), 1)) / 4.0, 0.25, 0.8))
        ax.scatter(along.values[good], across.values[good], s=6, color=SUCCESS, alpha=alpha, linewidths=0)
        ax.scatter(along.values[bad], across.values[bad], s=14, color=NO_SUCCESS, marker="x", linewidths=1.0)
        name_values(ax, "y", across)
    ax.locator_params(nbins=4) if not along.names and (across is None or not across.names) else None
    name_values(ax, "x", along)


def _spread(given: Input) -> np.ndarray:
    """Names beside each other instead of on each other; the same for the same cases."""
    if not given.names:
        return given.values
    return given.values + 0.5 * (np.arange(len(given.values)) * 0.618033988749895 % 1.0 - 0.5)


def _name(ax: Axes, along: Input | None, across: Input | None, inside: Input | None) -> None:
    small = {"fontsize": STYLE["font"] - 2, "color": STYLE["ink"]}
    ax.tick_params(labelsize=STYLE["font"] - 3)
    size_powers(ax, STYLE["font"] - 3)
    if along is None:
        ax.tick_params(labelbottom=False)
    else:
        ax.set_xlabel(folded(along.label), **small)
    if across is not None:
        ax.set_ylabel(folded(across.label), **small)
    elif not ax.get_subplotspec().is_first_col():  # pyright: ignore[reportOptionalMemberAccess]
        ax.tick_params(labelleft=False)
    if inside is not None:
        ax.set_title(folded(inside.label), loc="left", **small)
