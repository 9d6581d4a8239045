"""Where a campaign succeeds: the rate over the two inputs that matter most, or over one."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from freefloat.campaign.influence import by_influence
from freefloat.campaign.pictures.canvas import SUCCESS, figure, name, name_values
from freefloat.campaign.statistics import wilson
from freefloat.campaign.table import Input, Table
from freefloat.charts import STYLE, tidy

Vector = NDArray[np.float64]

COLOURS = "RdYlBu"  # from no success to success, also for eyes that do not tell red from green
EACH = 8  # cases in a cell of a map, or more
MOST_CELLS = 10  # along an axis


def draw_success_map(table: Table) -> Figure | None:
    """The rate of success in cells of the two inputs with most influence; with one input along it."""
    paths = [path for path in by_influence(table) if len(np.unique(table.inputs[path].values)) > 1]
    if not paths:
        return None
    if len(paths) == 1:
        return _along(table, table.inputs[paths[0]])
    return _map(table, table.inputs[paths[0]], table.inputs[paths[1]])


def _map(table: Table, x: Input, y: Input) -> Figure:
    cells = int(np.clip(np.sqrt(len(table.cases) / EACH), 2, MOST_CELLS))
    across, along = _edges(x, cells), _edges(y, cells)
    made = figure(STYLE["width"] * 0.85, STYLE["width"] * 0.66)
    ax = made.subplots()
    tidy(ax)
    ax.grid(False)
    colours = colormaps[COLOURS]
    size = STYLE["font"] - (1 if max(len(across), len(along)) <= 9 else 2)
    for i, j, chosen in _cells(x, y, across, along):
        count, good = int(chosen.sum()), int(table.success[chosen].sum())
        corner, width, height = (across[i], along[j]), across[i + 1] - across[i], along[j + 1] - along[j]
        rate = good / count if count else 0.0
        face = colours(0.1 + 0.8 * rate) if count else "white"
        ax.add_patch(Rectangle(corner, width, height, facecolor=face, edgecolor="white", hatch="" if count else "///"))
        ink = "white" if count and (rate < 0.2 or rate > 0.85) else STYLE["ink"]
        told = f"{good}/{count}" if count else ""
        ax.text(corner[0] + width / 2, corner[1] + height / 2, told, ha="center", va="center", fontsize=size, color=ink)
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(along[0], along[-1])
    name_values(ax, "x", x)
    name_values(ax, "y", y)
    name(ax, x.label, y.label, "successes / cases in each cell")
    _bar(made, ax)
    return made


def _bar(made: Figure, ax: Axes) -> None:
    """The colours, with their meaning."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    shown = ListedColormap([colormaps[COLOURS](0.1 + 0.8 * share) for share in np.linspace(0.0, 1.0, 64)])
    bar = made.colorbar(ScalarMappable(cmap=shown), ax=ax)
    bar.set_label("success rate", color=STYLE["ink"], fontsize=STYLE["font"] - 1)
    bar.ax.tick_params(labelsize=STYLE["font"] - 1, colors=STYLE["ink"])


def _along(table: Table, x: Input) -> Figure:
    edges = _edges(x, int(np.clip(len(table.cases) / 20, 3, 2 * MOST_CELLS)))
    made = figure(STYLE["width"], STYLE["row"] * 1.3)
    ax = made.subplots()
    tidy(ax)
    for k in range(len(edges) - 1):
        chosen = _inside(x.values, edges, k)
        if not chosen.any():
            continue
        rate, low, high = wilson(int(table.success[chosen].sum()), int(chosen.sum()))
        middle = 0.5 * (edges[k] + edges[k + 1])
        ax.plot([middle, middle], [low, high], color=SUCCESS, linewidth=2.0, alpha=0.5)
        ax.plot(middle, rate, "o", color=SUCCESS, markersize=5)
        ax.plot([edges[k], edges[k + 1]], [rate, rate], color=SUCCESS, linewidth=1.2)
        ax.annotate(f"{chosen.sum()}", (middle, 0.02), ha="center", fontsize=STYLE["font"] - 2, color=STYLE["ink"])
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(0.0, 1.02)
    name_values(ax, "x", x)
    name(ax, x.label, "success rate", "rate in each range with its 95 % interval; below: cases there")
    return made


def _cells(x: Input, y: Input, across: Vector, along: Vector) -> list[tuple[int, int, NDArray[np.bool_]]]:
    columns = [_inside(x.values, across, i) for i in range(len(across) - 1)]
    rows = [_inside(y.values, along, j) for j in range(len(along) - 1)]
    return [(i, j, column & row) for i, column in enumerate(columns) for j, row in enumerate(rows)]


def _edges(given: Input, cells: int) -> Vector:
    """Of ranges of equal width; around each value where there are few of them."""
    values = np.unique(given.values)
    if len(values) <= MOST_CELLS:
        middles = 0.5 * (values[1:] + values[:-1])
        return np.concatenate([[2.0 * values[0] - middles[0]], middles, [2.0 * values[-1] - middles[-1]]])
    return np.linspace(values[0], values[-1], cells + 1)


def _inside(values: Vector, edges: Vector, k: int) -> NDArray[np.bool_]:
    """Which values are in the k-th range; the last one has its end."""
    below = values <= edges[k + 1] if k == len(edges) - 2 else values < edges[k + 1]
    return (values >= edges[k]) & below
