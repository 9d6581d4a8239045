import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_to_matrix
from freefloat.gnc.control.attitude import (
    DETUMBLE,
    POINTING,
    AttitudeController,
    AttitudeGains,
    Detumble,
    attitude_error,
)
from freefloat.gnc.control.pointing import InertialPointing, Reference

I_B = np.array([[12.0, 0.4, -0.3], [0.4, 10.0, 0.2], [-0.3, 0.2, 8.0]])
ZERO = np.zeros(3)
SECOND_ORDER = AttitudeGains(integral=0.0)


class Spin:
    """A reference that turns about a fixed axis of W, faster and faster."""

    def __init__(self, rate: float = 0.05, acceleration: float = 1e-4) -> None:
        self.rate, self.acceleration = rate, acceleration
        self.axis = np.array([0.6, 0.0, 0.8])

    def at(self, t, meas) -> Reference:
        angle = self.rate * t + 0.5 * self.acceleration * t**2
        rate = self.rate + self.acceleration * t
        return Reference(quat_exp(self.axis * angle), self.axis * rate, self.axis * self.acceleration)


def second_order(t: np.ndarray, w: float = 0.2, z: float = 0.7) -> np.ndarray:
    wd = w * np.sqrt(1.0 - z**2)
    return np.exp(-z * w * t) * (np.cos(wd * t) + z * w / wd * np.sin(wd * t))


def with_wheels(controller, J=1e-3, disturbance=ZERO):
    """Wheels along x, y, z that make the torque, with their momentum known."""

    def command(t, meas):
        h = J * (meas["speed"] + meas["w_WB_B"])
        return -controller.update(t, meas | {"h_B": h})["tau"], disturbance

    return command


def errors(pointing, times, states) -> np.ndarray:
    """Rotation vectors from reference to body."""
    return np.array(
        [quat_log(quat_mul(quat_conj(pointing.at(t, {}).q_WR), x[:4])) for t, x in zip(times, states, strict=True)]
    )


@pytest.mark.parametrize("pointing", [InertialPointing(), Spin()], ids=["inertial", "spinning"])
def test_step_response_is_the_second_order_one(spacecraft, pointing):
    start = np.array([0.02, -0.01, 0.015])
    w = pointing.at(0.0, {}).w_WR_R
    R_BR = quat_to_matrix(quat_exp(-start))
    craft = spacecraft(I_B, q=quat_exp(start), w=R_BR @ w, speed=np.array([300.0, -200.0, 100.0]))
    controller = AttitudeController(I_B, pointing, SECOND_ORDER)
    times, states = craft.run(with_wheels(controller), 60.0, 0.04)
    expected = second_order(times)[:, None] * start
    assert np.abs(errors(pointing, times, states) - expected).max() < 0.01 * np.linalg.norm(start)


def test_overshoot_and_settling_follow_bandwidth_and_damping(spacecraft):
    craft = spacecraft(I_B, q=quat_exp([0.02, 0.0, 0.0]))
    gains = AttitudeGains(bandwidth=0.5, damping=0.5, integral=0.0)
    times, states = craft.run(with_wheels(AttitudeController(I_B, gains=gains)), 40.0, 0.04)
    e = errors(InertialPointing(), times, states)[:, 0]
    assert -e.min() / 0.02 == pytest.approx(np.exp(-np.pi * 0.5 / np.sqrt(0.75)), rel=0.02)
    assert times[e.argmin()] == pytest.approx(np.pi / (0.5 * np.sqrt(0.75)), abs=0.1)


def test_integral_action_removes_a_constant_disturbance_that_stays_without_it(spacecraft):
    disturbance = np.array([2e-3, -1e-3, 5e-4])
    final = {}
    for gains in (SECOND_ORDER, AttitudeGains()):
        controller = AttitudeController(I_B, gains=gains)
        times, states = spacecraft(I_B, J=1e-2).run(
            with_wheels(controller, J=1e-2, disturbance=disturbance), 600.0, 0.2
        )
        final[gains.integral] = errors(InertialPointing(), times, states)[-1]
    np.testing.assert_allclose(final[0.0], np.linalg.solve(I_B, disturbance) / 0.04, rtol=2e-3)
    assert np.linalg.norm(final[0.02]) < 1e-6


def test_gains_place_the_three_poles():
    g = AttitudeGains(bandwidth=0.3, damping=0.6, integral=0.05)
    poles = np.sort_complex(np.roots([1.0, g.kd, g.kp, g.ki]))
    pair = -0.6 * 0.3 + 0.3 * np.sqrt(1 - 0.36) * np.array([-1j, 1j])
    np.testing.assert_allclose(poles, np.sort_complex(np.array([*pair, -0.05])), atol=1e-12)


@settings(max_examples=12, deadline=None)
@given(
    rotvec=st.tuples(*[st.floats(-1.8, 1.8)] * 3),
    w=st.tuples(*[st.floats(-0.05, 0.05)] * 3),
    limit=st.sampled_from([0.1, 0.5, np.inf]),
)
def test_every_attitude_and_rate_converges_under_torque_limits(spacecraft, rotvec, w, limit):
    craft = spacecraft(I_B, J=1e-2, q=quat_exp(rotvec), w=np.array(w))
    controller = AttitudeController(I_B, torque_limit=limit, rate_limit=0.05)
    craft.run(with_wheels(controller, J=1e-2), 400.0, 0.25)
    assert np.linalg.norm(quat_log(craft.q)) < 2e-3
    assert np.linalg.norm(craft.w) < 1e-4


