import pytest

from freefloat.api import execute
from freefloat.errors import InputError
from freefloat.scenario.files import load

SWING = {"duration": 12.0, "arm.move_time": 10.0, "integrator.step": 2e-3}


def swing(**changes):
    """A short swing of the shoulder, 2 deg in 10 s."""
    goal = [0.0, -0.75, 0.0, 0.6, 0.0, 0.4, 0.0]
    return execute(load("arm-on-satellite", {**SWING, "arm.goal": goal, **changes}), strict=True)


@pytest.fixture(scope="module")
def feedback():
    return swing(attitude="feedback").metrics["pointing_error_rms_deg"]


def test_without_attitude_control_the_wheels_rest_and_the_bus_turns(feedback):
    metrics = swing(attitude="off").metrics
    assert metrics["wheel_momentum_max_N_m_s"] == 0.0
    assert metrics["pointing_error_rms_deg"] > feedback


def test_feedforward_points_at_least_fifty_times_better_than_feedback_alone(feedback):
    assert 50.0 * swing(attitude="feedforward").metrics["pointing_error_rms_deg"] < feedback


def test_feedforward_with_five_percent_mass_error_points_at_least_ten_times_better(feedback):
    error = swing(attitude="feedforward", onboard_mass_error=0.05).metrics["pointing_error_rms_deg"]
    assert 10.0 * error < feedback


def test_the_wheels_of_the_swing_never_saturate():
    metrics = swing(attitude="feedforward").metrics
    assert metrics["wheel_torque_max_N_m"] < 0.4
    assert metrics["wheel_momentum_max_N_m_s"] < 8.0


def test_a_goal_with_too_few_joints_is_refused():
    with pytest.raises(InputError, match=r"arm\.goal: 2 numbers for the 7 joints"):
        load("arm-on-satellite", {"arm.goal": [0.0, 1.0]}).build()
