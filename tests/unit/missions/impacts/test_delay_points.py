"""The grid of loops."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from freefloat.gnc.control.loop_delay import critical_delay
from freefloat.missions.impacts.delay_points import DelayGrid, closed_form


def test_every_mass_stiffness_and_ratio_has_a_row_in_the_table(tmp_path: Path) -> None:
    grid = DelayGrid.between((10.0, 20.0), (1e3, 1e5), (0.1, 1.0), 2)
    grid.write(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(grid.points) == 8
    assert float(rows[-1]["damping_N_s_m"]) == pytest.approx(2.0 * np.sqrt(20.0 * 1e5))
    for row in rows:
        loop = (float(row[name]) for name in ("mass_kg", "stiffness_N_m", "damping_N_s_m"))
        assert float(row["closed_form_s"]) == pytest.approx(critical_delay(*loop), rel=1e-8)
        assert float(row["simulated_s"]) == pytest.approx(float(row["closed_form_s"]), rel=1e-7)
    assert grid.worst == max(abs(p.difference) for p in grid.points) < 1e-7


def test_the_drawn_field_has_stiffness_across_and_damping_ratio_down() -> None:
    field = closed_form(10.0, np.array([1e3, 1e4, 1e5]), np.array([0.1, 0.5]))
    assert field.shape == (2, 3)
    assert field[1, 2] == critical_delay(10.0, 1e5, 2.0 * 0.5 * np.sqrt(10.0 * 1e5))
