"""How Freefloat's charts look: figures that notebooks show, axes, legends, files. No pyplot, so safe in threads."""

from __future__ import annotations

import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import float64
from numpy.typing import NDArray

from freefloat.errors import InputError

Vector = NDArray[float64]

STYLE: dict[str, Any] = {
    "colors": ("#1f6feb", "#e4572e", "#2a9d5c", "#8e5bd0", "#c99700", "#17a2b8", "#d63384", "#6c757d"),
    "ink": "#24292f",
    "faint": "#d8dee4",
    "width": 8.0,  # [inch]
    "row": 2.3,  # [inch] height of one panel
    "dpi": 130,
    "font": 9.0,  # [pt]
    "line": 1.3,  # [pt]
}
FILE_KINDS = (".pdf", ".png", ".svg")
LEGEND_LIMIT = 16  # lines in a panel that still get a legend


class NotebookFigure(Figure):
    """A figure with the representation that Jupyter asks for."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def panels(rows: int) -> tuple[Figure, list[Axes]]:
    """A figure of panels below each other, over the same time."""
    figure = NotebookFigure(figsize=(STYLE["width"], STYLE["row"] * rows + 0.5), dpi=STYLE["dpi"], layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for ax in axes:
        tidy(ax)
    axes[-1].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    return figure, axes


def tidy(ax: Axes) -> None:
    """Colours, grid and spines of the house."""
    ax.set_prop_cycle(color=STYLE["colors"], linewidth=[STYLE["line"]] * len(STYLE["colors"]))
    ax.grid(True, color=STYLE["faint"], linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(STYLE["ink"])
    ax.tick_params(colors=STYLE["ink"], labelsize=STYLE["font"] - 1)
    ax.margins(x=0.01)


def legend(ax: Axes, lines: int) -> None:
    """Beside the panel, where there are several lines but not too many."""
    if 1 < lines <= LEGEND_LIMIT:
        ax.legend(
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
            fontsize=STYLE["font"] - 1,
            labelcolor=STYLE["ink"],
            handlelength=1.4,
        )


def draw_lines(ax: Axes, t: Vector, lines: Mapping[str, Vector], quantity: str, title: str) -> None:
    """Lines by their labels over t in one panel, with what they show beside and above it."""
    for label, values in lines.items():
        ax.plot(t, values, label=label)
    ax.set_ylabel(quantity, color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(ax, len(lines))


def save(figure: Figure, path: str | PathLike[str] | None, title: str = "") -> None:
    """Give a figure its title, if any, and write it by its file's ending; without a path it is not written."""
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    if path is None:
        return
    file = Path(path)
    if file.suffix.lower() not in FILE_KINDS:
        raise InputError(f"plot {file}: kind {file.suffix!r} is unknown; allowed: {', '.join(FILE_KINDS)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file)
    except OSError as e:
        raise InputError(f"plot {file} cannot be written: {e.strerror or e}") from None
