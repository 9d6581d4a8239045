import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.missions.satellite.formation_flight import relative_ellipse
from freefloat.scenario.files import load


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
