"""Where the identities of modules go in a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array
from freefloat.geometry.rays import RayCaster
from freefloat.geometry.shape import Poses, Shapes
from freefloat.geometry.tessellation import assemble
from freefloat.view.camera import Camera
from freefloat.view.configuration_scene import AS_BUILT, SHRINK, Contents, Frame, Spread

LEAST_FACING = 0.15  # [-] cosine between a face's normal and the line of sight that still carries a label
INNER = 0.3  # [-] from the centre of a face towards its corners, where the label must be seen
CLEARANCE = 0.03  # [-] of the label from its face over the spacing of the grid


@dataclass(frozen=True)
class Label:
    """A module's identity at a pixel of the picture, from its left and top, with the width of its face."""

    text: str
    x: float  # [pixel]
    y: float  # [pixel]
    size: float  # [pixel]


def labels(frame: Frame, shapes: Shapes, poses: Poses, camera: Camera, spread: Spread = AS_BUILT) -> list[Label]:
    """An identity on the visible face of each module that looks most at the camera; hidden modules have none."""
    found: list[Label] = []
    for body in frame.bodies:
        if len(body.occupied):
            found += _of_body(body, shapes, poses, camera, spread)
    return found


def _of_body(body: Contents, shapes: Shapes, poses: Poses, camera: Camera, spread: Spread) -> list[Label]:
    grid, places = body.grid, body.occupied
    rings = [SHRINK * grid.outline[list(f)] for f in grid.faces]
    faces = np.array([ring.mean(axis=0) for ring in rings])
    centres = body.spread(spread)[places][:, None]
    points = body.X_WT.apply((centres + faces).reshape(-1, 3))
    normals = np.tile(grid.normals @ body.X_WT.R.T, (len(places), 1))
    sight = np.asarray(camera.eye) - points
    facing = np.einsum("fi,fi->f", normals, sight) / np.linalg.norm(sight, axis=1)
    free = np.ones(len(points), dtype=np.bool_)
    for corner in range(min(map(len, rings))):  # a label needs room around the centre of its face
        aside = INNER * (np.array([ring[corner * len(ring) // 4] for ring in rings]) - faces)
        around = body.X_WT.apply((centres + faces + aside).reshape(-1, 3))
        free &= _visible(around + CLEARANCE * grid.spacing * normals, shapes, poses, camera)
    wide = np.tile(np.sqrt(grid.areas), len(places))
    area = np.where(free & (facing > LEAST_FACING), facing * wide**2, 0.0).reshape(len(places), -1)
    best = np.argmax(area, axis=1) + np.arange(len(places)) * area.shape[1]
    shown = np.flatnonzero(area.max(axis=1) > 0.0)
    x, y, scale = camera.pixels(points[best])
    return [
        Label(str(body.identity[places[k]]), float(x[k]), float(y[k]), float(wide[best[k]] * scale[k]))
        for k in shown.tolist()
    ]


def _visible(points: Array, shapes: Shapes, poses: Poses, camera: Camera) -> NDArray[np.bool_]:
    """Whether nothing is between each point (k, 3) and the camera."""
    origin = np.asarray(camera.target)
    start = (points - origin).astype(np.float32)
    toward = (np.asarray(camera.eye) - points).astype(np.float32)
    return RayCaster(assemble(shapes, poses, origin).points).clear(start, toward)
