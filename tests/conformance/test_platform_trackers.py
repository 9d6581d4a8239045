"""What every tracker of a floating platform owes: it survives measurements that are missing or not numbers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from freefloat.gnc.control.platform.mpc_tracker import MpcTracker
from freefloat.gnc.control.platform.policy_tracker import PolicyTracker
from freefloat.gnc.control.platform.tvlqr_tracker import TvlqrTracker
from freefloat.gnc.control.platform.wrench_tracker import WrenchTracker
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, line
from freefloat.missions.platform.control import onboard_model
from freefloat.platforms.catalogue import ATMOS

TRACKERS: Mapping[str, Callable[[HermiteReference], Any]] = {
    "paper": TvlqrTracker,
    "best": PolicyTracker,
    "mpc": MpcTracker,
    "wrench": lambda reference: WrenchTracker(reference, onboard_model(ATMOS)),
}


@cache
def made(name: str) -> Any:
    return TRACKERS[name](line())


def fresh(name: str) -> Any:
    """A tracker along the line; the gains of its law are found once."""
    return copy.deepcopy(made(name))


def answers(
    name: str, broken: Mapping[int, tuple[float, float]], ticks: int = 60, kept: bool = False
) -> list[dict[str, np.ndarray]]:
    """Answers at rest on the line's start; `broken` maps ticks to (pose, wheel) that are added to the truth.

    With `kept`, copies made as each answer came.
    """
    tracker = fresh(name)
    rng = np.random.default_rng(3)
    found = []
    for k in range(ticks):
        pose, wheel = broken.get(k, (0.0, 0.0))
        measured = {"pose": 3e-3 * rng.standard_normal(3) + pose, "wheel": np.array([wheel])}
        out = tracker.update(0.01 * k, measured)
        found.append({what: np.array(value) for what, value in out.items()} if kept else out)
    return found


@pytest.mark.parametrize("name", TRACKERS)
@pytest.mark.parametrize("tick", [0, 1, 25])
@pytest.mark.parametrize(("pose", "wheel"), [(np.nan, 0.0), (np.inf, 0.0), (0.0, np.nan), (np.nan, np.nan)])
def test_a_measurement_that_is_no_number_is_a_lost_one(name: str, tick: int, pose: float, wheel: float) -> None:
    for out in answers(name, {tick: (pose, wheel)}):
        for what, value in out.items():
            assert np.isfinite(value).all(), what
        assert set(np.unique(out["valves"])) <= {0.0, 1.0}


@pytest.mark.parametrize("name", TRACKERS)
def test_a_pose_that_repeats_the_one_before_is_a_lost_one(name: str) -> None:
    def flown(lost: Callable[[np.ndarray], np.ndarray]) -> list[dict[str, np.ndarray]]:
        tracker, rng, seen, found = fresh(name), np.random.default_rng(3), np.zeros(3), []
        for k in range(200):
            new = 3e-3 * rng.standard_normal(3)
            pose = new if k % 4 == 0 else lost(seen)
            seen = new if k % 4 == 0 else seen
            found.append(tracker.update(0.01 * k, {"pose": pose, "wheel": np.zeros(1)}))
        return found

    def same(a: list[dict[str, np.ndarray]], b: list[dict[str, np.ndarray]]) -> bool:
        return all(np.array_equal(x[what], y[what]) for x, y in zip(a, b, strict=True) for what in x)

    repeated = flown(np.copy)
    assert same(repeated, flown(lambda seen: np.full(3, np.nan)))
    assert not same(repeated, flown(lambda seen: seen + 1e-9)), "a pose that is nearly the same is used"


@pytest.mark.parametrize("name", TRACKERS)
def test_updates_are_deterministic_and_copies_go_on_alike_and_their_own_way(name: str) -> None:
    def flown(copied: bool) -> list[dict[str, np.ndarray]]:
        tracker, rng, found = TRACKERS[name](line()), np.random.default_rng(3), []
        for k in range(120):
            if copied and k == 60:
                first, tracker = tracker, copy.deepcopy(tracker)
                for twin in (first, copy.deepcopy(tracker)):  # elsewhere from here on
                    for n in range(30):
                        twin.update(0.01 * (k + n), {"pose": np.ones(3) + 0.01 * n, "wheel": np.ones(1)})
            measured = {"pose": 3e-3 * rng.standard_normal(3), "wheel": np.zeros(1)}
            found.append(tracker.update(0.01 * k, measured))
        return found

    for a, b in zip(flown(False), flown(True), strict=True):
        for what in a:
            assert np.array_equal(a[what], b[what]), what


@pytest.mark.parametrize("name", TRACKERS)
def test_without_any_pose_no_valve_opens(name: str) -> None:
    for out in answers(name, dict.fromkeys(range(60), (np.nan, 0.0))):
        assert not out["valves"].any()


@pytest.mark.parametrize("name", TRACKERS)
def test_whole_turns_of_the_measured_angle_change_nothing(name: str) -> None:
    def first(turns: int) -> list[np.ndarray]:
        tracker = fresh(name)
        rng = np.random.default_rng(5)
        out = []
        for k in range(300):
            pose = np.array([0.02, -0.01, 0.03 + 2.0 * np.pi * turns]) + 3e-3 * rng.standard_normal(3)
            out.append(tracker.update(0.01 * k, {"pose": pose, "wheel": np.zeros(1)})["valves"])
        return out

    assert np.array_equal(first(0), first(-2))


@pytest.mark.parametrize("name", TRACKERS)
def test_an_answer_is_not_changed_by_the_next(name: str) -> None:
    out = answers(name, {})
    kept = answers(name, {}, kept=True)
    assert any(not np.array_equal(a[w], kept[0][w]) for a in kept for w in a), "there is something to overwrite"
    for a, b in zip(out, kept, strict=True):
        for what in a:
            assert np.array_equal(a[what], b[what]), what
