"""Which faces a robot's hand and foot can be at from each face it may stand on, asked once for each relative place.

Places are those of a lattice: an answer depends on sides and on where one cell is from the other.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Indices, Places, Stance


class Reach:
    """Lower bounds of the times of steps and transfers, and the faces in reach; filled as they are asked for."""

    def __init__(self, places: Places, motions: Motions) -> None:
        self.places, self.motions = places, motions
        span = 2 * (places.cells.max(axis=0) - places.cells.min(axis=0)) + 1
        radix = np.concatenate([[1], np.cumprod(span[::-1])[:-1]])[::-1]
        self.code: Indices = (places.cells @ radix).astype(np.int64)  # differences of two tell where one is from other
        self._away = int(np.prod(span))  # more than any difference's range
        extent = np.ptp(places.outline, axis=0)
        self._gap = 2.0 * float(extent.max())  # [m]
        self._rows: dict[Stance, tuple[Flags, Array]] = {}
        self._faces: dict[int, tuple[float, float]] = {}  # to the face and back; the least step
        self._carries: dict[int, float] = {}

    def hand(self, stance: Stance) -> Flags:
        """(n S,) whether the hand can be at each face, in some roll."""
        return self._row(stance)[0]

    def least_steps(self, stance: Stance) -> Array:
        """(n S,) [s] no step to a face is faster; infinite where it is out of reach."""
        return self._row(stance)[1]

    def least_transfers(self, stance: Stance, rows: Indices) -> Array:
        """[s] (k,) no such transfer is faster, for rows of source, target, grip, turn."""
        at, sides = self.code[stance.place], self.places.sides
        turns = self.places.R_PM.shape[0]
        keys = (self.code[rows[:, 0]] - at + self._away) * (2 * self._away) + self.code[rows[:, 1]] - at + self._away
        keys = (((keys * sides + rows[:, 2]) * turns + rows[:, 3]) * sides + stance.side) * 3 + stance.end
        known = self._carries
        out = np.empty(len(rows))
        for k, key in enumerate(keys.tolist()):
            least = known.get(key)
            if least is None:
                source, target, grip, turn = (int(x) for x in rows[k, :4])
                least = known[key] = self.motions.least_transfer(stance, Carry(source, target, grip, turn))
            out[k] = least
        return out

    def quickest(self) -> float:
        """[s] no transfer is faster than the way to the nearest face and back.

        Every place is seen from one of the outermost ones, so these know all that there is to reach.
        """
        cells = self.places.cells
        signs = np.array(list(itertools.product((1, -1), repeat=cells.shape[1])))
        corners = np.unique(np.argmin(cells @ signs.T, axis=0))
        for stance in (Stance(int(place), side) for place in corners for side in range(self.places.sides)):
            self._row(stance)
        return min((there for there, _ in self._faces.values()), default=math.inf)

    def least_of_all(self, turns: Indices) -> float:
        """[s] no transfer at all is faster, for these turns: by asking for all, which is for small grids."""
        least = math.inf
        for stance in (Stance(place, side) for place in range(self.places.n) for side in range(self.places.sides)):
            for turn in turns.tolist():
                rows = self._pairs(self.hand(stance), int(turn))
                least = min(least, float(self.least_transfers(stance, rows).min(initial=math.inf)))
        return least

    def _pairs(self, hand: Flags, turn: int) -> Indices:
        """(k, 4) source, target, grip, turn with the hand in reach at both."""
        reached = hand.reshape(self.places.n, self.places.sides)
        found = []
        for grip, arrives in enumerate(self.places.side_at[turn].tolist()):
            source, target = np.nonzero(reached[:, None, grip] & reached[None, :, arrives])
            kept = (source != target) | (turn != 0)
            source, target = source[kept], target[kept]
            found.append(np.stack([source, target, np.full_like(source, grip), np.full_like(source, turn)], axis=1))
        return np.concatenate(found)

    def _row(self, stance: Stance) -> tuple[Flags, Array]:
        row = self._rows.get(stance)
        if row is None:
            row = self._rows[stance] = self._asked(stance)
        return row

    def _asked(self, stance: Stance) -> tuple[Flags, Array]:
        n, sides = self.places.n, self.places.sides
        hand, least = np.zeros((n, sides), np.bool_), np.full((n, sides), math.inf)
        away = (self.code - self.code[stance.place]).tolist()
        distance = np.linalg.norm(self.places.p_TP - self.places.p_TP[stance.place], axis=1)
        farthest = 0.0
        for place in np.argsort(distance, kind="stable").tolist():
            if distance[place] > farthest + self._gap:
                break  # nothing within two cells' width of here was in reach, so nothing farther is
            for side in range(sides):
                key = (((away[place] + self._away) * sides + side) * sides + stance.side) * 3 + stance.end
                if key not in self._faces:
                    self._faces[key] = self._one(stance, Stance(place, side))
                there, least[place, side] = self._faces[key]
                hand[place, side] = math.isfinite(there)
            if np.isfinite(least[place]).any() or hand[place].any():
                farthest = float(distance[place])
        return hand.ravel(), least.ravel()

    def _one(self, stance: Stance, face: Stance) -> tuple[float, float]:
        """[s] least times of a transfer that goes nowhere, and of a step."""
        if (face.place, face.side) == (stance.place, stance.side):
            return math.inf, math.inf
        step = self.motions.least_step(stance, face)
        if face.place == stance.place:  # nobody lifts what he stands on
            return math.inf, step
        return self.motions.least_transfer(stance, Carry(face.place, face.place, face.side)), step
