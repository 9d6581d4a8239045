"""The scenario of loops with delay."""

from __future__ import annotations

from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import FreefloatError

SMALL = {"map.count": 2, "map.masses": [10.0]}


def test_the_run_tells_critical_delays() -> None:
    found = ff.run("delay-map", SMALL, duration=0.8, strict=True).metrics
    assert found["map_points"] == 4.0
    assert found["continuous_error_ratio"] < 1e-7
    assert found["sampled_error_ratio"] < 0.01
    assert found["sampled_critical_delay_s"] == pytest.approx(9.67015e-3 - 2e-3, rel=0.01)


def test_far_beyond_the_critical_delay_satellites_swing_up_and_no_critical_delay_is_told() -> None:
    result = ff.run("delay-map", {**SMALL, "loop.delays": ["20 ms"]}, duration=1.0)
    x = abs(result["feedback1.position"][:, 0])
    assert x[-50:].max() > 10.0 * x[:50].max()
    assert "sampled_critical_delay_s" not in result.metrics


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loop.delays": ["-1 ms"]}, r"loop.delays.0: '-1 ms' is out of range; allowed: >= 0 and <= 1 s"),
        ({"loop.mass": -5}, r"loop.mass: -5 is out of range; allowed: > 0 and <= 1000000 kg"),
        ({"loop.stiffness": "-2 N/mm"}, r"loop.stiffness: '-2 N/mm' is out of range; allowed: > 0"),
        ({"map.masses": [10, -1]}, r"map.masses.1: -1 is out of range; allowed: > 0"),
        ({"map.masses": []}, r"map.masses: none; allowed: at least one"),
        ({"map.stiffness": [1e4, 1e3]}, r"map.stiffness: from 10000 to 1000; allowed: from the lower to the higher"),
        ({"loop.cycle": "20 ms"}, r"loop.cycle: 0.02 s grows at every delay; allowed: below 0.0193403 s"),
    ],
)
def test_what_cannot_be_is_refused_with_place_value_and_what_is_allowed(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FreefloatError, match=message):
        ff.run("delay-map", {**SMALL, **change}, duration=0.1)
