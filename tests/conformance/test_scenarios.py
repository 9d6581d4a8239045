"""Every registered scenario: it runs, keeps its laws, repeats itself to the byte and says what its numbers are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import freefloat as ff
from freefloat.api import execute, metrics_json, run
from freefloat.bench.rebuilds import counting
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import dump, json_schema, rows
from freefloat.scenario.fields import incomplete
from freefloat.scenario.files import load
from freefloat.scenario.forms import form_of
from freefloat.scenario.presets import presets
from freefloat.units import dimension

SHORT = 0.6  # [s] of simulated time
LONGER: dict[str, dict[str, float]] = {  # until a module has been picked, or the rings are joined
    "dock-probe-cone": {"duration": 22.0},
    "pick-and-place": {"duration": 30.0, "joint_speed": 0.349},
    "stack-reconfiguration": {"duration": 29.0, "speed": 1.0},
}
EAGER = {"slew-by-thrusters": {"slew.start": 0.0}}  # what a short run must start at once to show it
PRESETS = list(presets())
# units that a metric's name may end in; a name without one is a pure number
UNITS = {"m", "s", "rad", "deg", "J", "N", "kg", "rad_s", "m_s", "N_m", "N_s", "N_m_s", "Hz", "W", "K", "A", "V"}
UNITS |= {"Pa", "rpm", "deg_s", "percent", "hz", "n", "db"}
PURE = {
    "audit.passed",
    "alarms",
    "axis_turns_A6",
    "bodies_at_rest",
    "capture_momentum_error",
    "captured",
    "contacts",
    "continuous_error_ratio",
    "docked",
    "eclipse_fraction",
    "end_reached",
    "events",
    "exit_speed_ratio",
    "faults",
    "faults_missed",
    "gain_error",
    "goal_reached",
    "heat_balance_error",
    "latch_momentum_error",
    "libration_frequency_error",
    "makespan_over_sum",
    "makespan_ratio",
    "map_points",
    "modules_doubled",
    "modules_lost",
    "modules_misplaced",
    "modules_powered",
    "modules_unpowered",
    "mrp_error",
    "outcome",
    "picks",
    "places",
    "plan_completed",
    "propellant_ratio",
    "pulses",
    "recoveries",
    "replans",
    "rows",
    "rows_missing",
    "safe_stop",
    "satellite_energy_ratio",
    "sampled_error_ratio",
    "smallest_singular_value",
    "speed_error_ratio",
    "steps",
    "steps_walked",
    "success",
    "transfers",
    "turns_commanded",
    "turns_executed",
    "unsafe_cycles",
    "walked",
}
# they draw what another one draws: reacsa-circle, geo-satellite
ALIKE = {"reacsa-line", "reacsa-s", "reacsa-semicircle", "reacsa-to-origin", "leo-satellite"}
INTERPOLATED = {"peak_contact_force_N": 5e-5}  # between steps, which differ


def short(name: str, **changes: Any) -> Scenario:
    """A preset cut short, with noise where it has sensors."""
    cut = {"duration": SHORT, "seed": 11, **LONGER.get(name, {}), **EAGER.get(name, {}), **changes}
    scenario = load(name, cut)
    if "sensors" in type(scenario).model_fields:
        noise = {"sensors.position_noise": 1e-5, "sensors.delay": 0.0013, "sensors.dropout": 0.1}
        scenario = load(name, {**noise, **cut})
    return scenario


@dataclass(frozen=True)
class Written:
    """A run with its files, how often it was built, and the figures of its pictures and plots."""

    result: Result
    folder: Path
    built: dict[str, int]
    figures: dict[str, Figure]


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, draw_roughly: Callable[[pytest.MonkeyPatch], None]
) -> Callable[[str], Written]:
    """The files of a preset's run, made once."""

    def write(name: str) -> Written:
        folder, figures = tmp_path_factory.mktemp(name), dict[str, Figure]()
        with pytest.MonkeyPatch.context() as patch, counting() as counts:
            draw_roughly(patch)
            savefig = Figure.savefig

            def keep(figure: Figure, file: Path, **settings: Any) -> None:
                figures[Path(file).name] = figure
                savefig(figure, file, **settings)

            patch.setattr(Figure, "savefig", keep)
            result = execute(short(name), out=folder, strict=True)
        return Written(result, folder, dict(counts), figures)

    return cache(write)


@pytest.fixture(scope="module")
def ran(written: Callable[[str], Written]) -> Callable[[str], Result]:
    """The run of a preset that most claims here are about, made once: that with the files, where they are looked at."""
    return cache(lambda name: execute(short(name), strict=True) if name in ALIKE else written(name).result)


