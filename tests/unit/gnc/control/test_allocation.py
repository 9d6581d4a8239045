import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from freefloat.errors import InputError
from freefloat.gnc.control.allocation import Desaturation, ThrusterAllocation, WheelAllocation, pyramid_axes

component = st.floats(-1.0, 1.0)
torques = st.tuples(component, component, component).map(np.array)
speeds = st.tuples(*[st.floats(-400.0, 400.0)] * 4).map(np.array)


def wheels(**more) -> WheelAllocation:
    return WheelAllocation(pyramid_axes(), **{"inertia": 5e-3, "max_torque": 0.2, "max_speed": 400.0} | more)


@given(tau=torques, speed=speeds)
def test_wheels_make_the_torque_or_the_largest_share_of_it_along_its_direction(tau, speed):
    w = wheels()
    out = w.update(0.0, {"tau": tau, "speed": speed})
    assert np.abs(out["tau_wheel"]).max() <= 0.2 + 1e-12
    assert np.abs(speed + out["tau_wheel"] * 0.1 / 5e-3).max() <= 400.0 + 1e-9
    np.testing.assert_allclose(-w.A @ out["tau_wheel"], out["tau_made"], atol=1e-15)
    size = np.linalg.norm(tau)
    assume(size > 1e-6)
    share = float(out["tau_made"] @ tau) / size**2
    assert -1e-9 <= share <= 1.0 + 1e-9
    np.testing.assert_allclose(out["tau_made"], share * tau, atol=1e-9)


SETS = {
    "three": np.eye(3),
    "tetrahedron-and-z": [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1], [0, 0, 1]],
    "three-in-a-plane": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]],
    "pairs": [*np.eye(3), *np.eye(3)],
    "opposed": [*np.eye(3), *-np.eye(3), [1, 2, 3]],
}


@pytest.mark.parametrize("name", SETS)
@given(tau=torques, data=st.data())
def test_the_largest_share_is_that_of_a_linear_programme_for_wheels_anywhere(name, tau, data):
    w = WheelAllocation(SETS[name], 5e-3, 0.2, 400.0)
    n, size = w.A.shape[1], float(np.linalg.norm(tau))
    speed = np.array(data.draw(st.tuples(*[st.floats(-400.0, 400.0)] * n)))
    assume(size > 1e-3)
    u = w.update(0.0, {"tau": tau, "speed": speed})["tau_wheel"]
    room = 5e-3 / 0.1
    low, high = np.clip(room * (-400.0 - speed), -0.2, 0.0), np.clip(room * (400.0 - speed), 0.0, 0.2)
    assert np.all((low <= u) & (u <= high))
    equal = np.column_stack([w.A, tau / size])
    best = linprog([*[0.0] * n, -1.0], A_eq=equal, b_eq=np.zeros(3), bounds=[*zip(low, high, strict=True), (0.0, size)])
    np.testing.assert_allclose(-w.A @ u, -best.fun * tau / size, atol=1e-8)


def test_the_split_moves_without_a_jump_where_least_squares_meets_a_limit():
    w = wheels(bias_gain=0.0)
    tau, speed = np.array([0.3, 0.1, 0.05]), np.array([380.0, 0.0, 0.0, -395.0])
    torques = [w.update(0.0, {"tau": f * tau, "speed": speed})["tau_wheel"] for f in np.linspace(0.0, 1.5, 3001)]
    assert np.abs(np.diff(torques, axis=0)).max() < 1e-3


@given(tau=torques.map(lambda x: 0.1 * x))
def test_torque_within_the_limits_is_made_exactly(tau):
    out = wheels().update(0.0, {"tau": tau, "speed": np.array([100.0, -50.0, 0.0, 20.0])})
    np.testing.assert_allclose(out["tau_made"], tau, atol=1e-14)


def test_a_torque_that_least_squares_cannot_make_is_made_where_another_split_can():
    w = wheels()
    speed = np.array([398.0, 0.0, 0.0, 0.0])
    room = (400.0 - 398.0) * 5e-3 / 0.1  # [N m] left for the first wheel
    tau = -w.A @ [0.12, 0.12, 0.0, 0.0]
    assert -(w.A_pinv @ tau)[0] > room
    out = w.update(0.0, {"tau": tau, "speed": speed})
    np.testing.assert_allclose(out["tau_made"], tau, atol=1e-9)
    assert out["tau_wheel"][0] <= room + 1e-12


def test_idle_speeds_go_to_their_bias_without_torque_on_the_bus():
    w = wheels(bias_speed=[100.0, -100.0, 100.0, -100.0], bias_gain=0.1)
    speed = np.array([30.0, 30.0, -30.0, 10.0])
    held = w.momentum(speed)
    for _ in range(2000):
        out = w.update(0.0, {"tau": np.zeros(3), "speed": speed})
        np.testing.assert_allclose(out["tau_made"], 0.0, atol=1e-15)
        speed = speed + out["tau_wheel"] / 5e-3 * 0.1
    np.testing.assert_allclose(w.momentum(speed), held, atol=1e-12)
    idle = np.array([1.0, -1.0, 1.0, -1.0]) / 2.0
    assert idle @ speed == pytest.approx(200.0, rel=1e-6)


def test_the_default_pyramid_has_the_same_capacity_along_each_axis():
    A = pyramid_axes().T
    np.testing.assert_allclose(A @ A.T, 4.0 / 3.0 * np.eye(3), atol=1e-15)


