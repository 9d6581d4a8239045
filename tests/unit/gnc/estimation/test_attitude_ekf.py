import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.stats import chi2

from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_to_matrix, skew
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF, TrackerModel
from freefloat.gnc.estimation.belief import Belief, GyroModel
from freefloat.gnc.estimation.mekf import correct_attitude, correct_direction, predict, transition

GYRO = GyroModel(noise=3e-4, walk=2e-5, bias_sigma=1e-3)
TRACKER = TrackerModel(across=1e-3, about=6e-3, q_BT=quat_exp([0.7, -0.4, 0.2]))


def van_loan(gyro: GyroModel, w: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """F and Q by the matrix exponential (Van Loan 1978)."""
    A, G = np.zeros((6, 6)), np.zeros((6, 6))
    A[:3, :3], A[:3, 3:] = -skew(w), -np.eye(3)
    G[:3, :3], G[3:, 3:] = gyro.noise**2 * np.eye(3), gyro.walk**2 * np.eye(3)
    E = expm(np.block([[-A, G], [np.zeros((6, 6)), A.T]]) * dt)
    F = E[6:, 6:].T
    return F, F @ E[:6, 6:]


@pytest.mark.parametrize("dt", [1e-3, 0.1, 2.0])
@pytest.mark.parametrize("rate", [0.0, 1e-7, 0.05, 2.5])
def test_discrete_covariance_is_the_exact_integral(rate, dt):
    gyro = GyroModel(noise=1e-2, walk=2e-2)
    w = rate * np.array([0.6, -0.64, 0.48])
    F, Q = transition(gyro, w, dt, 6)
    F_exact, Q_exact = van_loan(gyro, w, dt)
    np.testing.assert_allclose(F, F_exact, atol=1e-14 * max(1.0, dt))
    np.testing.assert_allclose(Q, Q_exact, atol=1e-15)


def test_two_half_steps_are_one_step():
    w = np.array([0.3, -0.2, 0.5])
    b = Belief.start(GYRO, quat_exp([1.0, 0, 0]), 0.1)._replace(bias=np.array([1e-3, 0, 0]))
    once, half = predict(b, GYRO, w, 1.0), predict(predict(b, GYRO, w, 0.5), GYRO, w, 0.5)
    np.testing.assert_allclose(half.q_WB, once.q_WB, atol=1e-15)
    np.testing.assert_allclose(half.P, once.P, atol=1e-15)


def error(belief: Belief, q: np.ndarray, bias: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    parts = [quat_log(quat_mul(quat_conj(belief.q_WB), q)), bias - belief.bias]
    return np.concatenate(parts if scale is None else [*parts, scale - belief.scale])


def rate(t: float) -> np.ndarray:
    return np.array([0.05 * np.sin(0.1 * t), 0.04, -0.06 * np.cos(0.07 * t)])


def simulate(rng: np.random.Generator, gyro: GyroModel, steps: int, dt: float = 0.25, sun: bool = False) -> np.ndarray:
    """NEES at each step, for a start drawn from the filter's own prior; the tracker reads every fourth step.

    The rate is constant within a step. With `sun`, a sun sensor is all there is after the first half.
    """
    b = Belief.start(gyro, sigma=0.1)
    q, bias = quat_mul(b.q_WB, quat_exp(0.1 * rng.normal(size=3))), gyro.bias_sigma * rng.normal(size=3)
    scale = gyro.scale_sigma * rng.normal(size=3) if gyro.scale_sigma else None
    R, R_BT, sun_W = TRACKER.covariance(), quat_to_matrix(TRACKER.q_BT), np.array([0.6, 0.0, 0.8])
    noise, nees = np.array([TRACKER.across, TRACKER.across, TRACKER.about]), []
    walk = np.linalg.cholesky(
        np.kron([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]], np.eye(3)) * gyro.walk**2 + 1e-30 * np.eye(6)
    )
    for k in range(steps):
        w = rate(k * dt)
        drift = walk @ rng.normal(size=6)
        mean_bias = bias + drift[:3] / dt
        bias = bias + drift[3:]
        reading = (1.0 + (0.0 if scale is None else scale)) * w + mean_bias
        b = predict(b, gyro, reading + gyro.noise / np.sqrt(dt) * rng.normal(size=3), dt)
        q = quat_mul(q, quat_exp(w * dt))
        if k % 4 == 3 and not (sun and k > steps / 2):
            n_B = R_BT @ (noise * rng.normal(size=3))
            b, _ = correct_attitude(b, rng.choice([-1.0, 1.0]) * quat_mul(q, quat_exp(n_B)), R)
        if sun:
            seen = sun_W @ quat_to_matrix(q) + 5e-3 * rng.normal(size=3)
            b, _ = correct_direction(b, sun_W, seen, 5e-3)
        e = error(b, q, bias, scale)
        nees.append(e @ np.linalg.solve(b.P, e))
    return np.array(nees)


@pytest.mark.parametrize(
    ("gyro", "sun", "seed"),
    [
        pytest.param(GYRO, False, 1, id="tracker"),
        pytest.param(replace(GYRO, scale_sigma=5e-3), False, 2, id="tracker-with-scale"),
        pytest.param(GYRO, True, 3, id="sun-sensor"),
    ],
)
def test_nees_of_many_runs_lies_inside_its_chi_square_bounds(gyro, sun, seed):
    runs, n = 40, 6 + 3 * (gyro.scale_sigma > 0.0)
    rng = np.random.default_rng(seed)
    nees = np.array([simulate(rng, gyro, 200, sun=sun) for _ in range(runs)])
    instants = nees[:, 3::14].mean(axis=0)
    low, high = chi2.ppf([5e-4, 1.0 - 5e-4], runs * n) / runs
    assert np.all((low < instants) & (instants < high)), f"{instants} outside {low:.2f} to {high:.2f}"
    assert instants.mean() == pytest.approx(n, rel=0.1)


def test_covariance_stays_symmetric_and_positive_over_a_long_run_with_sharp_sensors():
    gyro = GyroModel(noise=1e-7, walk=1e-11, bias_sigma=1e-2)
    b, q = Belief.start(gyro), quat_exp([3.0, 0.1, 0.2])
    R = np.diag([1e-6, 1e-6, 1e-4]) ** 2
    for k in range(3000):
        b = predict(b, gyro, rate(k), 0.1)
        q = quat_mul(q, quat_exp(rate(k) * 0.1))
        b, _ = correct_attitude(b, q, R)
    np.testing.assert_array_equal(b.P, b.P.T)
    assert np.linalg.eigvalsh(b.P).min() > 0.0


def test_sign_of_a_measured_quaternion_does_not_matter():
    q = quat_exp([2.9, 0.4, -0.1])
    a, nis_a = correct_attitude(Belief.start(GYRO), q, TRACKER.covariance())
    b, nis_b = correct_attitude(Belief.start(GYRO), -q, TRACKER.covariance())
    np.testing.assert_array_equal(a.q_WB, b.q_WB)
    np.testing.assert_array_equal(a.P, b.P)
    assert nis_a == nis_b


@pytest.mark.parametrize("angle", [0.001, 10.0, 90.0, 170.0, 179.9])
def test_a_first_tracker_reading_takes_out_any_initial_error_and_leaves_its_own_covariance(angle):
    q = quat_exp(np.deg2rad(angle) * np.array([0.36, -0.48, 0.8]))
    b, _ = correct_attitude(Belief.start(GYRO, sigma=100.0), q, TRACKER.covariance())
    assert np.linalg.norm(quat_log(quat_mul(quat_conj(b.q_WB), q))) < 1e-8
    np.testing.assert_allclose(b.P[:3, :3], TRACKER.covariance(), rtol=1e-6, atol=1e-12)


def test_two_sun_directions_from_a_poor_start_stay_consistent():
    runs, nees = 200, []
    rng = np.random.default_rng(11)
    suns = np.array([[0.0, 0.0, 1.0], [0.28, 0.0, 0.96]])
    for _ in range(runs):
        b = Belief.start(GYRO, sigma=0.3)
        q = quat_mul(b.q_WB, quat_exp(0.3 * rng.normal(size=3)))
        for k in range(20):
            u = suns[int(k >= 10)]
            b, _ = correct_direction(b, u, u @ quat_to_matrix(q) + 2e-3 * rng.normal(size=3), 2e-3)
        e = quat_log(quat_mul(quat_conj(b.q_WB), q))
        nees.append(e @ np.linalg.solve(b.P[:3, :3], e))
    low, high = chi2.ppf([5e-4, 1.0 - 5e-4], 3 * runs) / runs
    assert low < np.mean(nees) < high


def test_a_sun_sensor_leaves_the_rotation_about_the_sun_unknown():
    b = Belief.start(GYRO, sigma=0.1)
    sun_W = np.array([0.0, 0.0, 1.0])
    for _ in range(50):
        b, _ = correct_direction(b, sun_W, sun_W @ quat_to_matrix(b.q_WB), 1e-3)
    sigma = np.sqrt(np.diag(b.P))[:3]
    assert np.all(sigma[:2] < 2e-4)
    assert sigma[2] == pytest.approx(0.1)


def test_a_reading_beyond_the_gate_is_not_used():
    b = Belief.start(GYRO, sigma=1e-2)
    same, nis = correct_attitude(b, quat_exp([1.0, 0, 0]), TRACKER.covariance(), gate=30.0)
    assert same is b
    assert nis > 30.0


class Bench:
    """A body that turns smoothly, with a gyro, a 1 Hz tracker and a sun sensor; truth integrated to 1e-12."""

    def __init__(self, duration: float, dt: float) -> None:
        self.times = np.arange(0.0, duration, dt)
        start = quat_exp([1.0, -2.0, 0.5])
        turning = solve_ivp(
            lambda t, q: 0.5 * quat_mul(q, [0.0, *rate(t)]),
            (-1.0, duration),
            start,
            rtol=1e-11,
            atol=1e-12,
            dense_output=True,
        )
        self.q = turning.sol
        self.dt = dt

    def run(self, ekf: AttitudeEKF, seed: int = 0, missing=lambda t: False) -> tuple[np.ndarray, np.ndarray]:
        """Attitude errors and 1-sigma of the wrapper's own estimate."""
        rng = np.random.default_rng(seed)
        bias = ekf.gyro.bias_sigma * rng.normal(size=3)
        noise = np.array([ekf.tracker.across, ekf.tracker.across, ekf.tracker.about])
        errors, sigmas, reading = [], [], np.full(4, np.nan)
        for k, t in enumerate(self.times):
            if k % 10 == 0:
                q_WT = quat_mul(self.q(t - ekf.tracker.delay), ekf.tracker.q_BT)
                reading = quat_mul(q_WT, quat_exp(noise * rng.normal(size=3)))
            w = rate(t) + bias + ekf.gyro.noise / np.sqrt(self.dt) * rng.normal(size=3)
            meas = {"w_gyro": w, "q_WT": np.full(4, np.nan) if missing(t) else reading}
            out = ekf.update(t, meas)
            errors.append(quat_log(quat_mul(quat_conj(out["q_WB"]), self.q(t) / np.linalg.norm(self.q(t)))))
            sigmas.append(out["sigma"][:3])
        return np.array(errors), np.array(sigmas)


GOOD_GYRO = GyroModel(noise=1e-5, walk=1e-8, bias_sigma=1e-4)
GOOD_TRACKER = TrackerModel(across=5e-5, about=3e-4, q_BT=quat_exp([0.7, -0.4, 0.2]))


def inside(errors: np.ndarray, sigmas: np.ndarray) -> float:
    """Share of components inside their own 3 sigma."""
    return float(np.mean(np.abs(errors) < 3.0 * sigmas))


def test_the_wrapper_stays_inside_its_three_sigma_bounds_on_a_turning_body():
    errors, sigmas = Bench(200.0, 0.1).run(AttitudeEKF(GOOD_GYRO, GOOD_TRACKER))
    assert inside(errors, sigmas) > 0.98
    assert np.sqrt(np.mean(errors[1000:] ** 2)) < 5e-5


def test_an_outage_widens_the_bounds_and_the_estimate_stays_inside_them():
    ekf = AttitudeEKF(GOOD_GYRO, GOOD_TRACKER)
    errors, sigmas = Bench(300.0, 0.1).run(ekf, seed=5, missing=lambda t: 100.0 < t < 250.0)
    assert sigmas[2490].max() > 2.0 * sigmas[990].max()
    assert sigmas[-1].max() < 0.5 * sigmas[2490].max()
    assert inside(errors, sigmas) > 0.98


def test_a_repeated_reading_is_used_once():
    ekf = AttitudeEKF(GOOD_GYRO, GOOD_TRACKER)
    meas = {"w_gyro": np.zeros(3), "q_WT": quat_exp([0.1, 0.2, 0.3])}
    first, second = ekf.update(0.0, meas), ekf.update(0.1, meas)
    assert np.isfinite(first["nis_tracker"][0])
    assert np.isnan(second["nis_tracker"][0])
    assert np.all(second["sigma"] >= first["sigma"])


def test_a_known_delay_of_the_tracker_costs_no_accuracy():
    late = replace(GOOD_TRACKER, delay=0.37)
    bench = Bench(120.0, 0.1)
    errors, sigmas = bench.run(AttitudeEKF(GOOD_GYRO, late))
    assert inside(errors[200:], sigmas[200:]) > 0.98
    prompt, _ = bench.run(AttitudeEKF(GOOD_GYRO, GOOD_TRACKER))
    assert np.std(errors[600:]) < 1.5 * np.std(prompt[600:])


def test_missing_sensors_leave_the_gyro_alone_and_missing_gyro_holds_the_last_rate():
    ekf = AttitudeEKF(GOOD_GYRO, GOOD_TRACKER, q_WB=quat_exp([0.1, 0, 0]), sigma=1e-3)
    ekf.update(0.0, {"w_gyro": np.array([0.1, 0.0, 0.0])})
    ekf.update(1.0, {"w_gyro": np.full(3, np.nan), "q_WT": np.zeros(4), "sun_B": np.zeros(3), "sun_W": np.ones(3)})
    out = ekf.update(2.0, {})
    np.testing.assert_allclose(out["q_WB"], quat_exp([0.3, 0.0, 0.0]), atol=1e-15)
    np.testing.assert_array_equal(out["w_WB_B"], [0.1, 0.0, 0.0])


def test_a_copy_goes_on_alone():
    ekf = AttitudeEKF(GOOD_GYRO, replace(GOOD_TRACKER, delay=0.2))
    for k in range(5):
        ekf.update(0.1 * k, {"w_gyro": rate(k), "q_WT": quat_exp([0.1 * k, 0.0, 0.0])})
    other = copy.deepcopy(ekf)
    a = ekf.update(0.5, {"w_gyro": rate(5.0), "q_WT": quat_exp([0.5, 0.1, 0.0])})
    ekf.update(0.6, {"w_gyro": rate(6.0)})
    b = other.update(0.5, {"w_gyro": rate(5.0), "q_WT": quat_exp([0.5, 0.1, 0.0])})
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize(
    "make",
    [lambda: GyroModel(noise=0.0), lambda: TrackerModel(across=-1.0), lambda: AttitudeEKF(sun_sigma=0.0)],
)
def test_models_without_noise_are_refused(make):
    with pytest.raises(InputError):
        make()


def test_the_wrapper_uses_each_new_sun_reading():
    ekf = AttitudeEKF(GOOD_GYRO, GOOD_TRACKER, sun_sigma=1e-3, sigma=0.1)
    q, sun_W, rng = quat_exp([0.05, -0.03, 0.0]), np.array([0.0, 0.0, 2.0]), np.random.default_rng(3)
    for k in range(100):
        seen = sun_W @ quat_to_matrix(q) / 2.0 + 1e-3 * rng.normal(size=3)
        out = ekf.update(0.1 * k, {"w_gyro": np.zeros(3), "sun_B": seen, "sun_W": sun_W})
        assert np.isfinite(out["nis_sun"][0])
    e = quat_log(quat_mul(quat_conj(out["q_WB"]), q))
    assert np.all(np.abs(e[:2]) < 3.0 * out["sigma"][:2])
    assert np.abs(e[:2]).max() < 1e-3
