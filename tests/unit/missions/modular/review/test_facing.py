"""Which places hands and carried modules face."""

from __future__ import annotations

import numpy as np

from freefloat.hand_words import HandState
from freefloat.missions.modular.review.facing import held_places, last_and_next, nearer

ROW = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]])


def test_places_are_carried_over_to_rows_without_one() -> None:
    last, following = last_and_next(np.array([-1, 3, -1, -1, 5, -1]))
    assert last.tolist() == [-1, 3, 3, 3, 5, 5]
    assert following.tolist() == [3, 3, 5, 5, 5, -1]


def test_rows_without_a_value_have_that_of_the_nearest_row() -> None:
    assert nearer(np.array([-1, -1, 3, -1, -1, -1, 5, -1])).tolist() == [3, 3, 3, 3, 3, 5, 5, 5]
    assert nearer(np.array([-1, -1])).tolist() == [-1, -1]


def test_a_closed_hand_holds_the_nearest_module_before_it_and_an_open_one_none() -> None:
    state = np.array([HandState.OPEN, HandState.CLOSING, HandState.CLOSED, HandState.CLOSED])
    p = np.array([[-0.2, 0.0, 0.0]] * 4)
    z = np.array([[1.0, 0.0, 0.0]] * 4)
    full = np.array([[True, True], [True, True], [False, True], [False, False]])
    empty = np.ones(4, bool)
    assert held_places(state, empty, p, z, ROW, full).tolist() == [-1, 0, 1, -1]
    assert held_places(state, ~empty, p, z, ROW, full).tolist() == [-1] * 4
    assert held_places(state, empty, p + np.array([0.0, 0.05, 0.0]), z, ROW, full).tolist() == [-1] * 4
