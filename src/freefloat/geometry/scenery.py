"""What is only seen: lines, coloured meshes and labels, such as a floor, a path, a surface that touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.geometry.shape import Shape

Colour: TypeAlias = tuple[float, float, float, float]  # red, green, blue, opacity, 0 to 1
Layer: TypeAlias = Literal["floor", "paths", "contact"]
LAYERS: tuple[Layer, ...] = ("floor", "paths", "contact")


@dataclass(frozen=True, eq=False)
class Line:
    """Points (n, 3) [m] joined in their order, in a closed ring, or two by two."""

    points: Array
    colour: Colour
    thickness: float = 0.01  # [m]
    join: Literal["strip", "ring", "pairs"] = "strip"
    pixels: float = 0.0  # thickness on the screen, whatever the distance; 0: as thick as it is

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points("line", self.points))


@dataclass(frozen=True, eq=False)
class Mesh:
    """Corners (n, 3) [m], triangles (m, 3) of their numbers, and a colour for all or (n, 4) one for each corner."""

    points: Array
    triangles: NDArray[np.int64]
    colour: Colour = (0.7, 0.7, 0.72, 1.0)
    colours: Array | None = None

    def __post_init__(self) -> None:
        points, triangles = _points("mesh", self.points), np.array(self.triangles, np.int64)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or (triangles.size and not triangles.min() >= 0):
            raise InputError(f"mesh: triangles {triangles.shape}; allowed: (m, 3) numbers of its {len(points)} corners")
        if triangles.size and triangles.max() >= len(points):
            raise InputError(f"mesh: corner {triangles.max()} of a triangle; allowed: 0 to {len(points) - 1}")
        if self.colours is not None and np.shape(self.colours) != (len(points), 4):
            raise InputError(f"mesh: colours {np.shape(self.colours)}; allowed: ({len(points)}, 4), one a corner")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)


@dataclass(frozen=True)
class Label:
    """A text that always faces who looks at it."""

    text: str
    place: tuple[float, float, float]  # [m]
    height: float = 0.12  # [m] of a letter
    colour: Colour = (0.5, 0.5, 0.5, 1.0)


Drawing: TypeAlias = Line | Mesh | Label | Shape


@dataclass(frozen=True, eq=False)
class Drawn:
    """Drawings in the frame of a link, or of the world; viewers show each layer, or do not."""

    layer: Layer
    drawings: tuple[Drawing, ...]
    link: str = "world"

    def __post_init__(self) -> None:
        if self.layer not in LAYERS:
            raise InputError(f"drawing: layer {self.layer!r}; allowed: {', '.join(LAYERS)}")


def _points(what: str, given: Array) -> Array:
    points = np.array(given, np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise InputError(f"{what}: points {points.shape}; allowed: (n, 3) finite numbers, one or more")
    points.flags.writeable = False
    return points
