"""Modules of tensor bodies as visible solids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Poses, Shape, Shapes
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.grid import Grid
from freefloat.structure.tensor_body import TensorBody

Indices: TypeAlias = NDArray[np.int64]
Rgb: TypeAlias = tuple[float, float, float]
Spread: TypeAlias = tuple[float, float, float]  # [-] along x, y, z of T

AS_BUILT: Spread = (1.0, 1.0, 1.0)

SHRINK = 0.965  # [-] of a prism, so that gaps show
EDGE = 0.011  # [-] thickness of an edge over the spacing of the grid
EDGE_RGB: Rgb = (0.13, 0.14, 0.16)
INTERFACE_RGB: dict[str, Rgb] = {
    "active interface": (0.22, 0.23, 0.26),
    "active, with fluid": (0.10, 0.42, 0.62),
    "passive interface": (0.93, 0.93, 0.95),
}


@dataclass(frozen=True, eq=False)
class Contents:
    """A tensor body at one instant, per place (n,); arrays of its own, so that the body may go on changing."""

    grid: Grid
    catalogue: Catalogue
    shape: Indices  # type numbers, 0: empty
    identity: Indices
    orientation: Indices
    X_WT: Pose = field(default_factory=Pose.identity)
    temperature: Array | None = None  # [K]
    powered: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        body: TensorBody,
        X_WT: Pose | None = None,
        temperature: ArrayLike | None = None,
        powered: ArrayLike | None = None,
    ) -> Contents:
        """A copy of what a tensor body holds now."""
        return cls(
            body.grid,
            body.catalogue,
            body.shape.copy(),
            body.identity.copy(),
            body.orientation.copy(),
            Pose.identity() if X_WT is None else X_WT,
            None if temperature is None else _values(temperature, body.grid.n, "temperature", np.float64),
            None if powered is None else _values(powered, body.grid.n, "powered", np.bool_),
        )

    @property
    def occupied(self) -> Indices:
        return np.flatnonzero(self.shape)

    def spread(self, factors: Spread) -> Array:
        """[m] (n, 3) centres of the places in T, drawn apart along its axes from the middle of the modules."""
        p = self.grid.p_TP
        centre = p[self.occupied].mean(axis=0) if len(self.occupied) else np.zeros(3)
        return centre + np.asarray(factors) * (p - centre)


@dataclass(frozen=True, eq=False)
class Frame:
    """One instant: tensor bodies, and other links (a robot's) with their shapes and poses X_WL."""

    bodies: Sequence[Contents]
    time: float | None = None  # [s]
    caption: str = ""
    shapes: Shapes = field(default_factory=lambda: MappingProxyType({}))
    poses: Poses = field(default_factory=lambda: MappingProxyType({}))


Paint: TypeAlias = Callable[[Contents, int], Rgb]  # colour of the module at a place


def links(
    frame: Frame, paint: Paint | None = None, *, spread: Spread = AS_BUILT, interfaces: bool = False, name: str = ""
) -> tuple[dict[str, Sequence[Shape]], dict[str, Pose]]:
    """Shapes and poses of everything in a frame; without `paint` only the prisms, for a camera to fit."""
    shapes: dict[str, Sequence[Shape]] = {f"{name}{link}": s for link, s in frame.shapes.items()}
    poses = {f"{name}{link}": X for link, X in frame.poses.items()}
    for number, body in enumerate(frame.bodies):
        edges = cage(body.grid) if paint is not None else ()
        centres = body.spread(spread)
        for place in body.occupied.tolist():
            link = f"{name}module {number}.{place}"
            rgb = (0.7, 0.7, 0.7) if paint is None else paint(body, place)
            discs = _discs(body, place, spread) if interfaces and paint is not None else ()
            shapes[link] = (*_prism(body.grid, rgb), *edges, *discs)
            poses[link] = body.X_WT @ Pose(np.eye(3), centres[place])
    return shapes, poses


def several(frames: Sequence[Frame]) -> tuple[Mapping[str, Sequence[Shape]], Mapping[str, Pose]]:
    """The prisms and other links of all frames at once, for a camera that sees them all."""
    shapes: dict[str, Sequence[Shape]] = {}
    poses: dict[str, Pose] = {}
    for k, frame in enumerate(frames):
        more_shapes, more_poses = links(frame, name=f"{k}.")
        shapes |= more_shapes
        poses |= more_poses
    return shapes, poses


def _prism(grid: Grid, rgb: Rgb) -> Iterator[Shape]:
    """A cube as a box; a hexagonal prism as three boxes across opposite sides, whose union it is."""
    half, rgba = SHRINK * 0.5 * grid.spacing, (*rgb, 1.0)
    if grid.kind == "cubic":
        yield Shape("box", (half, half, half), rgba=rgba)
        return
    for R in grid.R_PM[:3]:
        size = (half, half / 3.0**0.5, SHRINK * float(grid.outline[:, 2].max()))
        yield Shape("box", size, Pose(R), rgba)


def cage(grid: Grid, rgb: Rgb = EDGE_RGB, thick: float = 1.0) -> tuple[Shape, ...]:
    """The edges of a prism as beams, in P; `thick` times as thick as those of every module."""
    corners = SHRINK * grid.outline
    pairs = sorted({tuple(sorted(p)) for face in grid.faces for p in zip(face, (*face[1:], face[0]), strict=True)})
    half = 0.5 * thick * EDGE * grid.spacing
    beams: list[Shape] = []
    for a, b in pairs:
        along = corners[b] - corners[a]
        length = float(np.linalg.norm(along))
        pose = Pose(_with_z(along / length), 0.5 * (corners[a] + corners[b]))
        beams.append(Shape("box", (half, half, 0.5 * length + half), pose, (*rgb, 1.0)))
    return tuple(beams)


def _with_z(z: Array) -> Array:
    """A rotation whose third column is z."""
    x = np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.5 else np.array([1.0, 0.0, 0.0])
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def interface_look(active: bool, thermal: bool) -> str:
    """Which of INTERFACE_RGB an interface is drawn as."""
    if not active:
        return "passive interface"
    return "active, with fluid" if thermal else "active interface"


def _discs(body: Contents, place: int, spread: Spread) -> Iterator[Shape]:
    """Interfaces on the faces that nothing covers."""
    grid = body.grid
    kind = body.catalogue.type(int(body.shape[place]))
    for own, shown in enumerate(grid.side_at[body.orientation[place]].tolist()):
        interface, beside = kind.sides[own], int(grid.neighbours[place, shown])
        apart = np.abs(grid.normals[shown]) @ (np.asarray(spread) - 1.0) > 1e-9
        covered = beside >= 0 and body.shape[beside] > 0 and not apart
        if interface is not None and not covered:
            look = interface_look(interface.active, interface.thermal)
            X_PF = grid.X_PF[shown]
            width = np.sqrt(grid.areas[shown]) if grid.kind == "cubic" or shown == 6 else 2.0 * grid.outline[:, 2].max()
            size = (0.2 * float(width), 0.008 * grid.spacing)
            yield Shape("cylinder", size, Pose(X_PF.R, SHRINK * X_PF.p), (*INTERFACE_RGB[look], 1.0))


def _values(values: ArrayLike, n: int, what: str, kind: type) -> NDArray:
    a = np.array(values, dtype=kind)
    if a.shape != (n,):
        raise InputError(f"{what} of a configuration has shape {a.shape}; allowed: ({n},), one value per place")
    return a
