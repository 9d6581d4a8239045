"""Quintics between states: they have the states of their knots, and their rates are derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning.arm.joint_path import QuinticPath, QuinticPieces

RNG = np.random.default_rng(3)
TIMES = np.array([0.5, 1.0, 2.5, 3.0])
STATES = RNG.normal(size=(3, 4, 2))


def test_a_quintic_is_found_again_between_any_two_of_its_states() -> None:
    p = [np.polynomial.Polynomial(RNG.normal(size=6)) for _ in range(3)]
    times = np.array([0.0, 0.7, 1.1, 2.0])
    q, qd, qdd = (np.column_stack([x.deriv(k)(times) for x in p]) for k in range(3))
    path = QuinticPieces(times, q, qd, qdd)
    for t in np.linspace(0.0, 2.0, 41):
        for k, value in enumerate(path.at(t)):
            np.testing.assert_allclose(value, [x.deriv(k)(t) for x in p], rtol=1e-11, atol=1e-11)


def test_pieces_have_the_states_of_their_knots_and_rest_outside() -> None:
    path = QuinticPieces(TIMES, *STATES)
    for i, t in enumerate(TIMES):
        for value, wanted in zip(path.at(t), STATES[:, i], strict=True):
            np.testing.assert_allclose(value, wanted, atol=1e-13)
    assert path.duration == 3.0
    for t, knot in ((0.0, 0), (9.0, 3)):
        q, qd, qdd = path.at(t)
        np.testing.assert_array_equal(q, STATES[0, knot])
        assert not qd.any()
        assert not qdd.any()


def test_rest_to_rest_is_the_minimum_jerk_polynomial() -> None:
    q0, q1, T = np.array([0.1, -2.0]), np.array([1.3, 0.4]), 4.0
    path = QuinticPath(q0, q1, T)
    for t in (0.0, 0.3, 2.0, 3.9, 4.0):
        x = t / T
        q, qd, qdd = path.at(t)
        np.testing.assert_allclose(q, q0 + (10 * x**3 - 15 * x**4 + 6 * x**5) * (q1 - q0), rtol=1e-14)
        np.testing.assert_allclose(qd, (30 * x**2 - 60 * x**3 + 30 * x**4) / T * (q1 - q0), atol=1e-14)
        np.testing.assert_allclose(qdd, (60 * x - 180 * x**2 + 120 * x**3) / T**2 * (q1 - q0), atol=1e-14)


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.5], [0.0, 1.0, 2.0]])
def test_times_that_do_not_rise_or_do_not_fit_are_refused(times: list[float]) -> None:
    with pytest.raises(InputError, match="rising"):
        QuinticPieces(times, *np.zeros((3, 2, 1)))
