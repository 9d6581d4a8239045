"""Surfaces and balls that a contact may be given besides the shapes of its links."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Amount, Count, Measure, Measures, UnfitError, not_negative, positive, take, take_rows
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

    p_BC: Measures  # [m]
    radius: Measure = 0.0  # [m]

    def __post_init__(self) -> None:
        take_rows(self, "ball", 3, p_BC=Amount("m"))
        take(self, "ball", radius=not_negative("m"))


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

    points: Measures  # [m]
    thickness: Measure  # [m]
    X_LS: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        take_rows(self, "wall", None, 2, points=Amount("m"))
        take(self, "wall", thickness=positive("m"))
        points = self.points
        if any(radius < 0.0 for radius, _ in points):
            raise UnfitError("wall", "points", points, "(radius, z) pairs with radii of 0 or more")
        if len(points) < 2 or any(a == b for a, b in itertools.pairwise(points)):
            raise UnfitError("wall", "points", points, "two or more, each apart from the one before")


@dataclass(frozen=True)
class Ground:
    """Uneven ground over z = 0 of S, solid below; beyond its edge it goes on level."""

    heights: Heights
    X_LS: Pose = field(default_factory=Pose.identity)


@dataclass(frozen=True)
class Prism:
    """A regular hexagonal prism about z of S, centred; its sides look along 0, 60, ... deg from x."""

    across_flats: Measure  # [m]
    height: Measure  # [m]
    X_LS: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        take(self, "prism", across_flats=positive("m"), height=positive("m"))


Surface = Plane | Wall | Ground | Prism


def cone(
    half_angle: Measure,  # [rad]
    length: Measure,  # [m] of the generator
    thickness: Measure,  # [m] of the wall
    socket: Measures = (0.0, 0.0),  # [m] radius and depth of the cylinder at the narrow end
    X_LS: Pose | None = None,
) -> tuple[Wall, ...]:
    """The inside of a cone that opens along +z of S from its apex at the origin, and a socket at its narrow end.

    All sizes are those of the inner face. The socket has a floor: what slides in comes to rest there, where an apex
    has no normal.
    """
    half_angle = Amount("rad", gt=0.0, lt=0.5 * math.pi).number(half_angle, "cone: half_angle")
    length, thickness = (
        positive("m").number(x, f"cone: {n}") for x, n in ((length, "length"), (thickness, "thickness"))
    )
    radius, depth = not_negative("m").numbers(socket, (2,), "cone: socket")
    if length * math.sin(half_angle) <= radius:
        mouth = f"narrower than the mouth, {length * math.sin(half_angle):g} m"
        raise UnfitError("cone", "socket", (radius, depth), mouth)
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


def corners(half: Measures, radius: Measure = 0.0) -> tuple[Ball, ...]:
    """Balls in the eight corners of a box with these half edges [m], inside it."""
    half = not_negative("m").numbers(half, (3,), "corners: half")
    radius = not_negative("m").number(radius, "corners: radius")
    x, y, z = (h - radius for h in half)
    if min(x, y, z) < 0.0:
        raise UnfitError("corners", "radius", radius, f"at most the box's half edges {half} m")
    return tuple(Ball((sx * x, sy * y, sz * z), radius) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1))


def ring(circle: Measure, z: Measure, count: int, radius: Measure = 0.0) -> tuple[Ball, ...]:
    """Balls on a circle about z, such as the rim of a flat end."""
    count = Count(1).number(count, "ring: count")
    circle, z = not_negative("m").number(circle, "ring: circle"), Amount("m").number(z, "ring: z")
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
