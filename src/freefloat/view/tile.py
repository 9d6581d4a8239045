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
    """Names beside what they are for, where there are a few: none on another, and if it can be on no other part."""
    if not 1 < len(names) <= MOST_NAMES:
        return
    size = STYLE["font"] - 2
    dot = size * STYLE["dpi"] / 72.0  # [pixel] height of a letter
    places = [pixels(camera, name.points) for name in names]
    order = sorted(range(len(names)), key=lambda k: -float(np.ptp(places[k], axis=0).max()))
    taken: list[_Area] = []
    for n, k in enumerate(order):
        others = [_around(places[other]) for other in order[n + 1 :] + order[:n]]  # the smaller ones first
        options = _options(places[k], LETTER * len(names[k].text) * dot, 1.4 * dot)
        possible = [area for area in options if area.within(camera) and not any(map(area.meets, taken))]
        smaller = others[: len(order) - n - 1]
        best = (area for avoided in (others, smaller, []) for area in possible if not any(map(area.meets, avoided)))
        area = next(best, None)
        if area is not None:
            taken.append(area)
            _write(ax, 0.5 * (area.left + area.right), area.bottom, names[k].text, size, "bottom")


class _Area(NamedTuple):
    """A rectangle of a picture [pixel], from the left and from the top."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Area) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def within(self, camera: Camera) -> bool:
        return self.left >= 0.0 and self.top >= 0.0 and self.right <= camera.width and self.bottom <= camera.height


def _around(at: Array) -> _Area:
    return _Area(*at.min(axis=0).tolist(), *at.max(axis=0).tolist())


def _options(at: Array, wide: float, high: float) -> list[_Area]:
    """Where the name of something at these pixels (n, 2) may stand: above, higher, beside, below, on it."""
    box = _around(at)
    x, y = 0.5 * (box.left + box.right), 0.5 * (box.top + box.bottom)
    top = _top(at, x) - 3.0
    left, right = box.left - 0.5 * wide - 3.0, box.right + 0.5 * wide + 3.0
    above, under = [(x, top), (x, top - high)], [(x, box.bottom + high + 3.0)]
    beside = [(u, v) for v in (y + 0.5 * high, box.top) for u in (left, right)]
    on_it = [(x, y + 0.5 * high), (x, top + high), (x, top + 2.0 * high)]
    return [_Area(u - 0.5 * wide, v - high, u + 0.5 * wide, v) for u, v in (*above, *beside, *under, *on_it)]


def _top(at: Array, x: float) -> float:
    """How high, from the top, the outline of points (n, 2) is at x."""
    left, right = at[at[:, 0] <= x], at[at[:, 0] >= x]
    if not len(left) or not len(right):
        return float(at[:, 1].min())
    run = np.maximum(right[None, :, 0] - left[:, None, 0], 1e-9)
    share = (x - left[:, None, 0]) / run
    return float((left[:, None, 1] + share * (right[None, :, 1] - left[:, None, 1])).min())


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


def told_time(t: float) -> str:
    """A time [s] for people, to four digits or whole seconds."""
    return f"{t:.0f} s" if t >= 1e3 else f"{t:.4g} s"


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
