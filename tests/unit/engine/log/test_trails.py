"""Paths in the scene of a log: through the recorded places, whole in every message, and small in long runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import freefloat as ff
from freefloat.engine.log.frames import LinkColumns
from freefloat.engine.log.trails import MOST, TrailTopic
from freefloat.frames import Pose


def test_a_path_goes_through_recorded_places_from_the_start_until_now(tmp_path: Path, shown_by: Any) -> None:
    thrown = ff.Motion(Pose.identity(), (0.0, 0.0, 1.0), (0.5, 0.0, 2.0))
    still = ff.RigidBody("still", 1.0, size=(0.1, 0.1, 0.1), motion=ff.Motion(Pose(np.eye(3), [3.0, 0.0, 0.0])))
    mission = ff.Mission([ff.RigidBody("ball", 1.0, motion=thrown), still])
    result = mission.run(3.0, log=tmp_path / "log.mcap")
    shown = shown_by(tmp_path / "log.mcap")
    p = result["ball.p_WB"]
    for t in (0.6, 1.7, 2.99):
        found = shown.topic_at("/scene/trails", t)
        assert set(found) == {"ball"}, "what has not moved has no path"
        ((kind, X, points),) = found["ball"]
        assert kind == "line"
        assert np.array_equal(X.matrix(), np.eye(4)), "in W"
        for point in points:
            assert np.abs(p - point).max(axis=1).min() <= 1e-12
        now = p[np.searchsorted(result.time("ball.p_WB"), t)]
        assert np.linalg.norm(points[-1] - now) <= 0.55 * 2.1
        assert np.array_equal(points[0], p[0])


def test_a_long_path_has_few_points_and_few_messages() -> None:
    topic = TrailTopic("W", [LinkColumns("a", slice(0, 3), slice(3, 7))])
    sizes: list[int] = []
    for k in range(50_000):  # 1000 s
        update = topic.update(20_000_000 * k, [1e-3 * k, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        if update is not None:
            sizes.append(len(update.encode()))
    assert len(sizes) < 250
    assert max(sizes) < 40 * (MOST + 10)
