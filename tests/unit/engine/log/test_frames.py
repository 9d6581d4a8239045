"""Named frames of a log, against the signals of the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import freefloat as ff
from freefloat.frames import Pose

X_BF = Pose.from_rpy((0.3, -0.2, 0.9), (0.5, 0.1, -0.4))
SPIN = ff.Motion(Pose.from_rpy((0.1, 0.2, 0.3), (1.0, 2.0, 3.0)), (0.4, -0.3, 0.2), (0.1, 0.0, -0.2))


def check(shown: Any, result: ff.Result, body: str, world: str) -> None:
    t = result.time(f"{body}.p_WB")
    for row in (0, len(t) // 2, len(t) - 2):
        now = round(1e9 * t[row])
        for name, letter in ((body, "B"), (f"{body}.port", "F")):
            q, p = result[f"{name}.q_W{letter}"][row], result[f"{name}.p_W{letter}"][row]
            assert np.abs(shown.X(name, now).matrix() - Pose.from_quat(q, p).matrix()).max() <= 1e-12
    stamps = {frame: [stamp for stamp, _, _ in told] for frame, told in shown.frames.items()}
    assert stamps[f"{body}.port"] == stamps[body], "every message has all frames"
    assert {parent for _, parent, _ in shown.frames[f"{body}.port"]} == {body}
    assert {parent for _, parent, _ in shown.frames[body]} == {world}


def test_named_frames_are_where_their_signals_say_and_in_every_message(tmp_path: Path, shown_by: Any) -> None:
    body = ff.RigidBody("box", 10.0, frames={"port": X_BF}, motion=SPIN)
    result = ff.Mission([body], record_rate=50.0).run(0.5, log=tmp_path / "log.mcap")
    check(shown_by(tmp_path / "log.mcap"), result, "box", "W")


def test_frames_of_several_worlds_hang_on_their_own_world(tmp_path: Path, shown_by: Any) -> None:
    worlds = [
        ff.WorldSetup(w, [ff.RigidBody(n, 10.0, frames={"port": X_BF}, motion=SPIN)])
        for w, n in (("left", "a"), ("right", "b"))
    ]
    result = ff.Mission(worlds=worlds, record_rate=50.0).run(0.3, log=tmp_path / "log.mcap")
    shown = shown_by(tmp_path / "log.mcap")
    check(shown, result, "a", "left")
    check(shown, result, "b", "right")
    assert len(shown.frames["left"]) == len(shown.frames["a"]), "the world itself too"
