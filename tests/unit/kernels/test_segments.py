"""Capsule against capsule: brute force, exchange of the two, parallel and crossing ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.optimize import minimize

from freefloat.kernels.segments import capsule_gap

RNG = np.random.default_rng(7)
CASES = [tuple(RNG.normal(size=3) * s for s in (0.3, 0.4, 0.3, 0.4)) for _ in range(300)]


@njit
def _gap(p_a, u_a, r_a, p_b, u_b, r_b):
    return capsule_gap(p_a, u_a, r_a, p_b, u_b, r_b)


def gap(p_a: Any, u_a: Any, p_b: Any, u_b: Any, r_a: float = 0.02, r_b: float = 0.05) -> Any:
    d, n, p = _gap(*(np.asarray(v, float) for v in (p_a, u_a)), r_a, *(np.asarray(v, float) for v in (p_b, u_b)), r_b)
    return d, np.array(n), np.array(p)


@pytest.mark.parametrize("case", CASES[:40], ids=range(40))
def test_the_gap_is_the_smallest_distance_less_the_radii(case: Any) -> None:
    p_a, u_a, p_b, u_b = case

    def away(q: np.ndarray) -> float:
        w = p_b - p_a + q[1] * u_b - q[0] * u_a
        return float(w @ w)

    box = [(-1.0, 1.0)] * 2
    best = min(minimize(away, q, bounds=box, tol=1e-16).fun for q in ([0.0, 0.0], [0.9, -0.9]))
    assert gap(*case)[0] == pytest.approx(np.sqrt(best) - 0.07, abs=1e-7)
    assert gap(*case)[0] <= np.sqrt(best) - 0.07 + 1e-15


def test_normal_is_the_gradient_and_the_point_is_in_the_middle() -> None:
    step = 1e-6
    for p_a, u_a, p_b, u_b in CASES:
        d, n, p = gap(p_a, u_a, p_b, u_b)
        moved = [[gap(p_a, u_a, p_b + s * step * e, u_b)[0] for s in (1.0, -1.0)] for e in np.eye(3)]
        assert n == pytest.approx([(a - b) / (2.0 * step) for a, b in moved], abs=1e-7 if d > -0.06 else 1e-3)
        assert float(n @ n) == pytest.approx(1.0, abs=1e-14)
        for centre, u, r, side in ((p_a, u_a, 0.02, 1.0), (p_b, u_b, 0.05, -1.0)):
            if r + 0.5 * d > 1e-3:  # not beyond the segment
                on = gap(centre, u, p, np.zeros(3), r, 0.0)
                assert on[0] == pytest.approx(0.5 * d, abs=1e-14)
                assert on[1] == pytest.approx(side * n, abs=1e-10)


def test_exchange_turns_the_normal_and_keeps_the_rest() -> None:
    parallel = [(p, u, q, -1.7 * u) for p, u, q, _ in CASES]
    for p_a, u_a, p_b, u_b in CASES + parallel:
        d, n, p = gap(p_a, u_a, p_b, u_b)
        d2, n2, p2 = gap(p_b, u_b, p_a, u_a, 0.05, 0.02)
        assert d2 == pytest.approx(d, abs=1e-15)
        assert n2 == pytest.approx(-n, abs=1e-12)
        assert p2 == pytest.approx(p, abs=1e-12)


def test_parallel_ones_touch_in_the_middle_of_what_they_share() -> None:
    d, n, p = gap((0, 0, 0), (0, 0, 1.0), (0.3, 0, 1.2), (0, 0, -0.5), 0.1, 0.1)  # share z of 0.7 to 1
    assert d == pytest.approx(0.1, abs=1e-15)
    assert n.tolist() == [1.0, 0.0, 0.0]
    assert p == pytest.approx([0.15, 0.0, 0.85], abs=1e-15)
    d, n, _ = gap((0, 0, 0), (0, 0, 1.0), (0.3, 0, 2.4), (0, 0, -1.0), 0.1, 0.1)  # beyond each other's ends
    assert d == pytest.approx(0.3, abs=1e-15)
    assert n == pytest.approx([0.6, 0.0, 0.8], abs=1e-15)


def test_nearly_parallel_ones_keep_a_right_distance() -> None:
    for angle in np.logspace(-9.0, -2.0, 15):
        u_b = 0.5 * np.array([0.0, np.sin(angle), np.cos(angle)])
        d, n, _ = gap((0, 0, 0), (0, 0, 0.4), (0.3, 0, 0.1), u_b)
        assert d == pytest.approx(0.23, abs=1e-14)
        assert n == pytest.approx([1.0, 0.0, 0.0], abs=2e-7)


def test_spheres_are_capsules_without_length() -> None:
    d, n, p = gap((0, 0, 0), (0, 0, 0), (0, 0.3, 0.4), (0, 0, 0))
    assert (d, *n) == pytest.approx((0.43, 0.0, 0.6, 0.8), abs=1e-15)
    assert p == pytest.approx(0.235 * np.array([0.0, 0.6, 0.8]), abs=1e-15)
    d, n, _ = gap((0, 0, 0), (0, 0, 1.0), (0.3, 0, 0.5), (0, 0, 0))
    assert (d, *n) == pytest.approx((0.23, 1.0, 0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize(
    ("u_a", "u_b"),
    [
        ((1, 0, 0), (0, 2, 0)),
        ((1, 0, 0), (1, 0, 0)),
        ((0, 0, 1), (0, 0, 2)),
        ((0, 0, 0), (0, 0, 0)),
        ((0, 1, 0), (0, 0, 0)),
    ],
)
def test_crossing_segments_have_a_normal_across_both(u_a: Any, u_b: Any) -> None:
    d, n, _ = gap((0.1, 0.2, 0.3), u_a, (0.1, 0.2, 0.3), u_b)
    assert d == pytest.approx(-0.07, abs=1e-15)
    assert float(n @ n) == pytest.approx(1.0, abs=1e-15)
    assert abs(n @ np.array(u_a)) + abs(n @ np.array(u_b)) == pytest.approx(0.0, abs=1e-15)
