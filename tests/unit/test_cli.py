from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from freefloat.cli import main
from freefloat.doctor import packages
from freefloat.errors import AuditError, AuditWarning, ModelError, SimulationError, StepWarning
from freefloat.extras import install
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario

Execute = Callable[..., Any]
Outcome = Callable[..., tuple[int, str, str]]


class Plain(Scenario):
    kind: ClassVar[str] = "plain"
    title: ClassVar[str] = "Nothing but the base"

    def build(self) -> Any:
        if self.seed == 13:
            raise ModelError("arm.urdf: link 'a' has no mass")
        if self.integrator.step == "auto":
            return SimpleNamespace(
                grounds={"": SimpleNamespace(blueprint=SimpleNamespace(advices=[1]))}, session=warn, notes=()
            )
        return SimpleNamespace(grounds={}, notes=[f"arm: link {k} merged" for k in range(self.seed)])


def warn(seed: int) -> None:
    warnings.warn("contact 'feet': a step of 1 ms is too long", StepWarning, stacklevel=1)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh = registry.Registry("freefloat.tests-none")
    fresh.add("plain", Plain)
    monkeypatch.setattr(registry, "scenarios", fresh)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def outcome(capsys: pytest.CaptureFixture[str]) -> Outcome:
    """Exit code, standard output and standard error of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Execute], None]:
    """Put a function in the place of the one that runs scenarios."""

    def install(execute: Execute) -> None:
        monkeypatch.setattr("freefloat.api.execute", execute)

    return install


def result(**metrics: float) -> Any:
    audit = SimpleNamespace(passed=True)
    return SimpleNamespace(metrics=metrics, real_time_factor=10.0, wall_time=0.1, step=2e-4, audit=audit, notes=())


def test_list_has_one_line_per_scenario_and_a_json_form(outcome: Outcome):
    code, out, error = outcome("list")
    scenarios, _, campaigns = out.partition("\n\ncampaigns (freefloat campaign NAME):\n")
    assert (code, scenarios, error) == (0, "plain  Nothing but the base", "")
    assert [line.split()[0] for line in campaigns.splitlines()] == ["docking-envelope", "to-origin"]
    code, out, _ = outcome("list", "--json")
    assert code == 0
    plain, *shipped = json.loads(out)
    assert plain == {"name": "plain", "kind": "plain", "title": "Nothing but the base", "file": None}
    assert {row["kind"] for row in shipped} == {"campaign"}


def test_show_prints_a_row_per_field(outcome: Outcome):
    code, out, _ = outcome("show", "plain", "integrator.step")
    assert code == 0
    assert out.split("\n")[1].split()[:4] == ["integrator.step", "0.001", "s", "0.001"]
    assert "auto | >= 1e-09 and <= 10 s" in out
    assert "fixed step (whole nanoseconds)" in out


def test_check_validates_builds_and_prints_the_schema(outcome: Outcome):
    Path("good.yaml").write_text("kind: plain\nschema: 1\n")
    Path("bad.yaml").write_text("kind: plain\nschema: 1\nseed: 13\n")
    assert outcome("check", "good.yaml") == (0, "good.yaml: ok (plain)\n", "")
    assert outcome("check", "bad.yaml") == (2, "", "error: arm.urdf: link 'a' has no mass\n")
    code, out, _ = outcome("check", "bad.yaml", "--schema")
    assert code == 0
    assert json.loads(out)["properties"]["kind"] == {"const": "plain", "description": "kind of scenario"}


def test_check_prints_some_notes_of_the_robots_and_json_has_all(outcome: Outcome):
    Path("noted.yaml").write_text("kind: plain\nschema: 1\nseed: 8\n")
    code, out, _ = outcome("check", "noted.yaml")
    lines = out.splitlines()
    assert (code, lines[0], len(lines)) == (0, "note: arm: link 0 merged", 8)
    assert lines[-2:] == ["note: ... and 2 more; `freefloat check noted.yaml --json`", "noted.yaml: ok (plain)"]
    assert len(json.loads(outcome("check", "noted.yaml", "--json")[1])["notes"]) == 8


@pytest.mark.filterwarnings("always")
def test_check_tells_of_a_step_that_is_too_long_for_a_part(outcome: Outcome):
    Path("stiff.yaml").write_text("kind: plain\nschema: 1\nintegrator: {step: auto}\n")
    told = "warning: contact 'feet': a step of 1 ms is too long\n"
    assert outcome("check", "stiff.yaml") == (0, "stiff.yaml: ok (plain)\n", told)


def test_run_passes_what_was_asked_and_prints_one_flat_json_object(outcome: Outcome, use: Any):
    called: dict[str, Any] = {}

    def execute(scenario: Scenario, **options: Any) -> Any:
        called.update(options, scenario=scenario)
        options["progress"](0.0, scenario.duration)
        options["progress"](scenario.duration, scenario.duration)
        return result(error_m=0.25, undefined=math.nan)

    use(execute)
    code, out, err = outcome(
        "run", "plain", "--set", "integrator.step=2 ms", "--seed", "4", "--duration", "1 min", "--strict", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == {"error_m": 0.25, "undefined": None, "real_time_factor": 10.0, "wall_time_s": 0.1}
    assert out.count("\n") == 1
    assert called["scenario"].integrator.step == 0.002
    assert (called["strict"], called["realtime"]) == (True, False)
    assert (called["scenario"].seed, called["scenario"].duration) == (4, 60.0)
    assert called["out"] == Path("runs/plain-001")


def test_run_prints_a_table_of_metrics_and_where_it_wrote(outcome: Outcome, use: Any):
    use(lambda scenario, **_: result(error_m=0.25))
    code, out, _ = outcome("run", "plain", "--out", "here")
    assert code == 0
    assert "error_m  0.25" in out
    assert "10 x real time, 0.1 s; written to here" in out


def test_a_step_that_was_chosen_is_printed(outcome: Outcome, use: Any):
    use(lambda scenario, **_: result(error_m=0.25))
    code, out, _ = outcome("run", "plain", "--set", "integrator.step=auto")
    assert code == 0
    assert out.endswith("step: 0.2 ms\n")
    assert "step:" not in outcome("run", "plain")[1]


def test_every_run_gets_a_new_folder(outcome: Outcome, use: Any):
    folders: list[Path] = []

    def execute(scenario: Scenario, **options: Any) -> Any:
        folders.append(options["out"])
        (options["out"] / "metrics.json").write_text("{}")
        return result()

    use(execute)
    Path("runs/plain-007").mkdir(parents=True)
    Path("runs/plain-old").mkdir()
    Path("mine.yaml").write_text("kind: plain\nschema: 1\n")
    for name in ("plain", "plain", "mine.yaml"):
        assert outcome("run", name)[0] == 0
    assert [str(f) for f in folders] == ["runs/plain-008", "runs/plain-009", "runs/mine-001"]


def fails(error: BaseException, leave: str = "") -> Execute:
    def execute(scenario: Scenario, **options: Any) -> Any:
        if leave:
            (options["out"] / leave).write_text("kept")
        raise error

    return execute


@pytest.mark.parametrize("error", [SimulationError("diverged at t = 3 s"), AuditError("energy drift 1e-3")])
def test_a_failed_simulation_ends_with_1_its_reason_and_its_log(outcome: Outcome, use: Any, error: Exception):
    use(fails(error, leave="log.mcap"))
    code, out, err = outcome("run", "plain", "--json")
    assert (code, out) == (1, "")
    assert err == f"error: {error}; what was recorded is in runs/plain-001\n"
    assert Path("runs/plain-001/log.mcap").read_text() == "kept"


def test_ctrl_c_ends_with_130_and_keeps_the_log(outcome: Outcome, use: Any):
    use(fails(KeyboardInterrupt(), leave="log.mcap"))
    code, out, err = outcome("run", "plain", "--json")
    assert (code, out, err) == (130, "", "interrupted; what was recorded is in runs/plain-001\n")
    assert Path("runs/plain-001/log.mcap").exists()


def test_a_model_that_cannot_be_built_leaves_no_folder(outcome: Outcome, use: Any):
    use(fails(ModelError("arm.urdf: link 'a' has no mass")))
    assert outcome("run", "plain", "--json") == (2, "", "error: arm.urdf: link 'a' has no mass\n")
    assert not list(Path("runs").iterdir())


def test_ctrl_c_outside_a_run_ends_with_130(outcome: Outcome, monkeypatch: pytest.MonkeyPatch):
    def interrupt() -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("freefloat.scenario.presets.presets", interrupt)
    assert outcome("list")[0] == 130


@pytest.mark.filterwarnings("always")
def test_a_failed_audit_is_the_last_line(outcome: Outcome, use: Any, monkeypatch: pytest.MonkeyPatch):
    def execute(scenario: Scenario, **options: Any) -> Any:
        warnings.warn("energy drift 1e-3 exceeds 1e-6", AuditWarning, stacklevel=1)
        warnings.warn("a step is too long", StepWarning, stacklevel=1)
        found = result(error_m=0.25)
        found.audit = SimpleNamespace(passed=False, verdict="energy drift 1e-3 exceeds 1e-6")
        return found

    use(execute)
    code, _, err = outcome("run", "plain", "--json")
    assert (code, err) == (0, "warning: a step is too long\nwarning: energy drift 1e-3 exceeds 1e-6\n")
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    assert outcome("run", "plain")[1].endswith("\nwarning: energy drift 1e-3 exceeds 1e-6\n")


@pytest.mark.parametrize(("argument", "shown"), [("--help", "run"), ("list", "free-floating-arm")])
def test_help_and_list_import_nothing_heavy(argument: str, shown: str):
    code = (
        "import sys\nfrom freefloat.cli import main\n"
        f"try:\n    main([{argument!r}])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'pydantic', 'numba', 'mujoco', 'polars', 'matplotlib', 'ruamel'}\n"
        "sys.exit(sorted(heavy & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m freefloat.cli doctor | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Python ")
    assert done.stderr == ""


def test_doctor_names_each_package_and_what_is_missing(outcome: Outcome, monkeypatch: pytest.MonkeyPatch):
    extra = ["nothing-like-it[fast]~=1.2; extra == 'orbit'", "freefloat[orbit]; extra == 'all'"]
    monkeypatch.setattr("freefloat.doctor.requires", lambda _: ["numpy>=2.0", "ruamel.yaml>=0.18", *extra])
    found = {p.name: p for p in packages()}
    assert list(found) == ["numpy", "ruamel.yaml", "nothing-like-it"]
    assert found["numpy"].size > 1_000_000
    missing = found["nothing-like-it"]
    assert (missing.extra, missing.needed, missing.version) == ("orbit", "~=1.2", "")
    assert missing.remedy == install("orbit")
    code, out, _ = outcome("doctor")
    assert code == 0
    assert install("orbit") in out
    assert "MuJoCo library: every function that Freefloat calls is there" in out


def test_doctor_ends_with_1_where_the_core_is_incomplete(outcome: Outcome, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("freefloat.doctor.requires", lambda _: ["nothing-like-it>=1"])
    code, out, _ = outcome("doctor")
    assert code == 1
    assert install() in out
