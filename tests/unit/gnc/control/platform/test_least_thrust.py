"""Sharing a wrench among thrusters that only push: the linear programme's optimum, limits, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from freefloat.errors import InputError
from freefloat.gnc.control.platform.least_thrust import least_thrust, thrust_bases
from freefloat.gnc.planning.platform.model import reacsa_thrusters

CORNERS = reacsa_thrusters(0.12)
ARM = 0.12  # [m]
RNG = np.random.default_rng(4)
ANGLES = np.arange(9.0) + RNG.uniform(-0.3, 0.3, 9)
TILTED = np.vstack([np.cos(ANGLES), np.sin(ANGLES), 0.3 * np.cos(np.pi * np.arange(9.0)) * RNG.uniform(0.2, 1.0, 9)])


@pytest.mark.parametrize("W", [CORNERS, TILTED], ids=["corners", "nine tilted"])
def test_the_sum_of_thrusts_is_the_linear_programmes(W: np.ndarray) -> None:
    bases, n = thrust_bases(W), W.shape[1]
    for wrench in RNG.normal(size=(100, 3)) * (1.0, 1.0, ARM):
        f = least_thrust(bases, wrench, np.inf, n)
        best = linprog(np.ones(n), A_eq=W, b_eq=wrench, method="highs").fun
        assert W @ f == pytest.approx(wrench, abs=1e-12)
        assert f.min() >= 0.0
        assert f.sum() == pytest.approx(best, rel=1e-7)


def test_a_pure_force_needs_its_two_thrusters_and_a_pure_torque_two_that_oppose_each_other() -> None:
    bases = thrust_bases(CORNERS)
    push, turn = (
        least_thrust(bases, np.array([1.0, 0.0, 0.0]), 1.5, 8),
        least_thrust(bases, np.array([0, 0, 0.1]), 1.5, 8),
    )
    assert sorted(push[push > 0.0]) == pytest.approx([0.5, 0.5])
    assert sorted(turn[turn > 0.0]) == pytest.approx([0.1 / (2.0 * ARM)] * 2)
    assert not least_thrust(bases, np.zeros(3), 1.5, 8).any()


def test_a_torque_beyond_two_thrusters_is_shared_by_all_four_that_make_it() -> None:
    torque = 3.0 * ARM * 1.5
    f = least_thrust(thrust_bases(CORNERS), np.array([0.0, 0.0, torque]), 1.5, 8)
    assert CORNERS @ f == pytest.approx([0.0, 0.0, torque], abs=1e-12)
    assert sorted(f[f > 0.0]) == pytest.approx([0.75 * 1.5] * 4)


def test_a_wrench_beyond_the_thrusters_is_scaled_down_along_itself() -> None:
    bases = thrust_bases(CORNERS)
    for wrench in RNG.normal(size=(50, 3)) * (20.0, 20.0, 20.0 * ARM):
        f = least_thrust(bases, wrench, 1.5, 8)
        made = CORNERS @ f
        assert f.max() <= 1.5 * (1.0 + 1e-12)
        share = float(made @ wrench / (wrench @ wrench))
        assert made == pytest.approx(share * wrench, abs=1e-9)
        assert 0.0 < share < 1.0


def test_what_is_not_a_number_opens_nothing() -> None:
    assert not least_thrust(thrust_bases(CORNERS), np.array([np.nan, 1.0, 0.0]), 1.5, 8).any()


@pytest.mark.parametrize(
    "W",
    [CORNERS[:, :4], CORNERS * np.array([[1.0], [1.0], [0.0]]), CORNERS[:, [0, 1, 2]]],
    ids=["only some ways", "no torque", "three"],
)
def test_thrusters_that_cannot_push_every_way_are_refused(W: np.ndarray) -> None:
    with pytest.raises(InputError, match="push and turn the body every way"):
        thrust_bases(W)
