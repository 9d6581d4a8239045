"""A static model that knows the truth puts the plates where they should be, there and back, smoothly."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.chain import design_plates, plates
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.rail_errors import spline_rows
from freefloat.facility.static_model import StaticModel
from freefloat.facility.tracker import drawn_axes
from freefloat.facility.truth import drawn_truth
from freefloat.robots.industrial_errors import GeometryErrors

LAB = LabGeometry()
RNG = np.random.default_rng(8)
IDEAL = drawn_axes(RNG, 50, LAB)
ERRORS = tuple(GeometryErrors.of_vector(RNG.normal(size=48) * 5e-4) for _ in range(2))
RAIL = RNG.normal(size=(13, 6)) * 3e-4
MODEL = StaticModel(errors=(ERRORS[0], ERRORS[1]), rail=RAIL)


def test_the_models_plates_are_where_those_by_design_are() -> None:
    motors = MODEL.to_motors(IDEAL)
    assert np.abs(motors - IDEAL).max() > 1e-3
    rail = np.empty((50, 6))
    spline_rows(RAIL, np.array(LAB.rail), motors[:, 0].copy(), rail)
    wanted = design_plates(LAB, IDEAL)
    assert plates(MODEL._chains[0], motors[:, 0], rail, motors[:, 1:7]) == pytest.approx(wanted[:, 0], abs=1e-10)
    none = np.zeros((50, 6))
    assert plates(MODEL._chains[1], none[:, 0], none, motors[:, 7:]) == pytest.approx(wanted[:, 1], abs=1e-10)


def test_ideal_axes_to_motors_and_back_also_after_many_turns() -> None:
    for axes in IDEAL[:10]:
        far = axes.copy()
        far[[10, 12]] += 2.0 * np.pi * 100.0
        assert MODEL.to_ideal(MODEL.to_motor(far)) == pytest.approx(far, abs=1e-9)


def test_a_model_that_is_the_truth_leaves_no_error() -> None:
    """Without what no model has, and on a straight rail."""
    sizes = ErrorSizes(rail_scale=0.0, rail_shift=0.0, rail_turn=0.0).modelled
    truth = drawn_truth(6, sizes)
    model = StaticModel(errors=truth.errors, compliance=1.0 / truth.stiffness)
    assert truth.plates(model.to_motors(IDEAL)) == pytest.approx(design_plates(LAB, IDEAL), abs=1e-10)


def test_motors_stay_smooth_where_the_wrist_goes_through_stretched() -> None:
    """A4 and A6 lean over by much, but in steps as small as those of the path."""
    path = np.tile(IDEAL[0], (2001, 1))
    path[:, 5] = path[:, 11] = np.linspace(-0.3, 0.3, 2001)
    motors = MODEL.to_motors(path)
    assert np.abs(np.diff(motors, axis=0)).max() < 0.05
    assert np.abs(motors - path).max() < 1.0


def test_a_model_by_design_only_winds_gears_up() -> None:
    motors = StaticModel().to_motor(IDEAL[0])
    assert motors[0] == IDEAL[0, 0]
    assert 1e-4 < np.abs(motors - IDEAL[0]).max() < 5e-3


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: StaticModel(compliance=np.zeros(6)), "compliance"),
        (lambda: StaticModel(rail=np.zeros((3, 6))), "rail"),
        (lambda: MODEL.to_motor(np.zeros(12)), "13 finite numbers"),
        (lambda: MODEL.to_ideal(np.full(13, np.nan)), "13 finite numbers"),
    ],
)
def test_what_does_not_fit_is_refused(make: object, told: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=told):
        make()
