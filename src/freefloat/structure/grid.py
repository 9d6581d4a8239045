"""Places for modules: a cubic grid, or a table of hexagonal cells.

T is the frame of the tensor body. Each place has a frame P at its centre, parallel to T; a module's frame M sits in P
in one of a few orientations. Connector frames F have their origin on the centre of a face and z outwards. The frames of
two neighbours that face each other share x: a half-turn about it takes one into the other. Turning a module of a cubic
grid adds a roll of a multiple of 90 deg. Turning a hexagonal one takes its six side connectors exactly into each other;
the one on top rolls by multiples of 60 deg.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.amounts import Amount, Count, Measure, Measures, positive
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.structure.lattice import (
    LARGEST,
    cube_connectors,
    cube_neighbours,
    cube_rotations,
    hexagon_connectors,
    hexagon_neighbours,
    hexagon_rotations,
)

Indices = NDArray[np.int64]
GridKind = Literal["cubic", "hexagonal"]

SIDES: dict[GridKind, tuple[str, ...]] = {
    "cubic": ("+x", "-x", "+y", "-y", "+z", "-z"),
    "hexagonal": ("0", "1", "2", "3", "4", "5", "top"),
}


@dataclass(frozen=True, eq=False)
class Grid:
    """n places with their neighbours, connector frames and the orientations that a module may have.

    A prism has the connectors' faces first; the bottom of a hexagonal cell is a face without a connector.
    """

    kind: GridKind
    size: tuple[int, ...]  # cubic: (nx, ny, nz); hexagonal: (n,)
    spacing: float  # [m] between the centres of neighbours
    cells: Indices  # (n, 3) i, j, k of a cubic place, or (n, 2) axial q, r
    p_TP: Array  # [m] (n, 3)
    neighbours: Indices  # (n, sides) place across each side, -1 where there is none
    facing: Indices  # (sides,) side of a neighbour that faces a side, -1 where nothing can
    X_PF: tuple[Pose, ...]  # connector frame of each side; also X_MF of a module's own sides
    R_PM: Array  # (orientations, 3, 3), identity first
    side_at: Indices  # (orientations, sides): side s of a module turned by o shows at the place's side side_at[o, s]
    outline: Array  # [m] (corners, 3) of the prism, in P
    faces: tuple[tuple[int, ...], ...]  # corners of each face, counter-clockwise seen from outside

    @property
    def n(self) -> int:
        return len(self.p_TP)

    @property
    def sides(self) -> int:
        return len(self.X_PF)

    @property
    def side_names(self) -> tuple[str, ...]:
        return SIDES[self.kind]

    @cached_property
    def normals(self) -> Array:
        """(faces, 3) outward unit normals in P."""
        return _frozen(np.array([v / np.linalg.norm(v) for v in map(self._area_vector, self.faces)]))

    @cached_property
    def areas(self) -> Array:
        """[m^2] (faces,)."""
        return _frozen(np.array([np.linalg.norm(self._area_vector(face)) for face in self.faces]))

    def _area_vector(self, face: tuple[int, ...]) -> Array:
        ring = self.outline[list(face)]
        return 0.5 * np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)

    def index(self, cell: ArrayLike) -> int:
        """The place of a cell (i, j, k) or (q, r)."""
        wanted = np.asarray(cell)
        place = self._places.get(tuple(wanted.tolist())) if wanted.ndim == 1 else None
        if place is None:
            allowed = " x ".join(map(str, self.size)) if self.kind == "cubic" else "one of the table's axial (q, r)"
            raise InputError(f"cell {cell!r} is not in the {self.kind} grid; allowed: {allowed}, from 0")
        return place

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {tuple(cell): place for place, cell in enumerate(self.cells.tolist())}

    def check_place(self, place: int) -> int:
        """The place as an int; refused where the grid has none of that number."""
        if isinstance(place, bool) or not isinstance(place, (int, np.integer)) or not 0 <= place < self.n:
            raise InputError(f"place {place!r} is not in the grid; allowed: 0 to {self.n - 1}")
        return int(place)

    def named(self, place: int, side: int = -1) -> str:
        """A place, or one of its sides, as people call it: `cell (2, 1, 0), side +z`."""
        cell = f"cell ({', '.join(map(str, self.cells[place].tolist()))})"
        return cell if side < 0 else f"{cell}, side {self.side_names[side]}"

    def nearest_orientation(self, R_TM: ArrayLike) -> int:
        """The orientation at the smallest angle from R_TM (the first of them where several are)."""
        return int(np.argmax(np.einsum("oij,ij->o", self.R_PM, np.asarray(R_TM, np.float64))))


def cubic(nx: int, ny: int, nz: int, pitch: Measure = 0.4, origin: Measures = (0.0, 0.0, 0.0)) -> Grid:
    """nx x ny x nz cubes with edges `pitch` [m]; `origin` is the centre of their box in T [m].

    Place (i, j, k) has the number (i ny + j) nz + k. Sides +x -x +y -y +z -z; 24 orientations: permutations of the axes
    in lexical order, signs + before -, those that are rotations.
    """
    whole = Count(1)
    size = (whole.number(nx, "grid: nx"), whole.number(ny, "grid: ny"), whole.number(nz, "grid: nz"))
    if math.prod(size) > LARGEST:
        raise InputError(f"a grid of {nx} x {ny} x {nz} has too many places; allowed: {LARGEST}")
    edge = positive("m").number(pitch, "grid: pitch")
    cells = np.stack(np.unravel_index(np.arange(math.prod(size)), size), axis=1).astype(np.int64)
    p_TP = np.array(Amount("m").numbers(origin, (3,), "grid: origin")) + edge * (cells - 0.5 * (np.array(size) - 1))
    R_PM = cube_rotations()
    X_PF = cube_connectors(edge)
    facing = np.array([1, 0, 3, 2, 5, 4])
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * edge
    faces = ((4, 6, 7, 5), (0, 1, 3, 2), (2, 3, 7, 6), (0, 4, 5, 1), (1, 5, 7, 3), (0, 2, 6, 4))
    arrays = (cells, p_TP, cube_neighbours(cells, size), facing)
    return _grid("cubic", size, edge, arrays, X_PF, R_PM, corners, faces)


def hexagonal(
    cells: ArrayLike, across_flats: Measure = 1.0, height: Measure = 0.1, origin: Measures = (0.0, 0.0, 0.0)
) -> Grid:
    """Hexagonal prisms on a table of axial cells (q, r); `origin` is the centre of cell (0, 0) in T [m].

    Cell (q, r) has its centre at across_flats (q + r / 2, r sqrt(3) / 2, 0). Side k looks along 60 k deg from x, side 6
    is on top (+z); 6 orientations, number o turned by 60 o deg about z.
    """
    edge = positive("m")
    wide, high = edge.number(across_flats, "grid: across_flats"), edge.number(height, "grid: height")
    table = _axial(cells)
    q, r = table.T
    p_TP = np.array(Amount("m").numbers(origin, (3,), "grid: origin")) + wide * np.stack(
        [q + 0.5 * r, 0.75**0.5 * r, np.zeros(len(q))], axis=1
    )
    R_PM = hexagon_rotations()
    facing = np.array([3, 4, 5, 0, 1, 2, -1])
    ring = wide / 3.0**0.5 * np.array([[math.cos(a), math.sin(a)] for a in np.radians(np.arange(-30, 330, 60))])
    corners = np.vstack([np.column_stack([ring, np.full(6, z)]) for z in (-0.5 * high, 0.5 * high)])
    around = tuple((k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6))
    faces = (*around, (6, 7, 8, 9, 10, 11), (5, 4, 3, 2, 1, 0))
    arrays = (table, p_TP, hexagon_neighbours(table), facing)
    return _grid("hexagonal", (len(table),), wide, arrays, hexagon_connectors(wide, high), R_PM, corners, faces)


def hexagon_rings(k: int) -> Indices:
    """Axial cells (q, r) of a hexagon of k rings around a centre: 1 + 3 k (k + 1) of them, the centre first."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k <= 500:
        raise InputError(f"{k!r} rings; allowed: a whole number from 0 to 500")
    q, r = (a.ravel() for a in np.meshgrid(np.arange(-k, k + 1), np.arange(-k, k + 1), indexing="ij"))
    ring = np.maximum(np.maximum(abs(q), abs(r)), abs(q + r))
    order = np.lexsort((r, q, ring))
    return np.stack([q, r], axis=1)[order[ring[order] <= k]].astype(np.int64)


