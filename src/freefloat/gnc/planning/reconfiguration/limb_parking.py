"""A robot with a module in its hand puts it down, from wherever it has come to rest, and goes home."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.limb_planner import Curve, Face, LimbPlanner, Retreat, Stops, Way, across, travel
from freefloat.gnc.planning.arm.limb_search_step import Room, backed, clear
from freefloat.gnc.planning.reconfiguration.limb_ground import LimbGround
from freefloat.gnc.planning.reconfiguration.limb_homing import leg_of
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, NoMotionError
from freefloat.gnc.planning.reconfiguration.limb_retreat import SHARES, careful, hand_pose, starts
from freefloat.gnc.planning.reconfiguration.limb_scene import Stand
from freefloat.gnc.planning.reconfiguration.limb_ways_out import ways_out
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance

POSTURES = 6  # at a place, that are tried by a search
OFFERS = 40  # places and turns that are tried


def put_down(
    motions: LimbMotions,
    occupied: Flags,  # without the module
    stance: Stance,
    q: Array,
    gripped: Array,
    offers: Sequence[Carry],
    others: Sequence[Stance] = (),
) -> tuple[Carry, Leg, Leg]:
    """The first of the offers that has a motion: from q to the place, and home.

    Offers have the source and the grip by which the module was taken, at the posture `gripped`; joint positions (7,)
    are seen from the end that stands. `NoMotionError` where there is none.
    """
    ground, limb, full = motions.ground_of(stance), motions.limb, np.asarray(occupied, bool)
    homes = ground.homes(full, [stance, *others])
    resting = [(o, r) for o in others if (r := homes[o]) is not None]
    stand = ground.scenes.stand(full, stance, resting)
    for share in SHARES:
        for offer in offers[:OFFERS]:
            down = _PutDown(ground, careful(ground.planner, share), full, stand, (stance, *others), resting)
            curves = down.curves(limb.to_steps(q), limb.to_steps(gripped), offer)
            if curves is not None:
                margin = share * ground.planner.tries.margin
                return offer, leg_of(limb, "carry", curves[0], margin), leg_of(limb, "return", curves[1], margin)
    raise NoMotionError(f"module in the hand of {stance}: no motion to any of {len(offers)} places was found")


class _PutDown:
    """One stance with a module in the hand."""

    def __init__(
        self,
        ground: LimbGround,
        planner: LimbPlanner,
        occupied: Flags,
        stand: Stand,
        stances: Sequence[Stance],
        resting: Sequence[tuple[Stance, Array]],
    ) -> None:
        self.ground, self.planner, self.occupied = ground, planner, occupied
        self.stand, self.stances, self.resting = stand, stances, resting

    def curves(self, q: Array, gripped: Array, offer: Carry) -> tuple[Curve, Curve] | None:
        """To the place of an offer and home."""
        ground, scenes = self.ground, self.ground.scenes
        turn = 2.0 * math.pi / ground.symmetry
        roll = self._roll(gripped, offer, turn)
        room = self._room(self.stand, scenes.held(offer.grip, roll))
        after = self.occupied.copy()
        after[offer.target] = True
        home = ground.homes(after, self.stances)[self.stances[0]]
        if home is None:
            return None
        R_turn = ground.view.places.R_PM[offer.turn]
        face = scenes.face(self.stand, offer.source, offer.grip, R_turn, offer.target)
        spin = Pose.from_rpy((0.0, 0.0, roll * turn))
        face = replace(face, X_TH=face.X_TH @ spin, X_CH=face.X_CH @ spin)
        then = scenes.stand(after, self.stances[0], self.resting)
        for start, leave in starts(ground, self.stand, room, q, self.occupied):
            for retreat in ways_out(ground, room, face, self.occupied, offer.target):
                stops = self.planner.stops(room, face, [retreat], start)
                found = self._by(room, then, stops, start, leave, home, offer.target)
                if found is not None:
                    return found
        return None

    def _by(
        self,
        room: Room,
        then: Stand,
        stops: Stops,
        start: Array,
        leave: tuple[Stops, int] | None,
        home: Array,
        target: int,
    ) -> tuple[Curve, Curve] | None:
        """By the posture at the place that promises least."""
        good = [k for k in range(len(stops)) if clear(room, stops.away[k])]
        cost = travel(stops.at, start, self.planner.limits[0]) if good else np.zeros(0)
        order = sorted(good, key=lambda k: (float(cost[k]), k))
        for by_search in (False, True):
            for n, k in enumerate(order[:POSTURES] if by_search else order):
                over = self.planner.join(room, start, stops.away[k], n, by_search)
                carry = None if over is None else self.planner.curve(Way(room, over, leave, (stops, k)))
                back = None if carry is None else self._home(then, stops.face, stops.at[k], home, target)
                if carry is not None and back is not None:
                    return carry, back
        return None

    def _home(self, then: Stand, face: Face, at: Array, home: Array, target: int) -> Curve | None:
        """The empty hand off the module that is placed, and home."""
        tries, X, room = self.planner.tries, face.X_CH, self._room(then, self.ground.body)
        here = Face(face.X_TH, X, then.modules == target, np.zeros(len(then.modules), np.bool_))
        retreat, away, told = Retreat(min(tries.distances)), np.empty((1, 7)), np.empty((1, 2))
        up, steps, out = across(X), max(round(retreat.off / tries.look), 1), retreat.along(X.R)
        touching = room._replace(hand_free=here.hand_free)
        if not backed(touching, X.p, X.R, out, up, retreat.off, steps, at, away[0], told[0]):
            return None
        stops = Stops(here, retreat, at[None].copy(), away, told, up)
        for seed in range(3):
            points = self.planner.join(room, away[0], home, seed, by_search=seed > 0)
            curve = None if points is None else self.planner.curve(Way(room, points, leave=(stops, 0)))
            if curve is not None:
                return curve
        return None

    def _room(self, stand: Stand, body: object) -> Room:
        margin = self.planner.tries.margin
        return stand.room(body, margin + self.planner.tries.spare, margin)  # pyright: ignore[reportArgumentType]

    def _roll(self, gripped: Array, offer: Carry, turn: float) -> int:
        """In which the module was gripped."""
        face = self.ground.scenes.face(self.stand, offer.source, offer.grip)
        R = face.X_CH.R.T @ hand_pose(self.ground, gripped).R
        return round(math.atan2(R[1, 0], R[0, 0]) / turn) % self.ground.symmetry
