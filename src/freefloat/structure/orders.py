"""Orders to a hand: it begins what is ordered, or refuses it with a report."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.hand_words import HandState, Order
from freefloat.structure.approach import approach_angle
from freefloat.structure.drawing import Faces, draw, nearest_face
from freefloat.structure.hand import Hand, Site
from freefloat.structure.interface import (
    Misalignment,
    StandardInterface,
    State,
    mated_rotation,
    misalignment,
    nearest_symmetric,
)


@dataclass(frozen=True)
class Others:
    """What other hands, and the way before, mean to an order."""

    alone: bool = False  # no other hand holds the robot
    barred: Faces = frozenset()  # faces that are not to be had
    mate: str = ""  # another hand on the module that this one holds
    held: Faces = frozenset()  # faces that hands hold
    trail: Array | None = None  # [m] in T: from where this hand came, where that is known
    without: frozenset[int] = frozenset()  # sides of the place at which nothing is to close


def take(hand: Hand, order: Order, t: float, site: Site, others: Others) -> None:
    """Begin what is ordered at t [s], or refuse it with a report."""
    if order == Order.LATCH:
        _latch(hand, t, site, others)
    elif order == Order.RELEASE:
        _release(hand, t, site, others)
    elif order == Order.PICK:
        _pick(hand, t, site, others)
    elif order == Order.PLACE:
        _place(hand, t, site, others)
    elif order == Order.RESET:
        _reset(hand, t, site)


def _unless(hand: Hand, site: Site, what: str, state: HandState) -> bool:
    """Refuse an order in any other state."""
    if hand.state == state:
        return False
    hand.refuse(site.world, what, f"the hand is {hand.state.name.lower()}; allowed: {state.name.lower()}")
    return True


def _latch(hand: Hand, t: float, site: Site, others: Others) -> None:
    if _unless(hand, site, "latch", HandState.OPEN):
        return None
    world, body, kind = site.world, site.bodies[hand.structure], hand.setup.interface
    place, side, X_FE = nearest_face(hand, world, body, others.barred)
    if place < 0:
        return hand.refuse(world, "latch", "the structure has no free face with an interface")
    mate = body.catalogue.interface(int(body.interfaces()[place, side]))
    hand.misaligned = misalignment(X_FE, kind.symmetry)
    X_TF = body.X_TF(place, side)
    approach = None if others.trail is None else approach_angle((X_TF @ X_FE).p, others.trail, X_TF)
    interface, record = hand.interface.command("close", t, hand.misaligned, mate, approach)
    where = body.grid.named(place, side)
    if not record.accepted:
        return hand.refuse(world, "latch", f"at {where}: {record.reason}")
    hand.interface = replace(interface, fault="close" if site.latches.faults.of_hand("close", t, hand.name) else "")
    roll, _ = nearest_symmetric(X_FE.R, kind.symmetry)
    lost = draw(hand, world, X_TF @ Pose(mated_rotation(roll, kind.symmetry)))
    hand.place, hand.side, hand.state = place, side, HandState.CLOSING
    name = f"module {body.identity[place]} at {where}"
    return world.report(f"{hand.name}.latch", f"{name}, {hand.misaligned}; {lost:.3e} J lost")


def _release(hand: Hand, t: float, site: Site, others: Others) -> None:
    if _unless(hand, site, "release", HandState.CLOSED):
        return None
    if others.alone:
        return hand.refuse(site.world, "release", "nothing else holds the robot")
    interface, record = hand.interface.command("open", t)
    if not record.accepted:
        return hand.refuse(site.world, "release", record.reason)
    hand.interface = replace(interface, fault="open" if site.latches.faults.of_hand("open", t, hand.name) else "")
    hand.state = HandState.OPENING
    return None


def _pick(hand: Hand, t: float, site: Site, others: Others) -> None:
    world, body, latches = site.world, site.bodies[hand.structure], site.latches
    if others.mate:
        return hand.refuse(world, "pick", f"hand {others.mate!r} holds the same module")
    if _unless(hand, site, "pick", HandState.CLOSED):
        return None
    if others.alone:
        return hand.refuse(world, "pick", "nothing else holds the robot")
    reason = latches.opening_refused(body, hand.place) or latches.begin_opening(body, hand.place, t, hand.name)
    if reason:
        return hand.refuse(world, "pick", reason)
    hand.state = HandState.PICKING
    return None


def _place(hand: Hand, t: float, site: Site, others: Others) -> None:
    if _unless(hand, site, "place", HandState.CARRYING):
        return None
    world, body, tool = site.world, site.bodies[hand.structure], site.bodies[hand.setup.tool]
    X_TE = world.pose(hand.structure).inverse() @ world.pose(hand.setup.frame)
    X_EM = tool.X_TM(0)
    X_TM = X_TE @ X_EM
    place = int(np.argmin(np.linalg.norm(body.grid.p_TP - X_TM.p, axis=1)))
    where = body.grid.named(place)
    if body.shape[place] > 0:
        return hand.refuse(world, "place", f"{where} is occupied by module {body.identity[place]}")
    for beside, side in zip(body.grid.neighbours[place].tolist(), body.grid.facing.tolist(), strict=True):
        if (beside, side) in others.held:
            return hand.refuse(world, "place", f"at {where}: a hand holds {body.grid.named(beside, side)}")
    orientation, off = body.offset_of(place, X_TM)
    hand.misaligned = Misalignment(float(np.linalg.norm(off[3:])), float(np.linalg.norm(off[:3])))
    module = tool.module(0)
    reason = site.latches.begin_closing(body, place, module, orientation, t, hand.misaligned, hand.name, others.without)
    if reason:
        return hand.refuse(world, "place", f"at {where}: {reason}")
    X_TM = Pose(body.grid.R_PM[orientation], body.grid.p_TP[place])  # when it is drawn in
    lost = draw(hand, world, X_TM @ X_EM.inverse())
    hand.place, hand.state = place, HandState.PLACING
    return world.report(
        f"{hand.name}.place", f"module {module.identity} to {where}, {hand.misaligned}; {lost:.3e} J lost"
    )


def _reset(hand: Hand, t: float, site: Site) -> None:
    """After a failure or an overload: go on from what the hand holds now, with its own fault repaired."""
    world = site.world
    if hand.state != HandState.FAILED and not hand.interface.overloaded:
        reason = f"the hand is {hand.state.name.lower()}; allowed: failed or overloaded"
        return hand.refuse(world, "reset", reason)
    if hand.state in (HandState.CLOSING, HandState.PLACING):
        world.detach(hand.setup.connection)
    site.latches.give_up(hand.name)
    site.latches.faults.repair()
    if len(site.bodies[hand.setup.tool].occupied):
        hand.state = HandState.CARRYING
    else:
        hand.state = HandState.CLOSED if hand.holds(world) else HandState.OPEN
    held = hand.state != HandState.OPEN
    hand.interface = StandardInterface(hand.setup.interface, State.CLOSED if held else State.OPEN, t, holds=held)
    return world.report(f"{hand.name}.reset", f"now {hand.state.name.lower()}")
