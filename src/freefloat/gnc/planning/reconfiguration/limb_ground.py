"""What motions of a limb on a structure share: where robots rest, what an answer depends on, what is in reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_body import LimbBody
from freefloat.gnc.planning.arm.limb_bounds_step import least_from, rest_to_rest
from freefloat.gnc.planning.arm.limb_planner import Curve, LimbPlanner, across
from freefloat.gnc.planning.arm.limb_search_step import first_clear
from freefloat.gnc.planning.arm.surroundings import surroundings
from freefloat.gnc.planning.reconfiguration.homes import home_postures
from freefloat.gnc.planning.reconfiguration.limb_scene import LimbScenes, Stand
from freefloat.gnc.planning.reconfiguration.local_view import LocalView
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance

AT_HOME = 0.01  # [m] more than the margin that a home keeps


@dataclass(frozen=True, eq=False)
class Answer:
    """Curves of an operation's legs as the limb's steps count joints, or why there are none."""

    curves: tuple[Curve, ...] = ()
    refused: str = ""

    @property
    def seconds(self) -> float:
        """Of all legs."""
        return sum(c.seconds for c in self.curves)


class LimbGround:
    """A limb on a grid; keeps only what does not depend on contents, and surroundings."""

    def __init__(
        self,
        view: LocalView,
        limb: Limb,
        body: LimbBody,
        planner: LimbPlanner,
        symmetry: int,
        gap: float,
        candidates: Array | None = None,
    ) -> None:
        self.view, self.limb, self.body, self.planner, self.symmetry = view, limb, body, planner, symmetry
        self.scenes = LimbScenes(view, limb, body, symmetry, gap)
        self.candidates = home_postures() if candidates is None else candidates  # (k, 7) homes in the order tried
        self.turned = self  # the same limb seen from its other end, where that is another one
        self.keep = planner.tries.margin + planner.tries.spare  # [m] that way-points keep
        self.own = planner.tries.margin
        self._nothing = surroundings(np.zeros((0, 3)), view.ring, view.half)
        self._least: dict[object, tuple[float, float]] = {}

    def homes(self, occupied: Flags, stances: Sequence[Stance]) -> dict[Stance, Array | None]:
        """Where robots on these stances rest: each clear of the modules and of those before it by place and side."""
        found: dict[Stance, Array | None] = {}
        resting: list[tuple[Stance, Array]] = []
        for stance in sorted(stances, key=lambda s: (s.place, s.side)):
            room = self.scenes.stand(occupied, stance, resting).room(self.body, self.keep + AT_HOME, self.own)
            n = first_clear(room, self.candidates)
            found[stance] = q = None if n < 0 else self.candidates[n]
            if q is not None:
                resting.append((stance, q))
        return found

    def rests(
        self, before: Flags, now: Sequence[Stance], after: Flags, then: Sequence[Stance]
    ) -> str | tuple[Array, Array, list[tuple[Stance, Array]]]:
        """Home of the first robot before and after an operation, and of the others; or why it cannot be.

        Others rest meanwhile, so what the operation changes must not change their homes.
        """
        there = self if now[0].end == then[0].end else self.turned
        first, last = self.homes(before, now), there.homes(after, then)
        resting: list[tuple[Stance, Array]] = []
        for other in now[1:]:
            q, then_q = first[other], last[other]
            if q is None or then_q is None or not np.array_equal(q, then_q):
                return "rest: another robot could not stay where it is"
            resting.append((other, q))
        start, end = first[now[0]], last[then[0]]
        if start is None or end is None:
            return f"rest: no clear home {'before' if start is None else 'after'} it"
        return start, end, resting

    def key(self, occupied: Flags, stance: Stance, what: Stance | Carry, others: Sequence[Stance]) -> object:
        """All that an answer depends on, seen from the stance."""
        cell = self._cell
        rest: list[object] = []
        if others:
            homes = self.homes(occupied, [stance, *others])
            for o in others:
                q = homes[o]
                rest.append(
                    (cell(stance, o.place), o.side, None if q is None else q.tobytes(), self._seen(occupied, o))
                )
        seen = self._seen(occupied, stance)
        if isinstance(what, Carry):
            asked = cell(stance, what.source), cell(stance, what.target), what.grip, what.turn
            return stance.side, seen, asked, tuple(rest)
        asked = cell(stance, what.place), what.side, self._seen(occupied, what)
        return stance.side, seen, asked, tuple(rest)

    def _cell(self, stance: Stance, place: int) -> tuple[int, ...]:
        return self.view.relative(stance.place, place)[0]

    def _seen(self, occupied: Flags, stance: Stance) -> bytes:
        near = self.view.near(stance.place)
        return near.cells[near.occupied(occupied)].astype(np.int16).tobytes()

    def ends_of(self, carry: Carry) -> list[tuple[int, int]]:
        """Place and side of the hand at both ends of a transfer."""
        return [(carry.source, carry.grip), (carry.target, int(self.view.places.side_at[carry.turn, carry.grip]))]

    def least(self, stance: Stance, ends: Sequence[tuple[int, int]]) -> float:
        """No motion from home over these faces and home again is faster [s], whatever the contents.

        Joints turn at least from the nearest of all homes to a posture at the face, in which |q4| is one number.
        """
        found = [self._at_face(stance, place, side) for place, side in ends]
        total = found[0][0] + found[-1][0]
        if len(found) == 2 and math.isfinite(total):
            total += rest_to_rest(abs(found[0][1] - found[1][1]), *self.planner.limits[:, 3])
        return float(total)

    def _at_face(self, stance: Stance, place: int, side: int) -> tuple[float, float]:
        """Least time [s] between any home and the hand on a face, and |q4| [rad] there; infinite out of reach."""
        key = (stance.side, self._cell(stance, place), side)
        if key not in self._least:
            stand = Stand(stance.place, self.scenes.X_PC(stance.side), self._nothing, np.zeros(0, np.int64))
            X, p = self.scenes.face(stand, place, side).X_CH, self.planner
            least = min(p.tries.distances)
            up = across(X)
            swivels = p.swivels_at(self.body, X, up)
            self._least[key] = least_from(self.body, X.p, X.R, up, swivels, least, self.candidates, p.limits)
        return self._least[key]
