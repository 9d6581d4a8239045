"""What the pictures of a campaign share: figures, colours, names, and their bytes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from freefloat.campaign.table import Input
from freefloat.charts import STYLE, NotebookFigure, lay_out, tidy

Vector = NDArray[np.float64]

SUCCESS, NO_SUCCESS = STYLE["colors"][0], STYLE["colors"][1]
MOST_POINTS = 5000  # in a panel of points


def figure(width: float, height: float) -> Figure:
    """An empty figure [inch]."""
    return NotebookFigure(figsize=(width, height), dpi=STYLE["dpi"], layout="constrained")


def panels(count: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """As many panels in rows, each of this size [inch]."""
    columns = min(columns, count)
    rows = -(-count // columns)
    made = figure(width * columns, height * rows + 0.4)
    axes = made.subplots(rows, columns, squeeze=False).ravel().tolist()
    for ax in axes[count:]:
        ax.remove()
    for ax in axes[:count]:
        tidy(ax)
    return made, axes[:count]


def name(ax: Axes, x: str = "", y: str = "", title: str = "") -> None:
    """What is along the axes of a panel, and above it."""
    ax.set_xlabel(x, color=STYLE["ink"], fontsize=STYLE["font"] - 1)
    ax.set_ylabel(y, color=STYLE["ink"], fontsize=STYLE["font"] - 1)
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    size_powers(ax, STYLE["font"] - 1)


def size_powers(ax: Axes, size: float) -> None:
    """The power of ten at the end of an axis, which matplotlib writes as large as its own text."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(fontsize=size, color=STYLE["ink"])


def name_values(ax: Axes, axis: str, given: Input) -> None:
    """Names in place of numbers along an axis, where an input has names."""
    if given.names:
        ticks = list(range(len(given.names)))
        (ax.set_xticks if axis == "x" else ax.set_yticks)(ticks, list(given.names))


def folded(label: str) -> str:
    """A long name in two lines."""
    if len(label) <= 20:
        return label
    cuts = [k + 1 for k, sign in enumerate(label[:-4]) if sign in "._ "]
    cut = min(cuts, key=lambda k: abs(k - len(label) / 2)) if cuts else len(label) // 2
    return f"{label[:cut]}\n{label[cut:]}"


def key(made: Figure, handles: list[Any]) -> None:
    """One legend for a whole figure, above it."""
    made.legend(
        handles=handles,
        loc="outside upper left",
        ncols=len(handles),
        frameon=False,
        fontsize=STYLE["font"],
        labelcolor=STYLE["ink"],
    )


def some_of(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most MOST_POINTS of the rows, evenly."""
    return rows[:: max(1, -(-len(rows) // MOST_POINTS))]


def png_of(made: Figure) -> bytes:
    """A figure as a PNG file; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    lay_out(made)
    made.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
