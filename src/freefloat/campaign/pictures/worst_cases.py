"""What the worst cases have in common: a line through the inputs of each, among all others."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from freefloat.campaign.influence import by_influence
from freefloat.campaign.pictures.canvas import figure, folded, name, some_of
from freefloat.campaign.table import Input, Table
from freefloat.charts import STYLE, colours, legend, tidy

MOST_INPUTS = 8
MOST_CASES = 8


def draw_worst(table: Table) -> Figure | None:
    """Parallel axes: one for each input, and the worst cases as lines over those of all."""
    cases = table.worst(MOST_CASES)
    inputs = [table.inputs[path] for path in by_influence(table)[:MOST_INPUTS]]
    inputs = [given for given in inputs if len(np.unique(given.values)) > 1]
    if not cases or len(inputs) < 2:
        return None
    made = figure(STYLE["width"] + 1.2, STYLE["row"] * 1.6)
    ax = made.subplots()
    tidy(ax)
    ax.grid(False, axis="y")
    heights = np.stack([_height(given) for given in inputs], axis=1)
    places = np.arange(len(inputs))
    rows = some_of(np.arange(len(table.cases)))[:: max(1, len(table.cases) // 400)]
    for row in rows:
        ax.plot(places, heights[row], color=STYLE["faint"], linewidth=0.6, zorder=1)
    for case, row, colour in zip(cases, table.rows_of(cases), colours(len(cases)), strict=True):
        ax.plot(places, heights[row], color=colour, linewidth=1.6, marker="o", markersize=4, label=f"case {case}")
    for place, given in enumerate(inputs):
        for height, told in ((0.0, _end(given, np.min)), (1.0, _end(given, np.max))):
            at = (place, height)
            side = "top" if height == 0.0 else "bottom"
            shift = (0, -4 if height == 0.0 else 4)
            ax.annotate(
                told, at, shift, textcoords="offset points", ha="center", va=side, fontsize=STYLE["font"] - 2,
                color=STYLE["ink"],
            )  # fmt: skip
    ax.set_xticks(places, [folded(given.label) for given in inputs])
    ax.set_yticks([])
    ax.set_ylim(-0.13, 1.13)
    ax.spines["left"].set_visible(False)
    by = table.worst_by
    told = f"the {'smallest' if by.startswith('-') else 'largest'} {by.removeprefix('-')}" if by else "no success"
    name(ax, "", "", f"worst cases: {told}; grey: all cases; each input from its least to its largest value")
    legend(ax, 2)
    return made


def _height(given: Input) -> np.ndarray:
    return (given.values - given.values.min()) / np.ptp(given.values)


def _end(given: Input, which: object) -> str:
    value = float(which(given.values))  # pyright: ignore[reportCallIssue]
    return given.names[int(value)] if given.names else f"{value:.4g}"
