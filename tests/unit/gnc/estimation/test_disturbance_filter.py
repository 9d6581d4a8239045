from dataclasses import dataclass, replace

import numpy as np
import pytest
from numba import njit
from scipy.linalg import expm
from scipy.stats import chi2

from freefloat.errors import InputError
from freefloat.gnc.estimation.disturbance_filter import (
    ANGLE,
    POSITION,
    AxisTuning,
    axis_numbers,
    correct_axis,
    correct_pose,
    is_new,
    pose_filter,
    predict_axis,
    predict_pose,
)
from freefloat.gnc.estimation.kalman import correct, wrapped

T = 0.01
SHOCK = np.array([5.0 / 221.67, 5.0 / 221.67, 1.0 / 12.129])  # [m/s, m/s, rad/s] of eq. 5.5
SHUT = replace(POSITION, alarm=1e9)
NEVER = (SHUT, SHUT, replace(ANGLE, alarm=1e9))
AXES = (POSITION, POSITION, ANGLE)
compiled_predict, compiled_correct = njit(predict_axis), njit(correct_axis)


def axis_model(T: float, noise: float, walk: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A (3, 3), b (3,), Q (3, 3) over T [s] of p' = v, v' = a + d + white noise, d' = white noise (Van Loan 1978)."""
    F, G = np.diag([1.0, 1.0], 1), np.diag([0.0, noise**2, walk**2])
    E = expm(np.block([[-F, G], [np.zeros((3, 3)), F.T]]) * T)
    return E[3:, 3:].T, np.array([T**2 / 2, T, 0.0]), E[3:, 3:].T @ E[:3, 3:]


@dataclass
class Belief:
    """What a tracker keeps of its three axes."""

    x: np.ndarray  # (3, 3): [position, rate, d]
    P: np.ndarray  # (3, 3, 3)
    watch: np.ndarray  # (3, 4)
    shocks: np.ndarray  # (3,)

    def copy(self) -> "Belief":
        return Belief(self.x.copy(), self.P.copy(), self.watch.copy(), self.shocks.copy())


class Filter:
    """The steps of x, y and theta as trackers call them, theta on SO(2)."""

    def __init__(self, axes: tuple[AxisTuning, AxisTuning, AxisTuning] = AXES) -> None:
        self.axes, self.numbers = axes, axis_numbers(axes)
        self.models = [axis_model(T, a.noise, a.walk) for a in axes]
        self.roots = [u * np.sqrt(s) for u, s, _ in (np.linalg.svd(Q) for _, _, Q in self.models)]

    def start(self, pose: np.ndarray) -> Belief:
        x = np.column_stack([pose, np.zeros((3, 2))])
        P = np.array([np.diag(np.square([a.sigma, a.rate_sigma, a.slope_sigma])) for a in self.axes])
        return Belief(x, P, np.zeros((3, 4)), np.zeros(3, np.int64))

    def predict(self, b: Belief, acceleration: np.ndarray) -> None:
        for i in range(3):
            compiled_predict(b.x[i], b.P[i], acceleration[i], T, *self.numbers[i, 4:])
        b.x[2, 0] = wrapped(b.x[2, 0])

    def correct(self, b: Belief, pose: np.ndarray) -> None:
        innovation = pose - b.x[:, 0]
        innovation[2] = wrapped(innovation[2])
        for i in range(3):
            b.shocks[i] += compiled_correct(b.x[i], b.P[i], b.watch[i], innovation[i], T, *self.numbers[i, :4])
        b.x[2, 0] = wrapped(b.x[2, 0])


class Plant:
    """Truth with the filter's own noise; the angle turns without wrapping, the sensor wraps."""

    def __init__(self, seed: list[int], law: Filter, rate: float = 0.0) -> None:
        self.rng, self.law = np.random.default_rng(seed), law
        self.x = np.zeros((3, 3))
        for i, a in enumerate(law.axes):
            self.x[i, 1:] = self.rng.normal(0.0, [a.rate_sigma, a.slope_sigma])
        self.x[2, 0] = self.rng.uniform(-np.pi, np.pi)
        self.x[2, 1] += rate

    def advance(self, acceleration: np.ndarray) -> None:
        for i, (A, b, _) in enumerate(self.law.models):
            self.x[i] = A @ self.x[i] + b * acceleration[i] + self.law.roots[i] @ self.rng.standard_normal(3)

    def measured(self) -> np.ndarray:
        pose = self.x[:, 0] + self.rng.normal(0.0, [a.sigma for a in self.law.axes])
        pose[2] = wrapped(pose[2])
        return pose

    def error(self, belief: Belief) -> np.ndarray:
        e = self.x - belief.x
        e[2, 0] = wrapped(e[2, 0])
        return e


def run(plant: Plant, ticks: int, shock_at: int = -1, dropout: float = 0.0, rate: float = 0.0):
    """Errors (ticks, 3, 3), beliefs."""
    belief = plant.law.start(plant.measured())
    belief.x[2, 1] = rate
    errors, beliefs = [], []
    for k in range(ticks):
        acceleration = 0.02 * np.sin([0.01 * k, 0.02 * k, 0.03 * k])
        if k == shock_at:
            plant.x[:, 1] += SHOCK
        plant.advance(acceleration)
        plant.law.predict(belief, acceleration)
        if plant.rng.uniform() >= dropout:
            plant.law.correct(belief, plant.measured())
        errors.append(plant.error(belief))
        beliefs.append(belief.copy())
    return np.array(errors), beliefs


def test_prediction_of_an_axis_is_the_exact_integral():
    A, b, Q = axis_model(0.3, 0.7, 0.4)
    L = np.random.default_rng(13).normal(size=(3, 3))
    x, P = L[0].copy(), L @ L.T
    ahead, spread = A @ x + 0.9 * b, A @ P @ A.T + Q
    predict_axis(x, P, 0.9, 0.3, 0.7**2, 0.4**2)
    np.testing.assert_allclose(x, ahead, rtol=1e-13)
    np.testing.assert_allclose(P, spread, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_filter_is_consistent_while_turning_through_pi_and_with_missing_measurements(dropout):
    """NEES per axis over seeded runs against chi-square at 1e-4 on either side; theta turns at 3 rad/s."""
    runs, ticks = 24, 300
    nees = np.empty((runs, 3, ticks))
    for r in range(runs):
        e, beliefs = run(Plant([11, r], Filter(axes=NEVER), 3.0), ticks, dropout=dropout, rate=3.0)
        P = np.array([b.P for b in beliefs])
        nees[r] = np.einsum("kai,kaij,kaj->ak", e, np.linalg.inv(P), e)
    low, high = chi2.ppf([1e-4, 1 - 1e-4], 3 * runs)
    for k in (1, 100, ticks - 1):
        assert (low < nees[:, :, k].sum(axis=0)).all()
        assert (nees[:, :, k].sum(axis=0) < high).all()


def test_rank_one_update_is_the_kalman_update():
    rng = np.random.default_rng(12)
    L = rng.normal(size=(3, 3))
    x, P = rng.normal(size=3), L @ L.T
    better, P_after, _ = correct(x, P, np.array([0.4]), np.array([[1.0, 0.0, 0.0]]), np.array([[0.09]]))
    innovation = 0.4 - x[0]
    assert correct_axis(x, P, np.zeros(4), innovation, T, 0.3, 1.0, 0.5, 1e9) == 0
    np.testing.assert_allclose(x, better, atol=1e-12)
    np.testing.assert_allclose(P, P_after, atol=1e-12)


def test_slope_is_found_as_a_state():
    law = Filter()
    plant = Plant([13], law)
    plant.x[:] = 0.0
    plant.x[:, 2] = [4e-3, -3e-3, 5e-3]
    errors, beliefs = run(plant, 4000)
    assert np.abs(plant.x[:, 2]).min() > 1e-3
    e = np.abs(errors[-1, :, 2])
    assert (e < 4.0 * np.sqrt(beliefs[-1].P[:, 2, 2])).all()
    assert (beliefs[-1].P[:2, 2, 2] < (0.3 * POSITION.slope_sigma) ** 2).all()


def test_filter_reopens_after_a_shock_that_it_was_not_told_of():
    open_again, kept_shut = [], []
    for seed in range(6):
        for axes, found in (((POSITION, POSITION, ANGLE), open_again), (NEVER, kept_shut)):
            errors, beliefs = run(Plant([14, seed], Filter(axes=axes)), 1700, shock_at=1000)
            found.append(np.abs(errors[1150:1300, :, 1]).max(axis=0) / SHOCK)
            if found is open_again:
                shocks = np.array([b.shocks for b in beliefs])
                assert not shocks[999].any()
                assert (shocks[1060] == 1).all()
                assert np.abs(errors[1000:, :2, 0]).max() < 0.025
    assert np.mean(open_again, axis=0).max() < 0.35
    assert (np.mean(kept_shut, axis=0)[:2] > 2.0 * np.mean(open_again, axis=0)[:2]).all()


def test_no_shock_is_seen_where_there_is_none():
    seen = [run(Plant([15, seed], Filter()), 3000)[1][-1].shocks.sum() for seed in range(3)]
    assert seen == [0, 0, 0]


def test_compiled_steps_give_the_same():
    L = np.random.default_rng(16).normal(size=(3, 3))
    plain, compiled = [(L[0].copy(), 1e-3 * L @ L.T, np.array([11.9, 7.0, 0.0, 0.0])) for _ in range(2)]
    for (x, P, watch), predicted, corrected in (
        (plain, predict_axis, correct_axis),
        (compiled, compiled_predict, compiled_correct),
    ):
        predicted(x, P, 0.1, T, 1e-8, 1e-8)
        assert corrected(x, P, watch, 0.2, T, 3e-3, 0.05, 0.5, 12.0) == 1
        np.testing.assert_array_equal(watch, np.zeros(4))
    np.testing.assert_allclose(compiled[0], plain[0], atol=1e-14)
    np.testing.assert_allclose(compiled[1], plain[1], atol=1e-14)


def test_impossible_tunings_are_refused():
    with pytest.raises(InputError, match="axis tuning"):
        AxisTuning(0.0, 1e-3, 1e-3, 0.1, 0.1, 0.1)


def test_three_axes_at_once_are_the_axes_one_by_one():
    axes, x, P, watch, _ = pose_filter(POSITION, ANGLE)
    x[:] = np.random.default_rng(4).normal(0.0, 0.1, (3, 3))
    x[2, 0] = 3.1
    one, spread, sums = x.copy(), P.copy(), watch.copy()
    known, noise, roughness, delay, pose = (0.1, -0.2, 0.3), (1e-6, 2e-6, 3e-6), 1e-3, 0.02, np.array([0.1, 0.2, -3.1])
    walk = [roughness**2 * np.hypot(one[0, 1], one[1, 1])] * 2 + [0.0]
    predict_pose(axes, x, P, known, noise, roughness, T)
    correct_pose(axes, x, P, watch, pose, delay, T)
    for i in range(3):
        predict_axis(one[i], spread[i], known[i], T, axes[i, 4] + noise[i], axes[i, 5] + walk[i])
        innovation = pose[i] + delay * one[i, 1] - one[i, 0]
        correct_axis(one[i], spread[i], sums[i], wrapped(innovation) if i == 2 else innovation, T, *axes[i, :4])
    np.testing.assert_allclose(x, one, rtol=1e-13)
    np.testing.assert_allclose(P, spread, rtol=1e-13)
    np.testing.assert_allclose(watch, sums, rtol=1e-13)
    assert abs(x[2, 0] - 3.1) < 0.1, "the short way round"


def test_a_pose_is_new_once_and_only_if_it_is_finite():
    last = pose_filter(POSITION, ANGLE)[-1]
    assert not is_new(np.array([0.0, np.nan, 0.0]), last)
    assert np.isnan(last).all()
    assert is_new(np.zeros(3), last)
    assert not is_new(np.zeros(3), last)
    assert not is_new(np.array([np.inf, 0.0, 0.0]), last)
    assert is_new(np.array([0.0, 0.0, 1e-300]), last)
    assert last[2] == 1e-300
