"""Correlations between varied fields, whatever their distributions: a Gaussian copula.

Shares become normal scores, scores are mixed by the Cholesky factor of the correlation matrix, and become shares
again. A given correlation r is that of the scores, and so of normal fields themselves; between ranks (Spearman) of any
continuous fields it is 6 / pi asin(r / 2) (Kruskal 1958).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from freefloat.errors import InputError, unknown_name

Array = NDArray[np.float64]
Correlations = Mapping[tuple[str, str], float]  # of pairs of varied paths

SMALLEST = 1e-9  # eigenvalue of a correlation matrix


def cholesky_of(correlations: Correlations, paths: Sequence[str]) -> Array | None:
    """The lower factor L of the matrix, L L^T; None without correlations. What is no correlation matrix is refused."""
    if not correlations:
        return None
    matrix = np.eye(len(paths))
    given: dict[frozenset[str], float] = {}
    for (one, other), value in correlations.items():
        for path in (one, other):
            if path not in paths:
                raise unknown_name("varied field of a correlation", path, paths)
        _check(one, other, value, given)
        i, j = paths.index(one), paths.index(other)
        matrix[i, j] = matrix[j, i] = given[frozenset((one, other))] = float(value)
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < SMALLEST:
        told = ", ".join(f"{one} and {other} {value:g}" for (one, other), value in correlations.items())
        raise InputError(
            f"correlations {told}: not positive definite, smallest eigenvalue {least:.3g}; allowed: correlations that "
            "can hold together"
        )
    return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)


def _check(one: str, other: str, value: float, given: Mapping[frozenset[str], float]) -> None:
    where = f"correlation of {one} and {other}"
    if one == other:
        raise InputError(f"{where}: a field and itself; allowed: two different ones")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or abs(value) >= 1.0:
        raise InputError(f"{where}: {value!r}; allowed: > -1 and < 1")
    if frozenset((one, other)) in given:
        raise InputError(f"{where}: given twice; allowed: once")


def correlated(u: Array, factor: Array | None) -> Array:
    """Shares (cases, fields) with the correlations of the factor; each column is uniform as before."""
    return u if factor is None else ndtr(_mixed(u, factor))


def reordered(u: Array, factor: Array | None) -> Array:
    """The same by a new order of each column, so that its values stay those that they were (Iman and Conover 1982)."""
    if factor is None:
        return u
    ranks = np.argsort(np.argsort(_mixed(u, factor), axis=0), axis=0)
    return np.take_along_axis(np.sort(u, axis=0), ranks, axis=0)


def _mixed(u: Array, factor: Array) -> Array:
    """Correlated normal scores. Summed term by term: a matrix product may round by how many rows there are."""
    scores = ndtri(u)
    mixed = np.zeros_like(scores)
    for k in range(len(factor)):
        for j in range(k + 1):
            mixed[:, k] += factor[k, j] * scores[:, j]
    return mixed
