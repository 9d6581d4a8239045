"""How Freefloat's charts look: figures that notebooks show, axes, legends, files. No pyplot, so safe in threads."""

from __future__ import annotations

import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from freefloat.errors import InputError

Vector = NDArray[np.float64]

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
LEGEND_ROWS = 12  # entries in a column of a legend
COLOUR_MAP = "turbo"  # where lines are more than the house's colours
NEAR = 0.01  # of a panel's range, within which lines lie on each other
ROW = 0.8  # of the height between rows that a pulse takes


class NotebookFigure(Figure):
    """A figure with the representation that Jupyter asks for."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def panels(rows: int, lines: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of panels below each other, over the same time; wider where legends of many lines need columns."""
    width = STYLE["width"] + 1.1 * (_columns(lines) - 1)
    figure = NotebookFigure(figsize=(width, STYLE["row"] * rows + 0.5), dpi=STYLE["dpi"], layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for ax in axes:
        tidy(ax)
    axes[-1].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    return figure, axes


def colours(count: int) -> list[Any]:
    """As many colours, all different: those of the house, or, where they do not suffice, from a map."""
    if count <= len(STYLE["colors"]):
        return list(STYLE["colors"][:count])
    from matplotlib import colormaps

    chosen = colormaps[COLOUR_MAP]
    return [chosen(0.04 + 0.92 * k / (count - 1)) for k in range(count)]


def _columns(lines: int) -> int:
    return -(-lines // LEGEND_ROWS)


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
    """Beside the panel, where there are several lines; many are in columns."""
    if lines > 1:
        ax.legend(
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
            fontsize=STYLE["font"] - (1 if lines <= LEGEND_ROWS else 2),
            labelcolor=STYLE["ink"],
            handlelength=1.4,
            ncols=_columns(lines),
        )


def draw_lines(
    ax: Axes, t: Vector, lines: Mapping[str, Vector], quantity: str, title: str, steps: bool = False
) -> None:
    """Lines by their labels over t in one panel, with what they show beside and above it, no two in one colour.

    `steps` hold until they change.
    """
    hold = "steps-post" if steps else "default"
    dot = "o" if len(t) == 1 else ""  # a line of one sample would not be seen
    styles = zip(lines.items(), colours(len(lines)), _widths(list(lines.values())), strict=True)
    for (label, values), colour, width in styles:
        ax.plot(t, values, label=label, color=colour, linewidth=width, drawstyle=hold, marker=dot, markersize=4)
    if not any(np.isfinite(values).any() for values in lines.values()):
        _tell(ax, "no value in the whole run")
        ax.set_yticks([])
    elif not steps and not any(np.nan_to_num(values).any() for values in lines.values()):
        _tell(ax, "zero in the whole run")
        ax.set_yticks([0.0])
    else:
        ax.ticklabel_format(axis="y", useOffset=False)
    _name(ax, quantity, title)
    legend(ax, len(lines))


def _widths(lines: list[Vector]) -> list[float]:
    """Of lines [pt], the later above the earlier: wider where others lie on them, so that all are seen."""
    several = 1 < len(lines) <= len(STYLE["colors"]) and all(np.isfinite(line).all() for line in lines)
    if not several:
        return [STYLE["line"]] * len(lines)
    reach = NEAR * float(max(line.max(initial=0.0) for line in lines) - min(line.min(initial=0.0) for line in lines))
    above = [sum(float(np.abs(a - b).max(initial=0.0)) <= reach for b in lines[k + 1 :]) for k, a in enumerate(lines)]
    return [STYLE["line"] * (1.0 + 1.2 * min(count, 2)) for count in above]


def draw_pulses(ax: Axes, t: Vector, lines: Mapping[str, Vector], quantity: str, title: str, top: float) -> None:
    """Lines that are zero but for pulses of up to `top`, a row for each, by their labels from below."""
    for row, ((label, values), colour) in enumerate(zip(lines.items(), colours(len(lines)), strict=True)):
        ax.plot(t, row + ROW * values / top, label=label, color=colour, linewidth=0.7 * STYLE["line"])
    ax.set_yticks(range(len(lines)), list(lines))
    ax.set_ylim(-0.3, len(lines))
    _name(ax, quantity, title)


def _tell(ax: Axes, told: str) -> None:
    """Words in the middle of a panel, over its line."""
    paper = {"facecolor": "white", "edgecolor": "none"}
    ax.text(
        0.5, 0.5, told, transform=ax.transAxes, ha="center", va="center", color=STYLE["ink"], bbox=paper,
        fontsize=STYLE["font"],
    )  # fmt: skip


def _name(ax: Axes, quantity: str, title: str) -> None:
    """What a panel shows, beside and above it."""
    ax.set_ylabel(quantity, color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    ax.yaxis.get_offset_text().set(color=STYLE["ink"], fontsize=STYLE["font"] - 1)


def step_axis(ax: Axes, codes: Mapping[float, str]) -> None:
    """Name the numbers of a state beside its axis, from the lowest to the highest that occurs and one beyond."""
    low, high = ax.get_ylim()
    shown = {number: told for number, told in codes.items() if low - 1.0 <= number <= high + 1.0}
    ax.set_yticks(list(shown), [f"{number:g} {told}" for number, told in shown.items()])


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
        lay_out(figure)
        figure.savefig(file)
    except OSError as e:
        raise InputError(f"plot {file} cannot be written: {e.strerror or e}") from None


def lay_out(figure: Figure) -> None:
    """Find the places of everything in a figure once and for all; a file would find them twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    engine = figure.get_layout_engine()
    if engine is not None:
        FigureCanvasAgg(figure)
        engine.execute(figure)
        figure.set_layout_engine(None)
