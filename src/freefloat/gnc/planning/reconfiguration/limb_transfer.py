"""A transfer: home to the grip, the grip to the goal with the module, the goal home, in one stance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_clearance_step import load_slack
from freefloat.gnc.planning.arm.limb_planner import Curve, Face, Retreat, Stops, Way, across, travel
from freefloat.gnc.planning.arm.limb_search_step import Room, backed
from freefloat.gnc.planning.reconfiguration.limb_ground import Answer, LimbGround
from freefloat.gnc.planning.reconfiguration.limb_retreat import off_neighbours
from freefloat.gnc.planning.reconfiguration.limb_scene import Stand
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance

TURN = 2.0 * math.pi


def transfer(
    ground: LimbGround, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()
) -> Answer:
    """What is refuted cheaply comes first: covered faces, reach, the module's own way, postures, then motion."""
    refused = _not_free(ground, occupied, stance, carry, others)
    if refused:
        return Answer(refused=refused)
    (source, grip), (target, _) = ground.ends_of(carry)
    during, after = occupied.copy(), occupied.copy()
    during[source] = after[source] = False
    after[target] = True
    here = [stance, *others]
    rests = ground.rests(occupied, here, after, here)
    if isinstance(rests, str):
        return Answer(refused=rests)
    stands = [ground.scenes.stand(full, stance, rests[2]) for full in (occupied, during, after)]
    R_turn = ground.view.places.R_PM[carry.turn]
    faces = ground.scenes.face(stands[1], source, grip), ground.scenes.face(stands[1], source, grip, R_turn, target)
    room = stands[1].room(ground.scenes.held(grip), ground.keep, ground.own)
    ways = [_ways_out(ground, room, face, during, place) for face, place in zip(faces, (source, target), strict=True)]
    for name, retreats in zip(("grip", "goal"), ways, strict=True):
        if not retreats:
            return Answer(refused=f"{name}: no straight way for the module off its neighbours")
    stops: list[Stops] = []
    for name, face, retreats, home in zip(("grip", "goal"), faces, ways, rests[:2], strict=True):
        found = ground.planner.stops(room, face, retreats, home)
        if not len(found):
            return Answer(refused=f"{name}: {found.why}")
        stops.append(found)
    return _Legs(ground, stands, carry, (stops[0], stops[1]), rests[:2]).found()


def _not_free(ground: LimbGround, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance]) -> str:
    """What is in the way of an operation before any motion is looked for."""
    places, (source, grip), (target, side) = ground.view.places, *ground.ends_of(carry)
    if not occupied[source]:
        return "grip: no module there"
    if source in [s.place for s in (stance, *others)]:
        return "grip: a robot stands on it"
    if target != source and occupied[target]:
        return "goal: the place is taken"
    front, goal = int(places.neighbours[source, grip]), int(places.neighbours[target, side])
    if front >= 0 and occupied[front]:
        return "grip: the face is covered"
    if goal >= 0 and occupied[goal] and goal != source:
        return "goal: the gripped face would be covered"
    if target in [int(places.neighbours[s.place, s.side]) for s in (stance, *others)]:
        return "goal: a robot's foot is there"
    return "" if math.isfinite(ground.least(stance, ground.ends_of(carry))) else "out of reach"


def _ways_out(ground: LimbGround, room: Room, face: Face, occupied: Flags, place: int) -> list[Retreat]:
    """Straight ways on which the load keeps clear, touching what is beside its place meanwhile.

    Along the gripped face by little; away from all neighbours, if every one of them is left within its cone; along the
    gripped face past them.
    """
    *short, long = ground.planner.tries.distances
    away = off_neighbours(ground, face.X_TH.R, occupied, place)
    tried = [Retreat(d) for d in short]
    tried += [] if away is None else [Retreat(d, away) for d in short]
    return [retreat for retreat in (*tried, Retreat(long)) if _slides(ground, room, face, retreat)]


def _slides(ground: LimbGround, room: Room, face: Face, retreat: Retreat) -> bool:
    """Whether the load keeps clear on the way, and of everything at its end."""
    nothing = np.zeros_like(face.load_free)
    steps = max(math.ceil(retreat.off / ground.planner.tries.look - 1e-9), 1)
    hand = np.ascontiguousarray(np.vstack([face.X_TH.R.T, face.X_TH.p]))
    start, out = hand[3].copy(), face.X_TH.R @ retreat.out
    for k in range(steps, 0, -1):
        hand[3] = start + retreat.off * k / steps * out
        free = nothing if k == steps else face.load_free
        if load_slack(room.body, hand, room.around, free, ground.keep, 0.0) < 0.0:
            return False
    return True


@dataclass(frozen=True, eq=False)
class _Pair:
    """A posture at each end of the carry, and what their joints are taken beyond what the stops have."""

    i: int
    j: int
    roll: int  # of the grip
    shift: tuple[Array, Array]  # (7,) [rad] each


