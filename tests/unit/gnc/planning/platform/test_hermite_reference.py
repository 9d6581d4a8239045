import numpy as np
import pytest
from numba import njit
from scipy.interpolate import CubicHermiteSpline

from freefloat.errors import InputError
from freefloat.gnc.planning.platform.hermite_reference import (
    HermiteReference,
    circle,
    hermite_at,
    line,
    rest_to_rest,
    s_shape,
    semicircle,
)
from freefloat.gnc.planning.platform.model import PlatformModel

ALL = {"line": line, "circle": circle, "semicircle": semicircle, "s": s_shape}
MODEL = PlatformModel()


@pytest.mark.parametrize("make", ALL.values(), ids=ALL.keys())
def test_reference_is_the_hermite_spline_through_its_knots(make):
    reference = make()
    spline = CubicHermiteSpline(reference.times, reference.poses, reference.rates)
    times = np.linspace(0.0, reference.duration, 997)[:-1]
    for k, values in enumerate(reference.sampled(times)):
        np.testing.assert_allclose(values, spline(times, k), atol=1e-12)


@pytest.mark.parametrize("make", ALL.values(), ids=ALL.keys())
def test_reference_rests_before_and_after(make):
    reference = make()
    for t, knot in ((-1.0, 0), (reference.duration, -1), (reference.duration + 5.0, -1)):
        pose, rate, acceleration = reference.at(t)
        np.testing.assert_array_equal(pose, reference.poses[knot])
        assert not rate.any()
        assert not acceleration.any()
    np.testing.assert_allclose(reference.at(reference.duration - 1e-9)[1], 0.0, atol=1e-10)


def test_compiled_evaluation_gives_the_same_before_within_and_after():
    @njit
    def compiled(times, poses, rates, t, out):
        hermite_at(times, poses, rates, t, out)

    reference, out = circle(), np.empty((3, 3))
    for t in (-1.0, 0.0, 15.708, 100.3, reference.duration - 1e-9, reference.duration, 1e6):
        compiled(reference.times, reference.poses, reference.rates, t, out)
        np.testing.assert_allclose(out, np.array(reference.at(t)), rtol=1e-13, atol=1e-15)


def test_line_and_circle_and_s_have_the_stated_knots():
    assert line().duration == 104.0
    np.testing.assert_allclose(line().poses[-1], [1.0, 2.0, np.pi])
    for reference in (circle(), s_shape()):
        assert len(reference.times) == 41
        assert reference.duration == pytest.approx(40 * 15.708)
    np.testing.assert_allclose(circle().poses[10], [1.0, 1.0, np.pi / 2])
    np.testing.assert_allclose(circle().rates[10], [0.0, 0.01, 0.01], atol=1e-15)
    np.testing.assert_allclose(s_shape().poses[10], [1.0, np.pi / 4, 0.0])
    np.testing.assert_allclose(s_shape().rates[20], [-0.01, 0.005, 0.0], atol=1e-15)


def test_semicircle_is_the_first_half_of_the_circle_but_for_its_end():
    half, whole = semicircle(), circle()
    np.testing.assert_allclose(half.poses[-1], [0.0, 2.0, np.pi], atol=1e-15)
    for t in np.linspace(0.0, half.times[-2], 50, endpoint=False):
        np.testing.assert_allclose(half.at(t), whole.at(t))


def test_circle_stays_on_its_radius_with_the_body_towards_the_centre():
    reference = circle()
    poses, _, _ = reference.sampled(np.linspace(20.0, reference.duration - 20.0, 400))
    to_centre = np.array([0.0, 1.0]) - poses[:, :2]
    np.testing.assert_allclose(np.linalg.norm(to_centre, axis=1), 1.0, atol=1e-4)
    body_y = np.column_stack([-np.sin(poses[:, 2]), np.cos(poses[:, 2])])
    assert np.min(np.sum(body_y * to_centre, axis=1)) > 0.999


@pytest.mark.parametrize(("name", "expected"), [("line", 1.79), ("circle", 2.06), ("s", 1.92)])
def test_open_time_of_the_feedforward_is_that_reconstructed_from_table_5_5(name, expected):
    reference, dt = ALL[name](), 0.05
    times = np.arange(0.5 * dt, reference.duration, dt)
    poses, _, accelerations = reference.sampled(times)
    force = sum(MODEL.feedforward(p[2], a)[1:].sum() for p, a in zip(poses, accelerations, strict=True))
    assert force * dt / MODEL.thrust == pytest.approx(expected, abs=0.005)


def test_any_other_motion_between_the_same_ends_costs_more():
    reference = rest_to_rest((0, 0, 0), (1, 2, 3), 10.0)
    times = np.linspace(0.0, 10.0, 4001)[:-1]
    _, _, a = reference.sampled(times)
    s = times / 10.0
    detour = (2.0 - 12.0 * s + 12.0 * s**2) / 100.0  # second derivative of s^2 (1 - s)^2, at rest at both ends
    least = np.sum(a**2)
    for size in (-0.1, 0.1):
        assert np.sum((a + size * detour[:, None]) ** 2) > least
    assert abs(np.mean(a[:, 0] * detour)) < 1e-6


def test_impossible_references_are_refused():
    with pytest.raises(InputError, match="rising"):
        rest_to_rest((0, 0, 0), (1, 1, 1), -1.0)
    with pytest.raises(InputError, match="at the ends"):
        HermiteReference(np.array([0.0, 1.0]), np.zeros((2, 3)), np.ones((2, 3)))
    with pytest.raises(InputError, match="poses"):
        HermiteReference(np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((2, 3)))
