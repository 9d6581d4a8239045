"""How accurate facilities are: raw, with modelled errors alone, with all; and the prototype's robot beside ours."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.facility.accuracy_study import Misses, misses, study
from freefloat.facility.chain import design_plates
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.tracker import drawn_axes
from freefloat.facility.truth import drawn_truth

LAB = LabGeometry()


def test_three_sigma_is_thrice_the_rms_of_both_robots_or_of_one() -> None:
    found = Misses(np.array([[3.0, 4.0], [3.0, 0.0]]), np.radians([[1.0, 2.0], [1.0, 2.0]]))
    assert found.three_sigma_m() == pytest.approx(3.0 * np.sqrt(34.0 / 4.0))
    assert found.three_sigma_m(1) == pytest.approx(9.0)
    assert found.three_sigma_deg(2) == pytest.approx(6.0)


def test_misses_are_distances_and_angles_from_the_plates_by_design() -> None:
    truth, ideal = drawn_truth(3), drawn_axes(np.random.default_rng(0), 4, LAB)
    found = misses(truth, ideal, ideal, np.zeros_like(ideal))
    there, wanted = truth.plates(ideal), design_plates(LAB, ideal)
    assert found.shifts == pytest.approx(np.linalg.norm((there - wanted)[:, :, 9:], axis=2), abs=1e-12)
    R, S = there[2, 1, :9].reshape(3, 3), wanted[2, 1, :9].reshape(3, 3)
    assert np.cos(found.turns[2, 1]) == pytest.approx((np.trace(R @ S.T) - 1.0) / 2.0, abs=1e-12)


def test_a_calibration_removes_what_a_model_can_have_and_leaves_what_the_gears_do() -> None:
    found = study(7)
    assert found.raw.three_sigma_m() > 5e-3
    assert found.modelled.three_sigma_m() < 1.5e-4
    assert found.modelled.three_sigma_deg() < 0.01
    assert found.calibrated.three_sigma_m() == pytest.approx(1.56e-3, rel=0.2)
    assert found.calibrated.three_sigma_deg() == pytest.approx(0.2, rel=0.2)


def test_half_the_gear_errors_leave_half() -> None:
    whole = study(7)
    half = study(7, ErrorSizes(gear=tuple(0.5 * g for g in ErrorSizes().gear)))
    assert half.calibrated.three_sigma_deg() == pytest.approx(0.5 * whole.calibrated.three_sigma_deg(), rel=0.05)


@pytest.mark.slow
def test_a_kr240_alone_is_as_accurate_as_that_of_the_prototype() -> None:
    """A separate prototype, without rail: 0.57 and 0.92 mrad left 1.53 mm and 0.195 deg over five seeds; ours has waves
    once and twice a turn here, of which the prototype's are not known."""
    sizes = ErrorSizes(gear=(5.7e-4,) * 3 + (9.2e-4,) * 3, gear_waves=(1.0, 2.0), gear_shares=(0.6, 0.8))
    alone = [study(seed, sizes) for seed in range(20)]
    assert np.mean([s.calibrated.three_sigma_m(2) for s in alone]) == pytest.approx(1.53e-3, rel=0.1)
    assert np.mean([s.calibrated.three_sigma_deg(2) for s in alone]) == pytest.approx(0.195, rel=0.1)
    assert max(s.modelled.three_sigma_m(2) for s in alone) < 1e-4
