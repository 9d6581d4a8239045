"""Compiled clearance of the walking manipulator."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.arm.limb_planner import Retreat
from freefloat.gnc.planning.arm.limb_search_step import clear, slack
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.verify.cases.limb_motion import clearances
from freefloat.verify.limb_rig import motions, slab

GRID, OCCUPIED = slab()
GROUND = motions(GRID).ground
FOOT = Stance(GRID.index((2, 1, 1)), 4)


def test_short_form_of_the_verify_case_passes() -> None:
    failed = [f"{c.quantity}: {c.ours}" for c in clearances(80) if not c.passed]
    assert not failed


def test_only_what_is_near_is_looked_at_and_the_answer_is_that_of_all() -> None:
    stand = GROUND.scenes.stand(OCCUPIED, FOOT)
    near, all_ = stand.room(GROUND.body, 0.05, 0.05), stand.room(GROUND.body, 0.05, 0.05)
    for q in np.random.default_rng(4).uniform(GROUND.body.lower, GROUND.body.upper, (200, 7)):
        # with a cap of 10 m every module is compared, with one of 0 only those in bins within reach of a link
        assert clear(near, q) == (slack(all_, q, 10.0) >= 0.0)


def test_what_may_be_touched_is_left_out() -> None:
    stand = GROUND.scenes.stand(OCCUPIED, FOOT)
    room = stand.room(GROUND.body, 0.02, 0.02)
    face = GROUND.scenes.face(stand, GRID.index((4, 1, 1)), 4)
    stops = GROUND.planner.stops(room, face, [Retreat(0.1)], np.zeros(7))
    assert len(stops) > 0
    touching = room._replace(hand_free=face.hand_free)
    assert clear(touching, stops.at[0])
    assert not clear(room, stops.at[0])
    assert clear(room, stops.away[0])
