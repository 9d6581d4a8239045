"""Distances of convex solids, compiled: a lower bound that is never too large (Gilbert, Johnson, Keerthi 1988).

A solid is a row of 16 numbers: [kind, p (3), x (3), y (3), z (3), a, b, c]. A cylinder along z has the radius a, the
half-length b and is grown by c all around; a prism along z has the corners a * ring (m, 2) and the half-height b. For
every unit vector n that the search meets, the gap between the solids' supports along n is no more than their distance;
the largest gap is what is told, so that stopping early errs to the safe side only.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.rotations import Vector, cross, dot, norm

CYLINDER, PRISM = 0.0, 1.0
ROW = 16
ROUNDS = 40  # of the search
ACCURACY = 2e-4  # [m] between the bounds where it ends


@inner
def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def support(S: Array, i: int, ring: Array, d: Vector) -> Vector:
    """The point of a solid that lies farthest along d."""
    p = (S[i, 1], S[i, 2], S[i, 3])
    x, y, z = (S[i, 4], S[i, 5], S[i, 6]), (S[i, 7], S[i, 8], S[i, 9]), (S[i, 10], S[i, 11], S[i, 12])
    dz = dot(d, z)
    b = S[i, 14] if dz >= 0.0 else -S[i, 14]
    if S[i, 0] == 0.0:
        across = (d[0] - dz * z[0], d[1] - dz * z[1], d[2] - dz * z[2])
        wide, far = norm(across), norm(d)
        r = S[i, 13] / wide if wide > 1e-12 * far else 0.0
        c = S[i, 15] / far if far > 0.0 else 0.0
        return (
            p[0] + b * z[0] + r * across[0] + c * d[0],
            p[1] + b * z[1] + r * across[1] + c * d[1],
            p[2] + b * z[2] + r * across[2] + c * d[2],
        )
    dx, dy = dot(d, x), dot(d, y)
    best, k = -math.inf, 0
    for m in range(ring.shape[0]):
        along = ring[m, 0] * dx + ring[m, 1] * dy
        if along > best:
            best, k = along, m
    u, v = S[i, 13] * ring[k, 0], S[i, 13] * ring[k, 1]
    return (
        p[0] + u * x[0] + v * y[0] + b * z[0],
        p[1] + u * x[1] + v * y[1] + b * z[1],
        p[2] + u * x[2] + v * y[2] + b * z[2],
    )


@inner
def _on_segment(a: Vector, b: Vector) -> tuple[Vector, int]:
    """Point of a segment nearest to the origin, and which ends it needs (bits)."""
    e = minus(b, a)
    length = dot(e, e)
    t = -dot(a, e) / length if length > 0.0 else 0.0
    if t <= 0.0:
        return a, 1
    if t >= 1.0:
        return b, 2
    return (a[0] + t * e[0], a[1] + t * e[1], a[2] + t * e[2]), 3


@inner
def _on_triangle(a: Vector, b: Vector, c: Vector) -> tuple[Vector, int]:
    """Point of a triangle nearest to the origin, and which corners it needs (Ericson 2005, sec. 5.1.5)."""
    ab, ac = minus(b, a), minus(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, 1
    if d3 >= 0.0 and d4 <= d3:
        return b, 2
    if d6 >= 0.0 and d5 <= d6:
        return c, 4
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        p, bits = _on_segment(a, b)
        return p, bits
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        p, bits = _on_segment(a, c)
        return p, (bits & 1) + (4 if bits & 2 else 0)
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        p, bits = _on_segment(b, c)
        return p, (2 if bits & 1 else 0) + (4 if bits & 2 else 0)
    total = va + vb + vc
    if total <= 0.0:
        p, bits = _on_segment(a, b)
        return p, bits
    v, w = vb / total, vc / total
    return (a[0] + v * ab[0] + w * ac[0], a[1] + v * ab[1] + w * ac[1], a[2] + v * ab[2] + w * ac[2]), 7


@inner
def _corner(W: Array, k: int) -> Vector:
    return W[k, 0], W[k, 1], W[k, 2]


@inner
def _on_tetrahedron(W: Array) -> tuple[Vector, int]:
    """Point of a tetrahedron nearest to the origin, and which corners it needs; 15 where the origin is inside."""
    best, found, bits = math.inf, (0.0, 0.0, 0.0), 15
    for k in range(4):
        i, j, m = (0, 1, 2) if k == 3 else (0, 1, 3) if k == 2 else (0, 2, 3) if k == 1 else (1, 2, 3)
        a, b, c, other = _corner(W, i), _corner(W, j), _corner(W, m), _corner(W, k)
        n = cross(minus(b, a), minus(c, a))
        if dot(n, a) * dot(n, minus(other, a)) <= 0.0 and dot(n, n) > 0.0 and dot(n, a) != 0.0:
            # the origin is on the same side as the fourth corner
            continue
        p, used = _on_triangle(a, b, c)
        square = dot(p, p)
        if square < best:
            best, found = square, p
            bits = (1 << i if used & 1 else 0) + (1 << j if used & 2 else 0) + (1 << m if used & 4 else 0)
    return found, bits


@inner
def _nearest(W: Array, n: int) -> tuple[Vector, int]:
    if n == 1:
        return _corner(W, 0), 1
    if n == 2:
        return _on_segment(_corner(W, 0), _corner(W, 1))
    if n == 3:
        return _on_triangle(_corner(W, 0), _corner(W, 1), _corner(W, 2))
    return _on_tetrahedron(W)


@onboard
def gap(A: Array, i: int, B: Array, j: int, ring: Array, enough: float, least: float, W: Array) -> float:
    """A lower bound [m] of the distance between solid i of A and solid j of B, < 0 where they overlap.

    It is the distance to within `ACCURACY`, unless it is known to be at least `enough`, or less than `least`; then the
    bound known by then. W (4, 3) is scratch.
    """
    v = minus((A[i, 1], A[i, 2], A[i, 3]), (B[j, 1], B[j, 2], B[j, 3]))
    if dot(v, v) == 0.0:
        v = (1.0, 0.0, 0.0)
    best, n = -math.inf, 0
    for _ in range(ROUNDS):
        far = norm(v)
        w = minus(support(A, i, ring, (-v[0], -v[1], -v[2])), support(B, j, ring, v))
        best = max(best, dot(v, w) / far)
        if best >= enough or (n > 0 and (far - best <= ACCURACY or far < least)):
            break
        again = False
        for k in range(n):
            again = again or (w[0] == W[k, 0] and w[1] == W[k, 1] and w[2] == W[k, 2])
        if again:
            break
        W[n, 0], W[n, 1], W[n, 2] = w
        v, bits = _nearest(W, n + 1)
        if bits == 15 or norm(v) < 1e-9:
            break
        kept = 0
        for k in range(n + 1):
            if bits & (1 << k):
                W[kept, 0], W[kept, 1], W[kept, 2] = W[k, 0], W[k, 1], W[k, 2]
                kept += 1
        n = kept
    return best


def rows(count: int) -> Array:
    """Room for solids."""
    return np.zeros((count, ROW))
