"""A robot that rests elsewhere gets home: after a stop on its way, or when others have changed where its home is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.arm.limb_planner import Way
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, NoMotionError
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Flags, Stance

SEARCHES = 4  # with seeds of their own


def way_home(motions: LimbMotions, occupied: Flags, stance: Stance, q: Array, others: Sequence[Stance] = ()) -> Leg:
    """From joint positions (7,) seen from the end that stands, the hand empty, to the home of now.

    `NoMotionError` where home is nowhere, or no clear way was found.
    """
    ground, limb, full = motions.ground, motions.limb, np.asarray(occupied, bool)
    homes = ground.homes(full, [stance, *others])
    home = homes[stance]
    resting = [(o, r) for o in others if (r := homes[o]) is not None]
    if home is None:
        raise NoMotionError(f"home of {stance}: none is clear")
    room = ground.scenes.stand(full, stance, resting).room(ground.body, ground.keep, ground.own)
    start = limb.to_steps(q)
    for seed in range(SEARCHES + 1):
        points = ground.planner.join(room, start, home, seed, by_search=seed > 0)
        curve = None if points is None else ground.planner.curve(Way(room, points))
        if curve is not None:
            states = [limb.from_steps(curve.states[:, k]) for k in range(3)]
            return Leg("home", QuinticPieces(curve.times, *states), ground.planner.tries.margin)
    raise NoMotionError(f"home of {stance}: no clear way there was found")
