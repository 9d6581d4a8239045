import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.policy_tracker import PolicyTracker, PolicyTuning, thruster_sets
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, line, rest_to_rest
from freefloat.gnc.planning.platform.model import PlatformModel, reacsa_thrusters

DT, SIGMA, DRIVE, TORQUE = 0.01, 3.1623e-3, 0.02, 1.7
RPM = 2.0 * math.pi / 60.0
ATMOS = PlatformModel(mass=16.8, inertia=0.30, wheel_inertia=2e-3, thrust=1.5, thrusters=reacsa_thrusters(0.12))
NOWHERE = (0.0, 0.0, 0.0)


def level(pose: list[float]) -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


def rolling(pose: list[float]) -> tuple[float, float, float]:
    """Acceleration by a floor with hills 2 m apart, slopes to 0.7 mm/m."""
    return (
        7e-3 * math.sin(3.0 * pose[0] + 1.0),
        7e-3 * math.cos(3.0 * pose[1] + pose[0]),
        1e-3 * math.sin(4.0 * pose[1]),
    )


@dataclass
class Plant:
    """Platform, wheel drive and noisy sensors; one semi-implicit step per tick."""

    model: PlatformModel = field(default_factory=PlatformModel)
    floor: Callable[[list[float]], tuple[float, float, float]] = level
    strength: np.ndarray = field(default_factory=lambda: np.ones(8))
    dropout: float = 0.0
    delay: int = 0  # [ticks]
    seed: int = 0

    def run(self, tracker: PolicyTracker, duration: float, start=NOWHERE, rate=NOWHERE, wheel: float = 0.0):
        """Truth minus reference (k, 3), valves (k, n), wheel speeds (k,) [rad/s], estimate minus truth (k, 6)."""
        m, rng, lost = self.model, np.random.default_rng(self.seed), np.random.default_rng(self.seed + 1)
        p, v, w = list(start), list(rate), wheel
        wrenches, past, pose = m.thrusters * self.strength * m.thrust, [], np.zeros(3)
        error, valves, speeds, estimates = [], [], [], []
        for k in range(round(duration / DT)):
            past.append(np.array(p))
            if k == 0 or lost.uniform() >= self.dropout:
                pose = past[max(0, k - self.delay)] + SIGMA * rng.standard_normal(3)
            u = tracker.update(k * DT, {"pose": pose, "wheel": np.array([w + 0.01 * rng.standard_normal()])})
            error.append(past[-1] - tracker.reference.at(k * DT)[0])
            valves.append(u["valves"])
            speeds.append(w)
            estimates.append(u["estimate"] - np.array([*p, *v]))
            fx, fy, torque = (wrenches @ u["valves"]).tolist()
            c, s, a = math.cos(p[2]), math.sin(p[2]), self.floor(p)
            for _ in range(2):
                tau = min(max(m.wheel_inertia * (float(u["wheel"][0]) - w) / DRIVE, -TORQUE), TORQUE)
                turn = (torque - tau) / m.inertia + a[2]
                w += DT / 2 * (tau / m.wheel_inertia - turn)
                v[2] += DT / 2 * turn
                p[2] += DT / 2 * v[2]
            v[0] += DT * ((c * fx - s * fy) / m.mass + a[0])
            v[1] += DT * ((s * fx + c * fy) / m.mass + a[1])
            p[0], p[1] = p[0] + DT * v[0], p[1] + DT * v[1]
        return np.array(error), np.array(valves), np.array(speeds), np.array(estimates)


def rms(error: np.ndarray) -> tuple[float, float]:
    """Position [m] and angle [deg]."""
    r = np.sqrt(np.mean(error**2, axis=0))
    return float(np.hypot(r[0], r[1])), math.degrees(r[2])


def still(duration: float = 10.0, pose=NOWHERE) -> HermiteReference:
    return rest_to_rest(pose, pose, duration)


def least_on_time(reference: HermiteReference, floor, model: PlatformModel) -> float:
    """Integral of (|F_x| + |F_y|) / thrust along the reference, F in body axes."""
    total = 0.0
    for t in np.arange(0.05, reference.duration, 0.1):
        pose, _, a = reference.at(t)
        wrench = model.wrench(pose[2], a - np.array(floor(pose.tolist())))
        total += 0.1 * (abs(wrench[0]) + abs(wrench[1])) / model.thrust
    return total