def test_desaturation_starts_above_its_limit_and_stops_below_with_bounded_torque():
    d = Desaturation(start=1.0, stop=0.2, max_torque=0.02, gain=0.05)
    h, seen = np.array([0.9, 0.0, 0.0]), []
    assert not d.update(0.0, {"h_B": h})["tau_ext"].any()
    h = np.array([1.2, 0.5, -0.3])
    for k in range(1000):
        out = d.update(0.1 * k, {"h_B": h})
        seen.append(float(out["active"][0]))
        assert np.linalg.norm(out["tau_ext"]) <= 0.02 + 1e-15
        h = h + 0.1 * out["tau_ext"]
    assert seen[0] == 1.0
    assert seen[-1] == 0.0
    assert np.linalg.norm(h) == pytest.approx(0.2, abs=2e-3)


def cube(**more) -> ThrusterAllocation:
    """Twelve thrusters of 1 N: on each face of a 1 m cube two side by side that push inwards, for all six axes."""
    p, d = [], []
    for axis in range(3):
        side = np.roll([0.0, 0.4, 0.0], axis)
        normal = np.roll([0.5, 0.0, 0.0], axis)
        for sign in (1.0, -1.0):
            for offset in (side, -side):
                p.append(sign * normal + offset)
                d.append(-2.0 * sign * normal)
    return ThrusterAllocation(p, d, **{"thrust": 1.0, "period": 1.0} | more)


wrenches = st.tuples(*[st.floats(-1.0, 1.0)] * 6).map(np.array)


@given(wrench=wrenches)
def test_duties_make_the_wrench_with_the_least_propellant_or_a_share_of_it(wrench):
    assume(np.linalg.norm(wrench) > 1e-3)
    th = cube()
    duty = th.duties(wrench)
    assert np.all((duty >= 0.0) & (duty <= 1.0))
    made = th.B @ duty
    share = float(made @ wrench / (wrench @ wrench))
    assert 0.0 < share <= 1.0 + 1e-9
    np.testing.assert_allclose(made, share * wrench, atol=1e-6)
    if share < 1.0 - 1e-6:
        assert duty.max() == pytest.approx(1.0)
    least = linprog(np.ones(12), A_eq=th.B, b_eq=made, bounds=(0.0, None)).fun
    assert duty.sum() == pytest.approx(least, rel=1e-4)


def test_a_wrench_that_the_thrusters_cannot_make_is_met_as_nearly_as_possible():
    th = ThrusterAllocation([[0, 1, 0], [0, -1, 0]], [[1, 0, 0], [1, 0, 0]], 1.0, 1.0)
    np.testing.assert_allclose(th.duties(np.array([0, 0, 0, -1.0, 0, 0])), 0.0, atol=1e-12)
    np.testing.assert_allclose(th.duties(np.array([0, 0, 0, 1.0, 5.0, 0])), 0.5, atol=1e-9)


def test_forces_left_free_are_not_opposed():
    th = cube(weights=(1, 1, 1, 0, 0, 0))
    tau = np.array([0.1, 0.05, -0.2])
    duty = th.duties(np.concatenate([tau, np.zeros(3)]))
    np.testing.assert_allclose(th.B[:3] @ duty, tau, atol=1e-9)
    assert np.count_nonzero(duty) == 3


@given(wrench=wrenches.map(lambda x: 0.05 * x), min_on=st.floats(0.01, 0.3), min_off=st.floats(0.0, 0.3))
def test_pulses_respect_their_minimum_and_the_sum_of_impulses_is_right_to_one_pulse(wrench, min_on, min_off):
    th = cube(min_on=min_on, min_off=min_off)
    total = np.zeros(6)
    for k in range(60):
        out = th.update(float(k), {"wrench": wrench})
        on = out["on_time"]
        assert np.all((on == 0.0) | (on >= min_on))
        assert np.all((on == 1.0) | (1.0 - on >= min_off - 1e-12))
        np.testing.assert_allclose(out["wrench_made"], th.B @ out["duty"], atol=1e-15)
        total += th.B @ on
    bound = max(min_on, min_off) * np.abs(th.B).sum(axis=1)
    assert np.all(np.abs(total - 60.0 * wrench) <= bound + 1e-9)


@given(wrench=wrenches.map(lambda x: 0.05 * x))
def test_pulses_of_whole_ticks_lose_nothing_of_the_impulse(wrench):
    th = cube(min_on=0.05, tick=0.02)
    total = np.zeros(6)
    for k in range(60):
        on = th.update(float(k), {"wrench": wrench})["on_time"]
        np.testing.assert_allclose(on, 0.02 * np.round(on / 0.02), atol=1e-12)
        assert np.all((on == 0.0) | (on >= 0.05))
        total += th.B @ on
    assert np.all(np.abs(total - 60.0 * wrench) <= 0.06 * np.abs(th.B).sum(axis=1) + 1e-9)


def test_the_same_commands_give_the_same_pulses():
    rng = np.random.default_rng(4)
    commands = rng.uniform(-0.5, 0.5, (50, 6))
    a, b = (
        [th.update(0.0, {"wrench": w})["on_time"] for w in commands] for th in (cube(min_on=0.05), cube(min_on=0.05))
    )
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WheelAllocation([[1, 0, 0], [0, 1, 0], [1, 1, 0]], 1e-3, 0.1),
        lambda: WheelAllocation([[0, 0, 0]], 1e-3, 0.1),
        lambda: wheels(max_torque=0.0),
        lambda: Desaturation(start=0.1, stop=0.2, max_torque=1.0),
        lambda: cube(min_on=0.6, min_off=0.6),
        lambda: cube(tick=1.5),
        lambda: ThrusterAllocation([[0, 0, 0]], [[1, 0, 0], [0, 1, 0]], 1.0, 1.0),
    ],
)
def test_actuators_that_cannot_work_are_refused(make):
    with pytest.raises(InputError):
        make()
