import math

import numpy as np
import pytest
from scipy.interpolate import interp1d

from freefloat.errors import InputError
from freefloat.gnc.control.platform import tvlqr_noise, tvlqr_tick
from freefloat.gnc.control.platform.tvlqr_gains import gain_times, table_weights
from freefloat.gnc.control.platform.tvlqr_noise import process_noise, slope_noise
from freefloat.gnc.control.platform.tvlqr_tracker import MODULATORS, TvlqrTracker
from freefloat.gnc.control.tvlqr import riccati
from freefloat.gnc.estimation.kalman import axis_correct, axis_predict
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, line, rest_to_rest
from freefloat.gnc.planning.platform.model import PlatformModel

MODEL = PlatformModel()
T, LAG, LIMIT = 0.01, 0.02, 1.7
KICK = np.array([5.0 / 221.67, 5.0 / 221.67, 1.0 / 12.129])  # eq. 5.5
ORIGIN = rest_to_rest((0, 0, 0), (0, 0, 0), 1.0)


class Plant:
    """Flat or evenly sloping floor, ideal valves, speed drive of the wheel: s = [pose, rate, relative wheel speed]."""

    def __init__(self, model, slope):
        self.model, self.slope, self.s = model, slope, [0.0] * 7

    def tick(self, valves, command):
        m, s = self.model, self.s
        fx, fy, torque = (m.thrust * m.thrusters @ valves).tolist()
        drive = min(max(m.wheel_inertia * (command - s[6]) * -math.expm1(-T / LAG) / T, -LIMIT), LIMIT)
        c, n, alpha = math.cos(s[2]), math.sin(s[2]), (torque - drive) / m.inertia
        a = (c * fx - n * fy) / m.mass + self.slope[0], (n * fx + c * fy) / m.mass + self.slope[1], alpha
        for i in range(3):
            s[i] += T * (s[3 + i] + 0.5 * T * a[i])
            s[3 + i] += T * a[i]
        s[6] += T * (drive / m.wheel_inertia - alpha)


def fly(tracker, duration, *, seed=0, variance=1e-5, kicks=(), slope=(0.0, 0.0), lost=lambda k: False):
    """Truth (ticks, 7), valves (ticks, n), estimates (ticks, 6), wheel commands (ticks,) of a closed loop."""
    rng, ticks = np.random.default_rng(seed), round(duration / T) + 1
    noise = rng.normal(size=(ticks, 4)) * [*[math.sqrt(variance)] * 3, 0.01]
    plant, seen, rows = Plant(tracker.model, slope), np.zeros(3), []
    for k in range(ticks):
        for when, jump in kicks:
            if k == round(when / T):
                plant.s[3:6] = [v + dv for v, dv in zip(plant.s[3:6], jump, strict=True)]
        truth = np.array(plant.s)
        seen = seen if lost(k) else truth[:3] + noise[k, :3]
        out = tracker.update(k * T, {"pose": seen, "wheel": truth[6:] + noise[k, 3:]})
        rows.append((truth, out["valves"], out["estimate"], out["wheel"][0]))
        plant.tick(out["valves"], float(out["wheel"][0]))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def position_rms(truth, reference):
    poses, _, _ = reference.sampled(np.arange(len(truth)) * T)
    return math.sqrt(np.mean(np.sum((truth[:, :2] - poses[:, :2]) ** 2, axis=1)))


@pytest.fixture(scope="module")
def along_the_line():
    tracker = TvlqrTracker(line())
    return tracker, *fly(tracker, 124.0)


def test_line_on_the_flat_floor_is_followed_better_than_published(along_the_line):
    _, truth, valves, _, _ = along_the_line
    assert position_rms(truth[:10401], line()) < 0.0481
    assert 1.72 < 0.01 * valves[:10400].sum() < 15.0


def test_end_condition_5_6_holds_at_the_end_and_the_end_is_held(along_the_line):
    _, truth, _, _, _ = along_the_line
    error = truth[10400:, :3] - line().poses[-1]
    assert np.hypot(error[:, 0], error[:, 1]).max() < 0.05
    assert np.abs(error[:, 2]).max() < 0.05
    assert np.hypot(truth[10400:, 3], truth[10400:, 4]).max() < 0.05
    assert np.abs(truth[10400:, 5]).max() < 0.05


def test_valves_change_only_at_ten_hertz(along_the_line):
    _, _, valves, _, _ = along_the_line
    changes = np.flatnonzero(np.abs(np.diff(valves, axis=0)).any(axis=1)) + 1
    assert len(changes) > 20
    assert not (changes % 10).any()


def test_estimate_follows_the_truth_across_half_a_turn(along_the_line):
    _, truth, _, estimate, _ = along_the_line
    error = estimate - truth[:, :6]
    error[:, 2] = np.remainder(error[:, 2] + np.pi, 2 * np.pi) - np.pi
    late = error[1000:]
    assert np.sqrt(np.mean(late[:, :3] ** 2, axis=0)).max() < 1e-3
    assert np.sqrt(np.mean(late[:, 3:] ** 2, axis=0)).max() < 3e-3


