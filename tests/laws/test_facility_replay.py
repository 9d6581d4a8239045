"""What an application commanded, replayed from its exported file, is executed byte by byte as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import freefloat as ff
from freefloat.facility.log_export import export_trajectories

POOL = ("rob1.act.axes", "rob2.act.axes", "rail.act", "rob1.cmd.axes", "rob2.cmd.axes", "rail.cmd")
SHORT = {"tumble.turns": 0.2, "tumble.rate": "40 deg/s", "tumble.ramp": "1 s", "facility.confirm": "4 s"}


def test_an_application_and_its_exported_trajectory_give_the_same_bytes_cycle_by_cycle(tmp_path: Path) -> None:
    told = ff.run("epos-tumble", {**SHORT, "duration": "7.5 s"}, out=tmp_path / "told")
    exported = export_trajectories(tmp_path / "told" / "log.mcap", tmp_path / "trajectory.txt")
    changes = {"trajectory": str(exported[0]), "facility.confirm": "4 s", "duration": "7.5 s"}
    played = ff.run("epos-approach", changes, out=tmp_path / "played")
    running = told["fmc.state"] == 5.0
    assert running.sum() > 800
    assert np.ptp(told["rob2.act.axes"][running], axis=0).max() > 1.0
    for name in POOL:
        assert told[name][running].tobytes() == played[name][running].tobytes(), name
