"""Motion from wherever a robot has come to rest: straight off what its hand or load is at, where that touches it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.limb_planner import Face, LimbPlanner, Retreat, Stops, across
from freefloat.gnc.planning.arm.limb_search_step import Room, backed, clear
from freefloat.gnc.planning.arm.limb_step import frames
from freefloat.gnc.planning.reconfiguration.limb_ground import LimbGround
from freefloat.gnc.planning.reconfiguration.limb_scene import Stand
from freefloat.gnc.planning.reconfiguration.limb_ways_out import needed, past, retreat
from freefloat.gnc.planning.reconfiguration.problem import Flags
from freefloat.gnc.planning.reconfiguration.ways_out import within_cones

SHARES = (1.0, 0.5, 0.25)  # [-] of the margin, tried in turn: braking after a fault may have used some of it up


def hand_pose(ground: LimbGround, q: Array) -> Pose:
    """X_CH of joint angles as the limb's steps count them."""
    axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
    frames(ground.limb.l1, ground.limb.l2, q, axes, centres)
    return Pose(axes[7], centres[7])


def careful(planner: LimbPlanner, share: float) -> LimbPlanner:
    """A planner that keeps a share of the margin."""
    return replace(planner, tries=replace(planner.tries, margin=share * planner.tries.margin))


def ways(ground: LimbGround, face: Face, occupied: Flags, place: int) -> list[Retreat]:
    """Ways of a hand at rest with a module off a place: along the gripped face, off all neighbours, past them and
    aside."""
    tries, R, all_ways = ground.planner.tries.distances, face.X_TH.R, ground.view.directions
    off = needed(ground, R, occupied, place)
    aslant = (retreat(R, d, out) for out in within_cones(all_ways, off)[:1] for d in tries[:-1])
    return [*map(Retreat, tries), *aslant, *list(past(R, tries[-1], off[0], all_ways))[1:]]


def facing(ground: LimbGround, stand: Stand, q: Array, loaded: bool) -> tuple[Face, int]:
    """The hand as it is at q, and what it may touch on a straight way off: the module before it, or what is beside the
    place of its load; and the place before it."""
    X_CH = hand_pose(ground, q)
    X_PH = stand.X_PC @ X_CH
    depth = float(ground.limb.X_HT.p[2]) + ground.view.apothem
    centre = X_PH.p + depth * X_PH.R[:, 2]  # of the module at the hand, in the frame of the place it stands on
    places = ground.view.places.p_TP - ground.view.places.p_TP[stand.place]
    near = int(np.argmin(np.linalg.norm(places - centre, axis=1)))
    gripped = int(np.argmax([-X_PF.R[:, 2] @ X_PH.R[:, 2] for X_PF in ground.view.places.X_PF]))
    beside = ground.scenes.beside(stand, near, gripped)
    none = np.zeros(len(stand.modules), np.bool_)
    return Face(X_PH, X_CH, none if loaded else stand.modules == near, beside if loaded else none), near


def starts(
    ground: LimbGround, stand: Stand, room: Room, q: Array, around: Flags | None = None
) -> Iterator[tuple[Array, tuple[Stops, int] | None]]:
    """Postures from which the limb at q can move freely, and the straight way to each; q itself where it is clear.

    `around` is what is occupied around a module in its hand, None where there is none.
    """
    if clear(room, q):
        yield q, None
        return
    tries, (face, near) = ground.planner.tries, facing(ground, stand, q, around is not None)
    touching = room._replace(hand_free=face.hand_free, load_free=face.load_free)
    X, away, told = face.X_CH, np.empty((1, 7)), np.empty((1, 2))
    up = across(X)
    for way in map(Retreat, tries.distances) if around is None else ways(ground, face, around, near):
        steps = max(round(way.off / tries.look), 1)
        out = way.along(X.R)
        if backed(touching, X.p, X.R, out, up, way.off, steps, q, away[0], told[0]) and clear(room, away[0]):
            yield away[0].copy(), (Stops(face, way, q[None].copy(), away.copy(), told.copy(), up), 0)
