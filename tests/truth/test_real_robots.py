"""Robots as people have them: what six packages hold loads, by default and with what cannot be modelled left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.bench.robots import figures


@pytest.mark.slow
def test_most_robots_of_six_packages_load_and_none_crashes(real_robots: Path) -> None:
    found = {figure.name: figure.value for figure in figures(real_robots)}
    assert found["urdf_files"] >= 100
    assert found["mjcf_files"] >= 100
    assert found["urdf_share"] >= 0.80
    assert found["urdf_share_skip"] >= 0.95
    assert found["mjcf_share"] >= 0.60
    assert found["mjcf_share_skip"] >= 0.90
    assert found["crashes"] == 0