@pytest.mark.parametrize("when", [0.0, 30.0])
def test_kick_of_eq_5_5_is_brought_back_as_close_as_published(when):
    truth, *_ = fly(TvlqrTracker(ORIGIN), when + 60.0, kicks=[(when, KICK)], slope=(2e-3, -2e-3))
    distance, angle = np.hypot(truth[:, 0], truth[:, 1]), np.degrees(np.abs(truth[:, 2]))
    assert distance.max() < 0.10
    assert angle.max() < 6.0
    late = slice(round((when + 40.0) / T), None)
    assert distance[late].max() < 0.04
    assert angle[late].max() < 2.0


@pytest.mark.parametrize(("modulator", "reach"), [*zip(MODULATORS, (0.03, 0.05, 0.12), strict=True)])
def test_every_modulator_brings_the_platform_to_the_goal(modulator, reach):
    """Pulse width rounds away half a tick (33 mm per axis), width and frequency a tenth of full thrust (66 mm)."""
    reference = rest_to_rest((0, 0, 0), (0.3, -0.2, 0.5), 40.0)
    truth, valves, _, _ = fly(TvlqrTracker(reference, modulator=modulator), 60.0)
    assert np.hypot(*(truth[-1, :2] - reference.poses[-1, :2])) < reach
    assert abs(truth[-1, 2] - 0.5) < 0.02
    assert set(np.unique(valves)) == {0.0, 1.0}


def test_wheel_command_keeps_to_torque_and_speed_limits():
    truth, _, _, command = fly(TvlqrTracker(ORIGIN), 20.0, kicks=[(2.0, np.array([0.0, 0.0, 0.5]))])
    assert np.abs(command).max() <= 500.0 * 2.0 * math.pi / 60.0
    assert np.abs(command).max() > 50.0  # the kick holds more than the wheel can take
    assert np.abs(np.diff(command)).max() <= T * LIMIT / 0.047 * 1.2 + 0.06  # and what noise of the speed may move
    assert np.abs(command - truth[:, 6]).max() < LIMIT / 0.047 * (LAG + T) + 0.6
    assert np.abs(truth[:, 6]).max() < 53.0


def test_measured_angle_may_be_of_any_turn():
    tracker, turned = TvlqrTracker(ORIGIN), TvlqrTracker(ORIGIN)
    near = far = {}
    for k in range(50):
        pose = np.array([0.01, 0.02, 0.03 + 1e-4 * k])
        near = tracker.update(k * T, {"pose": pose, "wheel": np.zeros(1)})
        far = turned.update(k * T, {"pose": pose + np.array([0.0, 0.0, 6.0 * math.pi]), "wheel": np.zeros(1)})
    np.testing.assert_allclose(far["estimate"], near["estimate"], atol=1e-9)
    np.testing.assert_allclose(far["wheel"], near["wheel"], atol=1e-9)


def test_nearest_point_does_not_go_back_where_the_clock_does():
    """Pushed ahead along a line, sec. 6.3's loop: the clock's reference is behind, the nearest point is not."""
    reference, along = rest_to_rest((0, 0, 0), (0.6, 0.8, 0.5), 60.0), np.array([0.6, 0.8])
    backward = {}
    for follow in ("clock", "nearest"):
        tracker = TvlqrTracker(reference, follow=follow)
        truth, *_ = fly(tracker, 75.0, kicks=[(20.0, 0.06 * np.array([*along, 0.0]))])
        backward[follow] = (truth[2000:4000, 3:5] @ along).min()
        assert np.hypot(*(truth[-1, :2] - reference.poses[-1, :2])) < 0.05
        assert tracker.reference_time >= reference.duration
    assert backward["clock"] < -0.01
    assert backward["nearest"] > 0.0


def test_nearest_point_time_never_falls_and_keeps_within_its_pace():
    tracker, rng = TvlqrTracker(line(), follow="nearest"), np.random.default_rng(1)
    before = 0.0
    for k in range(300):
        tracker.update(k * T, {"pose": rng.normal(0.0, 0.2, 3), "wheel": np.zeros(1)})
        step = tracker.reference_time - before
        assert tvlqr_tick.PACE[0] * T - 1e-12 <= step <= tvlqr_tick.PACE[1] * T + 1e-12
        before = tracker.reference_time


