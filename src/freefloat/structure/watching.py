"""What hands feel: the load through their interfaces, and the first touch of what they carry."""

from __future__ import annotations

import math

import numpy as np

from freefloat.structure.hand import Hand, HandState, Site


def watch(hand: Hand, t: float, site: Site, grip_load: str) -> None:
    """Look at the load through the interface; `grip_load` is the signal of that of its connection, about it."""
    world = site.world
    if hand.state == HandState.CARRYING:
        load = world.load(hand.setup.tool)
    elif hand.holds(world):
        load = world.read(grip_load)
    else:
        hand.load = (0.0, 0.0)
        return
    force, torque = load[:3], load[3:]
    hand.load = (math.sqrt(force.dot(force)), math.sqrt(torque.dot(torque)))
    if hand.interface.overloaded:
        return
    hand.interface, record = hand.interface.overload(t, *hand.load)
    if record is not None:
        hand.alarms += 1
        world.report(f"{hand.name}.overload", record.reason)


def feel(hand: Hand, site: Site) -> bool:
    """Whether what the hand carries has touched the structure, with a report; a pair that never touched began at 0."""
    began = site.world.read(f"{hand.setup.contact}.began")
    if not began.any():
        return False
    hand.alarms += 1
    body = site.bodies[hand.structure]
    place = int(np.flatnonzero(began == began[began > 0.0].min())[0])
    carried, other = site.bodies[hand.setup.tool].identity[0], body.identity[place]
    what = f"module {carried} touched module {other} at {body.grid.named(place)}, at t = {began[place]:.6f} s"
    site.world.report(f"{hand.name}.collision", what)
    return True
