"""Solids of the docking facility that must not meet: links, carriage, adapter plates, mock-ups, rail, floor and fence.

Each is a box or a capsule that contains a part of the model. Those of a body move with it; bodies are links 0 (base) to
6 of robot 1, then those of robot 2, then the carriage and the room.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.errors import InputError
from freefloat.facility.geometry import LabGeometry
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.industrial_models import industrial_model

LINKS = 7  # bodies of an arm, its base among them
CARRIAGE, ROOM = 2 * LINKS, 2 * LINKS + 1  # bodies behind those of both arms
BODIES = ROOM + 1
TIP = LINKS - 1
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """What is within `rounding` [m] of a box G with half edges `half` [m], fixed to a body L."""

    name: str
    body: int
    half: Triple
    rounding: float
    X_LG: Pose
    held: bool = False  # a plate or a mock-up


@dataclass(frozen=True)
class Wall:
    """All that is behind a plane: points x with normal . x < offset [m], in W."""

    name: str
    normal: Triple
    offset: float


@dataclass(frozen=True)
class Surroundings:
    """Sizes of what the facility's model leaves open, all assumed (docs/reference/parameters.md)."""

    fence_x: tuple[float, float] = (-4.5, 30.0)  # [m] in W
    fence_y: tuple[float, float] = (-4.5, 6.0)  # [m] in W
    rail_x: tuple[float, float] = (-1.0, 26.0)  # [m] ends of the rail in W
    rail_width: float = 1.0  # [m]
    rail_height: float = 0.2  # [m] over the floor
    carriage: tuple[float, float] = (1.6, 1.4)  # [m] along and across the rail; from its top to robot 1's base plane
    plates: tuple[float, float] = (0.7, 1.0)  # [m] edges of the square adapter plates, Table 5
    plate_thickness: float = 0.05  # [m]

    def walls(self, floor: float) -> tuple[Wall, ...]:
        """Floor, at a height [m] in W, and fence."""
        (x0, x1), (y0, y1) = self.fence_x, self.fence_y
        return (
            Wall("floor", (0.0, 0.0, 1.0), floor),
            Wall("fence -x", (1.0, 0.0, 0.0), x0),
            Wall("fence +x", (-1.0, 0.0, 0.0), -x1),
            Wall("fence -y", (0.0, 1.0, 0.0), y0),
            Wall("fence +y", (0.0, -1.0, 0.0), -y1),
        )


@dataclass(frozen=True)
class Mounted:
    """What the robots hold: shapes in the frames T of the adapter plates, z outwards."""

    mockup1: Sequence[Shape] = ()
    mockup2: Sequence[Shape] = ()
    surroundings: Surroundings = field(default_factory=Surroundings)


def containing(shape: Shape, name: str, body: int, X_LP: Pose | None = None) -> Solid:
    """The smaller of the box and the capsule that contain a shape; X_LP of the frame that the shape is given in."""
    X = shape.X_LG if X_LP is None else X_LP @ shape.X_LG
    size = [float(s) for s in shape.size]
    if shape.kind == "box":
        return Solid(name, body, (size[0], size[1], size[2]), 0.0, X)
    if shape.kind == "sphere":
        return Solid(name, body, (0.0, 0.0, 0.0), size[0], X)
    if shape.kind not in ("capsule", "cylinder"):
        allowed = "box, sphere, capsule, cylinder"
        raise InputError(f"{name}: a {shape.kind} has no distance to other solids; allowed: {allowed}")
    r, h = size
    as_box, as_capsule = 8.0 * r * r * h, math.pi * r * r * (2.0 * h + 4.0 / 3.0 * r)
    if shape.kind == "cylinder" and as_box < as_capsule:
        return Solid(name, body, (r, r, h), 0.0, X)
    return Solid(name, body, (0.0, 0.0, h), r, X)


def lab_solids(geometry: LabGeometry, mounted: Mounted) -> list[Solid]:
    """All solids but the walls."""
    arms = [_arm(geometry, i, mounted) for i in range(2)]
    return [*arms[0], *arms[1], *_rail(geometry, mounted.surroundings)]


def _arm(geometry: LabGeometry, i: int, mounted: Mounted) -> Iterator[Solid]:
    links = industrial_model(geometry.arms[i]).graph().links
    first, s = LINKS * i, mounted.surroundings
    for k, link in enumerate(links):
        for shape in link.shapes:
            yield containing(shape, f"rob{i + 1} {link.name}", first + k)
    X_LT = links[TIP].frames["flange"] @ geometry.X_FT
    half, thick = 0.5 * s.plates[i], 0.5 * s.plate_thickness
    plate = Shape("box", (half, half, thick), Pose(np.eye(3), (0.0, 0.0, thick)))
    yield replace(containing(plate, f"rob{i + 1} plate", first + TIP, X_LT), held=True)
    for shape in (mounted.mockup1, mounted.mockup2)[i]:
        yield replace(containing(shape, f"rob{i + 1} mock-up", first + TIP, X_LT), held=True)


def _rail(geometry: LabGeometry, s: Surroundings) -> Iterator[Solid]:
    x, y, z = geometry.base1
    top = geometry.floor + s.rail_height
    half = (0.5 * s.carriage[0], 0.5 * s.carriage[1], 0.5 * (z - top))
    yield Solid("carriage", CARRIAGE, half, 0.0, Pose(np.eye(3), (x, y, 0.5 * (z + top))))
    half = (0.5 * (s.rail_x[1] - s.rail_x[0]), 0.5 * s.rail_width, 0.5 * s.rail_height)
    middle = (0.5 * (s.rail_x[0] + s.rail_x[1]), y, geometry.floor + half[2])
    yield Solid("rail", ROOM, half, 0.0, Pose(np.eye(3), middle))
