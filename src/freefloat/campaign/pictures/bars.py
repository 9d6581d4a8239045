"""What matters most: bars of the inputs' correlations with each outcome, or of their shares of its variance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from freefloat.campaign.pictures.canvas import key, name, panels
from freefloat.campaign.statistics import Correlation, Index, SobolIndices
from freefloat.charts import STYLE

MOST = 10  # inputs in a panel
FIRST, TOTAL, SURE, UNSURE = STYLE["colors"][0], STYLE["colors"][4], STYLE["colors"][0], "#b6c2cf"
WHISKER = {"color": STYLE["ink"], "linewidth": 1.2}


def draw_indices(found: Mapping[str, SobolIndices]) -> Figure | None:
    """First and total Sobol indices of each outcome, the largest total above."""
    if not found:
        return None
    most = max(min(len(one.total), MOST) for one in found.values())
    made, axes = panels(len(found), 2, 5.2, 0.55 + 0.36 * most)
    shares = [i for one in found.values() for of in (one.first, one.total) for i in of.values()]
    low, high = min(-0.02, *(i.low for i in shares)), max(1.0, *(i.high for i in shares))
    for ax, (outcome, one) in zip(axes, found.items(), strict=True):
        order = sorted(one.total, key=lambda path: one.total[path].value)[-MOST:]
        for row, path in enumerate(order):
            _bar(ax, row + 0.19, one.first[path], FIRST)
            _bar(ax, row - 0.19, one.total[path], TOTAL)
        _rows(ax, order)
        ax.set_xlim(max(low, -0.5), min(high, 1.5))
        ax.axvline(0.0, color=STYLE["ink"], linewidth=0.8)
        name(ax, "share of the variance", "", outcome)
    key(
        made,
        [
            Patch(color=FIRST, label="first: by the input alone"),
            Patch(color=TOTAL, label="total: also together with others"),
            Line2D([], [], label="95 % interval", **WHISKER),
        ],
    )
    return made


def draw_correlations(found: Mapping[str, Mapping[str, Correlation]]) -> Figure | None:
    """Spearman's correlations of each outcome, the strongest above."""
    if not found:
        return None
    most = max(min(len(one), MOST) for one in found.values())
    made, axes = panels(len(found), 2, 5.2, 0.6 + 0.3 * most)
    for ax, (outcome, one) in zip(axes, found.items(), strict=True):
        order = sorted(one, key=lambda path: abs(one[path].r))[-MOST:]
        for row, path in enumerate(order):
            r = one[path]
            _bar(ax, row, Index(r.r, r.low, r.high), SURE if r.sure else UNSURE, 0.6)
        ax.axvline(0.0, color=STYLE["ink"], linewidth=0.8)
        ax.set_xlim(-1.0, 1.0)
        _rows(ax, order)
        name(ax, "rank correlation", "", outcome)
    key(
        made,
        [
            Patch(color=SURE, label="rises or falls with the input"),
            Patch(color=UNSURE, label="may be chance: the interval holds 0"),
            Line2D([], [], label="95 % interval", **WHISKER),
        ],
    )
    return made


def _bar(ax: Axes, row: float, index: Index, colour: str, height: float = 0.34) -> None:
    ax.barh(row, index.value, height, color=colour)
    ax.plot([index.low, index.high], [row, row], **WHISKER)


def _rows(ax: Axes, paths: list[str]) -> None:
    ax.set_yticks(np.arange(len(paths)), paths)
    ax.set_ylim(-0.6, len(paths) - 0.4)
    ax.grid(False, axis="y")
