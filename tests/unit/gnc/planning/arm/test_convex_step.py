"""Distances of convex solids against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.gnc.planning.arm.convex_step import ACCURACY, CYLINDER, PRISM, gap, rows

RING = np.array([[0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2], [0.2, -0.2]])


def solid(kind: float, p: tuple[float, float, float], *size: float) -> np.ndarray:
    S = rows(1)
    S[0, 0], S[0, 1:4], S[0, 4], S[0, 8], S[0, 12] = kind, p, 1.0, 1.0, 1.0
    S[0, 13 : 13 + len(size)] = size
    return S


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (solid(CYLINDER, (0, 0, 1), 0.05, 0.1), solid(PRISM, (0, 0, 0), 1.0, 0.2), 0.7),  # flat end over a face
        (solid(CYLINDER, (1, 0, 0), 0.05, 0.1), solid(PRISM, (0, 0, 0), 1.0, 0.2), 0.75),  # side by side
        (solid(CYLINDER, (0.5, 0.5, 0), 0.05, 0.1), solid(PRISM, (0, 0, 0), 1.0, 0.2), 0.3 * 2**0.5 - 0.05),
        (solid(CYLINDER, (0.3, 0, 0.5), 0.05, 0.1), solid(CYLINDER, (0, 0, 0), 0.05, 0.1), np.hypot(0.2, 0.3)),
        (solid(CYLINDER, (0, 0, 1), 0.0, 0.1, 0.05), solid(CYLINDER, (0, 0, 0), 0.0, 0.1, 0.05), 0.7),  # capsules
        (solid(PRISM, (1, 1, 1), 1.0, 0.2), solid(PRISM, (0, 0, 0), 1.0, 0.2), 0.6 * 3**0.5),
    ],
)
def test_a_gap_is_the_distance_and_never_more(a, b, expected: float) -> None:
    found = gap(a, 0, b, 0, RING, np.inf, -np.inf, np.empty((4, 3)))
    assert expected - 1.1 * ACCURACY <= found <= expected + 1e-12


def test_overlaps_are_below_zero_and_far_pairs_end_early() -> None:
    a, b = solid(CYLINDER, (0.1, 0.0, 0.1), 0.05, 0.1), solid(PRISM, (0, 0, 0), 1.0, 0.2)
    assert gap(a, 0, b, 0, RING, np.inf, -np.inf, np.empty((4, 3))) < 0.0
    a[0, 1:4] = 3.0, 0.0, 0.0
    assert 1.0 <= gap(a, 0, b, 0, RING, 1.0, -np.inf, np.empty((4, 3))) <= 2.75
