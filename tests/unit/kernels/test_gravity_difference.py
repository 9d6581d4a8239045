"""Differences of gravity against multiple precision, in Python and compiled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit

from freefloat.frames import Array
from freefloat.kernels import gravity_difference as diff
from freefloat.orbit.gravity import packed_cubic, symmetric

MU, C = 3.986004415e14, 1.5 * 1.0826261738522227e-3 * 3.986004415e14 * 6378136.3**2
POLE = np.array([0.0021, -0.0004, 1.0]) / math.hypot(0.0021, 0.0004, 1.0)

COMPILED: dict[str, Callable[..., Any]] = {
    name: njit(error_model="numpy")(getattr(diff, name))
    for name in (
        "central_difference",
        "anchor",
        "earth_difference",
        "central_gradient",
        "j2_gradient",
    )
}


def exact_j2(r: Any, k: Any) -> Any:
    r2 = sum(x * x for x in r)
    z = sum(x * y for x, y in zip(r, k, strict=True))
    s = -mpmath.mpf(C) / r2 ** mpmath.mpf("2.5")
    return [s * ((1 - 5 * z * z / r2) * x + 2 * z * y) for x, y in zip(r, k, strict=True)]


def exact_central(r: Any, k: Any) -> Any:
    r2 = sum(x * x for x in r)
    return [-mpmath.mpf(MU) * x / r2 ** mpmath.mpf("1.5") for x in r]


def exact_difference(acceleration: Callable[..., Any], R: Array, d: Array) -> Array:
    with mpmath.workdps(60):
        a, b, k = ([mpmath.mpf(x) for x in v.tolist()] for v in (R, d, POLE))
        there = acceleration([x + y for x, y in zip(a, b, strict=True)], k)
        return np.array([float(x - y) for x, y in zip(there, acceleration(a, k), strict=True)])


def cases(size: float) -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(3)
    drawn = []
    for radius in (6.5e6, 6.778e6, 4.2164e7):
        for _ in range(20):
            R, d = rng.standard_normal(3), rng.standard_normal(3)
            drawn.append((R * radius / np.linalg.norm(R), d * size / np.linalg.norm(d)))
        drawn.append((np.array([radius, 0.0, 0.0]), np.array([0.0, size, 0.0])))
        drawn.append((np.array([0.0, 0.0, radius]), np.array([0.0, 0.0, -size])))
    return drawn


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0, 1e3, 1e5])
@pytest.mark.parametrize("compiled", [False, True])
def test_differences_keep_13_digits_for_any_offset(size: float, compiled: bool) -> None:
    pick = COMPILED.__getitem__ if compiled else diff.__dict__.__getitem__
    for R, d in cases(size):
        central = exact_difference(exact_central, R, d)
        j2 = exact_difference(exact_j2, R, d)
        ours = np.array(pick("central_difference")(MU, R, d))
        ours_j2 = np.array(pick("earth_difference")(pick("anchor")(0.0, C, POLE, R), d))
        both = np.array(pick("earth_difference")(pick("anchor")(MU, C, POLE, R), d))
        assert np.linalg.norm(ours - central) < 1e-13 * np.linalg.norm(central)
        assert np.linalg.norm(ours_j2 - j2) < 1e-13 * np.linalg.norm(j2)
        assert np.linalg.norm(both - central - j2) < 1e-13 * np.linalg.norm(central)


def test_the_plain_subtraction_would_lose_them() -> None:
    R, d = np.array([6.778e6, 0.0, 0.0]), np.array([1e-3, 0.0, 0.0])
    naive = -MU * (R + d) / np.linalg.norm(R + d) ** 3 + MU * R / np.linalg.norm(R) ** 3
    exact = exact_difference(exact_central, R, d)
    assert np.linalg.norm(naive - exact) > 1e-8 * np.linalg.norm(exact)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_are_the_limit_of_the_differences(compiled: bool) -> None:
    pick = COMPILED.__getitem__ if compiled else diff.__dict__.__getitem__
    for R, _ in cases(1.0):
        central, j2 = symmetric(pick("central_gradient")(MU, R)), symmetric(pick("j2_gradient")(C, POLE, R))
        for j in range(3):
            d = np.zeros(3)
            d[j] = 1e-3
            np.testing.assert_allclose(
                np.array(diff.central_difference(MU, R, d)) / 1e-3,
                central[:, j],
                rtol=0.0,
                atol=1e-8 * np.abs(central).max(),
            )
            np.testing.assert_allclose(
                np.array(diff.earth_difference(diff.anchor(0.0, C, POLE, R), d)) / 1e-3,
                j2[:, j],
                rtol=0.0,
                atol=1e-8 * np.abs(j2).max(),
            )
        assert abs(np.trace(central)) < 1e-14 * np.abs(central).max()
        assert abs(np.trace(j2)) < 1e-13 * np.abs(j2).max()


def test_the_rest_is_the_second_order_taylor_polynomial() -> None:
    rng = np.random.default_rng(6)
    G, d, raw = rng.standard_normal(6), np.array([0.3, -0.2, 0.5]), rng.standard_normal((3, 3, 3))
    T = sum(raw.transpose(order) for order in itertools.permutations(range(3)))
    expected = symmetric(G) @ d + 0.5 * np.einsum("ijk,j,k->i", T, d, d)
    np.testing.assert_allclose(diff.rest_difference(G, packed_cubic(np.asarray(T)), d), expected)
