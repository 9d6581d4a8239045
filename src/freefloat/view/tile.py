"""What is written into one picture of a world: names of parts, rings around dots, a scale, the axes of W."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freefloat.charts import STYLE
from freefloat.frames import Array
from freefloat.view.camera import Camera

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 8  # parts that are named
LETTER = 0.6  # width of a letter over its height
AXIS_COLOURS = ("#c0392b", "#2a9d5c", "#1f6feb")  # of x, y, z


class Caption(NamedTuple):
    """A name and the points (n, 3) in W [m] that it is for."""

    text: str
    points: Array


def pixels(camera: Camera, points: Array) -> Array:
    """Where points (n, 3) in W are in the picture: (n, 2) from the left and from the top."""
    local = (points - np.asarray(camera.eye)) @ camera.axes().T
    scale = 0.5 * camera.height / math.tan(0.5 * camera.fov)
    depth = np.maximum(local[:, 2], 1e-9)
    return np.column_stack(
        [0.5 * camera.width + scale * local[:, 0] / depth, 0.5 * camera.height - scale * local[:, 1] / depth]
    )


def draw_names(ax: Axes, camera: Camera, names: Sequence[Caption]) -> None:
    """Names above what they are for, where there are a few; none stands on another."""
    if not 1 < len(names) <= MOST_NAMES:
        return
    size = STYLE["font"] - 2
    high = 1.4 * size * STYLE["dpi"] / 72.0
    taken: list[tuple[float, float, float]] = []
    for name in sorted(names, key=lambda n: -float(np.ptp(pixels(camera, n.points), axis=0).max())):
        at = pixels(camera, name.points)
        wide = LETTER * len(name.text) * size * STYLE["dpi"] / 72.0
        x = min(max(float(0.5 * (at[:, 0].min() + at[:, 0].max())), 0.5 * wide), camera.width - 0.5 * wide)
        y = max(float(at[:, 1].min()) - 3.0, high)
        free = [
            place
            for place in (y, y - high, y + high, y + 2.0 * high)
            if place >= high and not any(abs(x - a) < 0.5 * (wide + w) and abs(place - b) < high for a, b, w in taken)
        ]
        if free:
            taken.append((x, free[0], wide))
            _write(ax, x, free[0], name.text, size, "bottom")


def draw_rings(ax: Axes, camera: Camera, dots: Sequence[Caption]) -> None:
    """A ring and a name around each of what is too small to be seen."""
    from matplotlib.patches import Circle

    for dot in dots:
        ((x, y),) = pixels(camera, dot.points[:1]).tolist()
        ax.add_patch(Circle((x, y), 9.0, fill=False, color=STYLE["colors"][1], linewidth=1.0))
        _write(ax, x, y - 12.0, dot.text, STYLE["font"] - 2, "bottom")


def draw_scale(ax: Axes, camera: Camera) -> None:
    """A bar with its length, as long as it looks at the distance of the camera's target."""
    away = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
    metre = 0.5 * camera.height / math.tan(0.5 * camera.fov) / away  # [pixel]
    length = round_length(0.22 * camera.width / metre)
    x, y = 10.0, camera.height - 10.0
    ax.plot([x, x + length * metre], [y, y], color=STYLE["ink"], linewidth=2.0, solid_capstyle="butt", label="scale")
    _write(ax, x, y - 4.0, told_length(length), STYLE["font"] - 2, "bottom", "left")
    ax.set_xlim(0, camera.width)
    ax.set_ylim(camera.height, 0)


def round_length(most: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `most`."""
    decade = 10.0 ** math.floor(math.log10(most))
    return max(n * decade for n in (1.0, 2.0, 5.0) if n * decade <= most * (1.0 + 1e-12))


def told_length(length: float) -> str:
    """A length [m] in the unit in which people say it."""
    for unit, factor in (("km", 1e-3), ("m", 1.0), ("cm", 1e2), ("mm", 1e3)):
        if length * factor >= 0.999:
            return f"{length * factor:.3g} {unit}"
    return f"{length * 1e6:.3g} um"


def draw_axes(ax: Axes, camera: Camera) -> None:
    """The directions of x, y and z of the world in a corner; longer the more they lie in the picture."""
    right, up, _ = camera.axes()
    x, y, length = camera.width - 32.0, camera.height - 26.0, 20.0  # [pixel]
    for k, (name, colour) in enumerate(zip("xyz", AXIS_COLOURS, strict=True)):
        across, down = float(right[k]), -float(up[k])
        tip = (x + length * across, y + length * down)
        ax.annotate("", tip, (x, y), arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.0})
        if math.hypot(across, down) > 0.1:
            beyond = length + 6.0
            ax.text(
                x + beyond * across,
                y + beyond * down,
                name,
                color=colour,
                fontsize=STYLE["font"] - 2,
                ha="center",
                va="center",
            )


def _write(ax: Axes, x: float, y: float, text: str, size: float, va: str, ha: str = "center") -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.0, foreground="white")]
    ax.text(x, y, text, fontsize=size, color=STYLE["ink"], ha=ha, va=va, path_effects=halo)
