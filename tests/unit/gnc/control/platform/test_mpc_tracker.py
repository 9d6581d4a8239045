"""`controller=mpc`: what the plan decides, and the loop that it closes."""

import copy
import math
from collections.abc import Callable

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.dwell import Dwell
from freefloat.gnc.control.platform.mpc_problem import PulseHorizon
from freefloat.gnc.control.platform.mpc_tracker import MpcTracker, MpcTuning
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, rest_to_rest
from freefloat.gnc.planning.platform.model import PlatformModel

MODEL = PlatformModel()
ATMOS = PlatformModel(
    mass=16.8,
    inertia=0.30,
    wheel_inertia=0.001,
    thrust=1.5,
    thrusters=np.array(
        [
            [1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0],
            [0.12, -0.12, 0.12, -0.12, 0.12, -0.12, 0.12, -0.12],
        ]
    ),
)


def holding(pose=(0.0, 0.0, 0.0), duration=60.0) -> HermiteReference:
    return rest_to_rest(pose, pose, duration)


def first_valves(controller: MpcTracker, pose, wheel: float = 0.0):
    return controller.update(0.0, {"pose": np.array(pose, float), "wheel": np.array([wheel])})["valves"]


def closed_loop(
    controller: MpcTracker,
    seconds: float,
    slope=(0.0, 0.0, 0.0),
    velocity=(0.0, 0.0, 0.0),
    seen: Callable[[int, np.ndarray], np.ndarray] = lambda _, pose: pose,
):
    """Poses, valves and wheel speeds at 100 Hz on a plane of constant slope, noise of Table 5.3, seeded."""
    m, rng, dt = controller.model, np.random.default_rng(3), 0.01
    p, v, spin = np.zeros(3), np.array(velocity, float), 0.0
    poses, valves, speeds = [], [], []
    for k in range(round(seconds / dt)):
        noise = rng.standard_normal(4)
        measured = {"pose": seen(k, p + 3.16e-3 * noise[:3]), "wheel": np.array([spin + 0.01 * noise[3]])}
        out = controller.update(k * dt, measured)
        poses.append(p.copy())
        valves.append(out["valves"])
        speeds.append(spin)
        torque = np.clip(m.wheel_inertia * (out["wheel"][0] - spin) / 0.02, -1.7, 1.7)
        body = m.thrust * (m.thrusters @ out["valves"])
        c, s = math.cos(p[2]), math.sin(p[2])
        turn = (body[2] - torque) / m.inertia + slope[2]
        a = np.array(
            [(c * body[0] - s * body[1]) / m.mass + slope[0], (s * body[0] + c * body[1]) / m.mass + slope[1], turn]
        )
        p, v, spin = p + dt * v + 0.5 * dt**2 * a, v + dt * a, spin + dt * (torque / m.wheel_inertia - turn)
    return np.array(poses), np.array(valves), np.array(speeds)


def lengths(row, value):
    """Of the runs of `value` in a row, those at the ends left out."""
    edges = np.flatnonzero(np.diff(row)) + 1
    return [len(part) for part in np.split(row, edges)[1:-1] if part[0] == value]


def test_at_rest_on_the_reference_no_valve_opens():
    assert not first_valves(MpcTracker(holding()), (0.0, 0.0, 0.0)).any()


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5, 4.0])
def test_a_platform_far_off_is_pushed_towards_the_reference_whatever_its_angle(angle):
    target = np.array([0.3, -0.4])
    valves = first_valves(MpcTracker(holding((*target, angle))), (0.0, 0.0, angle))
    c, s = math.cos(angle), math.sin(angle)
    push = np.array([[c, -s], [s, c]]) @ (MODEL.thrusters[:2] @ valves)
    assert push @ target / np.linalg.norm(target) / np.linalg.norm(push) > 0.8


@pytest.mark.parametrize("spin", [-30.0, 30.0])
def test_of_two_thrusters_that_push_alike_the_one_that_unloads_the_wheel_opens(spin):
    valves = first_valves(MpcTracker(holding((0.04, 0.0, 0.0))), (0.0, 0.0, 0.0), spin)
    assert np.sum(valves) == 1.0
    np.testing.assert_array_equal(MODEL.thrusters[:2] @ valves, [1.0, 0.0])
    assert np.sign(MODEL.thrusters[2] @ valves) == -np.sign(spin)  # the wheel takes up the torque of the thrusters


def test_it_holds_on_a_slope_and_once_settled_never_pushes_downhill():
    controller = MpcTracker(holding())
    poses, valves, _ = closed_loop(controller, 60.0, slope=(4e-3, 0.0, 0.0))
    assert np.hypot(*poses[2000:, :2].T).max() < 0.01
    assert np.degrees(np.abs(poses[:, 2]).max()) < 1.0
    assert not valves[500:, MODEL.thrusters[0] > 0.0].any()  # downhill is free
    on_time = 0.01 * valves.sum()
    needed = 60.0 * 4e-3 * MODEL.mass / MODEL.thrust
    assert needed - 0.2 < on_time < 1.1 * needed + 0.5
    assert controller.effort.plans == 600
    assert controller.effort.cut == 0


def test_thrusters_turn_the_platform_when_a_lasting_torque_fills_the_wheel():
    """0.06 N m for 60 s are 740 rpm of the wheel."""
    controller = MpcTracker(holding())
    poses, _, speeds = closed_loop(controller, 60.0, slope=(0.0, 0.0, 5e-3))
    assert np.abs(speeds[-1]) < 42.0  # [rad/s] 400 rpm
    assert np.degrees(np.abs(poses[1000:, 2]).max()) < 1.0
    assert np.hypot(*poses[:, :2].T).max() < 0.03


