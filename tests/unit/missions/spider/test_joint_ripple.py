"""The ripple of a motor's torque, and how it is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import FreefloatError
from freefloat.missions.spider.harmonics import fit_harmonics, measured_frequencies

NAME = "spider-joint-ripple"


def test_ripple_has_the_frequencies_and_sizes_of_the_three_imperfections(tmp_path: Path) -> None:
    found = ff.run(NAME, duration=0.2, out=tmp_path / "run", strict=True).metrics
    for k, percent in ((1, 1.521), (2, 0.745), (4, 0.787)):
        assert found[f"ripple_{k}p_percent"] == pytest.approx(percent, abs=1e-3)
        assert found[f"ripple_{k}p_hz"] == pytest.approx(k * 7 * 955 / 60, abs=1e-3)
    assert found["mean_torque_N_m"] == pytest.approx(0.40031, abs=1e-5)
    assert (tmp_path / "run" / "plots" / "ripple.png").stat().st_size > 10_000


def test_a_motor_without_imperfections_has_no_ripple_but_that_of_its_resolver() -> None:
    found = ff.run(NAME, {"offset": 0, "unbalance": 0, "third_harmonic": 0}, duration=0.2).metrics
    assert found["mean_torque_N_m"] == pytest.approx(0.39735, abs=1e-5)
    assert max(found[f"ripple_{k}p_percent"] for k in (1, 2, 4)) < 1e-5


def test_slow_current_loops_lose_torque_to_the_lag_of_the_back_emf() -> None:
    slow = {"loop_gain": 1, "offset": 0, "unbalance": 0, "third_harmonic": 0}
    assert ff.run(NAME, slow, duration=0.2).metrics["mean_torque_N_m"] == pytest.approx(0.33517, abs=1e-5)
    found = ff.run(NAME, {**slow, "current": "0.5 A"}, duration=0.2).metrics
    assert found["mean_torque_N_m"] == pytest.approx(-0.010547, abs=1e-6)


def test_what_the_records_do_not_show_is_left_out() -> None:
    assert "mean_torque_N_m" not in ff.run(NAME, duration=0.05).metrics
    found = ff.run(NAME, {"record_rate": "600 Hz"}, duration=0.2).metrics
    assert {n for n in found if n.startswith("ripple")} == {
        f"ripple_{k}p_{u}" for k in (1, 2) for u in ("percent", "hz")
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [({"current": "12 A"}, "up to max_current 10 A"), ({"drive": "shoulder"}, "spider-shoulder")],
)
def test_what_a_drive_cannot_do_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(FreefloatError, match=told):
        ff.run(NAME, change, duration=0.1)


def test_harmonics_are_found_outside_whole_periods() -> None:
    t, w = np.arange(0.0, 1.37, 1e-3), 2.0 * np.pi * 5.3
    x = 2.0 + 0.3 * np.cos(w * t + 0.4) + 0.01 * np.cos(3 * w * t - 1.0)
    found = fit_harmonics(t, x, w, 4)
    assert found.mean == pytest.approx(2.0, rel=1e-12)
    assert found.amplitudes == pytest.approx([0.3, 0.0, 0.01, 0.0], abs=1e-12)
    assert found.phases[[0, 2]] == pytest.approx([0.4, -1.0], abs=1e-9)


def test_a_line_beside_its_nominal_frequency_is_measured_where_it_is() -> None:
    t, w = np.arange(0.0, 2.0, 1e-3), 2.0 * np.pi * 20.0
    x = np.cos(2.0 * np.pi * 20.03 * t) + 0.5 * np.cos(2.0 * np.pi * 40.06 * t + 1.0)
    assert measured_frequencies(t, x, w, 2) == pytest.approx([20.03, 40.06], abs=2e-3)
