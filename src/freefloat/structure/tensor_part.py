"""A tensor body in the world: one link for the engine, whatever the number of modules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from freefloat.amounts import Amount, Measure, positive, take
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Link, MassOf
from freefloat.geometry.shape import Shape
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.grid import cubic
from freefloat.structure.mass_properties import composite
from freefloat.structure.outside import places_of
from freefloat.structure.tensor_body import TensorBody

DUMMY_MASS = 1e-3  # [kg] of a free tensor body without modules
DUMMY_INERTIA = 1e-5  # [kg m^2] of the same, about every axis
GAP = 0.01  # share of a module's edge that its drawn shape leaves free


def link_mass(body: TensorBody, free: bool) -> MassOf:
    """Mass, centre of mass and inertia for the engine: exactly zero where an empty body hangs on another."""
    own = body.mass_properties()
    if own.mass == 0.0 and free:
        return DUMMY_MASS, np.zeros(3), DUMMY_INERTIA * np.eye(3)
    return own.mass, np.array(own.p_TTcm), np.array(own.I_TTcm_T)


def module_shape(body: TensorBody, place: int) -> Shape:
    """What the module at a place looks like: a box (a disc for a hexagonal one)."""
    kind = body.module(place).type
    half = [0.5 * (1.0 - GAP) * s for s in kind.size]
    box = body.grid.kind == "cubic"
    size = (half[0], half[1], half[2]) if box else (half[0], half[2])
    return Shape("box" if box else "cylinder", size, body.X_TM(place), (*kind.colour[:3], 1.0))


def with_dummy(properties: MassOf) -> MassOf:
    """Mass properties together with the dummy's, which is at T."""
    mass, p_TTcm, inertia = properties
    masses, centres = np.array([mass, DUMMY_MASS]), np.array([p_TTcm, np.zeros(3)])
    both = composite(masses, centres, inertia + DUMMY_INERTIA * np.eye(3))
    return both.mass, np.array(both.p_TTcm), np.array(both.I_TTcm_T)


def module_shapes(body: TensorBody) -> tuple[Shape, ...]:
    """The shapes of all contents, in the order of their places."""
    return tuple(module_shape(body, place) for place in body.occupied.tolist())


@dataclass(frozen=True, eq=False)
class TensorPart:
    """Modules on a grid as a part: free from `motion`, or without joint on the frame `on` (T is that frame).

    Signals, one number per place: `name.type`, `.identity`, `.orientation`, `.temperature` [K], `.powered`. They are
    written by the `Assembly` that looks after this body; with `log` they are recorded. In a `Contact` its modules touch
    where they are on the grid, at full pitch less `clearance`; `name.hidden` says what of each does not push.
    """

    name: str
    contents: TensorBody
    on: str | None = None
    motion: Motion = field(default_factory=Motion)
    log: bool = True
    clearance: Measure = 0.0  # [m] by which faces that touch others stand back from the pitch

    def __post_init__(self) -> None:
        half = 0.5 * self.contents.grid.spacing
        take(self, f"tensor part {self.name!r}", clearance=Amount("m", ge=0.0, lt=half))

    def build(self, b: Builder) -> None:
        """Add the link and what the assembly tells of it."""
        mass, p_TTcm, inertia = link_mass(self.contents, self.on is None)
        link = Link("", mass, p_TTcm, inertia, module_shapes(self.contents), variable=True)
        b.body(link, self.motion if self.on is None else None)
        if self.on is not None:
            b.mount(self.on, "")
        b.blueprint.places[self.name] = partial(places_of, self.contents, self.clearance)
        n = (self.contents.grid.n,)
        places = [f"place {' '.join(map(str, cell))}" for cell in self.contents.grid.cells.tolist()]
        for name, unit, meaning in (
            ("type", "-", "type number of the module at each place; 0: none"),
            ("identity", "-", "identity of the module at each place; 0: none"),
            ("orientation", "-", "orientation of the module at each place"),
            ("temperature", "K", "temperature of the module at each place"),
            ("powered", "-", "1 where the module has a path to a source and is not shed"),
        ):
            b.output(name, n, unit, meaning, self.log, labels=places)


def empty_hand(name: str, catalogue: Catalogue, pitch: Measure = 0.4) -> TensorBody:
    """A hand without a module: one place in front of the interface, whose frame (z outwards) is T; pitch [m]."""
    pitch = positive("m").number(pitch, f"hand {name!r}: pitch")
    return TensorBody(name, cubic(1, 1, 1, pitch, (0.0, 0.0, 0.5 * pitch)), catalogue)
