"""Tools that meet: a ball tip of the servicer, a plate or hollow cone of the client, as the facility knows them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array, Pose


class Surface(Protocol):
    """What the tip meets, fixed to the client C by its frame S."""

    @property
    def X_CS(self) -> Pose: ...

    def moved(self, X_CS: Pose) -> Surface:
        """The same surface elsewhere."""
        ...

    def distance(self, p_S: Array) -> tuple[Array, Array]:
        """Distances (n,) [m] of points (n, 3) in S from the surface, and unit normals (n, 3) towards them."""
        ...


@dataclass(frozen=True)
class Plate:
    """The plane z = 0 of S, solid below."""

    X_CS: Pose

    def moved(self, X_CS: Pose) -> Plate:
        """The same elsewhere."""
        return replace(self, X_CS=X_CS)

    def distance(self, p_S: Array) -> tuple[Array, Array]:
        """Height over the plane."""
        return p_S[:, 2], np.broadcast_to([0.0, 0.0, 1.0], p_S.shape)


@dataclass(frozen=True)
class HollowCone:
    """The inside of a cone that opens along z of S from its apex at the origin, up to its rim."""

    X_CS: Pose
    half_angle: float  # [rad]
    generator: float  # [m] from the apex to the rim

    def __post_init__(self) -> None:
        if not (0.0 < self.half_angle < 0.5 * math.pi and self.generator > 0.0):
            raise InputError(
                f"cone: half angle {self.half_angle!r} rad, generator {self.generator!r} m; allowed: an angle between "
                "0 and pi/2, a length above 0"
            )

    def moved(self, X_CS: Pose) -> HollowCone:
        """The same elsewhere."""
        return replace(self, X_CS=X_CS)

    def distance(self, p_S: Array) -> tuple[Array, Array]:
        """To the nearest point of the generators; beyond the rim, to the rim."""
        s, c = math.sin(self.half_angle), math.cos(self.half_angle)
        radius = np.hypot(p_S[:, 0], p_S[:, 1])
        away = np.where(radius > 0.0, radius, 1.0)
        outward = np.column_stack([p_S[:, 0] / away, p_S[:, 1] / away])
        along = np.clip(radius * s + p_S[:, 2] * c, 0.0, self.generator)
        dr, dz = radius - along * s, p_S[:, 2] - along * c
        inside = dz * s - dr * c  # along the inner normal
        rim = along >= self.generator
        distance = np.where(rim, np.copysign(np.hypot(dr, dz), inside), inside)
        scale = np.where(rim & (distance != 0.0), distance, 1.0)
        nr, nz = np.where(rim, dr / scale, -c), np.where(rim, dz / scale, s)
        return distance, np.column_stack([nr[:, None] * outward, nz])


@dataclass(frozen=True)
class Tools:
    """The pair of tools: a ball at `p_ST` in the servicer's frame, and the client's surface."""

    p_ST: tuple[float, float, float]  # [m] centre of the tip
    radius: float  # [m] of the tip
    surface: Surface

    def tip_in_client(self, X_WS: Pose, X_WC: Pose) -> Array:
        """Centre of the tip (3,) [m] in the client's frame."""
        return X_WC.inverse().apply(X_WS.apply(np.array(self.p_ST)))

    def gaps(self, p_CT: Array, offset_C: Array | None = None) -> Array:
        """Gaps (n,) [m] for centres of the tip (n, 3) in the client's frame; the surface displaced by `offset_C`."""
        return self._meet(p_CT, offset_C)[0]

    def meet(self, p_CT: Array, offset_C: Array | None = None) -> tuple[float, Array]:
        """Gap [m] and unit normal (3,) for one tip."""
        gap, normal = self._meet(p_CT[None, :], offset_C)
        return float(gap[0]), normal[0]

    def _meet(self, p_CT: Array, offset_C: Array | None) -> tuple[Array, Array]:
        moved = p_CT if offset_C is None else p_CT - offset_C
        X_CS = self.surface.X_CS
        distance, normal_S = self.surface.distance((moved - X_CS.p) @ X_CS.R)
        return distance - self.radius, normal_S @ X_CS.R.T

    def displaced(self, offset_C: Array) -> Pose:
        """Where the surface is in the client's frame if it is off by `offset_C` [m]."""
        X_CS = self.surface.X_CS
        return Pose(X_CS.R, X_CS.p + offset_C)

    def moved(self, tip_S: Array, offset_C: Array) -> Tools:
        """Tip and surface displaced by so much [m]."""
        x, y, z = (np.array(self.p_ST) + tip_S).tolist()
        return Tools((x, y, z), self.radius, self.surface.moved(self.displaced(offset_C)))


def plane_place(point_C: Array, normal_C: Array) -> Pose:
    """Frame S of a plane through a point, its z along the unit normal."""
    least = np.eye(3)[np.argmin(np.abs(normal_C))]
    x = np.cross(least, normal_C)
    x /= np.linalg.norm(x)
    return Pose(np.column_stack([x, np.cross(normal_C, x), normal_C]), point_C)
