"""Pictures of modular spacecraft: every module as a prism with its edges, coloured by type, temperature or power.

frame = Frame([Contents.of(body, X_WT, temperature=T, powered=on)], shapes=robot_shapes, poses=robot_poses)
draw_configuration(frame, "stack.png", colour="temperature")
picture_sequence(frames, "assembly.png", colour="power")
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from freefloat.charts import STYLE, lay_out
from freefloat.errors import InputError
from freefloat.view.camera import Camera
from freefloat.view.configuration_colours import COLOUR_MAP, Colour, Colouring, colouring
from freefloat.view.configuration_labels import labels
from freefloat.view.configuration_scene import AS_BUILT, Contents, Frame, Rgb, Spread, links, several
from freefloat.view.raycast import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "AS_BUILT",
    "Colour",
    "Colouring",
    "Contents",
    "Frame",
    "Spread",
    "colouring",
    "draw_configuration",
    "picture_sequence",
]

DIRECTION = (1.0, -1.5, 0.85)  # from which a picture is taken, in W
DIM = 0.88  # [-] of a module's colour, so that faces in full light look like the legend
SOFTWARE = "Freefloat configuration"  # in the PNG's metadata


def draw_configuration(
    frame: Frame | Contents,
    path: str | PathLike[str] | None = None,
    *,
    colour: Colour = "type",
    title: str = "",
    camera: Camera | None = None,
    direction: ArrayLike = DIRECTION,
    identities: bool = True,
    spread: Spread = AS_BUILT,
    span: tuple[float, float] | None = None,
    width: int = 900,
    height: int = 700,
) -> Figure:
    """One instant with a legend; saved as a PNG when a path is given.

    `spread` draws the modules apart along the axes of T, so that inner ones show, such as (1, 1, 3) for layers; `span`
    [K] fixes the ends of the temperature scale.
    """
    one = Frame([frame]) if isinstance(frame, Contents) else frame
    view = camera or fit_camera([one], direction, width, height, spread)
    paint = colouring(colour, [one], span)
    figure = new_figure((view.width + 240) / STYLE["dpi"], (view.height + (40 if title else 10)) / STYLE["dpi"])
    picture, legend = figure.subplots(1, 2, width_ratios=[view.width, 230])
    show_frame(picture, one, paint, view, identities=identities, spread=spread)
    show_legend(legend, paint)
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


def picture_sequence(
    frames: Sequence[Frame],
    path: str | PathLike[str] | None = None,
    *,
    colour: Colour = "type",
    columns: int = 4,
    title: str = "",
    camera: Camera | None = None,
    direction: ArrayLike = DIRECTION,
    identities: bool = False,
    span: tuple[float, float] | None = None,
    width: int = 380,
    height: int = 320,
) -> Figure:
    """A sheet of instants from one camera with one legend, each with its time or caption; saved as a PNG."""
    if not frames:
        raise InputError("a picture sequence needs at least one frame")
    across = full_rows(len(frames), columns)
    down = math.ceil(len(frames) / across)
    view = camera or fit_camera(frames, direction, width, height)
    paint = colouring(colour, frames, span)
    size = (across * view.width + 210, down * (view.height + 28) + (40 if title else 10))
    figure = new_figure(size[0] / STYLE["dpi"], size[1] / STYLE["dpi"])
    sheet, side = figure.subfigures(1, 2, squeeze=False, width_ratios=[size[0] - 200, 200]).ravel().tolist()
    tiles = sheet.subplots(down, across, squeeze=False).ravel().tolist()
    for ax in tiles[len(frames) :]:
        ax.remove()
    for ax, frame in zip(tiles, frames, strict=False):
        show_frame(ax, frame, paint, view, identities=identities)
        ax.set_title(_caption(frame), color=STYLE["ink"], fontsize=STYLE["font"], pad=3)
    show_legend(side.subplots(), paint)
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


def full_rows(count: int, columns: int) -> int:
    """How many pictures to put beside each other, at most one more than `columns`, so that rows are full or nearly."""
    if count <= columns + 1:
        return count
    return min(range(columns + 1, 1, -1), key=lambda across: -count % across)


def fit_camera(
    frames: Sequence[Frame],
    direction: ArrayLike = DIRECTION,
    width: int = 900,
    height: int = 700,
    spread: Spread = AS_BUILT,
) -> Camera:
    """A camera that sees everything in all frames."""
    if len(frames) == 1:
        shapes, poses = links(frames[0], spread=spread)
    else:
        shapes, poses = several(frames)
    return Camera.fit(shapes, poses, direction, fov=0.45, width=width, height=height)


def _caption(frame: Frame) -> str:
    time = "" if frame.time is None else f"t = {frame.time:.4g} s"
    return ", ".join(part for part in (time, frame.caption) if part)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches, at the resolution of the pictures."""
    from freefloat.charts import NotebookFigure

    return NotebookFigure(figsize=(width, height), dpi=STYLE["dpi"], layout="constrained")