def torque(controller, q, w=ZERO, **more) -> np.ndarray:
    return controller.update(0.0, {"q_WB": np.asarray(q), "w_WB_B": np.asarray(w), **more})["tau"]


def test_both_signs_of_a_quaternion_ask_for_the_same_torque_along_the_shorter_way():
    q = quat_exp([np.deg2rad(350.0), 0.0, 0.0])
    a, b, c = (torque(AttitudeController(I_B), x) for x in (q, -q, quat_exp([np.deg2rad(-10.0), 0.0, 0.0])))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(a, c, atol=1e-14)
    assert a[0] > 0.0


def test_error_is_the_rotation_vector_for_small_angles_and_bounded_for_all():
    r = np.array([1e-5, -2e-5, 3e-5])
    q_WR = quat_exp([0.4, 1.0, -2.0])
    np.testing.assert_allclose(attitude_error(q_WR, quat_mul(q_WR, quat_exp(r))), r, rtol=1e-9)
    assert np.linalg.norm(attitude_error(q_WR, quat_mul(q_WR, [0.0, 1.0, 0.0, 0.0]))) == pytest.approx(2.0)


def test_arm_torque_and_wheel_momentum_are_added_exactly():
    w, h, arm = np.array([0.01, 0.02, -0.03]), np.array([1.0, -2.0, 0.5]), np.array([0.1, 0.2, 0.3])
    q = quat_exp([0.1, 0.0, 0.0])
    plain = torque(AttitudeController(I_B), q, w)
    full = torque(AttitudeController(I_B), q, w, h_B=h, tau_ff=arm)
    np.testing.assert_allclose(full - plain, np.cross(w, h) + arm, atol=1e-15)


def test_torque_limit_keeps_the_direction():
    q = quat_exp([0.5, -0.4, 0.3])
    free = torque(AttitudeController(I_B), q)
    cut = torque(AttitudeController(I_B, torque_limit=0.01), q)
    assert np.abs(cut).max() == pytest.approx(0.01)
    np.testing.assert_allclose(cut / np.linalg.norm(cut), free / np.linalg.norm(free), atol=1e-14)


def test_a_large_slew_runs_at_the_rate_limit_and_does_not_wind_up(spacecraft):
    craft = spacecraft(I_B, J=1e-2, q=quat_exp([2.5, 0.0, 0.0]))
    controller = AttitudeController(I_B, torque_limit=0.2, rate_limit=0.02)
    times, states = craft.run(with_wheels(controller, J=1e-2), 400.0, 0.1)
    rate = np.linalg.norm(states[:, 4:7], axis=1)
    assert rate.max() == pytest.approx(0.02, rel=0.02)
    e = errors(InertialPointing(), times, states)
    assert -e[:, 0].min() < 0.02
    assert np.abs(e[-1]).max() < 2e-3


def test_the_integral_stands_still_while_the_torque_is_saturated():
    controller = AttitudeController(I_B, torque_limit=0.01)
    q = quat_exp([0.5, 0.0, 0.0])
    for k in range(100):
        controller.update(0.1 * k, {"q_WB": q, "w_WB_B": np.zeros(3)})
    np.testing.assert_array_equal(controller.integral, np.zeros(3))
    controller.integral[:] = [1.0, 0.0, 0.0]
    controller.update(10.0, {"q_WB": quat_conj(q), "w_WB_B": np.zeros(3)})
    assert controller.integral[0] < 1.0


def test_detumbling_takes_the_momentum_into_the_wheels_and_hands_over_to_pointing(spacecraft):
    w = np.deg2rad(5.0) * np.array([1.0, -1.0, 1.0]) / np.sqrt(3.0)
    craft = spacecraft(I_B, J=1e-2, q=quat_exp([2.0, 1.0, 0.5]), w=w)
    before = quat_to_matrix(craft.q) @ craft.momentum()
    controller = AttitudeController(I_B, torque_limit=0.05, rate_limit=0.02, detumble=Detumble())
    loop, modes = with_wheels(controller, J=1e-2), []

    def command(t, meas):
        out = loop(t, meas)
        modes.append(controller.mode)
        return out

    _, states = craft.run(command, 700.0, 0.1)
    modes = np.array(modes)
    switch = int(np.argmax(modes == POINTING))
    assert modes[0] == DETUMBLE
    assert switch > 0
    assert np.all(modes[switch:] == POINTING)
    rates = np.linalg.norm(states[:switch, 4:7], axis=1)
    assert np.all(np.diff(rates) < 0.0)
    assert np.linalg.norm(quat_log(craft.q)) < 1e-3
    np.testing.assert_allclose(quat_to_matrix(craft.q) @ craft.momentum(), before, atol=1e-9)


def test_pointing_goes_back_to_detumbling_above_the_resume_rate():
    controller = AttitudeController(I_B, detumble=Detumble(handover=0.01, resume=0.1))
    modes = [float(torque_mode(controller, rate)) for rate in (0.05, 0.005, 0.05, 0.2, 0.05)]
    assert modes == [DETUMBLE, POINTING, POINTING, DETUMBLE, DETUMBLE]


def torque_mode(controller, rate: float) -> float:
    meas = {"q_WB": np.array([1.0, 0, 0, 0]), "w_WB_B": np.array([0.0, rate, 0.0])}
    return controller.update(0.0, meas)["mode"][0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: AttitudeController(np.diag([1.0, 1.0, 3.0])),
        lambda: AttitudeController(I_B, torque_limit=0.0),
        lambda: AttitudeGains(bandwidth=-0.1),
        lambda: Detumble(handover=0.2, resume=0.1),
    ],
)
def test_parameters_that_cannot_work_are_refused(make):
    with pytest.raises(InputError):
        make()
