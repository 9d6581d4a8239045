"""How the success rate and its interval settle with the number of runs: whether more would change the answer."""

from __future__ import annotations

from matplotlib.figure import Figure

from freefloat.campaign.pictures.canvas import SUCCESS, figure, name
from freefloat.campaign.statistics import rate_over_runs
from freefloat.campaign.table import Table
from freefloat.charts import STYLE, tidy


def draw_over_runs(table: Table) -> Figure | None:
    """The rate after the first 1, 2, ... cases, with its interval."""
    if len(table.cases) < 2:
        return None
    found = rate_over_runs(table.success[table.independent])
    made = figure(STYLE["width"], STYLE["row"] * 1.2)
    ax = made.subplots()
    tidy(ax)
    ax.fill_between(found.runs, found.low, found.high, color=SUCCESS, alpha=0.2, linewidth=0.0, label="95 % interval")
    ax.plot(found.runs, found.rate, color=SUCCESS, label="success rate")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(-0.02, 1.02)
    name(ax, "cases so far, in their order", "success rate")
    ax.legend(frameon=False, fontsize=STYLE["font"] - 1, labelcolor=STYLE["ink"], loc="lower right")
    return made
