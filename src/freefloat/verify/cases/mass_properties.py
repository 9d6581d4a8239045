"""Mass properties of tensor bodies against composites built body by body."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from freefloat.frames import Array, Pose, so3_exp
from freefloat.structure import Catalogue, Grid, Module, ModuleType, TensorBody, cubic, hexagon_rings, hexagonal
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.drawing import errors_of_cases
from freefloat.verify.oracles.pseudo_inertia import assembled, pseudo_inertia, read_out

CONFIGURATIONS = 500
MOST_EDGE, MOST_RINGS = 5, 3  # [-] of the random grids


@case("tensor-body", source="composite rigid body by pseudo-inertia matrices (Wensing, Kim and Slotine 2018)")
def tensor_body() -> Iterator[Comparison]:
    """Mass, centre of mass and inertia of random stacks of modules, cubic and hexagonal, against body by body.

    The centre's error is relative to the radius of gyration, the inertia's to its own norm.
    """
    rng = np.random.default_rng(4)
    errors = {"cubic": [], "hexagonal": []}
    for number in range(CONFIGURATIONS):
        body = random_body(rng, "cubic" if number % 2 == 0 else "hexagonal")
        errors[body.grid.kind].append(composite_errors(body))
    for kind, found in errors.items():
        mass, centre, inertia = np.array(found).T
        what = f"{len(found)} random {kind} configurations"
        yield at_most(f"mass, largest relative error, {what}", "-", ours=float(mass.max()), tolerance=0.0)
        yield at_most(f"centre of mass, largest relative error, {what}", "-", ours=float(centre.max()), tolerance=1e-12)
        yield at_most(
            f"inertia, largest relative error, {what}",
            "-",
            ours=float(inertia.max()),
            tolerance=1e-12,
            plot=errors_of_cases(
                np.arange(len(found)), {"centre": centre, "inertia": inertia}, 1e-12, "configuration", kind
            ),
        )


def composite_errors(body: TensorBody) -> Array:
    """Relative errors (3,) of mass, centre of mass and inertia against the sum over its modules, one by one."""
    pieces, masses = [], []
    for place in body.occupied.tolist():
        module_type = body.module(place).type
        turn, shift = body.offset[place, :3], body.offset[place, 3:]
        R_TM = so3_exp(turn) @ body.grid.R_PM[body.orientation[place]]
        J = pseudo_inertia(module_type.mass, module_type.p_MMcm, module_type.I_MMcm_M)
        pieces.append((Pose(R_TM, body.grid.p_TP[place] + shift), J))
        masses.append(module_type.mass)
    mass, centre, inertia = read_out(assembled(pieces))
    ours = body.mass_properties()
    length = math.sqrt(float(np.trace(inertia)) / mass)
    return np.array(
        [
            abs(ours.mass - float(sum(map(Fraction, masses)))) / mass,
            float(np.linalg.norm((ours.p_TTcm - centre).astype(np.float64))) / length,
            float(np.linalg.norm((ours.I_TTcm_T - inertia).astype(np.float64)) / np.linalg.norm(inertia.astype(float))),
        ]
    )


def random_body(rng: np.random.Generator, kind: str) -> TensorBody:
    """A random grid, filled at random with modules of random types that sit near their grid poses."""
    grid = random_grid(rng, kind)
    catalogue = Catalogue([random_type(rng, f"type {i}", grid.sides) for i in range(int(rng.integers(1, 6)))])
    body = TensorBody("stack", grid, catalogue)
    places = rng.permutation(grid.n)[: int(rng.integers(1, grid.n + 1))]
    for identity, place in enumerate(places.tolist(), start=1):
        module = Module(identity, catalogue.types[int(rng.integers(len(catalogue.types)))])
        offset = rng.normal(scale=0.05, size=6) if rng.random() < 0.5 else None
        body.insert(place, module, int(rng.integers(len(grid.R_PM))), offset)
    return body


def random_grid(rng: np.random.Generator, kind: str) -> Grid:
    """Of either kind, off the origin of T."""
    origin = rng.normal(scale=0.5, size=3)
    if kind == "cubic":
        nx, ny, nz = rng.integers(1, MOST_EDGE + 1, 3).tolist()
        return cubic(nx, ny, nz, float(rng.uniform(0.1, 1.0)), origin)
    cells = hexagon_rings(int(rng.integers(1, MOST_RINGS + 1)))
    chosen = rng.permutation(len(cells))[: int(rng.integers(1, len(cells) + 1))]
    return hexagonal(cells[chosen], float(rng.uniform(0.3, 2.0)), float(rng.uniform(0.05, 0.3)), origin)


def random_type(rng: np.random.Generator, name: str, sides: int) -> ModuleType:
    """A module with a full inertia tensor (that of a cloud of points) and its centre of mass off the middle."""
    mass = float(rng.uniform(0.5, 50.0))
    points = rng.normal(scale=rng.uniform(0.03, 0.2, 3), size=(6, 3))
    points -= points.mean(axis=0)
    spread = mass / 6.0 * points.T @ points
    inertia = np.trace(spread) * np.eye(3) - spread
    return ModuleType(name, mass, inertia, (None,) * sides, p_MMcm=tuple(rng.normal(scale=0.1, size=3)))
