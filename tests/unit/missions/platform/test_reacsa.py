"""REACSA's scenarios with their own controllers: laws that hold whatever the controller is tuned to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute, metrics_json
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import load
from freefloat.units import RPM

SHORT = 1.5  # [s]
ROUGH = {
    "capture.delay": 0.02,
    "capture.dropout": 0.05,
    "thrusters.opening": 3.3e-3,
    "thrusters.closing": 3.3e-3,
    "thrusters.drop": 0.11,
    "thrusters.min_on": 0.1,
    "thrusters.min_off": 0.2,
    "thrusters.strength_sigma": 0.1,
    "thrusters.tilt_sigma": 0.01,
}


@pytest.fixture(scope="module")
def flown() -> Any:
    """Runs of `reacsa-stabilise` (it pulses from the start), each made once."""
    done: dict[Any, tuple[Scenario, ff.Result]] = {}

    def run(controller: str, **changes: Any) -> tuple[Scenario, ff.Result]:
        key = (controller, *sorted(changes.items()))
        if key not in done:
            scenario = load("reacsa-stabilise", {"controller": controller, "duration": SHORT, **changes})
            done[key] = scenario, execute(scenario)
        return done[key]

    return run


@pytest.mark.parametrize("controller", ["paper", "best"])
def test_an_idle_speed_shifts_the_wheel_and_not_the_motion(flown: Any, controller: str) -> None:
    idle, calm = 10.0, {"floor.kind": "flat", "push.torque": 200.0}  # the wheel stays far from full
    _, still = flown(controller, **calm)
    _, spinning = flown(controller, **calm, **{"wheel.idle": idle, "wheel.max_speed": 500.0 * RPM + idle})
    assert still.metrics["total_on_time_s"] > 0.0
    assert spinning["reacsa.pose"] == pytest.approx(still["reacsa.pose"], abs=1e-9)
    assert spinning["wheel.speed"] - idle == pytest.approx(still["wheel.speed"], abs=1e-6)
    assert np.ptp(still["wheel.speed"]) > 0.1


@pytest.mark.parametrize("controller", ["paper", "best"])
def test_the_valves_keep_their_dwell_limits(flown: Any, controller: str) -> None:
    _, result = flown(controller, **ROUGH)
    t, asked = result.time("thrusters.on_time"), np.diff(result["thrusters.on_time"], axis=0) > 0.005
    opened = 0
    for k in range(8):
        edges = np.flatnonzero(np.diff(asked[:, k].astype(int))) + 1
        spans, opens = np.diff(t[edges]), asked[edges[:-1], k]
        opened += int(asked[:, k].any())
        assert np.all(spans[opens] >= 0.1 - 1e-6)
        assert np.all(spans[~opens] >= 0.2 - 1e-6)
    assert opened > 0


@pytest.mark.parametrize("controller", ["paper", "best"])
@pytest.mark.parametrize("stop", [0.7, 1.01])
def test_a_run_saved_in_the_middle_goes_on_to_the_same_bytes(
    flown: Any, tmp_path: Path, controller: str, stop: float
) -> None:
    scenario, result = flown(controller, **ROUGH)
    session = scenario.build().session(scenario.seed)
    session.step(stop)
    saved = session.snapshot().save(tmp_path / "middle")
    mission = scenario.build()
    other = mission.session(0)
    other.restore(ff.Snapshot.load(saved))
    again = mission.complete(other, scenario.duration)
    assert again["reacsa.pose"].tobytes() == result["reacsa.pose"].tobytes()
    assert again["onboard.estimate"].tobytes() == result["onboard.estimate"].tobytes()
    assert metrics_json({**mission.judge(again), **again.metrics}) == metrics_json(result.metrics)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(flown: Any) -> None:
    scenario, result = flown("paper", **ROUGH)
    assert metrics_json(execute(scenario).metrics) == metrics_json(result.metrics)
    assert metrics_json(flown("paper", seed=1, **ROUGH)[1].metrics) != metrics_json(result.metrics)


def test_floor_contact_and_kind_change_what_the_platform_feels_and_nothing_of_its_start(flown: Any) -> None:
    runs = [
        flown("paper", **changes)[1]
        for changes in ({"floor.kind": "flat"}, {"floor.contact": "single"}, {"floor.contact": "three"})
    ]
    starts = [r["reacsa.pose"][0].tolist() for r in runs]
    assert starts == [[0.0, 0.0, 0.0]] * 3
    felt = [r["reacsa.floor"][0].tolist() for r in runs]
    assert felt[0] == [0.0] * 4
    assert felt[1] != felt[2]
