"""Ways out of a place and into the next, of made-up distances."""

from __future__ import annotations

import numpy as np

from freefloat.missions.modular.review.leaving import leaving, way_out

NEAR = np.ones(8, bool)


def test_a_way_out_goes_on_until_it_is_clear_and_nearer_again() -> None:
    assert way_out(np.array([0.002, 0.002, 0.01, 0.03, 0.05, 0.024, 0.05, 0.1]), NEAR) == 5
    assert way_out(np.full(8, 0.002), NEAR) == 8, "it never comes clear"
    assert way_out(np.full(8, 0.002), np.arange(8) < 3) == 3, "however long it slides"


def test_what_is_near_between_both_ways_counts() -> None:
    distance = np.array([0.002, 0.03, 0.1, 0.005, 0.1, 0.03, 0.002, 0.5])
    carried, place = np.arange(8) < 7, np.zeros((8, 3))
    out = leaving(carried, np.zeros(8, bool), place, distance, 0.5)
    assert out.tolist() == [True, True, True, False, True, True, True, False]


def test_a_module_that_is_placed_twice_leaves_in_between() -> None:
    distance = np.array([0.002, 0.03, 0.002, 0.01, 0.002, 0.03, 0.1, 0.5])
    carried, placing = np.arange(8) < 7, np.arange(8) == 2
    assert leaving(carried, placing, np.zeros((8, 3)), distance, 0.5).tolist() == [True] * 7 + [False]
