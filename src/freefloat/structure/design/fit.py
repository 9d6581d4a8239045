"""Whether modules have the size of their cells, and their centres of mass inside them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.frames import Array
from freefloat.structure.design.contacts import names_of
from freefloat.structure.design.design import Finding, type_at
from freefloat.structure.grid import Grid
from freefloat.structure.module import ModuleType
from freefloat.structure.tensor_body import TensorBody

TOLERANCE = 1e-3  # [m] by which a module may differ from its cell, assumed
INSIDE = 1e-9  # [m] by which a centre of mass on a face may be outside


def fit_findings(body: TensorBody) -> Iterator[Finding]:
    """Errors for modules that reach into a neighbour's cell or leave a gap to it, and for centres of mass outside;
    warnings for other sizes where nobody is beside."""
    yield from _sizes(body)
    for number in np.unique(body.shape[body.occupied]).tolist():
        kind = body.catalogue.type(number)
        if not centre_inside(kind):
            first = int(body.identity[np.flatnonzero(body.shape == number)[0]])
            value, allowed = f"({_listed(np.array(kind.p_MMcm))}) m", f"within the {_shape(kind)}"
            message = "the centre of mass is outside the module"
            yield Finding("error", "placement", f"type {kind.name}", message, value, allowed, first, kind.where)


def _sizes(body: TensorBody) -> Iterator[Finding]:
    """Modules of one type that do not fit in the same way are one finding."""
    cell = cell_size(body.grid)
    alike: dict[tuple[int, tuple[int, ...], float, bool], list[int]] = {}
    for place in body.occupied.tolist():
        extent, ways = extents(body, place), range(3) if body.grid.kind == "cubic" else (0, 2)
        misfits: dict[tuple[float, bool], list[int]] = {}
        for axis in (a for a in ways if abs(extent[a] - cell[a]) > TOLERANCE):
            misfits.setdefault((round(float(extent[axis]), 9), _has_beside(body, place, axis)), []).append(axis)
        for (size, beside), axes in misfits.items():
            alike.setdefault((int(body.shape[place]), tuple(axes), size, beside), []).append(place)
    for (_, axes, size, beside), places in alike.items():
        edge, way = float(cell[axes[0]]), _way(body.grid, axes)
        off = f"{0.5 * abs(size - edge):.4g} m"
        if size > edge:
            message = f"larger than the cell {way}" + (f", overlaps the next by {off}" if beside else "")
        else:
            message = f"smaller than the cell {way}" + (f", a gap of {off} to the next" if beside else "")
        severity, first = "error" if beside else "warning", int(body.identity[places[0]])
        here, allowed = names_of(body, np.isin(np.arange(body.grid.n), places)), f"{edge:.4g} m"
        yield Finding(severity, "placement", here, message, f"{size:.4g} m", allowed, first)


def _way(grid: Grid, axes: tuple[int, ...]) -> str:
    if grid.kind == "cubic":
        return "along " + " and ".join("xyz"[a] for a in axes)
    return " and ".join({0: "across its flats", 2: "in height"}[a] for a in axes)


def cell_size(grid: Grid) -> Array:
    """[m] (3,) edges of a cell; across flats (twice) and height of a hexagonal one."""
    edges = np.ptp(grid.outline, axis=0)
    return edges if grid.kind == "cubic" else np.array([grid.spacing, grid.spacing, edges[2]])


def extents(body: TensorBody, place: int) -> Array:
    """[m] (3,) of the module at a place along axes of T; across flats (twice) and height of a hexagonal one."""
    size = np.array(type_at(body, place).size)
    return np.abs(body.grid.R_PM[body.orientation[place]]) @ size if body.grid.kind == "cubic" else size


def _has_beside(body: TensorBody, place: int, axis: int) -> bool:
    sides = [2 * axis, 2 * axis + 1] if body.grid.kind == "cubic" else list(range(6)) if axis == 0 else []
    others = body.grid.neighbours[place, sides] if sides else np.zeros(0, dtype=np.int64)
    return bool((body.shape[others[others >= 0]] > 0).any())


def centre_inside(kind: ModuleType) -> bool:
    """Whether the centre of mass of a module is inside its prism."""
    centre, half = np.array(kind.p_MMcm), 0.5 * np.array(kind.size)
    if len(kind.sides) == 6:
        return bool((np.abs(centre) <= half + INSIDE).all())
    angle = np.radians(60.0 * np.arange(6))
    across = np.cos(angle) * centre[0] + np.sin(angle) * centre[1]
    return bool((across <= half[0] + INSIDE).all() and abs(centre[2]) <= half[2] + INSIDE)


def _shape(kind: ModuleType) -> str:
    x, y, z = kind.size
    if len(kind.sides) == 6:
        return f"box of {x:.4g} x {y:.4g} x {z:.4g} m about its centre"
    return f"hexagon of {x:.4g} m across flats and {z:.4g} m height about its centre"


def _listed(values: Array) -> str:
    return ", ".join(f"{v:.4g}" for v in values.tolist())
