"""Changes of velocity that constraints allow: least-norm solutions with their Delassus matrix A = J M^-1 J^T."""

from __future__ import annotations

import math

from freefloat.kernels import handle as H
from freefloat.kernels.handle import ivec, mat, vec
from freefloat.kernels.jit import kernel

RANK_TOLERANCE = 1e-11  # least share of a row of A that must be left for it to count as independent


@kernel
def _independence(v, A, p):
    """How much of row p is left, 0 to 1, after the rows chosen before: its pivot over its own diagonal."""
    return v[p] / A[p, p] if A[p, p] > 0.0 else 0.0


@kernel
def solve_least_norm(A, b, x, work):
    """Least-norm x with A x = b for a symmetric positive semidefinite A; returns the rank.

    Pivoted Cholesky A = L L^T with L (n, r); x = L (L^T L)^-2 L^T b, or plain substitution when r = n; empty rows, as
    of free directions, do not count, and their x is 0.
    `work` has at least 2 n^2 + 3 n entries.
    """
    n = b.shape[0]
    L = work[: n * n].reshape(n, n)
    perm = work[2 * n * n : 2 * n * n + n]
    v = work[2 * n * n + n : 2 * n * n + 2 * n]
    s = work[2 * n * n + 2 * n : 2 * n * n + 3 * n]
    L[:] = 0.0
    for i in range(n):
        perm[i] = i
        v[i] = A[i, i]
    rank, filled = n, 0
    for i in range(n):
        filled += A[i, i] > 0.0
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if _independence(v, A, int(perm[i])) > _independence(v, A, int(perm[best])):
                best = i
        perm[j], perm[best] = perm[best], perm[j]
        pj = int(perm[j])
        if not _independence(v, A, pj) > RANK_TOLERANCE:
            rank = j
            break
        pivot = math.sqrt(v[pj])
        L[pj, j] = pivot
        for i in range(j + 1, n):
            pi = int(perm[i])
            total = A[pi, pj]
            for c in range(j):
                total -= L[pi, c] * L[pj, c]
            L[pi, j] = total / pivot
            v[pi] -= L[pi, j] * L[pi, j]
    if rank == filled:
        for j in range(rank, n):
            x[int(perm[j])] = 0.0
        for j in range(rank):
            pj = int(perm[j])
            total = b[pj]
            for c in range(j):
                total -= L[pj, c] * s[c]
            s[j] = total / L[pj, j]
        for j in range(rank - 1, -1, -1):
            pj = int(perm[j])
            total = s[j]
            for i in range(j + 1, rank):
                pi = int(perm[i])
                total -= L[pi, j] * x[pi]
            x[pj] = total / L[pj, j]
        return rank
    G = work[n * n : n * n + rank * rank].reshape(rank, rank)
    for i in range(rank):
        s[i] = 0.0
        for c in range(n):
            s[i] += L[c, i] * b[c]
        for j in range(i + 1):
            total = 0.0
            for c in range(n):
                total += L[c, i] * L[c, j]
            G[i, j] = total
    for i in range(rank):
        for j in range(i + 1):
            total = G[i, j]
            for c in range(j):
                total -= G[i, c] * G[j, c]
            if i == j:
                G[i, i] = math.sqrt(total)
            else:
                G[i, j] = total / G[j, j]
    for _ in range(2):
        for i in range(rank):
            for c in range(i):
                s[i] -= G[i, c] * s[c]
            s[i] /= G[i, i]
        for i in range(rank - 1, -1, -1):
            for c in range(i + 1, rank):
                s[i] -= G[c, i] * s[c]
            s[i] /= G[i, i]
    for i in range(n):
        x[i] = 0.0
        for c in range(rank):
            x[i] += L[i, c] * s[c]
    return rank


@kernel
def constraint_rates(h, v):
    """J v with the Jacobian of the last evaluation, into CWORK behind the points of the welds."""
    size, jac = ivec(h, H.SIZES), mat(h, H.JAC)
    nv, n = size[H.NV], size[H.NROWS]
    rate = vec(h, H.CWORK)[6 * nv + 3 * size[H.NWELD] :]
    for r in range(n):
        rate[r] = 0.0
        for i in range(nv):
            rate[r] += jac[r, i] * v[i]


@kernel
def take_out(h, v):
    """v -= M^-1 J^T A^+ rate, with what `constraint_rates` left; `projection_work` then knows A^+ rate."""
    size = ivec(h, H.SIZES)
    nv, n = size[H.NV], size[H.NROWS]
    minv, A = mat(h, H.MINV_JT), mat(h, H.DELASSUS)
    work = vec(h, H.CWORK)[6 * nv + 3 * size[H.NWELD] :]
    rate, impulse, work = work[:n], work[n : 2 * n], work[2 * n :]
    solve_least_norm(A, rate, impulse, work)
    for r in range(n):
        for i in range(nv):
            v[i] -= minv[r, i] * impulse[r]


@kernel
def project_change(h, v):
    """v -= M^-1 J^T A^+ J v with the Jacobian and A of the last evaluation: what constraints leave of a change."""
    constraint_rates(h, v)
    take_out(h, v)


@kernel
def projection_work(h, v, first, last):
    """Work [J] of the impulses of the rows first..last in the last `take_out`, at the mean velocity v before and after
    them."""
    size = ivec(h, H.SIZES)
    nv, n = size[H.NV], size[H.NROWS]
    jac, impulse = mat(h, H.JAC), vec(h, H.CWORK)[6 * nv + 3 * size[H.NWELD] + n :]
    work = 0.0
    for r in range(first, last):
        for i in range(nv):
            work -= impulse[r] * jac[r, i] * v[i]
    return work
