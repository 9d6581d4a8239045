"""Joint motion between postures on a slab."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from freefloat.gnc.planning.arm.limb_planner import Retreat
from freefloat.gnc.planning.arm.limb_search_step import connect, shortened, slack, straight, way_off
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.verify.limb_rig import motions, slab

GRID, OCCUPIED = slab()
GROUND = motions(GRID).ground
STAND = GROUND.scenes.stand(OCCUPIED, Stance(GRID.index((2, 1, 1)), 4))
ROOM = STAND.room(GROUND.body, 0.024, 0.02)
FREE = np.ones(7, bool)


def along(way: np.ndarray, n: int = 60) -> float:
    """Least slack [m] on straight motions between way-points."""
    parts = [a + x * (b - a) for a, b in pairwise(way) for x in np.linspace(0.0, 1.0, n)]
    return min(float(slack(ROOM, q, 1.0)) for q in parts)


def clear_postures(count: int) -> np.ndarray:
    """Random ones that are clear, but not by much."""
    low, high = np.maximum(GROUND.body.lower, -3.0), np.minimum(GROUND.body.upper, 3.0)
    drawn = np.random.default_rng(1).uniform(low, high, (4000, 7))
    return np.array([q for q in drawn if 0.0 < slack(ROOM, q, 0.1) < 0.03][:count])


def test_straight_motions_found_clear_are_clear_and_searches_join_the_others() -> None:
    found = clear_postures(24)
    joined = direct = 0
    for k, (a, b) in enumerate(zip(found[:12], found[12:], strict=True)):
        if straight(ROOM, a, b, 400) > 0:
            direct += 1
            assert along(np.stack([a, b])) >= -2e-3
            continue
        out = np.empty((400, 7))
        n, _ = connect(ROOM, a, b, FREE, k, 400, 20_000, 0.8, out)
        if n:
            joined += 1
            n = shortened(ROOM, out, n, 400)
            assert np.array_equal(out[0], a)
            assert np.array_equal(out[n - 1], b)
            assert along(out[:n]) >= -2e-3
    assert direct + joined >= 8
    assert joined >= 2


def test_a_search_is_the_same_every_time_and_leaves_locked_joints_alone() -> None:
    a, b = clear_postures(2)
    b = b.copy()
    b[2] = a[2]
    free = FREE.copy()
    free[2] = False
    first, again = np.zeros((400, 7)), np.zeros((400, 7))
    n, _ = connect(ROOM, a, b, free, 3, 400, 20_000, 0.8, first)
    m, _ = connect(ROOM, a, b, free, 3, 400, 20_000, 0.8, again)
    assert n == m
    assert np.array_equal(first, again)
    assert np.abs(first[:n, 2] - a[2]).max(initial=0.0) == 0.0


def test_a_way_off_a_face_is_straight_along_the_face_and_across_and_bends_aside_at_its_end() -> None:
    face = GROUND.scenes.face(STAND, GRID.index((4, 1, 1)), 4)
    for retreat in (Retreat(0.2), Retreat(0.2, (0.6, 0.0, -0.8)), Retreat(0.2, side=(0.03, -0.04, 0.0))):
        stops = GROUND.planner.stops(ROOM, face, [retreat], np.zeros(7))
        assert len(stops)
        X, Q = face.X_CH, np.empty((21, 7))
        out, side = X.R @ retreat.out, X.R @ retreat.side
        for k in range(len(stops)):
            psi, b = stops.told[k]
            along = retreat.along(X.R)
            assert way_off(GROUND.body, X.p, X.R, along, stops.up, psi, int(b), stops.at[k], 0.2, 20, Q) == 21
            for s, q in enumerate(Q):
                Y = GROUND.limb.hand(GROUND.limb.pose(GROUND.limb.from_steps(q)))
                late = max(0.0, 0.01 * s - 0.1) / 0.1
                assert np.abs(Y.p - X.p - 0.01 * s * out - late**2 * side).max() < 1e-10
                assert np.abs(Y.R - X.R).max() < 1e-10
