"""A sheet of the states of a plan: start, what operations leave, goal, with posts where robots stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from freefloat.charts import STYLE
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.view.camera import Camera
from freefloat.view.configuration import (
    DIRECTION,
    Contents,
    Frame,
    colouring,
    fit_camera,
    full_rows,
    new_figure,
    save,
    show_frame,
    show_legend,
)
from freefloat.view.configuration_colours import Colouring
from freefloat.view.configuration_scene import Rgb, cage
from freefloat.view.stances import Stances, stance_colours, stance_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, HIGH = 400, 360  # [pixel] of a picture
CAPTION = 44  # [pixel] of two lines below its number
LEGEND = 230  # [pixel]
COLUMNS = 4
MOVED: Rgb = (0.93, 0.05, 0.48)
FROM_ABOVE = (0.5, -1.0, 1.6)  # direction to the camera of flat tables


@dataclass(frozen=True, eq=False)
class PlanState:
    """Contents and stances after some operations; `moved` are the places whose modules came there since the last."""

    contents: Contents
    stances: Stances
    title: str
    caption: str = ""
    moved: Sequence[int] = ()


def draw_plan_sheet(states: Sequence[PlanState], path: str | PathLike[str] | None = None, title: str = "") -> Figure:
    """A picture of each state from one camera, with one legend; saved as a PNG when a path is given."""
    if not states:
        raise InputError("a sheet of a plan needs at least one state")
    frames = [_frame(state) for state in states]
    across = full_rows(len(states), COLUMNS)
    down = math.ceil(len(states) / across)
    flat = states[0].contents.grid.kind == "hexagonal"
    camera = fit_camera(frames, FROM_ABOVE if flat else DIRECTION, WIDE, HIGH)
    paint = _legend(colouring("type", frames), states)
    size = (across * WIDE + LEGEND, down * (HIGH + CAPTION) + 46)
    figure = new_figure(size[0] / STYLE["dpi"], size[1] / STYLE["dpi"])
    sheet, side = figure.subfigures(1, 2, squeeze=False, width_ratios=[across * WIDE, LEGEND]).ravel().tolist()
    tiles: list[Axes] = sheet.subplots(down, across, squeeze=False).ravel().tolist()
    for ax in tiles[len(states) :]:
        ax.remove()
    for ax, state, frame in zip(tiles, states, frames, strict=False):
        show_frame(ax, frame, paint, camera, identities=True)
        if state is states[0]:
            _directions(ax, state.contents, camera)
        ax.set_title(state.title, color=STYLE["ink"], fontsize=STYLE["font"], fontweight="bold", pad=3)
        at = {"transform": ax.transAxes, "ha": "center", "va": "top", "color": STYLE["ink"]}
        ax.text(0.5, 0.0, state.caption, fontsize=STYLE["font"] - 2, **at)
    show_legend(side.subplots(), paint)
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


def _directions(ax: Axes, contents: Contents, camera: Camera) -> None:
    """Along which way the numbers of cells grow, from the corner of the modules that is lowest in all of them."""
    grid = contents.grid
    ways = np.eye(3) if grid.kind == "cubic" else np.array([[1.0, 0.0, 0.0], [0.5, 0.75**0.5, 0.0]])
    corners = grid.p_TP[contents.occupied][:, None] + grid.outline
    corner = corners.reshape(-1, 3).min(axis=0) - 0.12 * grid.spacing
    for name, way in zip("ijk" if grid.kind == "cubic" else "qr", ways, strict=True):
        tip = corner + 0.9 * grid.spacing * way
        x, y, _ = camera.pixels(contents.X_WT.apply(np.array([corner, tip, tip + 0.2 * grid.spacing * way])))
        look = {"arrowstyle": "-|>", "color": STYLE["ink"], "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x[1], y[1]), (x[0], y[0]), arrowprops=look, annotation_clip=False)
        ax.text(x[2], y[2], name, color=STYLE["ink"], fontsize=STYLE["font"] - 1, ha="center", va="center")


def _frame(state: PlanState) -> Frame:
    shapes, poses = stance_marks(state.contents, state.stances)
    for place in state.moved:
        link = f"moved {place}"
        shapes[link] = _cage(state.contents)
        poses[link] = state.contents.X_WT @ Pose(np.eye(3), state.contents.grid.p_TP[place])
    return Frame([state.contents], shapes=shapes, poses=poses)


def _cage(contents: Contents) -> tuple[Shape, ...]:
    return cage(contents.grid, MOVED, thick=4.0)


def _legend(paint: Colouring, states: Sequence[PlanState]) -> Colouring:
    names = list(dict.fromkeys(name for state in states for name in state.stances))
    more = {f"{name} stands": rgb for name, rgb in stance_colours(names).items()}
    if any(len(state.moved) for state in states):
        more["edges: placed since\nthe last picture"] = MOVED
    return replace(paint, entries={**paint.entries, **more})
