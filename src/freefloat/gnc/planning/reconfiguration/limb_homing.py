"""A robot that rests elsewhere gets home: after a stop on its way, or when others have changed where its home is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_planner import Curve, Way
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, NoMotionError
from freefloat.gnc.planning.reconfiguration.limb_retreat import SHARES, careful, starts
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Flags, Stance

SEARCHES = 4  # with seeds of their own


def way_home(motions: LimbMotions, occupied: Flags, stance: Stance, q: Array, others: Sequence[Stance] = ()) -> Leg:
    """From joint positions (7,) seen from the end that stands, the hand empty, to the home of now.

    Where the hand is at a face, straight off it first; where less than the margin is left, with a part of it.
    `NoMotionError` where home is nowhere, or no clear way was found.
    """
    ground, limb, full = motions.ground_of(stance), motions.limb, np.asarray(occupied, bool)
    homes = ground.homes(full, [stance, *others])
    home = homes[stance]
    resting = [(o, r) for o in others if (r := homes[o]) is not None]
    if home is None:
        raise NoMotionError(f"home of {stance}: none is clear")
    stand, own = ground.scenes.stand(full, stance, resting), limb.to_steps(q)
    for share in SHARES:
        planner = careful(ground.planner, share)
        margin = planner.tries.margin
        room = stand.room(ground.body, margin + planner.tries.spare, margin)
        for start, leave in starts(ground, stand, room, own):
            for seed in range(SEARCHES + 1):
                points = planner.join(room, start, home, seed, by_search=seed > 0)
                curve = None if points is None else planner.curve(Way(room, points, leave))
                if curve is not None:
                    return leg_of(limb, "home", curve, margin)
    raise NoMotionError(f"home of {stance}: no clear way there was found")


def leg_of(limb: Limb, name: str, curve: Curve, margin: float) -> Leg:
    """A curve in the order of the limb's joints."""
    states = [limb.from_steps(curve.states[:, k]) for k in range(3)]
    return Leg(name, QuinticPieces(curve.times, *states), margin)
