"""What the executive believes of the structure: which module is where, and what everything weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Indices, Places, Stance

HALF_TURN = np.diag([1.0, -1.0, -1.0])  # an end on a face, with roll 0: its z into the module


def X_of_foot(places: Places, stance: Stance) -> Pose:
    """X_TE of an end that stands on a face, with roll 0 of the place's side."""
    return Pose(np.eye(3), places.p_TP[stance.place]) @ places.X_PF[stance.side] @ Pose(HALF_TURN)


@dataclass(frozen=True, eq=False)
class Modules:
    """What every module is: its type by identity, and the mass properties of each type in the module's frame M."""

    places: Places
    types: Mapping[int, int]  # identity -> type
    masses: Sequence[Mass]  # by type, nothing first

    def contents(self, identity: Indices, orientation: Indices) -> Contents:
        """As modules report it; one that is not known has type 0."""
        kinds = np.array([self.types.get(i, 0) for i in identity.tolist()], np.int64)
        return Contents(kinds, np.where(identity > 0, orientation, 0), identity.copy())

    def mass(self, contents: Contents) -> Mass:
        """Of the structure in T."""
        total = Mass.none()
        for place in np.flatnonzero(contents.type).tolist():
            R = self.places.R_PM[contents.orientation[place]]
            total += moved(self.masses[contents.type[place]], R, self.places.p_TP[place])
        return total

    def payload(self, identity: int, orientation: int, depth: float) -> Mass:
        """Of a module in a hand, whose centre is `depth` [m] in front of the hand's frame E, in that frame."""
        kind = self.types.get(identity, 0)
        if kind == 0:
            return Mass.none()
        return moved(self.masses[kind], self.places.R_PM[orientation], np.array([0.0, 0.0, depth]))


def moved(mass: Mass, R_TM: Array, p_TM: Array) -> Mass:
    """Mass properties in M as seen from T."""
    return Mass(mass.mass, p_TM + R_TM @ mass.p_BBcm, R_TM @ mass.I_BBcm_B @ R_TM.T)


def carried(places: Places, contents: Contents, carry: Carry) -> Contents:
    """The contents when a module has been carried."""
    kind, turn, who = contents.type.copy(), contents.orientation.copy(), contents.identity.copy()
    R = places.R_PM[carry.turn] @ places.R_PM[turn[carry.source]]
    new = int(np.argmax(np.einsum("oij,ij->o", places.R_PM, R)))
    what = kind[carry.source], who[carry.source]
    kind[carry.source] = turn[carry.source] = who[carry.source] = 0
    kind[carry.target], who[carry.target], turn[carry.target] = *what, new
    return Contents(kind, turn, who)


def same(a: Contents, b: Contents) -> bool:
    """Whether the same modules are in the same places, turned alike."""
    return bool((a.identity == b.identity).all() and (a.orientation == b.orientation).all())


def own_side(places: Places, orientation: int, side: int) -> int:
    """Which of a module's own sides shows at a side of its place."""
    return int(np.flatnonzero(places.side_at[orientation] == side)[0])
