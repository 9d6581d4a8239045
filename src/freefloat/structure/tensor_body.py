"""A spacecraft made of modules on a grid, as one rigid body: arrays of type, identity, orientation and offset.

Its mass properties are computed from the arrays alone (Reiner 2022, listing 2), so that equal contents give
equal numbers whatever happened before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_exp
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.grid import Grid
from freefloat.structure.mass_properties import MassProperties, composite, rotations
from freefloat.structure.module import Module

Indices = NDArray[np.int64]


class TensorBody:
    """Modules on the places of a grid. A refused operation raises InputError and changes nothing.

    The offset [rotation vector; position] is where a module M really is against its grid pose, in axes of P:
    X_PM = (exp(rotation) R_PM[orientation], position).
    """

    def __init__(self, name: str, grid: Grid, catalogue: Catalogue) -> None:
        self.name = name
        self.grid = grid
        self.catalogue = catalogue
        self._type = np.zeros(grid.n, dtype=np.int64)
        self._identity = np.zeros(grid.n, dtype=np.int64)
        self._orientation = np.zeros(grid.n, dtype=np.int64)
        self._offset = np.zeros((grid.n, 6))
        turned = grid.R_PM[None] @ catalogue.I_MMcm_M[:, None] @ np.swapaxes(grid.R_PM, 1, 2)[None]
        self._I_MMcm_P = turned  # (types + 1, orientations, 3, 3)
        self._p_MMcm_P = np.einsum("oij,tj->toi", grid.R_PM, catalogue.p_MMcm)
        self._interfaces = catalogue.interface_numbers(grid.sides)

    @property
    def shape(self) -> Indices:
        """(n,) type number at each place, 0 where it is empty; a read-only view."""
        return _view(self._type)

    @property
    def identity(self) -> Indices:
        """(n,) identity of the module at each place, 0 where it is empty; a read-only view."""
        return _view(self._identity)

    @property
    def orientation(self) -> Indices:
        """(n,) orientation of the module at each place; a read-only view."""
        return _view(self._orientation)

    @property
    def offset(self) -> Array:
        """(n, 6) [rad, m] residual of the module at each place; a read-only view."""
        return _view(self._offset)

    @property
    def occupied(self) -> Indices:
        """Places that hold a module, in order."""
        return np.flatnonzero(self._type)

    def find(self, identity: int) -> int | None:
        """The place of a module."""
        found = np.flatnonzero((self._identity == identity) & (self._type > 0))
        return int(found[0]) if len(found) else None

    def module(self, place: int) -> Module:
        """The module at an occupied place."""
        place = self.grid.check_place(place)
        if self._type[place] == 0:
            raise InputError(f"{self.name}: place {place} is empty; occupied: {_listed(self.occupied)}")
        return Module(int(self._identity[place]), self.catalogue.type(int(self._type[place])))

    def insert(self, place: int, module: Module, orientation: int = 0, offset: ArrayLike | None = None) -> None:
        """Put a module into an empty place."""
        self._put(*self._checked(place, module, orientation, offset))

    def remove(self, place: int) -> Module:
        """Take the module out of an occupied place."""
        module = self.module(place)
        self._clear(int(place))
        return module

    def _checked(
        self, place: int, module: Module, orientation: int, offset: ArrayLike | None, *, leaving: int | None = None
    ) -> tuple[int, int, int, int, Array]:
        """What `_put` takes; `leaving` is the place of this body that the module is about to leave."""
        place = self.grid.check_place(place)
        here = f"{self.name}: place {place}"
        number = self.catalogue.number(module.type)
        if len(module.type.sides) != self.grid.sides:
            raise InputError(
                f"{here}: a {module.type.name} has {len(module.type.sides)} sides; "
                f"allowed: {self.grid.sides} on a {self.grid.kind} grid"
            )
        if self._type[place] != 0:
            raise InputError(f"{here} is occupied by module {self._identity[place]}; allowed: an empty place")
        known = self.find(module.identity)
        if known is not None and known != leaving:
            raise InputError(f"{here}: identity {module.identity} is already at place {known}; allowed: one of each")
        turns = len(self.grid.R_PM)
        whole = isinstance(orientation, (int, np.integer)) and not isinstance(orientation, bool)
        if not whole or not 0 <= orientation < turns:
            raise InputError(f"{here}: orientation {orientation!r}; allowed: 0 to {turns - 1}")
        return place, number, module.identity, int(orientation), _residual(offset, here)

    def _put(self, place: int, number: int, identity: int, orientation: int, offset: Array) -> None:
        self._type[place] = number
        self._identity[place] = identity
        self._orientation[place] = orientation
        self._offset[place] = offset

    def _clear(self, place: int) -> None:
        self._put(place, 0, 0, 0, np.zeros(6))

    def X_TM(self, place: int) -> Pose:
        """Pose of the module at an occupied place, offset included."""
        self.module(place)
        residual = self._offset[place]
        R = self.grid.R_PM[self._orientation[place]]
        R = so3_exp(residual[:3]) @ R if residual[:3].any() else R
        return Pose(R, self.grid.p_TP[place] + residual[3:])

    def X_TF(self, place: int, side: int) -> Pose:
        """Connector frame that shows at a side of a place: the module's own, or the grid's where it is empty."""
        place = self.grid.check_place(place)
        if not 0 <= side < self.grid.sides:
            raise InputError(f"{self.name}: side {side!r}; allowed: 0 to {self.grid.sides - 1}")
        if self._type[place] == 0:
            return Pose(np.eye(3), self.grid.p_TP[place]) @ self.grid.X_PF[side]
        own = int(np.flatnonzero(self.grid.side_at[self._orientation[place]] == side)[0])
        return self.X_TM(place) @ self.grid.X_PF[own]

    def offset_of(self, place: int, X_TM: Pose) -> tuple[int, Array]:
        """Nearest orientation and the residual (6,) of a module that is at X_TM, against a place."""
        place = self.grid.check_place(place)
        orientation = self.grid.nearest_orientation(X_TM.R)
        rotation = Pose(X_TM.R @ self.grid.R_PM[orientation].T).log()[:3]
        return orientation, np.concatenate([rotation, X_TM.p - self.grid.p_TP[place]])

    def interfaces(self) -> Indices:
        """(n, sides) interface number that shows at each side of each place; 0: none."""
        shown = np.zeros((self.grid.n, self.grid.sides), dtype=np.int64)
        rows = np.arange(self.grid.n)[:, None]
        shown[rows, self.grid.side_at[self._orientation]] = self._interfaces[self._type]
        return shown

    def contacts(self) -> Indices:
        """(k, 4) place, side, neighbour, its side: each pair of occupied neighbours once."""
        place, side = np.nonzero(self.grid.neighbours >= 0)
        other = self.grid.neighbours[place, side]
        keep = (place < other) & (self._type[place] > 0) & (self._type[other] > 0)
        place, side, other = place[keep], side[keep], other[keep]
        return np.stack([place, side, other, self.grid.facing[side]], axis=1)

    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia about it, of all modules where they really are."""
        places = self.occupied
        key = self._type[places] * len(self.grid.R_PM) + self._orientation[places]
        centre = self._p_MMcm_P.reshape(-1, 3)[key]
        rotation = self._offset[places, :3]
        tilted = np.flatnonzero(rotation.any(axis=1))
        inertia = self._upright_inertia(np.delete(key, tilted))
        if len(tilted):
            R = rotations(rotation[tilted])
            centre[tilted] = np.einsum("nij,nj->ni", R, centre[tilted])
            inertia += (R @ self._I_MMcm_P.reshape(-1, 3, 3)[key[tilted]] @ np.swapaxes(R, 1, 2)).sum(axis=0)
        p_TMcm = self.grid.p_TP[places] + self._offset[places, 3:] + centre
        return composite(self.catalogue.mass[self._type[places]], p_TMcm, inertia)

    def _upright_inertia(self, key: Indices) -> Array:
        """Sum (3, 3) of the modules' own inertias; there are fewer kinds and orientations than modules."""
        table = self._I_MMcm_P.reshape(-1, 9)
        return (np.bincount(key, minlength=len(table)) @ table).reshape(3, 3)

    def copy(self, name: str | None = None) -> TensorBody:
        """An independent tensor body with the same contents on the same grid."""
        other = TensorBody.__new__(TensorBody)
        other.__dict__.update(self.__dict__)
        other.name = self.name if name is None else name
        other._type, other._identity, other._orientation, other._offset = (
            a.copy() for a in (self._type, self._identity, self._orientation, self._offset)
        )
        return other


