"""Every registered scenario: it runs, keeps its laws, repeats itself to the byte and says what its numbers are."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import freefloat as ff
from freefloat.api import execute, metrics_json
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import dump
from freefloat.scenario.fields import incomplete
from freefloat.scenario.files import load
from freefloat.scenario.forms import form_of
from freefloat.scenario.presets import presets
from freefloat.units import dimension

SHORT = 0.6  # [s] of simulated time
PRESETS = list(presets())
# units that a metric's name may end in; a name without one is a pure number
UNITS = {"m", "s", "rad", "deg", "J", "N", "kg", "rad_s", "m_s", "N_m", "N_s", "N_m_s", "Hz", "W", "K", "A", "V"}
UNITS |= {"Pa", "rpm", "deg_s"}
PURE = {
    "alarms",
    "eclipse_fraction",
    "end_reached",
    "events",
    "heat_balance_error",
    "libration_frequency_error",
    "modules_doubled",
    "modules_lost",
    "modules_misplaced",
    "modules_powered",
    "modules_unpowered",
    "mrp_error",
    "picks",
    "places",
    "plan_completed",
    "safe_stop",
    "smallest_singular_value",
    "steps",
    "success",
    "walked",
}


def short(name: str, **changes: Any) -> Scenario:
    """A preset cut short, with noise where it has sensors."""
    scenario = load(name, {"duration": SHORT, "seed": 11, **changes})
    if "sensors" in type(scenario).model_fields:
        noise = {"sensors.position_noise": 1e-5, "sensors.delay": 0.0013, "sensors.dropout": 0.1}
        scenario = load(name, {"duration": SHORT, "seed": 11, **noise, **changes})
    return scenario


def choices() -> list[tuple[str, str, str]]:
    """(preset, field, kind) of every choice of a group that a preset offers."""
    found = []
    for name in PRESETS:
        for field, info in type(load(name)).model_fields.items():
            found += [(name, field, kind) for kind in form_of(info).tags]
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_a_run_passes_its_audit_and_all_its_metrics_are_finite(name: str) -> None:
    result = execute(short(name), strict=True)
    assert result.metrics
    assert all(math.isfinite(v) for v in result.metrics.values()), result.metrics
    assert result.duration == pytest.approx(SHORT)


@pytest.mark.parametrize(("name", "field", "kind"), choices())
def test_every_choice_of_a_scenario_runs_and_passes_its_audit(name: str, field: str, kind: str) -> None:
    execute(load(name, {"duration": SHORT, f"{field}.kind": kind}), strict=True)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("method", ["dopri5", "dopri54"])
def test_every_integrator_gives_nearly_the_same_metrics(name: str, method: str) -> None:
    ours = execute(load(name, {"duration": SHORT}), strict=True).metrics
    other = execute(load(name, {"duration": SHORT, "integrator.method": method}), strict=True).metrics
    for metric, value in ours.items():
        if not metric.startswith("audit.") and metric != "steps":
            assert other[metric] == pytest.approx(value, rel=1e-6, abs=1e-7), metric


@pytest.mark.parametrize("name", PRESETS)
def test_the_same_seed_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        execute(short(name), out=tmp_path / folder)
    first, second = ((tmp_path / f / "metrics.json").read_bytes() for f in ("a", "b"))
    assert first == second
    assert json.loads(first)["duration_s"] == pytest.approx(SHORT)
    assert {p.name for p in (tmp_path / "a").iterdir()} >= {"scenario.yaml", "metrics.json", "log.mcap", "plots"}


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("stop", [0.2, 0.3])
def test_a_run_saved_and_restored_in_the_middle_gives_the_same_bytes(name: str, stop: float, tmp_path: Path) -> None:
    scenario = short(name)
    whole = metrics_json(execute(scenario).metrics)
    mission = scenario.build()
    session = mission.session(scenario.seed)
    session.step(stop)
    saved = session.snapshot().save(tmp_path / "snapshot")
    again = scenario.build()
    other = again.session(0)
    other.restore(ff.Snapshot.load(saved))
    result = again.complete(other, scenario.duration)
    assert metrics_json({**again.judge(result), **result.metrics}) == whole


@pytest.mark.parametrize("name", [n for n in PRESETS if "sensors" in type(load(n)).model_fields])
def test_another_seed_gives_other_noise(name: str) -> None:
    a, b = (metrics_json(execute(short(name, seed=s)).metrics) for s in (1, 2))
    assert a != b


@pytest.mark.parametrize("name", PRESETS)
def test_names_of_metrics_end_in_their_unit(name: str) -> None:
    for metric in execute(short(name)).metrics:
        metric = re.sub(r"\.\d+$", "", metric)  # one of several alike, such as thrusters
        assert re.fullmatch(r"[a-z][A-Za-z0-9_]*(\.[a-z][A-Za-z0-9_]*)*", metric), metric
        pure = metric in PURE or metric.endswith(("_drift", "_nees", "_inside_3sigma"))
        assert pure or any(metric.endswith(f"_{unit}") for unit in UNITS), metric


@pytest.mark.parametrize("name", PRESETS)
def test_every_recorded_signal_has_a_unit_and_a_meaning(name: str) -> None:
    for signal in execute(short(name)).signals.values():
        assert signal.meaning, signal
        for unit in signal.unit.split(", "):  # a wrench has two
            dimension(unit)


@pytest.mark.parametrize("kind", registry.names())
def test_every_field_has_a_unit_and_a_meaning(kind: str) -> None:
    assert incomplete(registry.get(kind)) == []


@pytest.mark.parametrize("name", PRESETS)
def test_a_dumped_scenario_loads_equal_and_runs_the_same(name: str, tmp_path: Path) -> None:
    scenario = short(name)
    file = tmp_path / "again.yaml"
    file.write_text(dump(scenario), encoding="utf-8")
    again = load(file)
    assert again == scenario
    assert metrics_json(execute(again).metrics) == metrics_json(execute(scenario).metrics)


@pytest.mark.parametrize("name", PRESETS)
def test_default_plots_are_signals_of_the_run(name: str) -> None:
    mission = short(name).build()
    assert set(mission.plots) <= set(mission.run(SHORT).signals)
