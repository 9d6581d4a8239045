"""Things that go wrong while modules are handled: each is an event with a clear record and a safe stop, not a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.api import metrics_json, run
from freefloat.cli import main
from freefloat.engine.result import Result

FAST = 0.349  # [rad/s] of the joints, to be there soon
FAULTS = {  # when the run ends [s], event, what it says
    "misplaced": (12.0, "b.latch", "refused: at cell ("),
    "overload": (44.0, "b.overload", " N m; allowed: 250 N and 0.02 N m"),
    "no-close": (90.0, "b.placing", "failed: interface at cell ("),
    "collision": (58.0, "b.collision", "module 26 touched module "),
}


@pytest.fixture(scope="module")
def faulty() -> Callable[[str], Result]:
    """The run of a fault, made once."""

    @cache
    def make(fault: str) -> Result:
        return run("pick-and-place", {"fault": fault, "joint_speed": FAST}, duration=FAULTS[fault][0], strict=True)

    return make


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_event_with_a_clear_record(fault: str, faulty: Any) -> None:
    result = faulty(fault)
    _, name, says = FAULTS[fault]
    found = [e for e in result.events if e.name == name and says in e.result]
    assert len(found) == 1, [(e.name, e.result) for e in result.events]
    assert result.metrics["alarms"] == 1.0
    details = {
        "misplaced": "misaligned by 0.4 m",
        "overload": " N, ",
        "no-close": "it did not close (injected fault)",
        "collision": " at cell (0, 1, 3), at t = ",
    }
    assert details[fault] in found[0].result


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_the_robot_stops_and_holds_and_gives_no_further_order(fault: str, faulty: Any) -> None:
    result = faulty(fault)
    assert result.metrics["safe_stop"] == 1.0
    assert result.metrics["plan_completed"] == 0.0
    t, when = (
        result.time("modules.alarms"),
        next(e.t for e in result.events if e.name == FAULTS[fault][1] and FAULTS[fault][2] in e.result),
    )
    after = t > when + 0.05
    for hand in "ab":
        assert len(np.unique(result[f"modules.{hand}.order"][after])) == 1
    assert np.abs(result["wm.qd"][-1]).max() < 1e-4
    rest = result["wm.q"][t > t[-1] - 0.5]
    assert np.ptp(rest, axis=0).max() < 1e-4
    assert result["modules.a.state"][-1, 0] == 2.0, "the foot stays closed"


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_no_module_is_lost_or_dark_and_every_balance_holds(fault: str, faulty: Any) -> None:
    result = faulty(fault)
    for name in ("modules_lost", "modules_doubled", "modules_unpowered"):
        assert result.metrics[name] == 0.0, name
    for name in ("linear_momentum_drift", "angular_momentum_drift", "energy_drift", "mass_drift"):
        assert result.metrics[f"audit.{name}"] <= 1e-9, name
    where = "stack" if fault == "misplaced" else "load_b"
    assert 26.0 in result[f"{where}.identity"][-1]
    if where == "load_b":
        assert result["load_b.powered"][-1, 0] == 1.0, "what the robot holds stays powered"


def test_a_joint_that_was_moving_is_braked_within_its_limits(faulty: Any) -> None:
    """The overload comes in the middle of a move: speeds fall without a jump."""
    result = faulty("overload")
    when = next(e.t for e in result.events if e.name == "b.overload")
    t, speed = result.time("wm.qd"), np.abs(result["wm.qd"]).max(axis=1)
    assert speed[np.searchsorted(t, when)] > 1e-3, "it was moving"
    steps = np.abs(np.diff(result["wm.qd"], axis=0)).max(axis=1) / np.diff(t)
    assert steps[t[1:] > when].max() <= 1.2 * 0.5 * FAST, "half the speed per second is the largest acceleration"


def test_a_collision_is_felt_within_a_look_and_the_joints_give_way(faulty: Any) -> None:
    """The touch itself is located; the assembly looks every 20 ms, and pressing on ends with it."""
    result = faulty("collision")
    first = result.contacts.row(0, named=True)
    told = next(e for e in result.events if e.name == "b.collision")
    assert 0.0 <= told.t - first["t"] <= 0.02
    assert f"t = {first['t']:.6f} s" in told.result
    assert first["speed"] > 0.1
    assert first["duration"] < 0.1
    assert result.metrics["peak_contact_force_N"] < 100.0
    assert result["touch.force"][-1].max() < 0.1, "what is left is the weight of nothing"
    assert result.metrics["contact_energy_lost_J"] > 0.01
    (seen,) = [e for e in result.events if e.name == "review.clearance_min_m"]
    assert result.metrics["clearance_min_m"] <= 0.0, "the review sees the collision too"
    assert seen.t == pytest.approx(first["t"], abs=0.2)
    assert "the module in load_b and module " in seen.result


def test_without_the_fault_nothing_of_a_contact_is_there(faulty: Any) -> None:
    assert "contacts" not in faulty("misplaced").metrics
    assert "contacts" in faulty("collision").metrics


@pytest.mark.usefixtures("undrawn")
def test_the_command_ends_normally_says_what_happened_and_writes_the_same_bytes_again(
    tmp_path: Path, capsys: Any, faulty: Any
) -> None:
    duration = str(FAULTS["misplaced"][0])
    changes = ["--set", "fault=misplaced", "--set", f"joint_speed={FAST}", "--duration", duration]
    with pytest.raises(SystemExit) as ended:
        main(["run", "pick-and-place", *changes, "--json", "--out", str(tmp_path / "out")])
    assert ended.value.code == 0
    printed = json.loads(capsys.readouterr().out)
    text = (tmp_path / "out" / "metrics.json").read_text()
    assert text == metrics_json(faulty("misplaced").metrics)
    written = json.loads(text)
    assert written["safe_stop"] == written["alarms"] == 1.0
    assert "safe_stop" in json.dumps(printed)