def test_a_shock_that_it_is_not_told_of_is_caught():
    poses, _, _ = closed_loop(MpcTracker(holding()), 40.0, velocity=(0.02256, 0.02256, 1.0 / MODEL.inertia))
    assert np.hypot(*poses[:, :2].T).max() < 0.08
    assert np.hypot(*poses[2000:, :2].T).max() < 0.02
    assert np.degrees(np.abs(poses[2000:, 2]).max()) < 1.0


def test_dwell_times_are_kept_in_closed_loop():
    """With a slope that asks for a valve to be open a third of the time, and 5 % of the poses lost."""
    rng, kept = np.random.default_rng(1), [np.zeros(3)]

    def seen(_, pose):
        kept[0] = pose if rng.random() > 0.05 else kept[0]
        return kept[0].copy()

    controller = MpcTracker(holding(), dwell=Dwell(0.2, 0.3, 0.4), horizon=PulseHorizon(binary=3))
    poses, valves, _ = closed_loop(controller, 40.0, slope=(0.016, -0.01, 0.0), seen=seen)
    ticks = valves[::10]
    np.testing.assert_array_equal(np.repeat(ticks, 10, axis=0), valves)  # valves change every tenth call only
    opened = [n for row in ticks.T for n in lengths(row, 1.0)]
    shut = [n for row in ticks.T for n in lengths(row, 0.0)]
    assert len(opened) > 20
    assert set(opened) <= {2, 3}
    assert min(shut) >= 4
    assert np.hypot(*poses[2000:, :2].T).max() < 0.03


def test_a_search_cut_at_once_still_keeps_a_valve_open_for_its_least_time():
    controller = MpcTracker(holding((0.1, 0.0, 0.0)), dwell=Dwell(0.3, 0.5, 0.2), horizon=PulseHorizon(binary=3))
    opened = first_valves(controller, (0.0, 0.0, 0.0), 30.0)
    np.testing.assert_array_equal(opened, np.eye(8)[3])
    controller.iterations = 1
    for k in range(1, 31):
        seen = np.array([0.1, 0.0, 1e-6 * k])
        valves = controller.update(0.01 * k, {"pose": seen, "wheel": np.array([30.0])})["valves"]
        np.testing.assert_array_equal(valves, opened if k < 30 else np.zeros(8))
    assert controller.effort.cut == 3


def test_the_wheels_measured_change_of_speed_turns_the_predicted_body():
    controller = MpcTracker(holding())
    first_valves(controller, (0.0, 0.0, 0.0))
    out = controller.update(0.01, {"pose": np.full(3, np.nan), "wheel": np.ones(1)})
    whole = MODEL.inertia + MODEL.wheel_inertia
    assert out["estimate"][5] == pytest.approx(-MODEL.wheel_inertia * 1.0 / whole, rel=1e-9)


def test_runs_repeat_to_the_byte_and_a_copy_goes_on_as_its_original():
    poses, valves, _ = closed_loop(MpcTracker(holding()), 4.0, slope=(4e-3, 2e-3, 0.0))
    again, same, _ = closed_loop(MpcTracker(holding()), 4.0, slope=(4e-3, 2e-3, 0.0))
    assert poses.tobytes() == again.tobytes()
    assert valves.tobytes() == same.tobytes()
    one = MpcTracker(holding())
    closed_loop(one, 2.0, slope=(4e-3, 2e-3, 0.0))
    other = copy.deepcopy(one)
    for k in range(200, 300):
        seen = {"pose": 1e-3 * np.array([k - 200.0, 0.0, 0.0]), "wheel": np.zeros(1)}
        a, b = one.update(0.01 * k, seen), other.update(0.01 * k, seen)
        assert all(a[name].tobytes() == b[name].tobytes() for name in a)


def test_after_the_reference_it_holds_at_its_end():
    controller = MpcTracker(rest_to_rest((0.0, 0.0, 0.0), (0.1, 0.0, 0.3), 20.0))
    poses, _, _ = closed_loop(controller, 50.0)
    assert np.hypot(poses[3000:, 0] - 0.1, poses[3000:, 1]).max() < 0.03
    assert np.degrees(np.abs(poses[3000:, 2] - 0.3)).max() < 1.0


def test_another_platform_holds_on_a_slope():
    poses, valves, _ = closed_loop(MpcTracker(holding(), ATMOS), 30.0, slope=(6e-3, 0.0, 0.0))
    assert np.hypot(*poses[1500:, :2].T).max() < 0.02
    assert valves.any()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"iterations": 0}, "iterations"),
        ({"wall": 0.0}, "limits"),
        ({"horizon": PulseHorizon(tick=0.105)}, "multiple of 0.01"),
        ({"dwell": Dwell(0.12, 0.15)}, "dwell times"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused_by_name(wrong, named):
    with pytest.raises(InputError, match=named):
        MpcTracker(holding(), **wrong)


def test_a_loop_without_bandwidth_is_refused():
    with pytest.raises(InputError, match="MPC tuning"):
        MpcTuning(bandwidth=0.0)


def test_a_missing_solver_is_told_when_the_tracker_is_made(monkeypatch):
    def missing():
        raise InputError("motion planning needs the package 'daqp'")

    monkeypatch.setattr("freefloat.gnc.planning.optional.daqp", missing)
    with pytest.raises(InputError, match="daqp"):
        MpcTracker(rest_to_rest((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), 10.0))