class _Legs:
    """The three legs of one transfer between known postures."""

    def __init__(
        self,
        ground: LimbGround,
        stands: Sequence[Stand],
        carry: Carry,
        stops: tuple[Stops, Stops],
        rests: tuple[Array, Array],
    ) -> None:
        self.ground, self.planner, self.grip = ground, ground.planner, carry.grip
        self.stops, self.rests, self.carrying = stops, rests, stands[1]
        self.rooms = tuple(s.room(ground.body, ground.keep, ground.own) for s in (stands[0], stands[2]))
        self.faces = tuple(
            replace(stop.face, hand_free=stand.modules == place, load_free=np.zeros(len(stand.modules), np.bool_))
            for stop, stand, place in zip(stops, (stands[0], stands[2]), (carry.source, carry.target), strict=True)
        )
        self._ends: dict[tuple[int, int], Stops | None] = {}

    def found(self) -> Answer:
        """The first pair, by what it promises, with a motion for every leg."""
        missed, tries = "carry", self.planner.tries
        pairs = list(islice(self._pairs(), tries.pairs))
        for by_search in (False, True):
            for n, pair in enumerate(pairs[: tries.searches if by_search else tries.pairs]):
                answer = self._legs(pair, n, by_search)
                if not answer.refused:
                    return answer
                missed = max(missed, answer.refused, key=("carry", "pick", "return", "curve").index)
        return Answer(refused=f"{missed}: no clear way was found")

    def _pairs(self) -> Iterator[_Pair]:
        a, b, speed = self.stops[0].at, self.stops[1].at, self.planner.limits[0]
        apart = np.abs(b[None, :, :6] - a[:, None, :6])
        apart[..., ::2] = np.minimum(apart[..., ::2] % TURN, TURN - apart[..., ::2] % TURN)
        cost = (apart / speed[:6]).max(axis=2)
        cost += travel(a, self.rests[0], speed)[:, None] + travel(b, self.rests[1], speed)[None]
        for n in np.argsort(cost, axis=None, kind="stable")[: 4 * self.planner.tries.pairs]:
            i, j = np.unravel_index(int(n), cost.shape)
            pair = self._pair(int(i), int(j))
            if pair is not None:
                yield pair

    def _pair(self, i: int, j: int) -> _Pair | None:
        """Whole turns that bring the postures near each other; the roll of the grip that is farthest from limits."""
        a, b = self.stops[0].at[i], self.stops[1].at[j]
        shift_a, shift_b = np.zeros(7), np.zeros(7)
        shift_b[::2] = TURN * np.round((a - b)[::2] / TURN)
        part = TURN / self.ground.symmetry
        stuck = self.ground.body.lower[6] == self.ground.body.upper[6]
        roll = 0 if stuck else -round((0.5 * (a[6] + b[6] + shift_b[6])) / part)
        shift_a[6] += roll * part
        shift_b[6] += roll * part
        if self._end(0, i) is None or self._end(1, j) is None:
            return None
        body = self.ground.body
        for q in (a + shift_a, b + shift_b):
            if (q < body.lower).any() or (q > body.upper).any():
                return None
        return _Pair(i, j, roll % self.ground.symmetry, (shift_a, shift_b))

    def _legs(self, pair: _Pair, seed: int, by_search: bool) -> Answer:
        join, shift = self.planner.join, pair.shift
        room = self.carrying.room(self.ground.scenes.held(self.grip, pair.roll), self.ground.keep, self.ground.own)
        i, j = pair.i, pair.j
        over = join(room, self.stops[0].away[i] + shift[0], self.stops[1].away[j] + shift[1], seed, by_search)
        if over is None:
            return Answer(refused="carry")
        first, last = self._end(0, i), self._end(1, j)
        there = None if first is None else join(self.rooms[0], self.rests[0], first.away[0] + shift[0], seed, by_search)
        if first is None or there is None:
            return Answer(refused="pick")
        home = None if last is None else join(self.rooms[1], last.away[0] + shift[1], self.rests[1], seed, by_search)
        if last is None or home is None:
            return Answer(refused="return")
        ways = (
            Way(self.rooms[0], there, reach=(first, 0), shift=(0.0, shift[0])),
            Way(room, over, (self.stops[0], i), (self.stops[1], j), shift),
            Way(self.rooms[1], home, leave=(last, 0), shift=(shift[1], 0.0)),
        )
        curves: list[Curve] = []
        for way in ways:
            curve = self.planner.curve(way)
            if curve is None:
                return Answer(refused="curve")
            curves.append(curve)
        return Answer(tuple(curves))

    def _end(self, which: int, k: int) -> Stops | None:
        """The straight way of the empty hand off the module at one of its places, or None."""
        if (which, k) not in self._ends:
            tries, face, X = self.planner.tries, self.faces[which], self.faces[which].X_CH
            room = self.rooms[which]._replace(hand_free=face.hand_free)
            retreat = Retreat(min(tries.distances))
            up, at = across(X), self.stops[which].at[k]
            away, told = np.empty((1, 7)), np.empty((1, 2))
            steps = max(round(retreat.off / tries.look), 1)
            good = backed(room, X.p, X.R, X.R @ retreat.out, up, retreat.off, steps, at, away[0], told[0])
            self._ends[which, k] = Stops(face, retreat, at[None].copy(), away, told, up) if good else None
        return self._ends[which, k]
