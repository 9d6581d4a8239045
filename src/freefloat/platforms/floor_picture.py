"""A floor as something to look at: its heights by colour, a grid of 1 m, its walls."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from freefloat.frames import Array
from freefloat.geometry.scenery import Drawn, Label, Line, Mesh
from freefloat.platforms.height_map import HeightMap

CELLS = 60  # along the longer side, at most
FINEST = 0.1  # [m] edge of a cell
GRID = 1.0  # [m]
# low to high, of even lightness: dark blue, teal, green, yellow (after Matplotlib's viridis)
RAMP = np.array([[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]])
MESH, LINES = -0.01, -0.006  # [m] z of the highest point and of the grid: bodies and paths are above
GREY = (0.62, 0.64, 0.66, 1.0)


@lru_cache(maxsize=4)  # many runs have one floor
def floor_drawing(size: tuple[float, float], height: HeightMap) -> Drawn:
    """Mesh, grid and walls of a floor [m] in the world's frame; its highest point is just below z = 0."""
    half = np.array(size) / 2.0
    edge = max(FINEST, max(size) / CELLS)
    x, y = (np.linspace(-h, h, max(2, round(2.0 * h / edge) + 1)) for h in half.tolist())
    at = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    heights = height.at(at)[0]
    low, high = float(heights.min()), float(heights.max())
    points = np.column_stack([at, heights - high + MESH])
    cells = np.arange(len(at)).reshape(len(x), len(y))
    a, b, c, d = (cells[i, j].ravel() for i, j in _corners())
    triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    uneven = high > low
    colours = np.column_stack([_ramp((heights - low) / (high - low)), np.ones(len(at))]) if uneven else None
    told = f"floor, {1e3 * low:+.2f} (dark) to {1e3 * high:+.2f} mm (bright)" if uneven else "floor, level"
    corner = (float(half[0]), float(-half[1]), 0.05)
    return Drawn(
        "floor",
        (
            Mesh(points, triangles, GREY, colours),
            Line(_grid(half), (0.2, 0.2, 0.2, 0.5), 0.008, "pairs"),
            Line(_outline(half), (0.75, 0.2, 0.15, 1.0), 0.04, "ring"),
            Label(told, corner, 0.15),
        ),
    )


def _corners() -> tuple[tuple[slice, slice], ...]:
    """Of each cell, counter-clockwise from above."""
    first, last = slice(None, -1), slice(1, None)
    return (first, first), (last, first), (last, last), (first, last)


def _ramp(level: Array) -> Array:
    """Colours (n, 3) at levels 0 to 1."""
    stops = np.linspace(0.0, 1.0, len(RAMP))
    return np.column_stack([np.interp(level, stops, RAMP[:, k]) for k in range(3)])


def _grid(half: Array) -> Array:
    """Ends of lines at whole metres, a little above the floor."""
    ends: list[tuple[float, float, float]] = []
    for axis in (0, 1):
        reach = int(half[axis] / GRID)
        for at in GRID * np.arange(-reach, reach + 1):
            for end in (-half[1 - axis], half[1 - axis]):
                ends.append((at, end, LINES) if axis == 0 else (end, at, LINES))
    return np.array(ends)


def _outline(half: Array) -> Array:
    x, y = half.tolist()
    return np.array([[x, y, 0.02], [-x, y, 0.02], [-x, -y, 0.02], [x, -y, 0.02]])
