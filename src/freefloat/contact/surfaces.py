"""Surfaces and balls that a contact may be given besides the shapes of its links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.kernels import surfaces as K


class Heights(Protocol):
    """Heights over the plane z = 0 as cubic B-splines, such as `freefloat.platforms.HeightMap`."""

    @property
    def spacing(self) -> float: ...  # [m]

    @cached_property
    def coefficients(self) -> NDArray[np.float64]: ...  # [m] along x, y


@dataclass(frozen=True)
class Ball:
    """A ball of a body: its centre in the body's frame, and its radius; 0: a point."""

    p_BC: tuple[float, float, float]  # [m]
    radius: float = 0.0  # [m]

    def __post_init__(self) -> None:
        if not (np.shape(self.p_BC) == (3,) and np.isfinite(self.p_BC).all() and 0.0 <= self.radius < np.inf):
            raise InputError(f"ball {self.p_BC!r}, {self.radius!r} m; allowed: 3 finite numbers, a radius of 0 or more")


@dataclass(frozen=True)
class Plane:
    """The plane z = 0 of S, solid below."""

    X_LS: Pose = field(default_factory=Pose.identity)


@dataclass(frozen=True)
class Wall:
    """A wall of even thickness revolved about z of S: a polyline of points (radius, z), with round rims.

    It has two sides. Where two stretches meet in a hollow corner, a ball touches the nearer one only: make them two
    walls.
    """

    points: Sequence[tuple[float, float]]  # [m]
    thickness: float  # [m]
    X_LS: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        points = np.asarray(self.points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all() or (points[:, 0] < 0.0).any():
            raise InputError(f"wall: points {self.points!r}; allowed: (radius, z) pairs with radii of 0 or more")
        if len(points) < 2 or (np.diff(points, axis=0) == 0.0).all(axis=1).any():
            raise InputError(f"wall: points {self.points!r}; allowed: two or more, each apart from the one before")
        if not 0.0 < self.thickness < np.inf:
            raise InputError(f"wall: thickness {self.thickness!r} m; allowed: above 0")


@dataclass(frozen=True)
class Ground:
    """Uneven ground over z = 0 of S, solid below; beyond its edge it goes on level."""

    heights: Heights
    X_LS: Pose = field(default_factory=Pose.identity)


@dataclass(frozen=True)
class Prism:
    """A regular hexagonal prism about z of S, centred; its sides look along 0, 60, ... deg from x."""

    across_flats: float  # [m]
    height: float  # [m]
    X_LS: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        if not (0.0 < self.across_flats < np.inf and 0.0 < self.height < np.inf):
            raise InputError(f"prism: {self.across_flats!r} m, {self.height!r} m high; allowed: above 0")


Surface = Plane | Wall | Ground | Prism


def cone(
    half_angle: float,  # [rad]
    length: float,  # [m] of the generator
    thickness: float,  # [m] of the wall
    socket: tuple[float, float] = (0.0, 0.0),  # [m] radius and depth of the cylinder at the narrow end
    X_LS: Pose | None = None,
) -> tuple[Wall, ...]:
    """The inside of a cone that opens along +z of S from its apex at the origin, and a socket at its narrow end.

    All sizes are those of the inner face. The socket has a floor: what slides in comes to rest there, where an apex
    has no normal.
    """
    radius, depth = socket
    if not (0.0 < half_angle < 0.5 * math.pi and length * math.sin(half_angle) > radius >= 0.0 and depth >= 0.0):
        raise InputError(
            f"cone: half angle {half_angle!r} rad, generator {length!r} m, socket {socket!r} m; allowed: an angle "
            "between 0 and pi/2, a socket narrower than the mouth"
        )
    X_LS = X_LS or Pose.identity()
    off = 0.5 * thickness  # the wall's middle lies outside the inner face
    out, down = off * math.cos(half_angle), -off * math.sin(half_angle)
    mouth = (length * math.sin(half_angle) + out, length * math.cos(half_angle) + down)
    if radius == 0.0:
        return (Wall([mouth, (max(out, 0.0), down)], thickness, X_LS),)
    top = radius / math.tan(half_angle)  # z at which the socket begins
    # where the middles of both walls meet
    joint = (radius + off, (radius + off - out) / math.tan(half_angle) + down)
    floor = top - depth - off
    walls = (
        [Wall([mouth, joint, (radius + off, floor)], thickness, X_LS)]
        if depth > 0.0
        else [Wall([mouth, joint], thickness, X_LS)]
    )
    return (*walls, Wall([(radius + off, floor), (0.0, floor)], thickness, X_LS))


def corners(half: Sequence[float], radius: float = 0.0) -> tuple[Ball, ...]:
    """Balls in the eight corners of a box with these half edges [m], inside it."""
    if len(half) != 3:
        raise InputError(f"corners: half edges {tuple(half)!r}; allowed: three")
    x, y, z = (h - radius for h in half)
    if min(x, y, z) < 0.0:
        raise InputError(f"corners: radius {radius!r} m of a box {tuple(half)!r}; allowed: at most its half edges")
    return tuple(Ball((sx * x, sy * y, sz * z), radius) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1))


def ring(circle: float, z: float, count: int, radius: float = 0.0) -> tuple[Ball, ...]:
    """Balls on a circle about z, such as the rim of a flat end."""
    if not isinstance(count, int) or count < 1 or not circle >= 0.0:
        raise InputError(
            f"ring: {count!r} balls on a circle of {circle!r} m; allowed: 1 or more, a radius of 0 or more"
        )
    angles = 2.0 * math.pi * np.arange(count) / count
    return tuple(Ball((circle * math.cos(a), circle * math.sin(a), z), radius) for a in angles.tolist())


def numbers_of(surface: Surface) -> tuple[int, list[float], list[float], float]:
    """Kind, sizes and data of a surface as a row has them, and the radius of a ball around its origin [m]."""
    match surface:
        case Plane():
            return K.PLANE, [0.0, 0.0, 0.0], [], math.inf
        case Wall(points, thickness):
            line = np.asarray(points, dtype=np.float64)
            far = float(np.linalg.norm(line, axis=1).max()) + 0.5 * thickness
            return K.REVOLVED, [float(len(line)), 0.5 * thickness, 0.0], line.ravel().tolist(), far
        case Ground(heights):
            rows, columns = heights.coefficients.shape
            data = np.asarray(heights.coefficients, dtype=np.float64).ravel().tolist()
            return K.HEIGHT_FIELD, [heights.spacing, float(rows), float(columns)], data, math.inf
        case Prism(across_flats, height):
            flat, up = 0.5 * across_flats, 0.5 * height
            return K.PRISM, [flat, up, 0.0], [], math.hypot(flat / math.cos(math.pi / 6.0), up)
