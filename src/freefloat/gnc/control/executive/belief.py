"""What the executive believes of the structure: which module is where, and what everything weighs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Indices, Kinds, Places, Stance

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
    new = turned(places, carry.turn, int(turn[carry.source]))
    what = kind[carry.source], who[carry.source]
    kind[carry.source] = turn[carry.source] = who[carry.source] = 0
    kind[carry.target], who[carry.target], turn[carry.target] = *what, new
    return Contents(kind, turn, who)


def same(a: Contents, b: Contents) -> bool:
    """Whether the same modules are in the same places, turned alike."""
    return bool((a.identity == b.identity).all() and (a.orientation == b.orientation).all())


@dataclass(frozen=True)
class Mates:
    """Sides of a place at which a module there would close on a neighbour, and the faces of each pair: module and own
    side of the one that arrives, of the neighbour."""

    pairs: Mapping[int, tuple[tuple[int, int], tuple[int, int]]]

    def without(self, faces: Collection[tuple[int, int]]) -> frozenset[int]:
        """Those of the sides that have one of these faces."""
        return frozenset(side for side, pair in self.pairs.items() if not set(pair).isdisjoint(faces))

    def hold(self, faces: Collection[tuple[int, int]]) -> bool:
        """Whether a pair is left without these faces."""
        return len(self.without(faces)) < len(self.pairs)


def mates_of(places: Places, kinds: Kinds, contents: Contents, module: tuple[int, int, int], place: int) -> Mates:
    """Of a module (type, identity, orientation) at a place among the contents."""
    kind, identity, orientation = module
    found = {}
    for side in range(places.sides):
        other, facing = int(places.neighbours[place, side]), int(places.facing[side])
        if other < 0 or facing < 0 or contents.type[other] == 0:
            continue
        own, theirs = own_side(places, orientation, side), own_side(places, int(contents.orientation[other]), facing)
        if kinds.mates[kinds.interface[kind, own], kinds.interface[contents.type[other], theirs]]:
            found[side] = (identity, own), (int(contents.identity[other]), theirs)
    return Mates(found)


def lifted(contents: Contents, place: int) -> Contents:
    """The contents without the module at a place."""
    gone = np.arange(len(contents.type)) == place
    return Contents(*(np.where(gone, 0, x) for x in (contents.type, contents.orientation, contents.identity)))


def turned(places: Places, turn: int, orientation: int) -> int:
    """The orientation of a module that is turned in T."""
    R = places.R_PM[turn] @ places.R_PM[orientation]
    return int(np.argmax(np.einsum("oij,ij->o", places.R_PM, R)))


def own_side(places: Places, orientation: int, side: int) -> int:
    """Which of a module's own sides shows at a side of its place."""
    return int(np.flatnonzero(places.side_at[orientation] == side)[0])
