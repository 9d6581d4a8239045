"""What touches, as something to look at: solids of contacts that are not the shapes by which their links are seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from freefloat.contact.pairs import Solid
from freefloat.contact.surfaces import Ball, Ground, Heights, Plane, Prism, Wall
from freefloat.frames import Array, Pose
from freefloat.geometry.scenery import Colour, Drawing, Drawn, Line, Mesh
from freefloat.geometry.shape import Shape

COLOUR: Colour = (0.85, 0.3, 0.25, 0.35)
LINES: Colour = (0.85, 0.3, 0.25, 0.8)
REACH = 3.0  # [m] from the origin to the edge of what is shown of an endless plane
SECTIONS = 48  # round a full turn
LEAST = 0.005  # [m] radius at which a point is drawn
MOST = 60  # cells along a side of uneven ground


def contact_drawings(solids: Iterable[tuple[str, Solid]], shapes: Sequence[Shape]) -> dict[str, Drawn]:
    """By link; `shapes` are those that are seen already."""
    seen, found = {id(shape) for shape in shapes}, dict[str, list[Drawing]]()
    for link, solid in solids:
        if id(solid) not in seen:
            seen.add(id(solid))
            found.setdefault(link, []).extend(_drawings(solid))
    return {link: Drawn("contact", tuple(own), link) for link, own in found.items()}


def _drawings(solid: Solid) -> list[Drawing]:
    match solid:
        case Shape():
            return [replace(solid, rgba=COLOUR)]
        case Ball(p_BC, radius):
            return [Shape("sphere", (max(radius, LEAST),), Pose(np.eye(3), p_BC), COLOUR)]
        case Plane(X_LS):
            return _plane(X_LS)
        case Wall(points, _, X_LS):
            return [_revolved(np.asarray(points, dtype=np.float64), X_LS)]
        case Prism(across_flats, height, X_LS):
            return [_prism(0.5 * across_flats / math.cos(math.pi / 6.0), 0.5 * height, X_LS)]
        case Ground(heights, X_LS):
            return [_uneven(heights, X_LS)]


def _mesh(points: Array, triangles: NDArray[np.int64], X_LS: Pose) -> Mesh:
    return Mesh(points @ X_LS.R.T + X_LS.p, triangles, COLOUR)


def _plane(X_LS: Pose) -> list[Drawing]:
    corners = REACH * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    ends: list[tuple[float, float, float]] = []
    for at in np.arange(-REACH, REACH + 0.5).tolist():
        ends += [(at, -REACH, 0.0), (at, REACH, 0.0), (-REACH, at, 0.0), (REACH, at, 0.0)]
    lines = Line(np.array(ends) @ X_LS.R.T + X_LS.p, LINES, 0.006, "pairs")
    return [_mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), X_LS), lines]


def _strips(rows: int, columns: int) -> NDArray[np.int64]:
    """Triangles between the corners of a grid, by rows."""
    n = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (x.ravel() for x in (n[:-1, :-1], n[1:, :-1], n[1:, 1:], n[:-1, 1:]))
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def _revolved(profile: Array, X_LS: Pose) -> Mesh:
    """The middle of a wall, (radius, z) points about z."""
    angle = np.linspace(0.0, 2.0 * math.pi, SECTIONS + 1)
    r, z = profile[:, :1], np.broadcast_to(profile[:, 1:], (len(profile), len(angle)))
    points = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)
    return _mesh(points, _strips(len(profile), len(angle)), X_LS)


def _prism(corner: float, up: float, X_LS: Pose) -> Mesh:
    """A hexagon whose corners are at 30, 90, ... deg from x, with its two ends."""
    profile = np.array([[0.0, -up], [corner, -up], [corner, up], [0.0, up]])
    angle = np.linspace(math.pi / 6.0, 2.0 * math.pi + math.pi / 6.0, 7)
    r, z = profile[:, :1], np.broadcast_to(profile[:, 1:], (4, 7))
    points = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)
    return _mesh(points, _strips(4, 7), X_LS)


def _uneven(heights: Heights, X_LS: Pose) -> Mesh:
    """The ground at the points of its map, of which so many are left out that few remain."""
    c = np.asarray(heights.coefficients, dtype=np.float64)
    along = (c[:-2] + 4.0 * c[1:-1] + c[2:]) / 6.0  # the spline's value at its points
    values = (along[:, :-2] + 4.0 * along[:, 1:-1] + along[:, 2:]) / 6.0
    skip = max(1, math.ceil(max(values.shape) / MOST))
    x, y = (heights.spacing * (np.arange(n) - 0.5 * (n - 1))[::skip] for n in values.shape)
    shown = values[::skip, ::skip]
    at = np.stack([*np.meshgrid(x, y, indexing="ij"), shown], axis=-1).reshape(-1, 3)
    return _mesh(at, _strips(*shown.shape), X_LS)
