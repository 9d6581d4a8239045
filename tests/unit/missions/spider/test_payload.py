"""SPIDER latches a free box."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.blueprint import draw
from freefloat.missions.spider.payload import momentum


def test_a_latch_takes_energy_and_keeps_momentum() -> None:
    changes = {"fetch.detour": [0.0, 0.0, 0.01], "box.gap": 0.005}
    result = ff.run("spider-payload", changes, duration=9.0, strict=True)
    before, after = result["ledger.before"][-1], result["ledger.after"][-1]
    assert result.metrics["latch_momentum_error"] < 1e-12
    assert after[3] < 0.95 * before[3]  # what moved against each other no longer does
    (latched,) = (event for event in result.events if event.name == "latched")
    assert float(latched.result.split()[0]) > 0.0


def test_momentum_of_links_is_that_of_their_motion() -> None:
    spin = ff.Motion(ff.Pose(np.eye(3), (1.0, 0.0, 0.0)), w_WL_L=(0.0, 0.0, 2.0), v_WL=(0.0, 3.0, 0.0))
    body = ff.RigidBody("body", 2.0, inertia=(1.0, 1.0, 0.5), p_BBcm=(0.1, 0.0, 0.0), motion=spin)
    p = 2.0 * (3.0 + 0.2)
    assert momentum(ff.Mission([body]).session(), draw([body]).links) == pytest.approx(
        [0.0, p, 0.0, p, 0.0, 0.0, 1.1 * p + 1.0, 1.1 * p + 1.0]
    )
