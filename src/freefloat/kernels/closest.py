"""Closest points of two convex solids that `surfaces.distance` knows, from points that are nearly right.

The nearest point of A to the nearest point of B to a point a of A is a itself where a is closest to B (Cheney and
Goldstein 1959). That iteration contracts slowly where solids are curved and near; Anderson's mixing of the last three
iterates makes it superlinear, for a surface has two directions.
"""

from __future__ import annotations

import math

from freefloat.kernels.handle import local
from freefloat.kernels.jit import kernel
from freefloat.kernels.surfaces import distance
from freefloat.kernels.view import rotate, rotate_back

ITERATIONS = 20
SETTLED = 1e-16  # [m] an iterate that moves less is the answer


@kernel
def _nearest(solid, R, x, y, z):
    """The point of a solid [kind, sizes (3)] nearest to (x, y, z), both from its origin: three floats."""
    lx, ly, lz = rotate_back(R, x, y, z)
    d, gx, gy, gz = distance(int(solid[0]), solid[1], solid[2], solid[3], lx, ly, lz)
    gx, gy, gz = rotate(R, gx, gy, gz)
    d = max(d, 0.0)
    return x - d * gx, y - d * gy, z - d * gz


@kernel
def _mix(f, g, df, dg, n, x):
    """Anderson's next iterate x from residual f and image g, with the last n (0, 1, 2) differences of both."""
    s, t = 0.0, 0.0
    if n > 0:
        a, d = 0.0, 0.0
        for j in range(3):
            a += df[j] * df[j]
            d += df[j] * f[j]
        s = d / a if a > 0.0 else 0.0
        if n > 1:
            b, c, e = 0.0, 0.0, 0.0
            for j in range(3):
                b += df[j] * df[3 + j]
                c += df[3 + j] * df[3 + j]
                e += df[3 + j] * f[j]
            det = a * c - b * b
            if det > 1e-10 * a * c:
                s, t = (c * d - b * e) / det, (a * e - b * d) / det
    for j in range(3):
        x[j] = g[j] - s * dg[j] - t * dg[3 + j]


@kernel
def closest(solid_a, R_a, solid_b, R_b, o, points):
    """Make `points` (a on A and b on B, from A's origin) those that are closest; o is B's origin from A's."""
    x, f, g, df, dg, n, least = local(3), local(3), local(3), local(6), local(6), 0, math.inf
    for j in range(3):
        x[j], f[j], g[j], dg[3 + j], df[3 + j] = points[j], 0.0, 0.0, 0.0, 0.0
    for k in range(ITERATIONS):
        bx, by, bz = _nearest(solid_b, R_b, x[0] - o[0], x[1] - o[1], x[2] - o[2])
        b = (bx + o[0], by + o[1], bz + o[2])
        a = _nearest(solid_a, R_a, b[0], b[1], b[2])
        size = 0.0
        for j in range(3):
            new = a[j] - x[j]
            df[3 + j], dg[3 + j] = df[j], dg[j]
            df[j], dg[j] = new - f[j], a[j] - g[j]
            f[j], g[j] = new, a[j]
            size += new * new
        if size < least:
            least = size
            for j in range(3):
                points[j], points[3 + j] = a[j], b[j]
        elif n == 0 and k > 0:
            break  # at the level of rounding
        if size <= SETTLED * SETTLED:
            break
        n = min(n + 1, 2) if k > 0 and size <= least else 0
        _mix(f, g, df, dg, n, x)
