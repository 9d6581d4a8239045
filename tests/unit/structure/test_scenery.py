"""What is only seen is in the log, where it was put, and changes nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.scenery import Label, Line, Mesh
from freefloat.geometry.shape import Shape
from freefloat.structure.scenery import Scenery

BLUE = (0.1, 0.3, 0.8, 1.0)
PATH = np.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.0], [2.0, 0.0, 0.7]])


def mission(*more: Any) -> ff.Mission:
    turning = ff.Motion(Pose.from_rpy((0.1, 0.2, 0.3), (4.0, 5.0, 6.0)), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    return ff.Mission([ff.RigidBody("bus", 10.0, motion=turning), *more], record_rate=50.0)


def test_drawings_stand_in_the_world_or_go_with_their_link(tmp_path: Path, shown_by: Any) -> None:
    still = Scenery("way", [Line(PATH, BLUE), Label("goal", (2.0, 0.0, 0.7))])
    moving = Scenery("aim", [Mesh(PATH, np.array([[0, 1, 2]]), BLUE), Shape("sphere", (0.2,))], "contact", on="bus")
    result = mission(still, moving).run(0.4, log=tmp_path / "log.mcap")
    shown = shown_by(tmp_path / "log.mcap")
    (line, text), t = shown.topic_at("/scene/paths", 0.3)["way"], 0.3
    assert line[0] == "line"
    np.testing.assert_array_equal(line[2], PATH)
    assert text[::2] == ("text", "goal")
    np.testing.assert_array_equal(text[1].p, [2.0, 0.0, 0.7])
    row = int(np.searchsorted(result.time("bus.p_WB"), t - 1e-9))
    X_WB = Pose.from_quat(result["bus.q_WB"][row], result["bus.p_WB"][row])
    drawn = {kind: (X, what) for kind, X, what in shown.topic_at("/scene/contact", t)["aim"]}
    X, points = drawn["triangles"]
    np.testing.assert_allclose(points @ X.R.T + X.p, PATH @ X_WB.R.T + X_WB.p, atol=1e-12)
    assert drawn["sphere"][1] == [0.4, 0.4, 0.4]


def test_it_changes_no_number_of_a_run() -> None:
    plain, drawn = mission().run(0.2), mission(Scenery("way", [Line(PATH, BLUE)])).run(0.2)
    assert plain.metrics == drawn.metrics
    assert list(plain.signals) == list(drawn.signals)


def test_a_link_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"scenery 'way'.*buss"):
        mission(Scenery("way", [Line(PATH, BLUE)], on="buss"))
