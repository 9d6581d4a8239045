"""Calibration: with an exact tracker it predicts to a micrometre, with a noisy one as well as noise lets it."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.calibration import Measurement, calibrate
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.tracker import REFLECTORS, Tracker, drawn_axes, reflectors
from freefloat.facility.truth import drawn_truth

LAB = LabGeometry()
STRAIGHT = ErrorSizes(rail_scale=0.0, rail_shift=0.0, rail_turn=0.0).modelled


def test_an_exact_tracker_gives_a_model_that_predicts_plates_to_a_micrometre() -> None:
    rng, truth, exact = np.random.default_rng(1), drawn_truth(2, STRAIGHT), Tracker(1e-10)
    motors = drawn_axes(rng, 80, LAB)
    found = calibrate(Measurement(motors, exact.seen(truth, motors, rng)), exact)
    others = drawn_axes(rng, 50, LAB)
    motors = found.model.to_motors(others)
    missed = truth.plates(motors)[:, :, 9:] - _by_design(others)
    assert np.abs(missed).max() < 2e-6
    assert max(fit.residual for fit in found.fits) < 5e-7


def test_the_residual_is_the_trackers_noise_where_everything_is_modelled() -> None:
    rng, truth, tracker = np.random.default_rng(1), drawn_truth(2, STRAIGHT), Tracker("0.1 mm")
    motors = drawn_axes(rng, 100, LAB)
    found = calibrate(Measurement(motors, tracker.seen(truth, motors, rng)), tracker)
    for fit, free in zip(found.fits, (900 - found.fits[0].rank, 900 - found.fits[1].rank), strict=True):
        assert fit.residual == pytest.approx(1e-4 * np.sqrt(free / 900), rel=0.1)
    assert found.fits[1].rank < 54  # A2 and A3 are parallel, base and A1 are one


def test_what_nobody_can_tell_stays_small() -> None:
    """Minimum norm: no parameter of a robot grows beyond some expected sizes."""
    rng, truth, tracker = np.random.default_rng(1), drawn_truth(2, STRAIGHT), Tracker()
    motors = drawn_axes(rng, 150, LAB)
    found = calibrate(Measurement(motors, tracker.seen(truth, motors, rng)), tracker)
    assert np.abs(found.fits[1].values[:48]).max() < 5e-3


def test_reflectors_ride_on_the_plate() -> None:
    truth = drawn_truth(0)
    motors = drawn_axes(np.random.default_rng(0), 3, LAB)
    points = reflectors(truth.plates(motors))
    X = truth.tools(motors[1])[1]
    assert points[1, 1] == pytest.approx(X.apply(REFLECTORS), abs=1e-12)


def test_a_measurement_of_a_wrong_shape_is_refused() -> None:
    with pytest.raises(InputError, match=r"\(n, 2, 3, 3\)"):
        Measurement(np.zeros((4, 13)), np.zeros((4, 2, 3)))


def _by_design(axes: np.ndarray) -> np.ndarray:
    from freefloat.facility.chain import design_plates

    return design_plates(LAB, axes)[:, :, 9:]
