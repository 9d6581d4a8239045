"""Rays against triangles, by embreex in single precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.geometry.tessellation import Floats


class Hits(NamedTuple):
    """What the rays that hit something met first."""

    ray: NDArray[np.intp]  # (k,) which rays
    triangle: NDArray[np.int32]  # (k,)
    u: Floats  # (k,) weight of the triangle's second corner
    v: Floats  # (k,) weight of its third
    distance: Floats  # (k,) in lengths of the direction


class RayCaster:
    """Triangles (n, 3, 3) that rays (m, 3) are cast against, all in one frame and near its origin [m]."""

    def __init__(self, triangles: Floats) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        self._scene = EmbreeScene()
        if len(triangles):
            TriangleMesh(self._scene, np.ascontiguousarray(triangles, dtype=np.float32))

    def first(self, start: Floats, direction: Floats) -> Hits:
        """The first triangle on each ray that meets any, from either side."""
        hit = self._scene.run(start, direction, query="INTERSECT", output=True)
        seen = np.flatnonzero(hit["primID"] >= 0)
        return Hits(seen, hit["primID"][seen], hit["u"][seen], hit["v"][seen], hit["tfar"][seen])

    def clear(self, start: Floats, direction: Floats) -> NDArray[np.bool_]:
        """Whether a ray meets nothing; one direction may serve all."""
        each = direction if direction.shape == start.shape else np.broadcast_to(direction, start.shape).copy()
        return self._scene.run(start, each, query="OCCLUDED") < 0
