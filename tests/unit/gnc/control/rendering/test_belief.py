"""What contacts tell of the surface, on made samples."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.rendering.belief import Prior, SurfaceBelief

STIFFNESS, ARMS = 5e4, 1e-6  # [N/m], [m/N] as assumed
NORMAL = np.array([-1.0, 0.0, 0.0])


def meet(belief: SurfaceBelief, normal: np.ndarray, offset: np.ndarray, soft: float, noise: float = 0.0) -> None:
    """A contact of 60 cycles: force up to 300 N and back; true offset [m] and true compliance [m/N]."""
    rng = np.random.default_rng(7)
    for force in 300.0 * np.sin(np.linspace(0.03, np.pi - 0.03, 60)):
        known = float(normal @ offset) - force * soft  # gap by the known shape
        belief.learn(known - float(normal @ belief.offset), normal, force + noise * rng.standard_normal(), ARMS)


def test_exact_samples_of_what_is_assumed_change_nothing() -> None:
    belief = SurfaceBelief(STIFFNESS)
    meet(belief, NORMAL, np.zeros(3), 1.0 / STIFFNESS + ARMS)
    assert np.abs(belief.mean).max() < 1e-12


def test_offset_and_compliance_are_found_together_within_a_tenth_of_the_bar() -> None:
    for wrong in (0.9, 1.1):
        belief = SurfaceBelief(STIFFNESS)
        meet(belief, NORMAL, np.array([1e-3, 5e-4, 0.0]), wrong / STIFFNESS + ARMS, noise=0.7)
        assert NORMAL @ belief.offset == pytest.approx(-1e-3, abs=1e-5)
        assert belief.compliance(ARMS) == pytest.approx(wrong / STIFFNESS + ARMS, rel=5e-3)


def test_a_wrong_stiffness_alone_would_have_moved_the_surface_by_more_than_the_bar() -> None:
    sure = SurfaceBelief(STIFFNESS, Prior(tools=1e-6, arms=1e-6))
    meet(sure, NORMAL, np.zeros(3), 1.1 / STIFFNESS + ARMS)
    assert abs(NORMAL @ sure.offset) > 1e-4


def test_an_offset_across_the_normal_stays_unknown_until_another_normal_is_met() -> None:
    belief, offset = SurfaceBelief(STIFFNESS), np.array([1e-3, -2e-3, 5e-4])
    meet(belief, NORMAL, offset, 1.0 / STIFFNESS + ARMS)
    assert belief.offset[1:] == pytest.approx([0.0, 0.0], abs=1e-9)
    for normal in (np.array([-0.6, 0.8, 0.0]), np.array([-0.6, 0.0, 0.8])):
        meet(belief, normal, offset, 1.0 / STIFFNESS + ARMS)
    assert belief.offset == pytest.approx(offset, abs=2e-5)


def test_no_force_where_the_surface_was_thought_to_be_moves_it_away() -> None:
    belief = SurfaceBelief(STIFFNESS)
    spread = belief.covariance.copy()
    belief.push_away(-2e-3, NORMAL)
    assert NORMAL @ belief.offset == pytest.approx(-2e-3)
    assert (belief.covariance == spread).all()


def test_a_prior_without_spread_is_refused() -> None:
    with pytest.raises(InputError, match=r"prior of tools: 0\.0"):
        Prior(tools=0.0)


def test_a_sample_that_does_not_fit_and_one_that_the_wrists_doubt_change_little() -> None:
    belief = SurfaceBelief(STIFFNESS)
    meet(belief, NORMAL, np.zeros(3), 1.0 / STIFFNESS + ARMS)
    belief.learn(0.04, NORMAL, 20.0, ARMS)  # a force 40 mm before the surface
    assert np.abs(belief.offset).max() < 1e-9
    sure, doubted = SurfaceBelief(STIFFNESS), SurfaceBelief(STIFFNESS)
    for one, doubt in ((sure, 0.0), (doubted, 200.0)):
        one.learn(-3e-3, NORMAL, 50.0, ARMS, doubt)
    assert np.abs(doubted.offset).max() < 0.25 * np.abs(sure.offset).max()


def test_after_a_contact_a_gap_of_a_millimetre_along_its_normal_is_sure_and_one_across_is_not() -> None:
    belief = SurfaceBelief(STIFFNESS)
    across = np.array([0.0, 1.0, 0.0])
    assert belief.may_touch(1e-3, NORMAL)
    meet(belief, NORMAL, np.zeros(3), 1.0 / STIFFNESS + ARMS)
    assert not belief.may_touch(1e-3, NORMAL)
    assert belief.may_touch(1e-3, across)
