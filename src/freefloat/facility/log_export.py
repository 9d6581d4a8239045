"""A run's commands from its log as trajectory files, which the facility executes again cycle by cycle."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from freefloat.engine.log.reader import LogData, read_log
from freefloat.errors import InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.modes import State
from freefloat.facility.record import FRAME_BITS, VALUES, Frame
from freefloat.facility.trajectory import Trajectory, write_trajectory
from freefloat.frames import Array

RUNNING = list(State).index(State.RUNNING)  # of the signal fmc.state
MODE, STATE = "cmd.mode", "fmc.state"
NAME = "trajectory.txt"


def export_trajectories(log: str | PathLike[str], out: str | PathLike[str] | None = None) -> list[Path]:
    """Write each stretch of commands that a run executed; the files.

    They are `out`, by default `trajectory.txt` beside the log; a second stretch gets `-2` before the ending, and so on.
    Each row is the command as it came, in its own frame.
    """
    log = Path(log)
    path = Path(out) if out is not None else log.parent / NAME
    stretches = trajectories_of(read_log(log), str(log))
    paths = [path if k == 0 else path.with_stem(f"{path.stem}-{k + 1}") for k in range(len(stretches))]
    for one, trajectory in zip(paths, stretches, strict=True):
        write_trajectory(one, trajectory)
    return paths


def trajectories_of(data: LogData, where: str = "log") -> list[Trajectory]:
    """Commands of every stretch of the state `running` in a log of the facility."""
    prefix = _facility(data, where)
    t, modes = _column(data, f"{prefix}{MODE}", where)
    running = np.flatnonzero(_beside(t, data, f"{prefix}{STATE}", where) == RUNNING)
    if not running.size:
        raise InputError(f"{where}: the facility was never {State.RUNNING}; allowed: a log with executed commands")
    frames = modes.astype(np.int64) & FRAME_BITS
    values = np.zeros((len(t), VALUES))
    for kind in Frame:
        rows = running[frames[running] == kind]
        if rows.size:
            values[rows] = _beside(t, data, f"{prefix}cmd.{kind.name.lower()}", where)[rows]
    found: list[Trajectory] = []
    for rows in np.split(running, np.flatnonzero(np.diff(running) > 1) + 1):
        _check_pace(t[rows], where)
        found.append(Trajectory(frames[rows], values[rows]))
    return found


def _facility(data: LogData, where: str) -> str:
    """What stands before the names of the facility's signals."""
    for name in data.signals:
        if name == MODE or name.endswith(f".{MODE}"):
            return name.removesuffix(MODE)
    raise InputError(f"{where}: no signal {MODE}; allowed: the log of a run of the docking facility")


def _column(data: LogData, name: str, where: str) -> tuple[Array, Array]:
    """Times [s] and values of a signal."""
    for table in data.frames.values():
        if name in table.columns:
            return table["t"].to_numpy(), table[name].to_numpy()
    raise InputError(f"{where}: no signal {name} beside {MODE}; allowed: the facility's whole data pool")


def _beside(t: Array, data: LogData, name: str, where: str) -> Array:
    """A signal that is logged at the same times as the mode."""
    times, values = _column(data, name, where)
    if not np.array_equal(times, t):
        raise InputError(f"{where}: {name} at {len(times)} other times; allowed: the {len(t)} of {MODE}")
    return values


def _check_pace(t: Array, where: str) -> None:
    """A file has no times: each of its lines is a cycle."""
    wrong = np.flatnonzero(np.abs(np.diff(t) - CYCLE) > 0.25 * CYCLE)
    if wrong.size:
        k = int(wrong[0])
        gap = f"{1e3 * (t[k + 1] - t[k]):.6g} ms after t = {t[k]:.6g} s"
        raise InputError(f"{where}: the next command is {gap}; allowed: one each {1e3 * CYCLE:g} ms")
