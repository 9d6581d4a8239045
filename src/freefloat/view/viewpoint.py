"""From which side a run is looked at: the usual one, unless parts are hidden there that another side shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.scene import Scene
from freefloat.frames import Array
from freefloat.geometry.rays import RayCaster
from freefloat.geometry.tessellation import Floats, assemble

SIDES = np.array([[x, y, z] for z in (1.0, -1.0) for x, y in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))])
BETTER = 0.25  # by which share of the worst hidden part another side must show more
POINTS = 80  # of each part that are looked for


def viewpoint(scenes: Sequence[Scene], usual: Array) -> Array:
    """The direction (W) from which the part that is hidden most by others is seen best, over all scenes.

    The choice is among the usual one and its mirror images, from above before from below.
    """
    sides = SIDES * usual
    shown = np.mean([seen for seen in (_seen(scene, sides) for scene in scenes) if seen is not None] or [[1.0] * 8], 0)
    best = int(np.argmax(shown > shown.max() - 0.1))  # the first that is about as good as the best
    return sides[best] if shown[best] > shown[0] + BETTER else sides[0]


def _seen(scene: Scene, sides: Array) -> NDArray[np.float64] | None:
    """Of the part that others hide most, the share (k,) that is seen from each side; None without others."""
    solids = _solids(scene)
    if len(solids) < 2:
        return None
    shares: list[list[float]] = []
    for part, own in solids.items():
        others = RayCaster(np.concatenate([solid for name, solid in solids.items() if name != part]))
        points = own.mean(axis=1)[:: max(1, len(own) // POINTS)]
        shares.append([float(others.clear(points, side.astype(np.float32)).mean()) for side in sides])
    return np.min(shares, axis=0)


def _solids(scene: Scene) -> dict[str, Floats]:
    """Triangles of each part, about a point that is near all of them."""
    links = [link for link in scene.shapes if link in scene.poses]
    origin = np.mean([scene.poses[link].p for link in links] or [np.zeros(3)], axis=0)
    found: dict[str, list[Floats]] = {}
    for link in links:
        triangles = assemble({link: scene.shapes[link]}, {link: scene.poses[link]}, origin).points
        if len(triangles):
            found.setdefault(link.partition(".")[0], []).append(triangles)
    return {part: np.concatenate(own) for part, own in found.items()}