@pytest.fixture(scope="module")
def quiet() -> Callable[[str], Result]:
    """A preset cut short and otherwise as it is shipped, run once."""
    return cache(lambda name: run(name, duration=SHORT, strict=True))


def choices() -> list[tuple[str, str, str]]:
    """(preset, field, kind) of every choice of a group that a preset offers and does not take."""
    found = []
    for name in PRESETS:
        scenario = load(name)
        for field, info in type(scenario).model_fields.items():
            taken = getattr(getattr(scenario, field), "kind", None)
            found += [(name, field, kind) for kind in form_of(info).tags if kind != taken]
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_a_run_passes_its_audit_and_all_its_metrics_are_finite(
    name: str, ran: Callable[[str], Result], quiet: Callable[[str], Result]
) -> None:
    for result, duration in ((ran(name), short(name).duration), (quiet(name), SHORT)):
        assert result.metrics
        assert all(math.isfinite(v) for v in result.metrics.values()), result.metrics
        assert result.duration == pytest.approx(duration)


@pytest.mark.parametrize(("name", "field", "kind"), choices())
def test_every_choice_of_a_scenario_runs_and_passes_its_audit(name: str, field: str, kind: str) -> None:
    execute(load(name, {"duration": SHORT, f"{field}.kind": kind}), strict=True)


def has_fast_states(name: str) -> bool:
    """Whether something in a preset, such as a drive, advances states inside the step."""
    grounds = load(name).build().grounds.values()
    return any(row.bank.advance is not None for ground in grounds for row in ground.blueprint.rows.values())


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("method", ["dopri5", "dopri54"])
def test_every_integrator_gives_nearly_the_same_metrics(name: str, method: str, quiet: Callable[[str], Result]) -> None:
    ours, changed = quiet(name).metrics, load(name, {"duration": SHORT, "integrator.method": method})
    if method == "dopri54" and has_fast_states(name):
        with pytest.raises(InputError, match="allowed: RK4 or Dopri5"):
            execute(changed)
        return
    other = execute(changed, strict=True).metrics
    for metric, value in ours.items():
        if not metric.startswith("audit.") and metric != "steps":
            assert other[metric] == pytest.approx(value, rel=INTERPOLATED.get(metric, 1e-6), abs=1e-7), metric


def pictures() -> list[Any]:
    """Presets; those that draw what another one draws are slow."""
    return [pytest.param(n, marks=pytest.mark.slow) if n in ALIKE else n for n in PRESETS]


@pytest.mark.parametrize("name", pictures())
def test_a_run_writes_its_scenario_its_metrics_its_log_and_its_plots_and_builds_nothing_twice(
    name: str, written: Callable[[str], Written], ran: Callable[[str], Result]
) -> None:
    folder, built = written(name).folder, written(name).built
    assert built["Mission"] == 1
    assert set(built.values()) == {1}
    assert {p.name for p in folder.iterdir()} >= {"scenario.yaml", "metrics.json", "log.mcap", "picture.png", "plots"}
    metrics = (folder / "metrics.json").read_text(encoding="utf-8")
    assert metrics == metrics_json(ran(name).metrics)
    assert json.loads(metrics)["duration_s"] == pytest.approx(short(name).duration)


def unreadable(figure: Figure) -> list[str]:
    """What a stranger could not tell from a figure's axes; pictures have their axes off."""
    found = []
    told = {text.get_text() for ax in figure.axes if (shown := ax.get_legend()) for text in shown.get_texts()}
    for ax in (ax for ax in figure.axes if ax.axison):
        where = f"{ax.get_title(loc='left')!r} {ax.get_ylabel()!r}"
        along = [sibling.get_xlabel() for sibling in ax.get_shared_x_axes().get_siblings(ax)]
        bar = ax.get_label() == "<colorbar>"
        for label in (ax.get_ylabel(), *(() if bar else (max(along, key=len),))):
            if not re.fullmatch(r".+ \[[^\],]+\]", label, re.DOTALL):  # one unit
                found.append(f"{where}: label {label!r}")
        labels, hues = [str(line.get_label()) for line in ax.lines], [to_hex(line.get_color()) for line in ax.lines]
        if len(set(hues)) < len(hues):
            found.append(f"{where}: a colour twice")
        rows = {tick.get_text() for tick in ax.get_yticklabels()}
        if len(labels) > 1 and not set(labels) <= told | rows:
            found.append(f"{where}: lines without a name: {set(labels) - told}")
        named = any(re.search("[a-z]", row) for row in rows)  # the zero of a state says what it is
        if ax.lines and not (named or ax.texts) and not any(np.asarray(line.get_ydata()).any() for line in ax.lines):
            found.append(f"{where}: nothing but zero, and not told")
        if "+" in ax.yaxis.get_offset_text().get_text():
            found.append(f"{where}: numbers are to be added to {ax.yaxis.get_offset_text().get_text()}")
        if not (ax.lines or ax.collections or ax.images):
            found.append(f"{where}: empty")
    return found


