"""What the station feels of SPIDER, in a short form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.scenario.files import load


def test_margins_are_those_of_the_base_force_over_the_stations_mass(tmp_path: Path) -> None:
    result = ff.run("spider-microgravity", {"duration": 12.0}, out=tmp_path / "run", strict=True)
    record = result.of("vibration")
    felt, load = record["station.f_WB_B"], record["arm.base.mount_load"]
    np.testing.assert_allclose(felt[5:], -load[5:, :3] / 4.2e5, atol=1e-9)  # the station is all but at rest
    margins = {name: value for name, value in result.metrics.items() if name.startswith("margin_db.")}
    assert min(margins.values()) == result.metrics["margin_db_min"] > 10.0
    assert len(margins) == 27  # resolved in 12 s
    assert (tmp_path / "run" / "plots" / "spectrum.png").stat().st_size > 10_000
    assert 30.0 < result.metrics["power_mean_W"] < 130.0


def test_a_motion_that_is_too_fast_is_refused_at_its_field() -> None:
    with pytest.raises(InputError, match=r"motion: operation 0 \(move\): speed 0\.15 m/s; allowed: .* 0\.1 m/s"):
        load("spider-microgravity", {"motion.speed": 0.15, "duration": 1.0}).build()
