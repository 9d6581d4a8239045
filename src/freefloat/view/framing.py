"""From where a whole run is looked at, whatever drifts in it or is far from the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.scene import Scene
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import tessellate
from freefloat.view.camera import Camera

TRAVEL = 2.5  # of what one instant shows: a run that goes farther is followed by the camera
NEAR = 3.0  # gap between bodies, in radii of the larger, up to which they are looked at together
FAR = 12.0  # size of a scene over that of its largest group, from which on groups are too small to be seen

SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])  # of a box's corners


@lru_cache(maxsize=512)
def _bounds(kind: str, size: tuple[float, ...], mesh: str) -> tuple[Array, Array] | None:
    try:
        points = tessellate(Shape(kind, size, mesh=mesh)).points.reshape(-1, 3)  # pyright: ignore[reportArgumentType]
    except InputError:
        return None
    return (points.min(axis=0), points.max(axis=0)) if len(points) and np.isfinite(points).all() else None


def can_be_drawn(shape: Shape) -> bool:
    """Not so a mesh that is empty, or that nothing here reads, such as COLLADA without pycollada."""
    return _bounds(shape.kind, tuple(shape.size), shape.mesh) is not None


def box_of(shapes: Sequence[Shape]) -> Shape | None:
    """A box in the link's frame around all shapes of a link that can be seen."""
    corners: list[Array] = []
    for shape in shapes:
        bounds = _bounds(shape.kind, tuple(shape.size), shape.mesh) if shape.rgba[3] > 0.0 else None
        if bounds is not None:
            low, high = bounds
            corners.append(shape.X_LG.apply(0.5 * (low + high) + 0.5 * (high - low) * SIGNS))
    if not corners:
        return None
    points = np.concatenate(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum(0.5 * (high - low), 1e-6)
    return Shape("box", tuple(half.tolist()), Pose(np.eye(3), 0.5 * (low + high)))


@dataclass(frozen=True)
class Group:
    """Links that are looked at together: their middle in W [m] and the radius of a ball around them [m]."""

    links: tuple[str, ...]
    middle: Array
    radius: float

    @property
    def name(self) -> str:
        """The parts that they belong to."""
        return ", ".join(dict.fromkeys(link.partition(".")[0] for link in self.links))


def boxes_of(scene: Scene) -> dict[str, Shape]:
    """A box around each link that can be seen."""
    found = {link: box_of(shapes) for link, shapes in scene.shapes.items() if link in scene.poses}
    return {link: box for link, box in found.items() if box is not None}


def corners_of(scene: Scene, boxes: Mapping[str, Shape]) -> Array:
    """Corners (n, 3) of all boxes in W [m]."""
    placed = [(scene.poses[link] @ box.X_LG).apply(SIGNS * box.size) for link, box in boxes.items()]
    return np.concatenate(placed) if placed else np.zeros((0, 3))


def groups_of(scene: Scene, boxes: Mapping[str, Shape]) -> list[Group]:
    """Bodies that are near each other, or of one part, each link in one group."""
    links = list(boxes)
    middle = np.array([scene.poses[link].apply(boxes[link].X_LG.p) for link in links])
    radius = np.array([float(np.linalg.norm(boxes[link].size)) for link in links])
    home = list(range(len(links)))
    for i in range(len(links)):
        for j in range(i):
            gap = float(np.linalg.norm(middle[i] - middle[j])) - radius[i] - radius[j]
            same = links[i].partition(".")[0] == links[j].partition(".")[0]
            if same or gap <= NEAR * max(radius[i], radius[j]):
                old, new = home[i], home[j]
                home = [new if h == old else h for h in home]
    groups: list[Group] = []
    for h in dict.fromkeys(home):
        own = [k for k in range(len(links)) if home[k] == h]
        centre = middle[own].mean(axis=0)
        reach = float((np.linalg.norm(middle[own] - centre, axis=1) + radius[own]).max())
        groups.append(Group(tuple(links[k] for k in own), centre, reach))
    return groups


def is_spread(groups: Sequence[Group]) -> bool:
    """Whether the groups are so far from each other that a picture of all shows dots."""
    if len(groups) < 2:
        return False
    middles = np.array([g.middle for g in groups])
    reach = float(np.linalg.norm(middles - middles.mean(axis=0), axis=1).max())
    return reach > 0.5 * FAR * max(g.radius for g in groups)


def only(scene: Scene, links: Sequence[str]) -> Scene:
    """A scene without other links."""
    shapes, poses = {n: scene.shapes[n] for n in links}, {n: scene.poses[n] for n in links}
    return Scene(shapes, poses, {n: scene.worlds[n] for n in links})


def cameras_for(
    scenes: Sequence[Scene], direction: ArrayLike, width: int, height: int, up: tuple[float, float, float]
) -> list[Camera]:
    """A camera for each scene, all at the same distance; one for all, where nothing leaves its picture."""
    boxes = [boxes_of(scene) for scene in scenes]
    corners = [corners_of(scene, own) for scene, own in zip(scenes, boxes, strict=True)]
    sizes = [float(np.ptp(points, axis=0).max()) for points in corners]
    together = float(np.ptp(np.concatenate(corners), axis=0).max())
    look = {"up": up, "fov": 0.45, "width": width, "height": height, "margin": 1.12}
    fitted = [
        Camera.fit({link: [box] for link, box in own.items()}, scene.poses, direction, **look)
        for scene, own in zip(scenes, boxes, strict=True)
    ]
    if together <= TRAVEL * max(sizes):
        every = {f"{k} {link}": [box] for k, own in enumerate(boxes) for link, box in own.items()}
        poses = {f"{k} {link}": scene.poses[link] for k, scene in enumerate(scenes) for link in boxes[k]}
        return [Camera.fit(every, poses, direction, **look)] * len(scenes)
    away = max(float(np.linalg.norm(np.subtract(c.eye, c.target))) for c in fitted)
    return [_moved(camera, away) for camera in fitted]


def _moved(camera: Camera, distance: float) -> Camera:
    """The camera at another distance from what it looks at [m]."""
    back = -camera.axes()[2]
    return replace(camera, eye=tuple((np.asarray(camera.target) + distance * back).tolist()))
