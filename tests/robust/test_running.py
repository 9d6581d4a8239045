"""Runs that are killed, interrupted or fail on the way: what the command line says and what is left on the disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import freefloat as ff
from freefloat.cli import main
from freefloat.engine.log.reader import read_log
from freefloat.errors import InputError
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import setting

PATIENCE = 120.0  # [s] for the first second of a run, compilation included

needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


@pytest.fixture
def under_way(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], Path, float]]]:
    """Start `freefloat run` and wait until its log holds a second; gives process, log and the log's last time."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> tuple[subprocess.Popen[str], Path, float]:
        command = [
            sys.executable,
            "-m",
            "freefloat.cli",
            "run",
            "free-floating-arm",
            "--out",
            "out",
            "--json",
            *options,
        ]
        process = subprocess.Popen(
            command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        started.append(process)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and process.poll() is None:
            seen = last_time(tmp_path / "out" / "log.mcap")
            if seen >= 1.0:
                return process, tmp_path / "out" / "log.mcap", seen
            time.sleep(0.05)
        process.kill()
        raise AssertionError(f"the run did not start: {process.communicate()[1]}")

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def last_time(log: Path) -> float:
    """The newest time in a log that may be just being made."""
    try:
        return float(read_log(log).frames["plant"]["t"].max() or 0.0)  # pyright: ignore[reportArgumentType]
    except (InputError, KeyError):
        return -1.0


@needs_signals
def test_kill_9_in_the_middle_of_a_run_loses_at_most_the_last_second(under_way: Any) -> None:
    process, log, seen = under_way("--duration", "1000", "--realtime")
    start = time.monotonic()
    time.sleep(2.5)
    passed = time.monotonic() - start  # with --realtime at least so much has been simulated since `seen`
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    left = read_log(log)
    assert not left.complete
    assert left.frames["plant"]["t"].max() >= seen + passed - 1.0
    t = left.frames["plant"]["t"].to_numpy()
    assert np.allclose(np.diff(t), 0.01, rtol=0.0, atol=1e-12)
    assert np.isfinite(left.frames["plant"]["arm.q"].to_numpy()).all()
    assert not (log.parent / "metrics.json").exists()


@needs_signals
@pytest.mark.parametrize("pace", [(), ("--realtime",)], ids=["free", "realtime"])
def test_ctrl_c_ends_a_run_with_130_and_a_complete_log(under_way: Any, pace: tuple[str, ...]) -> None:
    process, log, seen = under_way("--duration", "100000", *pace)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "interrupted; what was recorded is in out"
    left = read_log(log)
    assert left.complete
    assert left.frames["plant"]["t"].max() >= seen


class Failing(Scenario):
    """A body whose controller fails at t = 0.5 s in a way that can be chosen."""

    kind: ClassVar[str] = "failing"
    title: ClassVar[str] = "A controller that fails"
    how: str = setting("raise", "raise | nan | nothing")

    def build(self) -> ff.Mission:
        how = self.how

        class Faulty:
            def update(self, t: float, meas: Any) -> Any:
                if t < 0.5:
                    return {"w": np.zeros(6)}
                if how == "raise":
                    raise ZeroDivisionError("gain / 0")
                return {"w": np.full(6, np.nan)} if how == "nan" else None

        return ff.Mission([ff.RigidBody("bus")], [ff.Task(Faulty(), 0.1, writes={"w": "bus.wrench"})])


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], undrawn: None
) -> Iterator[Any]:
    """Run the command line in an empty folder: (exit code, standard output, standard error)."""
    registry.register(Failing)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    yield run
    registry.scenarios.remove("failing")


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raise", "ZeroDivisionError: gain / 0"),
        ("nan", "command 'bus.wrench': value [nan, nan, nan, nan, nan, nan] is not finite"),
        ("nothing", "its controller returned NoneType, not a mapping of ['w']"),
    ],
)
def test_a_controller_that_fails_ends_the_run_with_1_its_reason_and_its_log(
    command: Any, how: str, reason: str
) -> None:
    code, out, err = command("run", "failing", "--set", f"how={how}", "--out", "out", "--json")
    assert (code, out) == (1, "")
    assert err == f"error: task 'faulty' at t = 0.500000 s: {reason}; what was recorded is in out\n"
    log = read_log("out/log.mcap")
    assert log.complete
    assert log.frames["plant"]["t"].max() == pytest.approx(0.5)
    assert not Path("out/metrics.json").exists()


COARSE = ("--set", "integrator.step=1 s", "--set", "record_rate=1 Hz")


@pytest.mark.filterwarnings("always")
def test_a_failed_audit_is_a_warning_and_with_strict_an_error(command: Any) -> None:
    code, out, err = command("run", "tumbling-satellite", *COARSE, "--json")
    assert code == 0
    assert json.loads(out)["audit.angular_momentum_drift"] > 1e-8
    assert err.startswith("warning: the audit failed: ")
    assert err.count("\n") == 1
    code, out, err = command("run", "tumbling-satellite", *COARSE, "--strict", "--json", "--out", "strict")
    assert (code, out) == (1, "")
    assert err.startswith("error: the audit failed: ")
    assert err.endswith("what was recorded is in strict\n")
    assert read_log("strict/log.mcap").complete


def test_a_model_that_mujoco_refuses_ends_with_2_and_leaves_nothing(command: Any) -> None:
    code, out, err = command("run", "tumbling-satellite", "--set", "mass=1e-300", "--json")
    assert (code, out) == (2, "")
    assert err.startswith("error: MuJoCo refuses the model")
    assert err.count("\n") == 1
    assert not list(Path().glob("runs/*")), "bad input leaves no half-written result"