def _grid(
    kind: GridKind,
    size: tuple[int, ...],
    spacing: float,
    arrays: tuple[Indices, Array, Indices, Indices],
    X_PF: tuple[Pose, ...],
    R_PM: Array,
    outline: Array,
    faces: tuple[tuple[int, ...], ...],
) -> Grid:
    normals = np.array([X.R[:, 2] for X in X_PF])
    turned = np.einsum("oij,sj->osi", R_PM, normals)
    side_at = np.argmax(np.einsum("osi,ti->ost", turned, normals), axis=2).astype(np.int64)
    cells, p_TP, neighbours, facing = map(_frozen, arrays)
    return Grid(
        kind, size, spacing, cells, p_TP, neighbours, facing,
        X_PF, _frozen(R_PM), _frozen(side_at), _frozen(outline), faces,
    )  # fmt: skip


def _axial(cells: ArrayLike) -> Indices:
    table = np.array(cells)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0 or not np.issubdtype(table.dtype, np.integer):
        raise InputError(f"axial cells must be a table (n, 2) of whole numbers q, r, got shape {table.shape}")
    if len(table) > LARGEST or np.abs(table).max() > LARGEST:
        raise InputError(f"axial cells: allowed are {LARGEST} cells with coordinates up to {LARGEST}")
    rows, counts = np.unique(table, axis=0, return_counts=True)
    if counts.max() > 1:
        raise InputError(f"axial cell {tuple(rows[counts > 1][0].tolist())} is given twice")
    return table.astype(np.int64)


def _frozen(a: NDArray) -> NDArray:
    a.setflags(write=False)
    return a
