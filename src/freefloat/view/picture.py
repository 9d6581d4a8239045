"""Pictures of a run: some instants beside each other, with names, a scale and the axes of the world."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from freefloat.charts import STYLE, NotebookFigure
from freefloat.engine.scene import Scene
from freefloat.errors import InputError
from freefloat.geometry.shape import Shape
from freefloat.view.camera import Camera
from freefloat.view.configuration import full_rows, save
from freefloat.view.framing import boxes_of, cameras_for, can_be_drawn, corners_of, groups_of, is_spread, only
from freefloat.view.raycast import render
from freefloat.view.tile import Caption, draw_axes, draw_names, draw_rings, draw_scale, told_length, told_time
from freefloat.view.viewpoint import viewpoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DIRECTION = (1.0, -1.4, 0.7)  # from which a picture is taken, in W, if nothing is hidden there
INSTANTS = 3
COLUMNS = 3
CLOSE_UPS = 4  # of groups that are far from each other
WIDTH, HEIGHT = 360, 270  # [pixel] of one picture
GAP, LINE, HEAD = 8, 28, 34  # [pixel] between pictures, for a caption, for the title


class Instant(NamedTuple):
    """What was where at a time [s]."""

    t: float
    scene: Scene


class _Tile(NamedTuple):
    scene: Scene
    camera: Camera
    caption: str
    spread: bool  # bodies are dots in it


def instants(duration: float, count: int = INSTANTS) -> list[float]:
    """[s] evenly spread over a run, with its start and its end."""
    return [duration * k / (count - 1) for k in range(count)] if duration > 0.0 else [0.0]


def chosen_instants(times: Sequence[float], duration: float) -> list[float]:
    """The given times [s], which must lie within a run, or those of `instants`."""
    for t in times:
        if not 0.0 <= t <= duration:
            raise InputError(f"picture at {t:g} s; allowed: 0 to {duration:g} s, the time of the run")
    return [float(t) for t in times] or instants(duration)


def draw_picture(
    taken: Sequence[Instant],
    path: str | PathLike[str] | None = None,
    *,
    direction: ArrayLike | None = None,
    up: tuple[float, float, float] = (0.0, 0.0, 1.0),
    width: int = WIDTH,
    height: int = HEIGHT,
    title: str = "",
) -> Figure:
    """A sheet of the instants; saved as a PNG when a path is given. Width and height [pixel] are those of one picture.

    Without a direction it is taken from a side on which parts do not hide others. All have one camera where everything
    stays in its view. What drifts farther is followed, at one distance; groups that are too far from each other to be
    seen together are ringed, and shown from near at the last instant. Meshes that cannot be drawn are left out, with a
    warning.
    """
    if not taken:
        raise InputError("a picture needs at least one instant")
    _tell_left_out(taken)
    worlds = list(dict.fromkeys(world for one in taken for world in one.scene.worlds.values()))
    tiles: list[_Tile] = []
    for world in worlds:
        own = [Instant(t, _visible(scene.of(world))) for t, scene in taken]
        if any(scene.shapes for _, scene in own):
            side = viewpoint([scene for _, scene in own], np.array(DIRECTION)) if direction is None else direction
            tiles += _tiles(own, world, side, width, height, up)
    if not tiles:
        raise InputError("no link has a shape; give some body a Shape to see it")
    figure, axes = _sheet(len(tiles), width, height, HEAD if title else 0)
    for ax, tile in zip(axes, tiles, strict=True):
        _draw(ax, tile)
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


def _sheet(count: int, width: int, height: int, head: int) -> tuple[Figure, list[Axes]]:
    """Axes of exactly width x height pixels, with a line for a caption above each and `head` pixels above all."""
    across = full_rows(count, COLUMNS)
    down = -(-count // across)
    wide, high = across * (width + GAP) + GAP, head + down * (height + LINE) + GAP
    figure = NotebookFigure(figsize=(wide / STYLE["dpi"], high / STYLE["dpi"]), dpi=STYLE["dpi"])
    axes: list[Axes] = []
    for k in range(count):
        row, column = divmod(k, across)
        left, top = GAP + column * (width + GAP), head + LINE + row * (height + LINE)
        axes.append(figure.add_axes((left / wide, 1.0 - (top + height) / high, width / wide, height / high)))
    return figure, axes


def _visible(scene: Scene) -> Scene:
    """The links of a scene that have something to see."""
    shapes = {link: [s for s in own if s.rgba[3] > 0.0 and can_be_drawn(s)] for link, own in scene.shapes.items()}
    seen = {link: own for link, own in shapes.items() if own and link in scene.poses}
    return replace(only(scene, list(seen)), shapes=seen, pushes=scene.pushes)


def _tell_left_out(taken: Sequence[Instant]) -> None:
    seen = (s for _, scene in taken for shapes in scene.shapes.values() for s in shapes if s.rgba[3] > 0.0)
    files = sorted({s.mesh for s in seen if not can_be_drawn(s)})
    if files:
        more = f" (and {len(files) - 1} more)" if len(files) > 1 else ""
        warnings.warn(f"picture: mesh {files[0]}{more} cannot be drawn and is left out", stacklevel=3)


def _tiles(
    own: Sequence[Instant], world: str, direction: ArrayLike, width: int, height: int, up: tuple[float, float, float]
) -> list[_Tile]:
    """The pictures of one world."""
    scenes = [scene for _, scene in own]
    cameras = cameras_for(scenes, direction, width, height, up)
    groups = [groups_of(scene, boxes_of(scene)) for scene in scenes]
    head = f"{world}: " if world else ""
    follow = _travelled(scenes, cameras)
    tiles = [
        _Tile(scene, camera, f"{head}{told_time(t)}{told}", is_spread(some))
        for (t, scene), camera, some, told in zip(own, cameras, groups, follow, strict=True)
    ]
    if tiles[-1].spread:
        for group in groups[-1][:CLOSE_UPS]:
            near = only(scenes[-1], group.links)
            (camera,) = cameras_for([near], direction, width, height, up)
            tiles.append(_Tile(near, camera, f"{head}{told_time(own[-1].t)}, {group.name} from near", False))
    return tiles


def _travelled(scenes: Sequence[Scene], cameras: Sequence[Camera]) -> list[str]:
    """How far a camera has come that follows what it looks at."""
    if len({camera.target for camera in cameras}) == 1:
        return [""] * len(scenes)
    start = np.asarray(cameras[0].target)
    away = [float(np.linalg.norm(np.subtract(camera.target, start))) for camera in cameras]
    return ["", *(f", moved {told_length(length)}" for length in away[1:])]


def _draw(ax: Axes, tile: _Tile) -> None:
    scene, camera = tile.scene, tile.camera
    reach = float(np.linalg.norm(np.subtract(camera.eye, camera.target))) * np.tan(0.5 * camera.fov)
    image = render(scene.shapes, scene.poses, camera, "white", pushes=scene.pushes, decade=0.12 * reach)
    ax.imshow(image, interpolation="nearest")  # a pixel each
    ax.set_axis_off()
    ax.set_title(tile.caption, loc="left", color=STYLE["ink"], fontsize=STYLE["font"], pad=3)
    boxes = boxes_of(scene)
    if tile.spread:
        draw_rings(ax, camera, [Caption(g.name, g.middle[None]) for g in groups_of(scene, boxes)])
    else:
        parts: dict[str, dict[str, Shape]] = {}
        for link, box in boxes.items():
            parts.setdefault(link.partition(".")[0], {})[link] = box
        draw_names(ax, camera, [Caption(part, corners_of(scene, own)) for part, own in parts.items()])
    draw_scale(ax, camera)
    draw_axes(ax, camera)
