import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.errors import InputError
from freefloat.frames import quat_to_matrix
from freefloat.missions.satellite.formation_flight import relative_ellipse
from freefloat.missions.satellite.gravity_gradient_boom import GravityGradientBoom
from freefloat.orbit.lvlh import lvlh_axes
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


def test_the_boom_starts_at_its_pitch_and_at_rest_in_the_orbital_frame():
    scenario = GravityGradientBoom(pitch=np.deg2rad(1.0))
    reference = scenario.orbit.frame().reference
    session = scenario.build().session()
    p_I, v_I = reference.position(0.0), reference.velocity(0.0)
    R_LB = lvlh_axes(p_I, v_I).T @ quat_to_matrix(session.read("satellite.q_WB"))
    assert np.arctan2(R_LB[0, 2], R_LB[2, 2]) == pytest.approx(np.deg2rad(1.0), rel=1e-12)
    n = np.linalg.norm(np.cross(p_I, v_I)) / (p_I @ p_I)
    assert session.read("satellite.w_WB_B") == pytest.approx([0.0, -n, 0.0], abs=1e-15)


def test_the_boom_librates_with_the_frequency_of_the_closed_form():
    metrics = execute(load("gravity-gradient-boom", {"duration": 3600.0, "integrator.step": 1.0}), strict=True).metrics
    assert metrics["libration_frequency_error"] < 1e-3
    assert metrics["out_of_plane_max_deg"] < 1e-9


def test_a_boom_across_the_vertical_has_no_frequency_to_report():
    changes = {"duration": 600.0, "integrator.step": 1.0, "inertia": [10.0, 10.0, 15.0]}
    assert "libration_frequency_error" not in execute(load("gravity-gradient-boom", changes), strict=True).metrics


def test_the_relative_ellipse_solves_hills_equations():
    n, h = 1.13e-3, 1.0
    t = np.array([500.0 - h, 500.0, 500.0 + h])
    p, v = relative_ellipse(t, n, 100.0, 30.0, 0.4)
    a = (v[2] - v[0]) / (2.0 * h)
    x, y, z = p[1]
    vx, _, vz = v[1]
    assert (p[2] - p[0]) / (2.0 * h) == pytest.approx(v[1], rel=1e-6)
    assert a == pytest.approx([2.0 * n * vz, -(n**2) * y, -2.0 * n * vx + 3.0 * n**2 * z], rel=1e-5)
    assert x != 0.0


@pytest.mark.parametrize("phase", ["0 deg", "70 deg"])
def test_the_formation_keeps_to_the_closed_form_within_a_thousandth_over_an_orbit(phase):
    changes = {"duration": 5560.0, "integrator.step": 1.0, "across": 40.0, "phase": phase}
    metrics = execute(load("formation-flight", changes), strict=True).metrics
    assert metrics["relative_error_max_m"] < 0.1
    assert metrics["drift_per_orbit_m"] < 0.1


def test_a_formation_in_the_full_field_still_passes_its_audit():
    changes = {"duration": 60.0, "orbit.degree": 20, "orbit.third_bodies": True}
    assert isinstance(execute(load("formation-flight", changes), strict=True), ff.Result)
