"""Commands of a log come back as trajectory files, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.engine.log.writer import LogWriter
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.facility.log_export import RUNNING, export_trajectories
from freefloat.facility.pool import STATES, VARIABLES
from freefloat.facility.record import Frame, mode_of
from freefloat.facility.trajectory import read_trajectory

READY, STOPPING = RUNNING - 1, RUNNING + 1
COMMANDS = [Signal(f"epos.cmd.{frame.name.lower()}", "-", (22,)) for frame in Frame]
POOL = [Signal("epos.fmc.state", "-"), Signal("epos.cmd.mode", "-"), *COMMANDS]


def _log(path: Path, states: list[int], frames: list[Frame], cycle: float = 0.004) -> np.ndarray:
    """A log with random commands (n, 4, 22) in all frames."""
    n = len(states)
    values = np.random.default_rng(2).normal(size=(n, 4, 22))
    modes = [mode_of(frame, alive=True) for frame in frames]
    rows = np.column_stack([states, modes, values.reshape(n, -1)])
    with LogWriter(path, {"fmc": POOL}) as log:
        log.write("fmc", cycle * np.arange(n), rows)
    return values


def test_the_pool_has_the_signals_by_these_names() -> None:
    assert {signal.name.removeprefix("epos.") for signal in POOL} <= set(VARIABLES)
    assert STATES[RUNNING] == "running"


def test_rows_of_the_running_state_come_back_in_the_frames_of_their_commands(tmp_path: Path) -> None:
    states = [READY, *[RUNNING] * 5, STOPPING, READY]
    frames = [Frame.CLW] * 3 + [Frame.IJT] * 5
    values = _log(tmp_path / "log.mcap", states, frames)
    (path,) = export_trajectories(tmp_path / "log.mcap")
    assert path == tmp_path / "trajectory.txt"
    read = read_trajectory(path)
    assert read.frames.tolist() == [1, 1, 3, 3, 3]
    expected = np.array([values[i, frames[i] - 1] for i in range(1, 6)])
    assert read.values.tobytes() == expected.tobytes()


def test_each_stretch_of_motion_has_a_file_of_its_own(tmp_path: Path) -> None:
    states = [RUNNING, RUNNING, STOPPING, READY, RUNNING, RUNNING, RUNNING]
    _log(tmp_path / "log.mcap", states, [Frame.GLC] * 7)
    paths = export_trajectories(tmp_path / "log.mcap", tmp_path / "own.txt")
    assert [p.name for p in paths] == ["own.txt", "own-2.txt"]
    assert [len(read_trajectory(p)) for p in paths] == [2, 3]


def test_logs_without_commands_or_with_lost_cycles_are_refused(tmp_path: Path) -> None:
    _log(tmp_path / "idle.mcap", [READY] * 3, [Frame.GLC] * 3)
    with pytest.raises(InputError, match=r"idle.mcap: the facility was never running; allowed: "):
        export_trajectories(tmp_path / "idle.mcap")
    _log(tmp_path / "slow.mcap", [RUNNING] * 3, [Frame.GLC] * 3, 0.02)
    with pytest.raises(InputError, match=r"the next command is 20 ms after t = 0 s; allowed: one each 4 ms"):
        export_trajectories(tmp_path / "slow.mcap")
    with LogWriter(tmp_path / "other.mcap", {"g": [Signal("x.y", "-")]}) as log:
        log.write("g", [0.0], [[1.0]])
    with pytest.raises(InputError, match=r"no signal cmd.mode; allowed: the log of a run of the docking facility"):
        export_trajectories(tmp_path / "other.mcap")
    with LogWriter(tmp_path / "part.mcap", {"g": POOL[:2]}) as log:
        log.write("g", [0.0], [[RUNNING, 2.0]])
    with pytest.raises(InputError, match=r"no signal epos.cmd.glc beside cmd.mode; allowed: "):
        export_trajectories(tmp_path / "part.mcap")
    with LogWriter(tmp_path / "two.mcap", {"g": POOL[1:], "h": POOL[:1]}) as log:
        log.write("g", [0.0], [[2.0, *[0.0] * 88]])
        log.write("h", [0.0, 0.004], [[RUNNING], [RUNNING]])
    with pytest.raises(InputError, match=r"epos.fmc.state at 2 other times; allowed: the 1 of cmd.mode"):
        export_trajectories(tmp_path / "two.mcap")
