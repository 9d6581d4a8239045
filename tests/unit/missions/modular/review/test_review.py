"""Shares of limits, each with its instant, and where they go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from freefloat.missions.modular.review.review import review_of
from freefloat.missions.modular.review.subject import Subject


def test_every_figure_comes_with_the_instant_and_the_place_of_its_worst(
    recorded: Any, subject: Callable[..., Subject]
) -> None:
    recorded.robot("wm", "b", recorded.top((0, 0, 0)) + np.array([0.0, 0.0, 0.1]))
    rows = np.arange(recorded.rows)[:, None]
    recorded.set(
        **{
            "wm.q": np.hstack([0.0 * rows, np.where(rows == 20, 1.9, 0.0)]),
            "wm.qd": np.hstack([np.where(rows == 40, -0.4, 0.0), 0.0 * rows]),
            "wm.tau_applied": np.hstack([np.where(rows == 60, -7.5, 0.0), 0.0 * rows]),
            "modules.b.load": np.hstack([np.where(rows == 80, 25.0, 0.0), np.where(rows == 81, 51.0, np.nan)]),
            "wheels.h": np.hstack([0.0 * rows, 0.0 * rows, np.where(rows == 100, -2.0, 0.0)]),
        }
    )
    review = review_of(recorded.result(), subject(wm="b"))
    assert review.metrics == pytest.approx(
        {
            "clearance_min_m": 0.1,
            "approach_clearance_min_m": 0.5,
            "joint_limit_margin_min_deg": np.rad2deg(0.1),
            "joint_speed_share_max": 0.8,
            "joint_torque_share_max": 0.75,
            "interface_load_share_max": 51.0 / 204.0,
            "wheel_momentum_share_max": 0.25,
        },
        abs=1e-6,
    )
    told = {e.name.removeprefix("review."): e for e in review.events}
    assert review.metrics.keys() - told.keys() == {"approach_clearance_min_m"}, "nothing was carried"
    assert told["joint_limit_margin_min_deg"].t == pytest.approx(1.0)
    assert told["joint_speed_share_max"].t == pytest.approx(2.0)
    assert told["joint_torque_share_max"].t == pytest.approx(3.0)
    assert told["interface_load_share_max"].t == pytest.approx(4.05)
    assert told["wheel_momentum_share_max"].t == pytest.approx(5.0)
    assert told["joint_speed_share_max"].result == "0.8: joint outer of wm"
    assert told["interface_load_share_max"].result == "0.25: torque at hand b"
    assert [e.t for e in review.events] == sorted(e.t for e in review.events)
