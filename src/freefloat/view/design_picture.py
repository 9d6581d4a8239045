"""The drawing of a checked design: as built and drawn apart, with power states and steady temperatures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

from freefloat.charts import STYLE
from freefloat.structure.design.check import DesignReport
from freefloat.structure.grid import Grid
from freefloat.view.configuration import (
    AS_BUILT,
    DIRECTION,
    Colour,
    Contents,
    Frame,
    Spread,
    colouring,
    fit_camera,
    new_figure,
    save,
    show_frame,
    show_legend,
)
from freefloat.view.stances import stance_colours, stance_marks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FROM_ABOVE = (0.5, -1.0, 1.6)  # direction to the camera of flat tables
WIDE, HIGH = 430, 560  # [pixel] of a panel; without layers it is square
LEGEND = 180  # [pixel]
ACROSS = 3  # panels in a row


def draw_design(report: DesignReport, path: str | PathLike[str] | None = None) -> Figure:
    """A panel for each view of the design; saved as a PNG when a path is given."""
    panels, grid = _panels(report), report.body.grid
    flat = layers(grid) == AS_BUILT
    wide, high = (WIDE, WIDE) if flat else (WIDE, HIGH)
    across, down = min(ACROSS, len(panels)), math.ceil(len(panels) / ACROSS)
    size = (across * (wide + LEGEND), down * (high + 30) + 40)
    figure = new_figure(size[0] / STYLE["dpi"], size[1] / STYLE["dpi"])
    axes = figure.subplots(down, 2 * across, squeeze=False, width_ratios=[wide, LEGEND] * across).ravel().tolist()
    for ax in axes:
        ax.axis("off")
    for picture, legend, panel in zip(axes[::2], axes[1::2], panels, strict=False):
        paint = colouring(panel.colour, [p.frame for p in panels if p.colour == panel.colour])
        paint = replace(paint, entries={**paint.entries, **stance_colours(list(_stances(report)))})
        camera = fit_camera(
            [panel.frame], FROM_ABOVE if grid.kind == "hexagonal" else DIRECTION, wide, high, panel.spread
        )
        show_frame(picture, panel.frame, paint, camera, identities=panel.identities, spread=panel.spread)
        picture.set_title(panel.title, color=STYLE["ink"], fontsize=STYLE["font"])
        show_legend(legend, paint)
    mass, ok = report.mass.mass, "no errors" if report.ok else f"{len(report.errors)} errors"
    title = f"{report.design.name}: {len(report.body.occupied)} modules, {mass:.4g} kg, {ok}"
    figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


@dataclass(frozen=True)
class _Panel:
    title: str
    colour: Colour
    frame: Frame
    spread: Spread = AS_BUILT
    identities: bool = True


def _panels(report: DesignReport) -> list[_Panel]:
    """As built; in layers where there are several; power; and the temperatures of up to two environments."""
    fed = report.power.flow.fed
    plain = Contents.of(report.body, powered=fed)
    apart = layers(report.body.grid)
    panels = [_Panel("as built", "type", _frame(report, plain), identities=apart == AS_BUILT)]
    if apart != AS_BUILT:
        panels.append(_Panel("in layers, with identities", "type", _frame(report, plain, apart), apart))
    panels.append(_Panel("power, all loads on", "power", _frame(report, plain, apart), apart))
    for name, found in list(report.temperatures.items())[:2]:
        contents = Contents.of(report.body, temperature=found.warm, powered=fed)
        panels.append(_Panel(f"steady temperature, {name}", "temperature", _frame(report, contents, apart), apart))
    return panels


def _frame(report: DesignReport, contents: Contents, spread: Spread = AS_BUILT) -> Frame:
    """The modules, and a post where each robot stands."""
    shapes, poses = stance_marks(contents, _stances(report), spread)
    return Frame([contents], shapes=shapes, poses=poses)


def _stances(report: DesignReport) -> dict[str, tuple[int, int]]:
    """Robots that stand on a module with a place."""
    body, found = report.body, {}
    for robot in report.design.robots:
        place = body.find(robot.identity)
        if place is not None and robot.side in body.grid.side_names:
            found[robot.name] = place, body.grid.side_names.index(robot.side)
    return found


def layers(grid: Grid) -> Spread:
    """How far the layers of a cubic grid must go apart so that each shows its upper faces to the camera."""
    if grid.kind != "cubic" or grid.size[2] == 1:
        return AS_BUILT
    x, y, z = DIRECTION
    depth = (grid.size[0] * abs(x) + grid.size[1] * abs(y)) / math.hypot(x, y)  # [cells]
    return (1.0, 1.0, 1.0 + depth * z / math.hypot(x, y))
