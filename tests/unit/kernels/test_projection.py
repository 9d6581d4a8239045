"""The solver of the multipliers against NumPy's pseudoinverse."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.projection import solve_least_norm


@njit
def _drive(A, b, x, work):
    return solve_least_norm(A, b, x, work)


def solve(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, int]:
    """(x, rank), with arrays that hold rubbish where the kernel must not read."""
    n = len(b)
    x = np.full(n, 1e300)
    rank = _drive(A.copy(), b.copy(), x, np.full(2 * n * n + 3 * n, -1e300))
    return x, rank


def semidefinite(rng: np.random.Generator, n: int, rank: int, condition: float = 1e3) -> np.ndarray:
    """A random symmetric matrix with `rank` eigenvalues between 1 and 1/condition, the others zero."""
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0][:, :rank]
    return Q @ np.diag(np.geomspace(1.0, 1.0 / condition, rank)) @ Q.T


@pytest.mark.parametrize("n", [1, 2, 6, 12, 18])
def test_a_regular_system_is_solved(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        A, truth = semidefinite(rng, n, n), rng.normal(size=n)
        x, rank = solve(A, A @ truth)
        assert rank == n
        assert np.allclose(x, truth, rtol=0.0, atol=1e-11 * np.linalg.norm(truth) * n)


@pytest.mark.parametrize(("n", "true_rank"), [(2, 1), (6, 3), (6, 5), (12, 6), (12, 11), (18, 6), (18, 13)])
def test_of_a_rank_deficient_system_the_solution_of_least_norm_is_taken(n: int, true_rank: int) -> None:
    rng = np.random.default_rng(100 * n + true_rank)
    for _ in range(20):
        A = semidefinite(rng, n, true_rank)
        b = A @ rng.normal(size=n)
        x, rank = solve(A, b)
        assert rank == true_rank
        expected = np.linalg.pinv(A, rcond=1e-9, hermitian=True) @ b
        assert np.allclose(x, expected, rtol=0.0, atol=1e-8 * np.linalg.norm(expected))
        assert np.allclose(A @ x, b, rtol=0.0, atol=1e-10 * np.linalg.norm(b))


def test_an_inconsistent_right_side_gives_the_least_squares_solution() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        A, b = semidefinite(rng, 6, 4, condition=30.0), rng.normal(size=6)
        x, rank = solve(A, b)
        assert rank == 4
        expected = np.linalg.pinv(A, rcond=1e-9, hermitian=True) @ b
        assert np.allclose(x, expected, rtol=0.0, atol=1e-9 * np.linalg.norm(expected))


def test_a_structure_held_twice_shares_the_load_equally() -> None:
    A = np.kron(np.ones((2, 2)), np.diag([1.0, 2.0, 3.0]))
    b = np.tile([1.0, 2.0, 3.0], 2)
    x, rank = solve(A, b)
    assert rank == 3
    assert np.allclose(x, 0.5, rtol=0.0, atol=1e-14)


def test_nothing_to_hold_gives_no_load() -> None:
    x, rank = solve(np.zeros((6, 6)), np.zeros(6))
    assert rank == 0
    assert not x.any()


def test_scale_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    A, truth = semidefinite(rng, 6, 6), rng.normal(size=6)
    for scale in (1e-12, 1e12):
        x, rank = solve(scale * A, scale * (A @ truth))
        assert rank == 6
        assert np.allclose(x, truth, rtol=0.0, atol=1e-10)