@pytest.mark.parametrize("strength", [np.ones(8), np.array([0.9, 1.1, 1.2, 0.8, 1.0, 0.85, 1.1, 1.05])])
def test_line_on_a_level_floor_is_followed_with_few_pulses(strength):
    error, valves, speed, _ = Plant(strength=strength, seed=2).run(PolicyTracker(line()), line().duration)
    position, angle = rms(error)
    assert position < 0.012
    assert angle < 0.3
    assert DT * valves.sum() < 3.0
    assert np.abs(speed).max() < 200.0 * RPM


def test_unknown_slopes_are_cancelled_at_little_more_than_their_own_price():
    error, valves, _, _ = Plant(floor=rolling, seed=3).run(PolicyTracker(line()), line().duration)
    position, angle = rms(error)
    assert position < 0.010
    assert angle < 0.3
    assert DT * valves.sum() < 1.1 * least_on_time(line(), rolling, PlatformModel()) + 0.5


def test_shock_that_nobody_told_of_is_caught():
    """Impulse of eq. 5.5 at the start, on a slope."""
    shock = (5.0 / 221.67, 5.0 / 221.67, 1.0 / 12.129)
    error, _, speed, _ = Plant(floor=rolling, seed=4).run(PolicyTracker(still()), 45.0, rate=shock)
    distance, angle = np.hypot(error[:, 0], error[:, 1]), np.degrees(np.abs(error[:, 2]))
    assert distance.max() < 0.08
    assert angle.max() < 4.5
    assert distance[2000:].max() < 0.02
    assert angle[2000:].max() < 1.0
    assert np.abs(speed).max() < 500.0 * RPM


@pytest.mark.parametrize("rpm", [480.0, -480.0])
def test_full_wheel_is_unloaded_by_thrusters(rpm):
    error, _, speed, _ = Plant(seed=5).run(PolicyTracker(still()), 20.0, wheel=rpm * RPM)
    assert np.abs(speed).max() < 500.0 * RPM
    assert np.abs(speed[500:]).max() < 250.0 * RPM
    assert np.hypot(error[:, 0], error[:, 1]).max() < 0.03
    assert np.degrees(np.abs(error[:, 2])).max() < 5.0


def test_idle_speed_is_kept_where_the_wheel_has_one():
    tuning, floor = PolicyTuning(wheel_idle=200.0 * RPM), rolling
    _, _, speed, _ = Plant(floor=floor, seed=5).run(PolicyTracker(still(), tuning=tuning), 30.0, wheel=200.0 * RPM)
    assert np.mean(speed[500:]) == pytest.approx(200.0 * RPM, abs=40.0 * RPM)


def test_valves_are_on_or_off_and_change_at_decisions_only():
    _, valves, _, _ = Plant(floor=rolling, seed=6).run(PolicyTracker(still()), 15.0)
    assert set(np.unique(valves)) == {0.0, 1.0}
    changes = np.flatnonzero(np.abs(np.diff(valves, axis=0)).sum(axis=1)) + 1
    assert (changes % 10 == 0).all()


@pytest.mark.parametrize(("tuning", "kept"), [(PolicyTuning(min_on=0.1, min_off=0.2), True), (PolicyTuning(), False)])
def test_valve_stays_shut_for_its_least_time_where_asked_to(tuning, kept):
    """A slope of 2 mm/m needs a pulse of either axis in a quarter of a second."""
    plant = Plant(floor=lambda p: (0.02, -0.02, 0.0), seed=7)
    error, valves, _, _ = plant.run(PolicyTracker(still(), tuning=tuning), 30.0)
    shortest = 99
    for valve in valves[::10].T:
        opened = np.flatnonzero(valve)
        gaps = np.diff(opened) - 1
        shortest = min(shortest, int(gaps[gaps > 0].min(initial=99)))
    assert (shortest >= 2) is kept
    assert rms(error[1000:])[0] < 0.02


def test_lost_pose_repeats_itself_and_is_not_used_again():
    tracker, other = PolicyTracker(still()), PolicyTracker(still())
    speed, before = np.zeros(1), {}
    for k in range(5):
        meas = {"pose": np.array([1e-3 * k, 0.0, 0.0]), "wheel": speed}
        before = tracker.update(k * DT, meas)
        other.update(k * DT, meas)
    lost = tracker.update(5 * DT, {"pose": np.array([4e-3, 0.0, 0.0]), "wheel": speed})["estimate"]
    seen = other.update(5 * DT, {"pose": np.array([4e-3, 1e-12, 0.0]), "wheel": speed})["estimate"]
    coasted = before["estimate"][0] + DT * before["estimate"][3] + DT**2 / 2 * before["slope"][0]
    assert lost[0] == pytest.approx(coasted, abs=1e-12)
    assert abs(seen[0] - coasted) > 1e-4


