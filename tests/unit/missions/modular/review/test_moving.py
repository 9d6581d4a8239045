"""Solids that are compared."""

from __future__ import annotations

from typing import Any

import pytest

from freefloat.missions.modular.review.moving import cell_solid
from freefloat.structure.grid import hexagonal


def test_a_cell_is_its_prism_less_the_clearance() -> None:
    prism: Any = cell_solid(hexagonal([(0, 0)], 1.0, 0.2), 0.01)
    across = prism.corners @ [1.0, 0.0, 0.0]
    assert across.max() == pytest.approx(0.49)
    assert prism.corners[:, 2].max() == pytest.approx(0.09)