def test_command_is_eq_4_38_with_the_models_own_feedforward():
    reference, weights = rest_to_rest((0, 0, 0), (2.0, 3.0, 1.0), 20.0), table_weights(8)
    t = 4.0
    pose, rate, acceleration = reference.at(t)
    x_0 = np.array([*pose, *rate, -MODEL.inertia / MODEL.wheel_inertia * rate[2]])
    x = x_0 + np.array([0.01, -0.02, 0.003, 0.002, 0.001, 0.002, 0.5])

    def linear(t):
        pose, rate, acceleration = reference.at(t)
        return MODEL.linearised(np.array([*pose, *rate, 0.0]), MODEL.feedforward(pose[2], acceleration))

    times = gain_times(reference)
    S = riccati(linear, weights, times)
    gains = np.array([-np.linalg.solve(weights.R, linear(k)[1].T @ s) for k, s in zip(times, S, strict=True)])
    wanted = MODEL.feedforward(pose[2], acceleration) + interp1d(times, gains, axis=0)(t) @ (x - x_0)
    tracker = TvlqrTracker(reference)
    tracker.state.x[:] = x[:6].reshape(2, 3).T
    tracker.state.x[:, 0] -= T * tracker.state.x[:, 1]
    memory = tracker.state.memory
    memory[tvlqr_tick.STARTED], memory[tvlqr_tick.WHEEL_NOW] = 1.0, x[6] - x[5]
    memory[tvlqr_tick.COMMAND] = x[6] - x[5]
    out = tracker.update(t, {"pose": np.full(3, np.nan), "wheel": np.array([np.nan])})
    owed = tracker.state.pulses[:, 0] / T
    np.testing.assert_allclose(owed, np.clip(wanted[1:], 0.0, MODEL.thrust), rtol=1e-9, atol=1e-9)
    torque = min(max(wanted[0], -LIMIT), LIMIT)
    assert out["wheel"][0] - (x[6] - x[5]) == pytest.approx(T / MODEL.wheel_inertia * torque, rel=1e-6)
    assert owed.max() > 1.0


def test_another_platform_flies_too():
    """ATMOS' mass and thrusters (with a wheel): any number of thrusters of any strength."""
    atmos = PlatformModel(
        mass=16.8, inertia=0.30, thrust=1.5, thrusters=MODEL.thrusters * [[1.0], [1.0], [0.12 / 0.35]]
    )
    reference = rest_to_rest((0, 0, 0), (0.5, 0.2, 0.4), 40.0)
    truth, *_ = fly(TvlqrTracker(reference, atmos), 50.0)
    assert np.hypot(*(truth[-1, :2] - reference.poses[-1, :2])) < 0.05


def test_process_noise_is_what_unequal_thrusters_leave_unknown():
    """Variance of the rate after an hour of random pulses with strength errors against that of the density."""
    position, angle = process_noise(MODEL)
    rng, seconds = np.random.default_rng(5), 3600.0
    pulses = rng.poisson(tvlqr_noise.PULSE_RATE * seconds, 400)
    dv = MODEL.thrust * tvlqr_noise.PULSE / MODEL.mass * tvlqr_noise.STRENGTH_ERROR
    rates = np.array([np.sum(rng.normal(0.0, dv, n)) for n in pulses])
    assert rates.std() == pytest.approx(position * math.sqrt(seconds), rel=0.15)
    assert angle / position == pytest.approx(0.35 * MODEL.mass / MODEL.inertia)


def test_slope_noise_makes_the_bias_of_the_velocity_its_deviation():
    variance, slope = 1e-5, 4e-4
    q = slope_noise(slope, variance, T)
    x, P = np.zeros(2), np.array([variance, 0.0, 1e-2])
    truth = np.zeros(2)
    for _ in range(3000):
        truth += [T * truth[1] + 0.5 * T**2 * 9.80665 * slope, T * 9.80665 * slope]
        axis_predict(x, P, 0.0, T, q)
        axis_correct(x, P, truth[0] - x[0], variance)
    assert truth[1] - x[1] == pytest.approx(math.sqrt(P[2]), rel=0.05)
    assert slope_noise(0.0, variance, T) == 0.0


def test_expecting_a_slope_brings_the_platform_nearer_on_it():
    offsets = []
    for slope in (0.0, 4e-4):
        truth, *_ = fly(TvlqrTracker(ORIGIN, slope=slope), 60.0, slope=(4e-3, 0.0))
        offsets.append(truth[3000:, 0].mean())
    assert offsets[1] < 0.8 * offsets[0]
    assert offsets[1] > 0.7 * 221.67 * 4e-3 / 31.6  # what the law's stiffness leaves: m a / k


def test_references_with_many_short_segments_have_a_gain_at_each_knot():
    times = np.linspace(0.0, 8.67, 101)
    cubic = rest_to_rest((0, 0, 0), (1, 2, np.pi), 8.67)
    poses, rates, _ = cubic.sampled(times)
    rates[-1] = 0.0
    knots = gain_times(HermiteReference(times, poses, rates))
    assert np.isin(times, knots).all()
    assert (np.diff(knots) > 0.0).all()
    assert knots[0] == 0.0


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="sigma-delta"):
        TvlqrTracker(ORIGIN, modulator="sigma")
    with pytest.raises(InputError, match="nearest"):
        TvlqrTracker(ORIGIN, follow="time")
    with pytest.raises(InputError, match="slope -1"):
        TvlqrTracker(ORIGIN, slope=-1.0)
    with pytest.raises(InputError, match="lag 0"):
        TvlqrTracker(ORIGIN, drive_lag=0.0)