def test_dropouts_are_survived():
    error, _, _, _ = Plant(floor=rolling, dropout=0.3, seed=8).run(PolicyTracker(still()), 40.0)
    assert rms(error)[0] < 0.012


def test_known_delay_removes_the_lag_of_the_estimate():
    """3 ticks late at up to 43 mm/s."""
    fast = rest_to_rest(NOWHERE, (1.0, 0.0, 0.0), 35.0)
    lag = []
    for delay in (0.0, 0.03):
        late = Plant(delay=3, seed=9).run(PolicyTracker(fast, tuning=PolicyTuning(delay=delay)), 30.0)[3]
        lag.append(float(late[500:2500, 0].mean()))
    assert lag[0] < -5e-4
    assert abs(lag[1]) < 0.3 * abs(lag[0])


def test_reference_is_held_after_its_end_and_through_the_turn_of_the_angle():
    goal = (0.1, 0.0, math.pi + 0.2)
    start = (0.0, 0.0, math.pi - 0.2)
    error, _, _, _ = Plant(seed=10).run(PolicyTracker(rest_to_rest(start, goal, 15.0)), 30.0, start=start)
    assert np.abs(error[:, 2]).max() < math.radians(0.6)
    assert np.hypot(error[:, 0], error[:, 1]).max() < 0.03


def test_pose_of_another_turn_is_the_same_pose():
    one, two = PolicyTracker(still()), PolicyTracker(still())
    for k in range(200):
        pose, wheel = 1e-3 * np.sin([1.0 * k, 2.0 * k, 3.0 * k]), np.zeros(1)
        a = one.update(k * DT, {"pose": pose, "wheel": wheel})
        b = two.update(k * DT, {"pose": pose + np.array([0.0, 0.0, 4.0 * math.pi]), "wheel": wheel})
        for name in a:
            np.testing.assert_allclose(a[name], b[name], atol=1e-9)


def test_copy_goes_on_alike_and_leaves_the_first_alone():
    tracker = PolicyTracker(line())
    Plant(seed=11).run(tracker, 2.0)
    twin, third = copy.deepcopy(tracker), copy.deepcopy(tracker)
    meas = {"pose": np.array([0.05, -0.05, 0.02]), "wheel": np.array([3.0])}
    for k in range(200, 260):
        twin.update(k * DT, meas)
    for k in range(200, 260):
        a, b = tracker.update(k * DT, meas), third.update(k * DT, meas)
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


def test_other_platform_follows_with_its_own_pulses():
    path = rest_to_rest(NOWHERE, (0.5, 0.5, 1.0), 40.0)
    error, valves, _, _ = Plant(model=ATMOS, floor=rolling, seed=12).run(PolicyTracker(path, ATMOS), 40.0)
    position, angle = rms(error)
    assert position < 0.012
    assert angle < 1.0
    assert DT * valves.sum() < 1.3 * least_on_time(path, rolling, ATMOS) + 1.0


def test_thruster_sets_hold_both_thrusters_of_a_direction_and_no_waste():
    sets, wrenches = thruster_sets(PlatformModel())
    assert (sets.sum(axis=1) == 1).sum() == 8
    assert not sets[0].any()
    for row, wrench in zip(sets, wrenches, strict=True):
        same = np.abs(wrenches - wrench).max(axis=1) < 1e-9
        assert row.sum() == sets[same].sum(axis=1).min()
    assert np.abs(thruster_sets(PlatformModel(thrusters=np.tile(reacsa_thrusters(), 2)))[1][:, :2]).max() == 2.0
    pure_torque = (np.abs(wrenches[:, :2]).max(axis=1) < 1e-9) & (wrenches[:, 2] > 0.5)
    assert sets[pure_torque].sum(axis=1).min() == 2


@pytest.mark.parametrize(
    "change",
    [{"length": 0.0}, {"hold": 0}, {"min_on": 0.3}, {"delay": -0.1}, {"wheel_price": -1.0}, {"wheel_idle": 60.0}],
)
def test_impossible_tunings_are_refused(change):
    with pytest.raises(InputError, match="policy tracker"):
        PolicyTuning(**change)
