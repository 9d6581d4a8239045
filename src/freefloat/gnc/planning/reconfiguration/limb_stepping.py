"""A step: the free end latches on a face, then the other end lets go and goes home, seen from there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_planner import Face, Retreat, Stops, Way, across, travel
from freefloat.gnc.planning.arm.limb_search_step import Room, backed
from freefloat.gnc.planning.reconfiguration.limb_ground import Answer, LimbGround
from freefloat.gnc.planning.reconfiguration.problem import Flags, Stance


def step_over(ground: LimbGround, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()) -> Answer:
    """Home to the face; from the face home."""
    refused = _not_free(ground, occupied, stance, to, others)
    if refused:
        return Answer(refused=refused)
    rests = ground.rests(occupied, [stance, *others], occupied, [to, *others])
    if isinstance(rests, str):
        return Answer(refused=rests)
    first, last, resting = rests
    there = ground.turned
    old, new = ground.scenes.stand(occupied, stance, resting), there.scenes.stand(occupied, to, resting)
    rooms = old.room(ground.body, ground.keep, ground.own), new.room(there.body, there.keep, there.own)
    face, back = ground.scenes.face(old, to.place, to.side), ground.scenes.face(new, stance.place, stance.side)
    stops = ground.planner.stops(rooms[0], face, [Retreat(d) for d in ground.planner.tries.distances[:2]], first)
    if not len(stops):
        return Answer(refused=f"step: {stops.why}")
    return _between(ground, rooms, stops, back, (first, last))


def _not_free(ground: LimbGround, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance]) -> str:
    if stance.place == to.place or not occupied[to.place]:
        return "step: no other module there"
    front = int(ground.view.places.neighbours[to.place, to.side])
    if front >= 0 and occupied[front]:
        return "step: the face is covered"
    if to in others:
        return "step: another robot stands there"
    return "" if math.isfinite(ground.least(stance, [(to.place, to.side)])) else "step: out of reach"


def _between(
    ground: LimbGround, rooms: tuple[Room, Room], stops: Stops, back: Face, rests: tuple[Array, Array]
) -> Answer:
    """The two legs by the posture at the face that promises least."""
    planner, (first, last) = ground.planner, rests
    rear, good = _seen_from_there(ground, rooms[1], stops, back)
    cost = travel(stops.at, first, planner.limits[0]) + travel(rear.at, last, planner.limits[0])
    order = [int(k) for k in np.argsort(cost, kind="stable") if good[k]]
    if not order:
        return Answer(refused="follow: no straight way off the old face")
    missed = "step"
    for by_search in (False, True):
        for n, k in enumerate(order[: planner.tries.searches if by_search else planner.tries.pairs]):
            one = planner.join(rooms[0], first, stops.away[k], n, by_search)
            if one is None:
                continue
            missed = "follow"
            two = planner.join(rooms[1], rear.away[k], last, n, by_search)
            if two is None:
                continue
            reach = planner.curve(Way(rooms[0], one, reach=(stops, k)))
            follow = planner.curve(Way(rooms[1], two, leave=(rear, k))) if reach else None
            if reach and follow:
                return Answer((reach, follow))
    return Answer(refused=f"{missed}: no clear way was found")


def _seen_from_there(ground: LimbGround, room: Room, stops: Stops, back: Face) -> tuple[Stops, list[bool]]:
    """The same postures from the face that was reached, with ways off the old one, and whether each has one."""
    tries, X = ground.planner.tries, back.X_CH
    retreat = Retreat(min(tries.distances))
    out, up, steps = retreat.along(X.R), across(X), max(round(retreat.off / tries.look), 1)
    at, away, told = np.ascontiguousarray(stops.at[:, ::-1]), np.empty_like(stops.at), np.empty_like(stops.told)
    room = room._replace(hand_free=back.hand_free)
    good = [bool(backed(room, X.p, X.R, out, up, retreat.off, steps, at[k], away[k], told[k])) for k in range(len(at))]
    return Stops(back, retreat, at, away, told, up), good
