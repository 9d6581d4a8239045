"""Solids of the docking facility that must not meet: links, carriage, adapter plates, mock-ups, rail, floor and fence.

Each is a box or a capsule that contains a part of the model. Those of a body move with it; bodies are links 0 (base) to
6 of robot 1, then those of robot 2, then the carriage and the room.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.engine.blueprint import Blueprint, Builder
from freefloat.errors import InputError
from freefloat.facility.equipment import PLATES, Equipment
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.hall import fence
from freefloat.facility.mockups import client_mockup, mono_camera, servicer_mockup
from freefloat.facility.plate import adapter_link
from freefloat.facility.rail import Rail
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
class Mounted:
    """What the robots hold on their adapter plates; as in `DockingFacility` unless told otherwise."""

    equipment1: Sequence[Equipment] = field(default_factory=lambda: (mono_camera(),))
    equipment2: Sequence[Equipment] = ()
    mockup1: Equipment | None = field(default_factory=servicer_mockup)
    mockup2: Equipment | None = field(default_factory=client_mockup)

    @classmethod
    def bare(cls) -> Mounted:
        """Nothing but the plates."""
        return cls((), (), None, None)


def walls(geometry: LabGeometry) -> tuple[Wall, ...]:
    """Floor and fence."""
    x0, x1, y0, y1 = fence(geometry)
    return (
        Wall("floor", (0.0, 0.0, 1.0), geometry.floor),
        Wall("fence -x", (1.0, 0.0, 0.0), x0),
        Wall("fence +x", (-1.0, 0.0, 0.0), -x1),
        Wall("fence -y", (0.0, 1.0, 0.0), y0),
        Wall("fence +y", (0.0, -1.0, 0.0), -y1),
    )


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
    return [*arms[0], *arms[1], *_rail(geometry)]


def _arm(geometry: LabGeometry, i: int, mounted: Mounted) -> Iterator[Solid]:
    links = industrial_model(geometry.arms[i]).graph().links
    robot, first = f"rob{i + 1}", LINKS * i
    for k, link in enumerate(links):
        for shape in link.shapes:
            yield containing(shape, f"{robot} {link.name}", first + k)
    X_LF, tip = links[TIP].frames["flange"], first + TIP
    for shape in adapter_link(PLATES[i], (), geometry.X_FT).shapes:
        yield replace(containing(shape, f"{robot} plate", tip, X_LF), held=True)
    mockup = (mounted.mockup1, mounted.mockup2)[i]
    things = [(f"{robot} {thing.name}", thing) for thing in (mounted.equipment1, mounted.equipment2)[i]]
    things += [(f"{robot} mock-up", mockup)] if mockup is not None else []
    for name, thing in things:
        for shape in thing.shapes:
            yield replace(containing(shape, name, tip, X_LF @ geometry.X_FT), held=True)


def _rail(geometry: LabGeometry) -> Iterator[Solid]:
    """Bed and carriage as the part has them, in W with E1 = 0."""
    b = Builder(Blueprint(), "rail")
    Rail().build(b, geometry, 0.0, "rigid")
    x, y, _ = geometry.base1
    X_WL = Pose(np.eye(3), (x, y, geometry.floor))
    for name, link, body in (("carriage", "rail.carriage", CARRIAGE), ("rail", "rail.bed", ROOM)):
        for shape in b.blueprint.links[link].shapes:
            yield containing(shape, name, body, X_WL)