def transfer(
    a: TensorBody, place_a: int, b: TensorBody, place_b: int, orientation: int = 0, offset: ArrayLike | None = None
) -> Module:
    """Move the module at place_a of `a` to the empty place_b of `b`, or of `a` itself; or refuse and change nothing."""
    module = a.module(place_a)
    put = b._checked(place_b, module, orientation, offset, leaving=int(place_a) if a is b else None)
    a._clear(int(place_a))
    b._put(*put)
    return module


def check_identities(bodies: Iterable[TensorBody]) -> None:
    """Refuse a set of tensor bodies in which a module is twice."""
    seen: dict[int, str] = {}
    for body in bodies:
        for place in body.occupied.tolist():
            here = f"{body.name} place {place}"
            identity = int(body.identity[place])
            if identity in seen:
                raise InputError(f"module {identity} is at {seen[identity]} and at {here}; allowed: one of each")
            seen[identity] = here


def total_mass(bodies: Iterable[TensorBody]) -> float:
    """[kg] of all modules, correctly rounded: transfers between the bodies do not change it by a bit."""
    return math.fsum(m for body in bodies for m in body.catalogue.mass[body.shape].tolist())


def _residual(offset: ArrayLike | None, here: str) -> Array:
    try:
        residual = np.zeros(6) if offset is None else np.array(offset, dtype=np.float64)
    except (TypeError, ValueError):
        residual = np.zeros(0)
    if residual.shape != (6,) or not np.isfinite(residual).all():
        raise InputError(f"{here}: offset {offset!r}; allowed: 6 finite numbers, rotation vector and position")
    return residual


def _listed(places: Indices) -> str:
    shown = ", ".join(map(str, places[:12].tolist()))
    return (shown + (", ..." if len(places) > 12 else "")) or "(none)"


def _view(a: NDArray) -> NDArray:
    view = a.view()
    view.setflags(write=False)
    return view
