"""The tracker of a platform without a wheel: it follows and holds, on slopes, with weak thrusters and lost poses."""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.wrench_tracker import Loop, WrenchTracker, WrenchTuning
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, rest_to_rest
from freefloat.gnc.planning.platform.model import PlatformModel, reacsa_thrusters

ATMOS = PlatformModel(mass=16.8, inertia=0.30, thrust=1.5, thrusters=reacsa_thrusters(0.12))
LINE = rest_to_rest((0.0, 0.0, 0.0), (1.0, 1.0, 0.5 * math.pi), 20.0)
DT = 0.01  # [s]
SIGMA = 3.16e-3  # [m, rad]


def holding(theta: float = 0.0) -> HermiteReference:
    return rest_to_rest((0.0, 0.0, theta), (0.0, 0.0, theta), 1.0)


@dataclass
class Plant:
    """A platform in the plane: exact while force and angle hold over a tick."""

    slope: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s^2, m/s^2, rad/s^2] in W
    strengths: Any = 1.0
    sigma: float = SIGMA
    lost: float = 0.0  # share of poses that repeat the one before
    delay: int = 0  # [ticks]
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seed: int = 0

    def run(self, tracker: WrenchTracker, duration: float) -> tuple[np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """True poses before each update, valves after it, and what the tracker said."""
        rng, p, v = np.random.default_rng(self.seed), np.array(self.start), np.zeros(3)
        poses, valves, said, seen = [], [], [], p
        for k in range(round(duration / DT)):
            poses.append(p.copy())
            if k == 0 or rng.uniform() >= self.lost:
                seen = poses[max(0, k - self.delay)] + self.sigma * rng.standard_normal(3)
            out = tracker.update(k * DT, {"pose": seen})
            wrench = ATMOS.thrusters @ (ATMOS.thrust * self.strengths * out["valves"])
            c, s = math.cos(p[2]), math.sin(p[2])
            a = np.array([c * wrench[0] - s * wrench[1], s * wrench[0] + c * wrench[1], 0.0]) / ATMOS.mass
            a[2] = wrench[2] / ATMOS.inertia
            a += self.slope
            p, v = p + DT * v + 0.5 * DT**2 * a, v + DT * a
            valves.append(out["valves"])
            said.append(out)
        return np.array(poses), np.array(valves), said


def errors(poses: np.ndarray, reference: HermiteReference) -> tuple[np.ndarray, np.ndarray]:
    """Distance [m] and angle [rad] from the reference at each tick."""
    off = poses - reference.sampled(DT * np.arange(len(poses)))[0]
    return np.hypot(off[:, 0], off[:, 1]), np.abs(off[:, 2])


def test_it_follows_a_turning_line_and_holds_its_end_to_a_few_millimetres() -> None:
    poses, _, _ = Plant(slope=(3e-3, -2e-3, 5e-3)).run(WrenchTracker(LINE, ATMOS), 30.0)
    distance, angle = errors(poses, LINE)
    assert distance.max() < 0.01
    assert np.rad2deg(angle.max()) < 0.5
    assert distance[2000:].max() < 0.004
    assert np.rad2deg(angle[2000:].max()) < 0.3


def test_the_open_time_on_a_line_is_little_more_than_its_acceleration_needs() -> None:
    _, valves, _ = Plant(sigma=1e-9).run(WrenchTracker(LINE, ATMOS), 20.0)
    t = np.linspace(0.0, 20.0, 4001)
    needed = sum(np.abs(ATMOS.wrench(p[2], a)[:2]).sum() for p, _, a in zip(*LINE.sampled(t), strict=True))
    least = needed * 20.0 / len(t) / ATMOS.thrust
    assert least < DT * valves.sum() < 1.1 * least


def test_the_slope_is_found_and_leaves_no_standing_error() -> None:
    slope = (6e-3, -4e-3, 0.01)
    poses, _, said = Plant(slope=slope, seed=3).run(WrenchTracker(holding(), ATMOS), 40.0)
    assert np.mean([out["slope"] for out in said[1000:]], axis=0) == pytest.approx(slope, abs=4e-4)
    assert np.abs(poses[1500:].mean(axis=0)).max() < 1e-3


def test_estimates_are_better_than_the_measurements() -> None:
    poses, _, said = Plant(seed=5).run(WrenchTracker(LINE, ATMOS), 20.0)
    off = np.array([out["estimate"][:3] for out in said]) - poses
    assert np.sqrt(np.mean(off[500:] ** 2, axis=0)).max() < 0.35 * SIGMA


def test_pulses_start_with_their_period_and_end_within_it() -> None:
    _, valves, _ = Plant().run(WrenchTracker(LINE, ATMOS), 20.0)
    opens = np.diff(valves, axis=0, prepend=0.0) > 0.0
    assert opens.any()
    assert set(np.flatnonzero(opens.any(axis=1)) % 10) == {0}
    assert ((valves == 0.0) | (valves == 1.0)).all()


def test_dwell_times_are_kept() -> None:
    tuning = WrenchTuning(min_on=0.03, min_off=0.04)
    poses, valves, _ = Plant().run(WrenchTracker(LINE, ATMOS, tuning), 25.0)
    lengths: dict[bool, set[int]] = {True: set(), False: set()}
    for row in valves.T:
        edges = np.flatnonzero(np.diff(row)) + 1
        for a, b in itertools.pairwise(edges):
            lengths[bool(row[a])].add(int(b - a))
    assert min(lengths[True]) >= 3
    assert min(lengths[False]) >= 4
    assert errors(poses, LINE)[0].max() < 0.02


def test_rounding_owes_nothing_in_the_long_run() -> None:
    """A slope that needs a fifth of the shortest pulse of each period is still balanced on average."""
    slope = 0.2 * 0.1 * 2.0 * ATMOS.thrust / ATMOS.mass
    poses, valves, _ = Plant(slope=(slope, 0.0, 0.0), sigma=1e-9).run(WrenchTracker(holding(), ATMOS), 60.0)
    mean = ATMOS.thrusters @ valves[2000:].mean(axis=0) * ATMOS.thrust
    assert mean[0] == pytest.approx(-ATMOS.mass * slope, rel=0.03)
    assert np.hypot(poses[2000:, 0], poses[2000:, 1]).max() < 2e-3


def test_it_comes_back_from_far_away_without_overshooting() -> None:
    poses, _, _ = Plant(start=(-1.5, 0.5, 2.5)).run(WrenchTracker(holding(), ATMOS), 45.0)
    assert np.abs(poses[-500:]).max() < 0.01
    assert poses[:, 0].max() < 0.02
    assert poses[:, 1].min() > -0.02
    assert poses[:, 2].min() > -0.05


def test_the_way_back_is_no_faster_than_the_reach_of_its_loop_allows() -> None:
    """The speed at which k_p reach = k_d v, of x and y each."""
    tuning = WrenchTuning(position=Loop(1.0, 1.0, 0.2))
    poses, _, _ = Plant(start=(-2.0, 0.0, 0.0)).run(WrenchTracker(holding(), ATMOS, tuning), 20.0)
    speed = np.diff(poses[:, 0]) / DT
    assert speed.max() == pytest.approx(0.1, abs=0.01)


def test_thrust_that_the_valves_could_not_give_is_not_owed_later() -> None:
    tuning = WrenchTuning(position=Loop(1.0, 1.0, 5.0))
    poses, _, _ = Plant(start=(-2.0, 0.0, 0.0)).run(WrenchTracker(holding(), ATMOS, tuning), 40.0)
    assert poses[:, 0].max() < 0.1 * 2.0
    assert np.abs(poses[-500:]).max() < 0.01


def test_a_pose_that_repeats_the_one_before_is_not_used_again() -> None:
    tracker = WrenchTracker(holding(), ATMOS, WrenchTuning(position=Loop(1e-3, 1.0, 0.2)))
    seen = [np.array([0.05 * DT * min(k, 200), 0.0, 0.0]) for k in range(301)]
    x = [tracker.update(k * DT, {"pose": pose})["estimate"][0] for k, pose in enumerate(seen)]
    assert x[300] - x[200] == pytest.approx(0.05, rel=0.1), "it is taken to go on at 0.05 m/s"


def test_it_turns_the_short_way_across_the_half_turn() -> None:
    poses, _, _ = Plant(start=(0.0, 0.0, -3.0)).run(WrenchTracker(holding(3.0), ATMOS), 20.0)
    assert poses[-1, 2] == pytest.approx(3.0 - 2.0 * math.pi, abs=0.01)
    assert poses[:, 2].max() < -2.9


def test_uneven_thrusters_lost_poses_and_a_delay_cost_little() -> None:
    strengths = 1.0 + 0.1 * np.random.default_rng(1).standard_normal(8)
    plant = Plant(slope=(4e-3, 0.0, 0.0), strengths=strengths, lost=0.05, delay=2, seed=7)
    poses, _, _ = plant.run(WrenchTracker(LINE, ATMOS, WrenchTuning(delay=0.02)), 30.0)
    distance, angle = errors(poses, LINE)
    assert distance.max() < 0.02
    assert np.rad2deg(angle.max()) < 2.0


def test_a_known_delay_is_made_up_for_in_the_estimate() -> None:
    def lag(told: float) -> float:
        poses, _, said = Plant(delay=5).run(WrenchTracker(LINE, ATMOS, WrenchTuning(delay=told)), 20.0)
        off = np.array([out["estimate"][:2] for out in said]) - poses[:, :2]
        return float(np.abs(off[800:1200].mean(axis=0)).max())

    assert lag(0.05) < 5e-4
    assert lag(0.0) > 2e-3


def test_poses_that_are_not_finite_are_lost_ones_and_valves_stay_shut_until_the_first() -> None:
    tracker = WrenchTracker(holding(), ATMOS)
    out = tracker.update(0.0, {"pose": np.full(3, np.nan)})
    assert not out["valves"].any()
    tracker.update(DT, {"pose": np.array([0.1, 0.0, 0.0])})
    for k in range(2, 12):
        out = tracker.update(k * DT, {"pose": np.array([0.1, math.inf, 0.0])})
    assert np.isfinite(out["estimate"]).all()
    assert out["valves"].any(), "it goes back from where it was seen"


def test_a_copy_goes_on_by_itself_and_the_same_input_gives_the_same_bits() -> None:
    tracker = WrenchTracker(LINE, ATMOS)
    Plant().run(tracker, 3.0)
    twin = copy.deepcopy(tracker)
    poses = np.random.default_rng(2).normal(scale=SIGMA, size=(50, 3))
    answers = [
        [{k: v.tolist() for k, v in c.update(3.0 + i * DT, {"pose": p}).items()} for i, p in enumerate(poses)]
        for c in (tracker, twin)
    ]
    assert answers[0] == answers[1]


def test_answers_are_the_callers_own() -> None:
    tracker = WrenchTracker(holding(), ATMOS)
    first = tracker.update(0.0, {"pose": np.array([0.1, 0.0, 0.0])})
    kept = {k: v.copy() for k, v in first.items()}
    tracker.update(DT, {"pose": np.array([0.2, 0.0, 0.0])})
    assert set(first) == {"valves", "wheel", "estimate", "slope"}
    assert first["wheel"].size == 0
    assert all(np.array_equal(first[k], kept[k]) for k in kept)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Loop(0.0, 1.0, 0.2), "wrench tracker"),
        (lambda: Loop(1.0, math.nan, 0.2), "wrench tracker"),
        (lambda: WrenchTuning(delay=-0.1), "wrench tracker"),
        (lambda: WrenchTuning(dt=0.0), "wrench tracker"),
        (lambda: WrenchTracker(LINE, ATMOS, WrenchTuning(min_off=0.2)), "min_off"),
        (lambda: WrenchTracker(LINE, replace(ATMOS, thrusters=reacsa_thrusters(0.0))), "push and turn the body"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()
