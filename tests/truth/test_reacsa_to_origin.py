"""From anywhere to the origin: every seed arrives and stays (REACSA sec. 5.3.2, with thrusters that are not ideal).

`freefloat campaign to-origin` is the same with a thousand other seeds.
"""

from __future__ import annotations

import pytest

from freefloat.workers.many import cores, metrics_of

SEEDS, FEW = 50, 5


@pytest.mark.parametrize(
    "seeds", [range(FEW), pytest.param(range(FEW, SEEDS), marks=pytest.mark.slow)], ids=["few", "all others"]
)
def test_the_platform_arrives_and_stays_from_every_start(seeds: range) -> None:
    for seed, found in zip(seeds, metrics_of([("reacsa-to-origin", {"seed": s}) for s in seeds], cores()), strict=True):
        assert found["plan_duration_s"] == pytest.approx(min(12.0 * found["plan_shortest_s"], 125.0), rel=1e-9), seed
        assert found["success"] == 1.0, (seed, found)
        assert found["arrival_s"] <= 140.0, seed
        assert found["audit.energy_drift"] < 1e-6, seed
