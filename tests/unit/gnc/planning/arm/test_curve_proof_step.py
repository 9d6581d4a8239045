"""What is proven of flown curves."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.arm.curve_proof_step import Ways, proven, shares
from freefloat.gnc.planning.arm.joint_path import resting
from freefloat.gnc.planning.arm.limb_search_step import slack
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.verify.limb_rig import motions, slab

GRID, OCCUPIED = slab()
GROUND = motions(GRID).ground
ROOM = GROUND.scenes.stand(OCCUPIED, Stance(GRID.index((2, 1, 1)), 4)).room(GROUND.body, 0.02, 0.02)
n = len(ROOM.around.places)
NO_WAYS = Ways(np.empty((0, 4, 3)), np.empty((0, 2, 3)), np.empty(0), np.zeros((0, n), bool), np.zeros((0, n), bool))


def test_shares_bound_speed_acceleration_and_jerk_of_a_known_quintic() -> None:
    times = np.array([0.0, 2.0])
    states = np.stack([resting(np.zeros(7)), resting(np.ones(7))])
    speed, push, kick = shares(times, states, np.ones((3, 7)))
    assert 1.875 / 2.0 <= speed <= 2.5  # 15/8 of the mean speed at most; the hull is wider
    assert 5.7735 / 4.0 <= push <= 20.0 / 4.0
    assert 60.0 / 8.0 <= kick <= 2.0 * 60.0 / 8.0


def test_a_curve_is_proven_where_all_its_samples_are_clear_and_stops_at_the_first_that_is_not() -> None:
    home = GROUND.candidates[0]
    rng, told = np.random.default_rng(0), []
    for _ in range(60):
        goal = np.clip(home + rng.uniform(-1.0, 1.0, 7), GROUND.body.lower, GROUND.body.upper)
        times, states = np.array([0.0, 6.0]), np.stack([resting(home), resting(goal)])
        until, _ = proven(ROOM, NO_WAYS, times, states, 20_000)
        x = np.linspace(0.0, 1.0, 400)
        s = x**3 * (10 - 15 * x + 6 * x**2)
        least = min(slack(ROOM, home + k * (goal - home), 1.0) for k in s)
        told.append(until >= 6.0)
        assert not (until >= 6.0 and least < 0.0)
        assert until >= 6.0 or least < 5e-3  # nothing is refused that is 5 mm clearer than asked
    assert 5 < sum(told) < 55


def test_a_curve_beyond_a_joints_limit_is_not_proven() -> None:
    home = GROUND.candidates[-1]
    for turn, kept in ((0.01, True), (-0.01, False)):
        goal = home.copy()
        goal[6] = GROUND.body.upper[6] - turn
        until, _ = proven(ROOM, NO_WAYS, np.array([0.0, 9.0]), np.stack([resting(home), resting(goal)]), 20_000)
        assert (until >= 9.0) is kept
