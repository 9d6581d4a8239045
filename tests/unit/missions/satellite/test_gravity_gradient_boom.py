import numpy as np
import pytest

from freefloat.api import execute
from freefloat.frames import quat_to_matrix
from freefloat.missions.satellite.gravity_gradient_boom import GravityGradientBoom
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.scenario.files import load


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
