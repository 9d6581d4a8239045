"""What hands feel: the load through their interfaces, and the first touch of what they carry."""

from __future__ import annotations

import numpy as np

from freefloat.structure.hand import Hand, Site


def watch(hand: Hand, t: float, site: Site, load: str) -> None:
    """Look at the load through the interface, whose sizes are the signal `load`: an overload is told once."""
    if hand.interface.overloaded or not hand.interface.holds:
        return
    force, torque = site.world.read(load).tolist()
    hand.interface, record = hand.interface.overload(t, force, torque, hand.limits)
    if record is not None:
        hand.alarms += 1
        site.world.report(f"{hand.name}.overload", record.reason)


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
