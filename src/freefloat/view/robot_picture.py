"""The picture of a robot's file: its links as they are seen, its joints as numbered axes, and its root frame."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from freefloat.charts import STYLE
from freefloat.engine.graph import WORLD, Joint, LinkGraph
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import tessellate
from freefloat.robots.posture import Posture
from freefloat.view.camera import Camera
from freefloat.view.configuration import new_figure, save
from freefloat.view.raycast import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, HIGH = 760, 700  # [pixel]
LEGEND = 260  # [pixel] of a column
ROWS = 34  # joints in a column of the legend
LINE = 0.07  # [-] half a joint's axis beside the robot's size
DENSITY = 2700.0  # [kg/m^3] of the ball that stands for a link without shapes, where no link has any
BALL = "(mass)"  # the name of such a ball
MEANINGS = {
    "revolute": "axis about which a joint turns",
    "prismatic": "axis along which a joint slides",
    "led": "axis of a joint that another leads",
}
COLOURS = {"revolute": STYLE["colors"][0], "prismatic": STYLE["colors"][1], "led": STYLE["colors"][3]}


def draw_robot(graph: LinkGraph, title: str, path: str | PathLike[str] | None = None) -> tuple[Figure, list[str]]:
    """The figure, saved as a PNG when a path is given, and the mesh files that cannot be drawn."""
    posture = Posture.of(graph, dict(zip((j.name for j in graph.moving), graph.rest(), strict=True)))
    shapes, failed = drawable(graph)
    poses = {name: X for name, X in posture.links.items() if name in shapes}
    balls = any(shape.name == BALL for found in shapes.values() for shape in found)
    columns = -(-len(graph.moving) // ROWS)
    camera = Camera.fit(shapes, poses, (1.0, -1.5, 0.85), fov=0.45, width=WIDE, height=HIGH, margin=1.15)
    size = (WIDE + max(columns, 1) * LEGEND, HIGH + 40)
    figure = new_figure(size[0] / STYLE["dpi"], size[1] / STYLE["dpi"])
    axes = figure.subplots(1, 1 + max(columns, 1), squeeze=False, width_ratios=[WIDE] + [LEGEND] * max(columns, 1))
    picture, *legends = axes.ravel().tolist()
    picture.imshow(render(shapes, poses, camera, background="white"), interpolation="lanczos")
    picture.set_xlim(0, WIDE)
    picture.set_ylim(HIGH, 0)
    length = LINE * _extent(camera)
    _triad(picture, camera, Pose.identity(), 1.6 * length)
    led = {c.joint for c in graph.couplings}
    for number, j in enumerate(graph.moving, start=1):
        _axis(picture, camera, posture.joints[j.name], j, number, length, _colour(j, led))
    for k, legend in enumerate(legends):
        _legend(legend, graph, led, k * ROWS, balls)
    for ax in (picture, *legends):
        ax.axis("off")
    figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure, failed


def drawable(graph: LinkGraph) -> tuple[dict[str, list[Shape]], list[str]]:
    """Shapes of each link that can be drawn, and the mesh files that cannot.

    A link of which nothing can be drawn shows what touches; where no link shows anything, balls of their masses do.
    """
    failed: list[str] = []
    shapes = {WORLD: _readable(graph.ground, failed)} if graph.ground else {}
    for link in graph.links:
        shapes[link.name] = _readable(link.shapes, failed) or _readable(link.contact_shapes, failed)
    if not any(shapes.values()):
        for link in graph.links:
            radius = (3.0 * link.mass / (4.0 * np.pi * DENSITY)) ** (1.0 / 3.0)
            shapes[link.name] = [Shape("sphere", (float(radius),), Pose(np.eye(3), link.p_LLcm), name=BALL)]
    return shapes, sorted(set(failed))


def _readable(shapes: Sequence[Shape], failed: list[str]) -> list[Shape]:
    return [s for s in shapes if _tessellates(s, failed)]


def _tessellates(shape: Shape, failed: list[str]) -> bool:
    try:
        points = tessellate(shape).points
    except InputError:
        failed.append(shape.mesh)
        return False
    return bool(len(points) and np.isfinite(points).all())


def _extent(camera: Camera) -> float:
    """[m] across the picture at its target."""
    return float(2.0 * np.tan(0.5 * camera.fov) * np.linalg.norm(np.subtract(camera.eye, camera.target)))


def _colour(joint: Joint, led: set[str]) -> str:
    return COLOURS["led" if joint.name in led else joint.kind]


def _axis(ax: Axes, camera: Camera, X_RJ: Pose, joint: Joint, number: int, length: float, colour: str) -> None:
    from matplotlib.patheffects import withStroke

    along = X_RJ.R @ joint.axis * length
    x, y, _ = camera.pixels([X_RJ.p - along, X_RJ.p + along])
    halo = [withStroke(linewidth=2.5, foreground="white")]
    look: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (x[1], y[1]), (x[0], y[0]), arrowprops={**look, "path_effects": halo})
    at: dict[str, Any] = {"color": colour, "fontsize": STYLE["font"] - 1, "ha": "center", "va": "center"}
    ax.text(x[1], y[1], str(number), path_effects=halo, fontweight="bold", **at)


def _triad(ax: Axes, camera: Camera, X: Pose, length: float) -> None:
    for name, colour, direction in zip("xyz", ("#c0392b", "#1e8449", "#1f4e9c"), X.R.T, strict=True):
        x, y, _ = camera.pixels([X.p, X.p + length * direction])
        ax.plot(x, y, color=colour, linewidth=1.2, linestyle=(0, (3, 1.5)))
        ax.text(x[1], y[1], name, color=colour, fontsize=STYLE["font"] - 2, ha="center", va="center")


def _legend(ax: Axes, graph: LinkGraph, led: set[str], start: int, balls: bool) -> None:
    """Numbers and names of some joints, from the top; what lines mean before the first."""
    lines = [(f"{n}  {j.name}", _colour(j, led)) for n, j in enumerate(graph.moving, start=1)][start : start + ROWS]
    if start == 0:
        used = {"led" if j.name in led else j.kind for j in graph.moving}
        key = [(text, COLOURS[kind]) for kind, text in MEANINGS.items() if kind in used]
        key += [(f"dashed: frame of the root, {graph.root}", STYLE["ink"])]
        key += [(f"balls: masses at {DENSITY:g} kg/m^3, for want of shapes", STYLE["ink"])] if balls else []
        lines = [*key, ("", STYLE["ink"]), *lines]
    for row, (text, colour) in enumerate(lines):
        ax.text(0.0, 1.0 - (row + 0.5) / (ROWS + 6), text[:42], color=colour, fontsize=STYLE["font"] - 2, va="center")