@pytest.mark.parametrize("name", pictures())
def test_every_plot_says_what_it_shows_in_one_unit_an_axis_and_no_colour_twice(
    name: str, written: Callable[[str], Written]
) -> None:
    figures = written(name).figures
    assert set(figures) >= {"audit.png", "picture.png", *(f"{n}.png" for n in load(name).build().plots)}
    assert {file: unreadable(figure) for file, figure in figures.items()} == {file: [] for file in figures}


@pytest.mark.parametrize("name", PRESETS)
def test_every_entry_of_a_signal_has_a_label_and_one_unit(name: str, ran: Callable[[str], Result]) -> None:
    for signal in ran(name).signals.values():
        assert signal.size % len(signal.unit.split(", ")) == 0, signal
        assert signal.labels or signal.size == 1, signal


@pytest.mark.parametrize("name", PRESETS)
def test_a_dumped_scenario_loads_equal_and_the_same_seed_gives_the_same_bytes(
    name: str, tmp_path: Path, ran: Callable[[str], Result]
) -> None:
    file = tmp_path / "again.yaml"
    for scenario in (load(name), short(name)):
        file.write_text(dump(scenario), encoding="utf-8")
        again = load(file)
        assert again == scenario
    assert metrics_json(execute(again).metrics) == metrics_json(ran(name).metrics)


@pytest.mark.parametrize(
    ("name", "share"),
    [(name, share) for name in PRESETS for share in (1 / 3, 1 / 2) if name not in LONGER or share > 0.4],
)
def test_a_run_saved_and_restored_in_the_middle_gives_the_same_bytes(
    name: str, share: float, tmp_path: Path, ran: Callable[[str], Result]
) -> None:
    scenario = short(name)
    whole = metrics_json(ran(name).metrics)
    mission = scenario.build()
    session = mission.session(scenario.seed)
    session.step(round(share * scenario.duration, 1))  # between two steps
    saved = session.snapshot().save(tmp_path / "snapshot")
    again = scenario.build()
    other = again.session(0)
    other.restore(ff.Snapshot.load(saved))
    result = again.complete(other, scenario.duration)
    assert metrics_json({**result.metrics, **again.judge(result)}) == whole


@pytest.mark.parametrize("name", [n for n in PRESETS if "sensors" in type(load(n)).model_fields])
def test_another_seed_gives_other_noise(name: str, ran: Callable[[str], Result]) -> None:
    other = execute(short(name, seed=2)).metrics
    assert metrics_json(other) != metrics_json(ran(name).metrics)


@pytest.mark.parametrize("name", PRESETS)
def test_names_of_metrics_end_in_their_unit(name: str, ran: Callable[[str], Result]) -> None:
    for metric in ran(name).metrics:
        metric = re.sub(r"(\.\d+)+$", "", metric)  # one of several alike, such as thrusters or bands
        assert re.fullmatch(r"[a-z][A-Za-z0-9_]*(\.[a-z][A-Za-z0-9_]*)*", metric), metric
        pure = metric in PURE or metric.endswith(("_drift", "_nees", "_inside_3sigma", "_share_max"))
        assert pure or any(metric.removesuffix("_min").endswith(f"_{unit}") for unit in UNITS), metric


@pytest.mark.parametrize("name", PRESETS)
def test_every_recorded_signal_has_a_unit_and_a_meaning(name: str, ran: Callable[[str], Result]) -> None:
    for signal in ran(name).signals.values():
        assert signal.meaning, signal
        for unit in signal.unit.split(", "):  # a wrench has two
            dimension(unit)


@pytest.mark.parametrize("kind", registry.names())
def test_every_field_has_a_unit_and_a_meaning(kind: str) -> None:
    assert incomplete(registry.get(kind)) == []


@pytest.mark.parametrize("kind", registry.names())
def test_every_kind_has_a_json_schema(kind: str) -> None:
    schema = json.loads(json.dumps(json_schema(registry.get(kind)), allow_nan=False))
    assert schema["properties"]["kind"]["const"] == kind


@pytest.mark.parametrize("name", PRESETS)
def test_every_row_of_a_shown_scenario_has_a_meaning(name: str) -> None:
    assert all(row.meaning for row in rows(load(name)))


@pytest.mark.parametrize("name", LONGER)
def test_a_longer_run_gets_to_what_it_is_about(name: str, ran: Callable[[str], Result]) -> None:
    wanted = "rings meet" if name == "dock-probe-cone" else ".picked"
    assert any(event.name.endswith(wanted) for event in ran(name).events)
