"""Laws of the normal force: what they give at a point, their energy, and walls of the floor that follow one of them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.contact_laws import HUNT_CROSSLEY, LANKARANI_NIKRAVESH, SPRING_DAMPER, normal_force
from freefloat.kernels.floor import FLOOR, _wall

K, N, C, E, ONSET, X, RATE = 2e5, 1.5, 0.4, 0.6, 0.2, 3e-3, 0.05


@njit
def _law(law, n, x, rate):
    return normal_force(law, K, n, C, E, ONSET, x, rate)


@njit
def _push(f, q, v, half):
    return _wall(f, q, v, half)


@pytest.mark.parametrize(
    ("law", "n", "force"),
    [
        (SPRING_DAMPER, 1.0, K * X + C * RATE),
        (HUNT_CROSSLEY, N, K * X**N * (1.0 + 1.5 * C * RATE)),
        (LANKARANI_NIKRAVESH, N, K * X**N * (1.0 + 0.75 * (1.0 - E**2) * RATE / ONSET)),
    ],
)
def test_each_law_is_its_formula(law: int, n: float, force: float) -> None:
    ours, spring, stored = _law(law, n, X, RATE)
    assert ours == pytest.approx(force, rel=1e-14)
    assert spring == pytest.approx(K * X**n, rel=1e-14)
    d = 1e-6
    slope = (_law(law, n, X + d, RATE)[2] - _law(law, n, X - d, RATE)[2]) / (2.0 * d)
    assert stored > 0.0
    assert slope == pytest.approx(spring, rel=1e-6)  # the spring's force is the slope of its energy


def test_a_spring_pulls_where_it_is_not_touched_and_holds_no_negative_energy() -> None:
    force, spring, stored = _law(HUNT_CROSSLEY, N, -X, 0.0)
    assert force == spring == pytest.approx(-K * X**N)
    assert stored > 0.0


@pytest.mark.parametrize("v", [0.3, -0.3, -0.6])
def test_a_wall_is_hunt_and_crossleys_law_that_never_pulls(v: float) -> None:
    walls = {"half": (2.0, 3.0), "radius": 0.35, "stiffness": K, "damping": 2.0}
    map_ = {"weight": 1.0, "contacts": 1, "p_BC": np.zeros(6), "spacing": 1.0, "rows": 4, "columns": 4}
    f = np.array(FLOOR.row("floor", body="body", coefficients=np.zeros(16), **map_, **walls).f)
    force, spring, stored = _push(f, 1.65 + X, v, 2.0)
    assert force == pytest.approx(-K * X * max(1.0 + 2.0 * v, 0.0), rel=1e-12)
    assert spring == pytest.approx(-K * X, rel=1e-12)
    assert stored == pytest.approx(0.5 * K * X**2, rel=1e-12)
