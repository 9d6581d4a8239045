"""The plan of a gantry: its hand never goes through a column beside it."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.control.sequence import Follow
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.missions.modular.gantry_job import GantryJob
from freefloat.missions.modular.stack import starting_stack
from freefloat.robots.gantry import joints_for


def test_a_hand_that_is_lower_than_a_column_beside_it_rises_before_it_goes_on() -> None:
    body = starting_stack()
    cells = [((1, 1, 2), (0, 0, 3)), ((1, 1, 1), (0, 1, 3)), ((0, 1, 3), (1, 1, 1)), ((0, 0, 3), (1, 1, 2))]
    moves = [(body.grid.index(a), body.grid.index(b)) for a, b in cells]
    job = GantryJob(body, moves, body.catalogue.interface("active"), keep_off=0.06)
    steps, after = job.plan(MotionLimits.uniform(3, 0.1, 0.05, 0.1))
    assert np.array_equal(after.identity, body.identity)
    reach = next(step for step in steps if isinstance(step, Follow) and step.name == "move 4: reach")
    q = np.array([reach.path.at(t)[0] for t in np.linspace(0.0, reach.path.duration, 400)])
    aside = np.abs(q[:, :2] - q[0, :2]).max(axis=1) > 1e-3
    top = joints_for(np.array([0.0, 0.0, body.grid.p_TP[body.grid.index((0, 0, 3)), 2] + 0.2]))[2]
    assert q[0, 2] < top - 0.5, "it starts two layers below"
    assert (q[aside, 2] >= top).any()
    assert q[np.argmax(aside), 2] >= top
