"""Runs beside each other: what differs is told, what is the same is not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from freefloat.engine.log.writer import LogWriter
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.view import comparison
from freefloat.view.comparison import common_signals, differing_fields, draw_comparison, metric_rows, read_runs

SIGNALS = [Signal("arm.q", "rad", (2,), labels=("elbow", "wrist")), Signal("bus.q_WB", "-", (4,), "W")]
T = np.linspace(0.0, 1.0, 21)


def folder(home: Path, gain: float, mass: float, step: int = 1) -> Path:
    """A run folder with two joints and an attitude that is the same but for its sign."""
    home.mkdir()
    (home / "metrics.json").write_text(json.dumps({"error_m": gain, "same": 1.0, "none": None}))
    (home / "scenario.yaml").write_text(f"kind: x\nschema: 1\nbus:\n  mass: {mass}\n  size: [1, 2]\n")
    t = T[::step]
    q = np.column_stack([gain * t, t])
    still = np.tile([0.0, 1.0, 0.0, 0.0], (len(t), 1)) * np.sign(gain - 1.5)
    with LogWriter(home / "log.mcap", {"plant": SIGNALS}) as log:
        log.write("plant", t, np.column_stack([q, still]))
        log.metadata("freefloat", {"plots": "arm.q bus.q_WB gone.q"})
    return home


def test_metrics_fields_and_signals_of_runs_are_compared(tmp_path: Path) -> None:
    runs = read_runs([folder(tmp_path / "a", 1.0, 10.0), folder(tmp_path / "b", 2.0, 12.0, step=2)])
    assert metric_rows(runs) == {"error_m": [1.0, 2.0], "none": [None, None], "same": [1.0, 1.0]}
    assert differing_fields(runs) == {"bus.mass": ["10.0", "12.0"]}
    signals = common_signals(runs)
    assert [s.name for s in signals] == ["arm.q", "bus.q_WB"]
    files, found = draw_comparison(runs, signals, tmp_path / "out")
    assert [f.name for f in files if f.is_file()] == ["arm.q.png", "bus.q_WB.png"]
    largest = {(d.signal, d.label): (d.unit, d.largest[0]) for d in found}
    assert largest["arm.q", "elbow"] == ("deg", pytest.approx(np.rad2deg(1.0)))
    assert largest["arm.q", "wrist"] == ("deg", pytest.approx(0.0, abs=1e-12))
    assert largest["bus.q_WB", "roll"] == ("deg", pytest.approx(0.0, abs=1e-9)), "a sign is not a difference"


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    one = folder(tmp_path / "a", 1.0, 10.0)
    with pytest.raises(InputError, match="1 run to compare; allowed: two or more"):
        read_runs([one])
    with pytest.raises(InputError, match="the same run twice"):
        read_runs([one, one])
    with pytest.raises(InputError, match=r"has no metrics\.json, scenario\.yaml, log\.mcap"):
        read_runs([one, tmp_path])
    with pytest.raises(InputError, match=r"'arm\.p'.*Did you mean 'arm\.q'"):
        common_signals(read_runs([one, folder(tmp_path / "b", 2.0, 10.0)]), ["arm.p"])


def test_only_files_that_were_written_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = read_runs([folder(tmp_path / "a", 1.0, 10.0), folder(tmp_path / "b", 2.0, 12.0)])
    drawn = comparison._drawn  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(comparison, "_drawn", lambda run, s: {} if s.name == "arm.q" else drawn(run, s))
    files, _ = draw_comparison(runs, common_signals(runs), tmp_path / "out")
    assert [f.name for f in files] == ["bus.q_WB.png"] == [f.name for f in (tmp_path / "out").iterdir()]
