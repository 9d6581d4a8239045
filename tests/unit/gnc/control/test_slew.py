import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul
from freefloat.gnc.control.slew import SlewPointing, bang_time

Q_FROM = quat_exp([0.3, -0.5, 1.1])
TURN = np.array([0.4, -0.6, 0.7])


def slew(ramp: float = 3.0) -> SlewPointing:
    return SlewPointing(Q_FROM, quat_mul(Q_FROM, quat_exp(TURN)), start=2.0, duration=20.0, ramp=ramp)


def test_rate_and_acceleration_are_the_derivatives_of_the_attitude():
    pointing, h = slew(), 1e-4
    for t in (1.0, 3.3, 9.0, 20.4, 23.0):
        before, at, after = (pointing.at(x, {}) for x in (t - h, t, t + h))
        w = quat_log(quat_mul(quat_conj(before.q_WR), after.q_WR)) / (2.0 * h)
        np.testing.assert_allclose(at.w_WR_R, w, atol=1e-9)
        np.testing.assert_allclose(at.a_WR_R, (after.w_WR_R - before.w_WR_R) / (2.0 * h), atol=1e-9)


@pytest.mark.parametrize("ramp", [0.5, 3.0, 10.0])
def test_it_goes_from_rest_to_rest_between_the_two_attitudes(ramp: float):
    pointing = slew(ramp)
    first, last = pointing.at(2.0 - 1e-9, {}), pointing.at(22.0, {})
    np.testing.assert_allclose(quat_log(quat_mul(quat_conj(Q_FROM), first.q_WR)), 0.0, atol=1e-12)
    np.testing.assert_allclose(quat_log(quat_mul(quat_conj(Q_FROM), last.q_WR)), TURN, atol=1e-12)
    assert not first.w_WR_R.any()
    assert not last.w_WR_R.any()
    np.testing.assert_allclose(pointing.at(22.0 - 1e-9, {}).w_WR_R, 0.0, atol=1e-9)


def test_the_bangs_turn_by_the_angle_in_the_time():
    angle, T, a = 1.05, 60.0, 8.66e-3
    t = bang_time(angle, T, a)
    assert t < T / 2.0
    assert a * t * t + a * t * (T - 2.0 * t) == pytest.approx(angle)  # two ramps and the coast
    assert bang_time(1.0, 2.0 * np.sqrt(1.0 / a) + 1e-9, a) == pytest.approx(np.sqrt(1.0 / a), rel=1e-3)


def test_a_turn_that_the_torque_cannot_do_in_time_is_refused_with_the_least_time():
    with pytest.raises(InputError, match="allowed: 20 s or more"):
        bang_time(1.0, 19.0, 0.01)
    with pytest.raises(InputError, match="half the duration"):
        slew(ramp=10.1)
