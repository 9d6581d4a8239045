"""A facility with errors: draws by seed, what its axes do, and that a plant with them has the same plates."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.chain import design_plates, pose
from freefloat.facility.error_sizes import NO_ERRORS, ErrorSizes
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.tracker import drawn_axes
from freefloat.facility.truth import Truth, drawn_truth
from freefloat.robots.industrial import IndustrialRobot
from freefloat.robots.posture import Posture
from freefloat.six_axis_arms import AXES

LAB = LabGeometry()
MOTORS = drawn_axes(np.random.default_rng(3), 10, LAB)


@pytest.fixture(scope="module")
def truth() -> Truth:
    return drawn_truth(4)


def test_a_seed_draws_the_same_facility_and_another_another(truth: Truth) -> None:
    assert np.array_equal(truth.plates(MOTORS), drawn_truth(4).plates(MOTORS))
    assert not np.allclose(truth.plates(MOTORS), drawn_truth(5).plates(MOTORS), atol=1e-5, rtol=0.0)


def test_modelled_errors_are_the_same_draws_without_the_others(truth: Truth) -> None:
    fewer = drawn_truth(4, ErrorSizes().modelled)
    assert fewer.errors == truth.errors
    assert np.array_equal(fewer.stiffness, truth.stiffness)
    assert np.array_equal(fewer.waves[:3], truth.waves[:3])
    assert fewer.scale == truth.scale
    assert not fewer.waves[3:, 1:7].any()
    assert not fewer.gears[:, :3].any()
    assert not fewer.repeat.any()


def test_without_errors_the_plates_sag_below_those_by_design() -> None:
    """By gravity alone: downwards, by a millimetre or so."""
    there = drawn_truth(0, NO_ERRORS).plates(MOTORS)[:, :, 9:]
    by_design = design_plates(LAB, MOTORS)[:, :, 9:]
    down = (by_design - there)[:, :, 2]
    assert (down > 1e-4).all()
    assert (down < 5e-3).all()


def test_gears_turn_an_axis_by_the_amplitude_that_was_asked_for() -> None:
    """Of A1 of robot 2, which turns the plate about the upright axis: RMS over a turn is the amplitude over sqrt(2)."""
    sizes = ErrorSizes(0.0, 0.0, 0.0, 0.0, rail_scale=0.0, rail_shift=0.0, rail_turn=0.0, gear=(1e-3, *(0.0,) * 5))
    motors = np.tile(MOTORS[0], (720, 1))
    motors[:, 7] = np.radians(np.arange(720) * 0.5)
    there = drawn_truth(1, sizes).plates(motors)[:, 1]
    plain = drawn_truth(1, NO_ERRORS).plates(motors)[:, 1]
    turned = np.arctan2(there[:, 3], there[:, 0]) - np.arctan2(plain[:, 3], plain[:, 0])
    turned -= 2.0 * np.pi * np.round(turned / (2.0 * np.pi))
    assert np.sqrt(np.mean(turned**2)) == pytest.approx(1e-3 / np.sqrt(2.0), rel=1e-3)


@pytest.mark.parametrize("elastic", [False, True])
def test_a_plant_with_these_axes_and_errors_has_the_true_plates(truth: Truth, elastic: bool) -> None:
    repeat = truth.repeats(np.random.default_rng(1), 1)[0]
    for motors in MOTORS[:3]:
        axes = truth.executed(motors, repeat, elastic)
        links = truth.executed(motors, repeat)
        for number, X in zip((1, 2), truth.plates(motors[None], repeat[None])[0], strict=True):
            own = slice(1, 7) if number == 1 else slice(7, 13)
            base = LAB.base(number, axes[0])
            arm = IndustrialRobot("arm", LAB.arms[number - 1], base, links[own], errors=truth.errors[number - 1])
            at = Posture.of(arm.graph(), dict(zip(AXES, links[own].tolist(), strict=True)))
            last = next(link for link in arm.graph().links if link.name == "link_6")
            X_GT = base @ at.links["link_6"] @ last.frames["flange"] @ LAB.X_FT
            assert X_GT.is_close(pose(X), 1e-11)
        wound = axes[7:] - links[7:]
        assert np.abs(wound).max() > 1e-4 if elastic else not wound.any()


@pytest.mark.parametrize("elastic", [False, True])
def test_encoders_show_what_motors_were_told(truth: Truth, elastic: bool) -> None:
    for motors in MOTORS:
        assert truth.motors(truth.executed(motors, elastic=elastic), elastic=elastic) == pytest.approx(
            motors, abs=1e-12
        )


def test_motors_of_a_wrong_shape_are_refused(truth: Truth) -> None:
    with pytest.raises(InputError, match=r"allowed: \(n, 13\)"):
        truth.plates(np.zeros((2, 12)))
