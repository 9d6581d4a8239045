"""From anywhere to the origin: every seed arrives and stays (REACSA sec. 5.3.2, with thrusters that are not ideal)."""

from __future__ import annotations

import pytest

from freefloat.api import run

SEEDS, FEW = 50, 5


@pytest.mark.parametrize("seed", [s if s < FEW else pytest.param(s, marks=pytest.mark.slow) for s in range(SEEDS)])
def test_the_platform_arrives_and_stays_from_every_start(seed: int) -> None:
    found = run("reacsa-to-origin", seed=seed).metrics
    assert found["plan_duration_s"] == pytest.approx(min(12.0 * found["plan_shortest_s"], 125.0), rel=1e-9)
    assert found["success"] == 1.0, found
    assert found["arrival_s"] <= 140.0
    assert found["audit.energy_drift"] < 1e-6
