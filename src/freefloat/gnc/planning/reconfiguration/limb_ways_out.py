"""Ways of a module in a limb's hand off its neighbours, whatever the limb does meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.curve_proof_step import STRAIGHT
from freefloat.gnc.planning.arm.limb_clearance_step import load_slack
from freefloat.gnc.planning.arm.limb_planner import Face, Retreat
from freefloat.gnc.planning.arm.limb_search_step import BEND, Room
from freefloat.gnc.planning.reconfiguration.limb_ground import LimbGround
from freefloat.gnc.planning.reconfiguration.local_view import LocalView
from freefloat.gnc.planning.reconfiguration.problem import Flags, Stance
from freefloat.gnc.planning.reconfiguration.ways_out import within_cones

ASIDE = 0.1  # [m] off what stands beside the way, once past what is beside the place
MANY = 4  # ways of a kind that are tried


def ways_out(ground: LimbGround, room: Room, face: Face, occupied: Flags, place: int) -> list[Retreat]:
    """Ways on which the load keeps clear, touching what is beside its place meanwhile.

    Along the gripped face by little; within the cones of the gripped face and of all neighbours; along the gripped
    face past them, and where no way aslant is also aside at the end, off what stands beside the way.
    """
    *short, long = ground.planner.tries.distances
    ways, R = ground.view.directions, face.X_TH.R
    off = needed(ground, R, occupied, place)
    easy = (retreat(R, d, out) for out in (off[0], *within_cones(ways, off)) for d in short)
    good = list(islice((r for r in easy if _slides(ground, room, face, r)), MANY))
    straight = all(abs(r.out[2]) > 1.0 - 1e-9 for r in good)
    rest = past(R, long, off[0], ways) if straight else [retreat(R, long, off[0])]
    return good + list(islice((r for r in rest if _slides(ground, room, face, r)), MANY))


def needed(ground: LimbGround, R_TH: Array, occupied: Flags, place: int) -> Array:
    """(m, 3) outward normals, in T, of the gripped face and off all neighbours of a place."""
    normals = np.array([X_PF.R[:, 2] for X_PF in ground.view.places.X_PF])
    gripped = normals[np.argmax(-normals @ R_TH[:, 2])]  # a hand at rest is there but for the joints' errors
    sides = [s for s, n in enumerate(ground.view.places.neighbours[place]) if n >= 0 and occupied[n]]
    return np.array([gripped, *-normals[sides]])


def retreat(R_TH: Array, off: float, out: Array, side: Array | None = None) -> Retreat:
    """From directions in T."""
    x, y, z = (R_TH.T @ out).tolist()
    if side is None:
        return Retreat(off, (x, y, z))
    a, b, c = (R_TH.T @ side).tolist()
    return Retreat(off, (x, y, z), (a, b, c))


def past(R_TH: Array, off: float, out: Array, ways: Array) -> Iterator[Retreat]:
    """Straight past what is beside a place, and aside at the end."""
    yield retreat(R_TH, off, out)
    for side in ways[np.abs(ways @ out) < 1e-9]:
        yield retreat(R_TH, off + BEND, out, ASIDE * side / np.abs(side).max())


def _slides(ground: LimbGround, room: Room, face: Face, retreat: Retreat) -> bool:
    """Whether the load keeps clear on the way, is never as near to anything as it may be beside the way, and is clear
    of all at its end."""
    nothing = np.zeros_like(face.load_free)
    steps = max(math.ceil(retreat.off / ground.planner.tries.look - 1e-9), 1)
    hand = np.ascontiguousarray(np.vstack([face.X_TH.R.T, face.X_TH.p]))
    start = hand[3].copy()
    for k in range(steps, 0, -1):
        hand[3] = start + retreat.at(face.X_TH.R, k / steps)
        free = nothing if k == steps else face.load_free
        if load_slack(room.body, hand, room.around, free, ground.keep, 0.0) < 0.0:
            return False
        if k < steps and load_slack(room.body, hand, room.around, nothing, STRAIGHT, 0.0) < 0.0:
            return False
    return True


class Leaving:
    """Whether modules have such a way; answers are kept by what is around a place."""

    def __init__(self, ground: LimbGround) -> None:
        around = 2.0 * float(np.linalg.norm(ground.view.places.outline[0]))
        self.ground = ground
        self.view = LocalView(
            ground.view.places, 1.5 * max(ground.planner.tries.distances) + BEND + around + 2.0 * ground.keep
        )
        self._known: dict[tuple[int, bytes], bool] = {}

    def __call__(self, occupied: Flags, place: int, side: int) -> bool:
        """Of a module at a place, held by a side of it; `occupied` without it."""
        near = self.view.near(place)
        key = side, near.key(occupied)
        if key not in self._known:
            self._known[key] = self._look(occupied, place, side)
        return self._known[key]

    def _look(self, occupied: Flags, place: int, side: int) -> bool:
        ground = self.ground
        stand = ground.scenes.stand(occupied, Stance(place, side))
        face = ground.scenes.face(stand, place, side)
        room = stand.room(ground.scenes.held(side), ground.keep, ground.own)
        return bool(ways_out(ground, room, face, occupied, place))
