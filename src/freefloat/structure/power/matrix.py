"""Linear equations at the nodes of a DC network: direct for small ones, by conjugate gradients for large ones.

Conjugate gradients (Hestenes and Stiefel, 1952) have the diagonal as preconditioner and treat every connected group on
its own scale, all at once. Plain sums in place of BLAS: its threads cost more than they bring for such vectors. Where
they do not get there, the factors do.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import SuperLU, splu

from freefloat.frames import Array
from freefloat.structure.node_arrays import Flags, Integers, sum_at

LARGE = 2000  # nodes from which on conjugate gradients are tried; at about as many they cost as much as the factors
TOLERANCE = 1e-14  # [-] of what is left, in the norm of the preconditioner, against the right side
CERTAIN = 1e-4  # [-] the same, for a look at signs
ITERATIONS = 400  # at most, before it is given up: in the time of about one factorisation


class NodeMatrix:
    """L + diagonal, symmetric: a block for each group of nodes. Where factors had to be made, they are used again.

    A tiny conductance helps groups whose elements are all at their limits.
    """

    def __init__(self, laplacian: csr_array, diagonal: Array, group: Integers, count: int) -> None:
        self.matrix = _with_diagonal(laplacian, diagonal + 1e-12 * (1.0 + np.abs(diagonal)))
        self.group, self.count = group, count
        self.large = len(diagonal) >= LARGE

    def solve(self, b: Array) -> Array:
        """x (k,) with A x = b; zeros where A is singular."""
        if self.large and "_factors" not in self.__dict__:
            x = conjugate_gradients(self.matrix, b, self.group, self.count)
            if x is not None:
                return x
        return self._direct(b)

    def is_m_matrix(self) -> Flags:
        """Blocks (g,) that are M-matrices: A x = 1 has x > 0. Any x > 0 with A x > 0 shows it, so a rough one does."""
        ones = np.ones(len(self.group))
        if self.large:
            x = conjugate_gradients(self.matrix, ones, self.group, self.count, CERTAIN)
            if x is not None and (x > 0.0).all() and (self.matrix @ x > 0.0).all():
                return np.ones(self.count, dtype=np.bool_)
        lowest = np.full(self.count, np.inf)
        np.minimum.at(lowest, self.group, self._direct(ones))
        return lowest > 0.0

    @cached_property
    def _factors(self) -> SuperLU | None:
        try:
            return splu(csc_array(self.matrix), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
        except RuntimeError:  # exactly singular
            return None

    def _direct(self, b: Array) -> Array:
        if self._factors is None:
            return np.zeros_like(b)
        x = self._factors.solve(b)
        return np.where(np.isfinite(x), x, 0.0)


def _with_diagonal(A: csr_array, diagonal: Array) -> csr_array:
    """A + diag(diagonal): where all entries of A's diagonal are stored, without the detours of a sum of matrices."""
    row = np.repeat(np.arange(len(diagonal)), np.diff(A.indptr))
    at = np.flatnonzero(A.indices == row)
    if len(at) < len(diagonal):
        return csr_array(A + diags_array(diagonal))
    both = csr_array(A, copy=True)
    np.asarray(both.data)[at] += diagonal
    return both


def conjugate_gradients(
    A: csr_array, b: Array, group: Integers, count: int, tolerance: float = TOLERANCE
) -> Array | None:
    """x (k,) with A x = b, A symmetric and of `count` blocks, one for each group of nodes.

    None where a block shows itself not to be positive definite, or does not converge.
    """
    diagonal = A.diagonal()
    if not (diagonal > 0.0).all():
        return None

    def total(values: Array) -> Array:
        return values.sum(keepdims=True) if count == 1 else sum_at(count, group, values)

    def spread(values: Array) -> Array:
        return values if count == 1 else values[group]

    x, r = np.zeros(len(b)), b.copy()
    p = r / diagonal
    left = total(r * p)
    goal = tolerance**2 * left
    for _ in range(ITERATIONS):
        going = left > goal
        if not going.any():
            return x if np.isfinite(left).all() else None
        q = A @ p
        curvature = total(p * q)
        if not (curvature > 0.0)[going].all():
            return None
        step = spread(np.divide(left, curvature, out=np.zeros(count), where=going))
        x += step * p
        r -= step * q
        z = r / diagonal
        new = total(r * z)
        p = z + spread(np.divide(new, left, out=np.zeros(count), where=going)) * p
        left = np.where(going, new, left)
    return None
