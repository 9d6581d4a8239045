import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning.arm.joint_path import QuinticPath, QuinticPieces
from freefloat.gnc.planning.arm.retimed import Brake, Ride, retimed, turned_round

PATH = QuinticPath(np.array([0.0, -0.3]), np.array([1.0, 0.4]), 20.0)


def off_curve(path: QuinticPieces) -> float:
    """How far positions leave the line of PATH, on which both joints share one course."""
    q = np.array([path.at(t)[0] for t in np.linspace(0.0, path.duration, 800)])
    share = q[:, 0]
    return float(np.abs(q[:, 1] - (-0.3 + 0.7 * share)).max())


@pytest.mark.parametrize("law", [Ride(0.0, 20.0, 0.5), Ride(13.0, 2.0), Ride(9.0, 9.4), Brake(8.0), Brake(5.0, -0.7)])
def test_another_pace_stays_on_the_curve_and_ends_at_rest(law):
    path = retimed(PATH, law)
    assert off_curve(path) < 1e-9
    assert np.abs(path.at(path.duration)[1]).max() < 1e-12


def test_a_ride_goes_from_place_to_place():
    path = retimed(PATH, Ride(13.0, 2.0))
    np.testing.assert_allclose(path.at(0.0)[0], PATH.at(13.0)[0], atol=1e-12)
    np.testing.assert_allclose(path.at(path.duration)[0], PATH.at(2.0)[0], atol=1e-12)


def test_half_the_pace_has_half_the_rate_in_the_middle():
    full, half = PATH.at(10.0)[1], retimed(PATH, Ride(0.0, 20.0, 0.5))
    rates = np.array([half.at(t)[1] for t in np.linspace(0.0, half.duration, 2000)])
    np.testing.assert_allclose(np.abs(rates).max(axis=0), 0.5 * np.abs(full), rtol=1e-3)


def test_a_brake_begins_with_the_motion_of_the_curve():
    braked = retimed(PATH, Brake(8.0))
    for got, wanted in zip(braked.at(0.0), PATH.at(8.0), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_no_way_is_a_rest():
    path = retimed(PATH, Ride(7.0, 7.0))
    np.testing.assert_allclose(path.at(path.duration)[0], PATH.at(7.0)[0])


def test_joints_counted_from_the_other_end_move_alike():
    times, states = PATH.knots
    pieces = QuinticPieces(times, states[:, 0], states[:, 1], states[:, 2])
    np.testing.assert_array_equal(turned_round(pieces).at(7.3)[0], pieces.at(7.3)[0][::-1])


def test_a_rate_of_nothing_is_refused():
    with pytest.raises(InputError, match="rate"):
        Ride(0.0, 1.0, 0.0)
