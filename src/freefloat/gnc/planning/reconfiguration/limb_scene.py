"""A limb on a face of a place, and what is around it, in that place's frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_body import LimbBody, holding
from freefloat.gnc.planning.arm.limb_clearance_step import placed_solids
from freefloat.gnc.planning.arm.limb_planner import Face
from freefloat.gnc.planning.arm.limb_search_step import Room, room
from freefloat.gnc.planning.arm.surroundings import Surroundings, surroundings
from freefloat.gnc.planning.reconfiguration.local_view import LocalView
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices, Stance

KEPT = 4096  # surroundings
BETWEEN = 0.03  # [m] by which others are taken as thicker and longer: robots keep that more from one another


def mated(roll: float = 0.0) -> Pose:
    """X_FE of an end on a face: half a turn about x, then the roll [rad] about z."""
    c, s = math.cos(roll), math.sin(roll)
    return Pose([[c, -s, 0.0], [-s, -c, 0.0], [0.0, 0.0, -1.0]])


@dataclass(frozen=True, eq=False)
class Stand:
    """A stance in the frame P of its place: surroundings, the modules among them, the limb's frame C."""

    place: int
    X_PC: Pose
    around: Surroundings
    modules: Indices  # (n,) places of the prisms

    @property
    def base(self) -> Array:
        """(4, 3) axes and origin of C."""
        return np.ascontiguousarray(np.vstack([self.X_PC.R.T, self.X_PC.p]))

    def room(self, body: LimbBody, margin: float, own: float) -> Room:
        """For postures that touch nothing."""
        return room(body, self.base, self.around, margin, own)


class LimbScenes:
    """Surroundings of stances, kept, and the limb's body with modules in its hand."""

    def __init__(self, view: LocalView, limb: Limb, body: LimbBody, symmetry: int, gap: float) -> None:
        self.view, self.limb, self.body, self.symmetry, self.gap = view, limb, body, symmetry, gap
        self._X_TH = limb.X_HT.inverse()
        self._around: dict[tuple[bytes, bytes], tuple[Surroundings, Indices]] = {}
        self._held: dict[tuple[int, int], LimbBody] = {}

    def X_PC(self, side: int) -> Pose:
        """Of the limb that stands on a side of a place P."""
        return self.view.places.X_PF[side] @ mated() @ self.limb.X_AC

    def stand(self, occupied: Flags, stance: Stance, resting: Sequence[tuple[Stance, Array]] = ()) -> Stand:
        """A stance among the modules, and others that rest in postures q (7,)."""
        near = self.view.near(stance.place)
        seen = near.exposed(occupied)
        others = [self._solids(stance.place, s, q) for s, q in resting]
        solids = np.vstack(others) if others else np.zeros((0, 16))
        key = (near.cells[seen].astype(np.int16).tobytes(), solids.tobytes())
        if key not in self._around:
            if len(self._around) >= KEPT:
                self._around.pop(next(iter(self._around)))
            span = np.hypot(solids[:, 13], solids[:, 14]) + solids[:, 15]
            made = surroundings(near.places[seen], self.view.ring, self.view.half, solids, span)
            self._around[key] = made, near.cells[seen]
        return Stand(stance.place, self.X_PC(stance.side), self._around[key][0], near.index[seen])

    def _solids(self, place: int, stance: Stance, q: Array) -> Array:
        X = self.X_PC(stance.side)
        base = np.ascontiguousarray(np.vstack([X.R.T, X.p + self.view.relative(place, stance.place)[1]]))
        solids = placed_solids(self.body, base, q)
        solids[:, 13:15] += BETWEEN
        return solids

    def held(self, side: int, roll: int = 0) -> LimbBody:
        """The limb with a module in its hand that it grips by a side of the module's place."""
        if (side, roll) not in self._held:
            X_PE = self.view.places.X_PF[side] @ mated(2.0 * math.pi * roll / self.symmetry)
            thin = 1.0 - self.gap / self.view.apothem
            half = self.view.half - self.gap
            self._held[side, roll] = holding(self.body, self.limb, X_PE.inverse(), thin, half, self.view.ring)
        return self._held[side, roll]

    def beside(self, stand: Stand, place: int, side: int) -> Flags:
        """(n,) prisms that a module may touch on its way off a place, held by a side of it: what is beside the place
        and beside the next cell out of that side."""
        away = stand.around.places - self.view.relative(stand.place, place)[1]
        ahead = away - 2.0 * self.view.places.X_PF[side].p
        touch = self.view.beside
        pairs = zip(np.round(away, 9) + 0.0, np.round(ahead, 9) + 0.0, strict=True)
        return np.array([touch(a) or touch(b) for a, b in pairs], np.bool_)

    def face(self, stand: Stand, place: int, side: int, R_turn: Array | None = None, target: int | None = None) -> Face:
        """The hand on a side of a place in roll 0; or, moved with a module that goes to a target turned by R_turn.

        On the way off it the hand may touch the module, and a module in the hand what is `beside`.
        """
        X_PE = self.view.places.X_PF[side] @ mated()
        goal = place if target is None else target
        if R_turn is not None:
            X_PE = Pose(R_turn) @ X_PE
        X_TH = Pose(X_PE.R, X_PE.p + self.view.relative(stand.place, goal)[1]) @ self._X_TH
        hand = stand.modules == goal
        held = int(np.argmax([-X_PF.R[:, 2] @ X_TH.R[:, 2] for X_PF in self.view.places.X_PF]))
        return Face(X_TH, stand.X_PC.inverse() @ X_TH, hand, self.beside(stand, goal, held))
