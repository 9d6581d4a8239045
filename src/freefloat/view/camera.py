"""Where a picture is taken from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.geometry.shape import Poses, Shapes
from freefloat.geometry.tessellation import assemble


@dataclass(frozen=True)
class Camera:
    """A pinhole camera at `eye` looking at `target`; `up` need not be perpendicular. All in W."""

    eye: tuple[float, float, float]  # [m]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    fov: float = 0.6  # [rad] vertical
    width: int = 960  # [pixel]
    height: int = 540  # [pixel]

    def axes(self) -> NDArray[np.float64]:
        """Rows: right, up and forward unit vectors in W."""
        forward = unit(np.subtract(self.target, self.eye), "camera: eye and target coincide")
        right = unit(np.cross(forward, self.up), "camera: up is parallel to the line of sight")
        return np.array([right, np.cross(right, forward), forward])

    def pixels(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Of points (k, 3) in W: pixels from the left and from the top, and pixels per metre there."""
        right, up, forward = self.axes()
        away = np.asarray(points, dtype=np.float64) - np.asarray(self.eye)
        scale = 0.5 * self.height / np.tan(0.5 * self.fov) / (away @ forward)
        return 0.5 * self.width + scale * (away @ right), 0.5 * self.height - scale * (away @ up), scale

    @classmethod
    def fit(
        cls,
        shapes: Shapes,
        poses: Poses | Sequence[Poses],
        direction: ArrayLike = (1.0, -1.4, 0.7),
        *,
        up: tuple[float, float, float] = (0.0, 0.0, 1.0),
        fov: float = 0.6,
        width: int = 960,
        height: int = 540,
        margin: float = 1.05,
    ) -> Camera:
        """A camera from `direction` (W) that sees every shape in all the given poses."""
        several = [poses] if isinstance(poses, Mapping) else list(poses)
        points = np.concatenate([assemble(shapes, p, np.zeros(3)).points.reshape(-1, 3) for p in several])
        if not len(points):
            points = np.zeros((1, 3))
        outward = unit(direction, "camera: direction is zero")
        right, lift, _ = cls((outward[0], outward[1], outward[2]), up=up).axes()
        tan_y = np.tan(0.5 * fov) / margin
        slopes = np.array([tan_y * width / height, tan_y])
        centre = points.mean(axis=0)
        distance = 0.0
        for _ in range(8):  # perspective moves the extremes as the camera moves; this settles in a few rounds
            rays = points - centre
            across, toward = rays @ np.array([right, lift]).T, rays @ outward
            distance = max(float((np.abs(across) / slopes + toward[:, None]).max()), 1e-3)
            seen = across / (distance - toward)[:, None]
            middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0)) * distance
            centre = centre + middle[0] * right + middle[1] * lift
        eye = centre + distance * outward
        return cls(tuple(eye.tolist()), tuple(centre.tolist()), up, fov, width, height)


def unit(v: ArrayLike, complaint: str) -> NDArray[np.float64]:
    a = np.asarray(v, dtype=np.float64)
    norm = float(np.linalg.norm(a))
    if not 0.0 < norm < np.inf:
        raise InputError(complaint)
    return a / norm