def show_frame(
    ax: Axes, frame: Frame, paint: Colouring, camera: Camera, *, identities: bool = False, spread: Spread = AS_BUILT
) -> None:
    """Draw a frame into axes."""
    from matplotlib.patheffects import withStroke

    def dimmed(body: Contents, place: int) -> Rgb:
        r, g, b = paint.paint(body, place)
        return (DIM * r, DIM * g, DIM * b)

    shapes, poses = links(frame, dimmed, spread=spread, interfaces=bool(paint.discs))
    toward = -camera.axes()[2]  # light from the camera: no shadows, and colours near those of the legend
    ax.imshow(render(shapes, poses, camera, background="white", sun=toward), interpolation="lanczos")
    ax.axis("off")
    for label in labels(frame, shapes, poses, camera, spread) if identities else ():
        points = min(STYLE["font"], 0.35 * label.size * 72.0 / STYLE["dpi"])
        if points >= 4.0:
            halo = [withStroke(linewidth=0.25 * points, foreground="white")]
            at = {"ha": "center", "va": "center_baseline", "path_effects": halo, "color": "black"}
            ax.text(label.x, label.y, label.text, fontsize=points, **at)


def show_legend(ax: Axes, paint: Colouring) -> None:
    """Draw the legend of a colouring into axes of its own."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ax.axis("off")
    if paint.scale is not None:
        _colour_bar(ax, paint.title, paint.scale)
        return
    look: dict[str, Any] = {"edgecolor": STYLE["ink"], "linewidth": 0.5}
    handles: list[Any] = [Patch(facecolor=rgb, label=name, **look) for name, rgb in paint.entries.items()]
    dot: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 7, "markeredgecolor": STYLE["ink"]}
    handles += [
        Line2D([], [], markerfacecolor=rgb, markeredgewidth=0.5, label=name, **dot) for name, rgb in paint.discs.items()
    ]
    ax.legend(
        handles=handles,
        title=paint.title,
        loc="center left",
        bbox_to_anchor=(0.0, 0.5),
        frameon=False,
        fontsize=STYLE["font"] - 1,
        title_fontsize=STYLE["font"],
        labelcolor=STYLE["ink"],
        alignment="left",
    )


def _colour_bar(ax: Axes, title: str, scale: tuple[float, float]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    figure: Figure | SubFigure = ax.figure
    inner = ax.inset_axes((0.05, 0.15, 0.14, 0.7))
    bar = figure.colorbar(ScalarMappable(Normalize(*scale), COLOUR_MAP), cax=inner)
    bar.set_label(title, color=STYLE["ink"], fontsize=STYLE["font"])
    bar.ax.tick_params(colors=STYLE["ink"], labelsize=STYLE["font"] - 1)


def save(figure: Figure, path: str | PathLike[str] | None) -> None:
    """Write a figure as a PNG that says what made it."""
    if path is None:
        return
    file = Path(path)
    if file.suffix.lower() != ".png":
        raise InputError(f"picture {file}: kind {file.suffix!r} is unknown; allowed: .png")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lay_out(figure)
        figure.savefig(file, metadata={"Software": SOFTWARE})
    except OSError as error:
        raise InputError(f"picture {file} cannot be written: {error.strerror or error}") from None


def is_configuration(path: str | PathLike[str]) -> bool:
    """Whether a file is a picture that this module wrote."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            return image.info.get("Software") == SOFTWARE
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError):
        return False
