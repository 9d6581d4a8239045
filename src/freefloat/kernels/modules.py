"""Distances of points to one module among others: what looks to an occupied neighbour does not push.

The features of a module are its faces, edges and corners, numbered by where a point lies that is nearest to them. Of a
box, with the signs (-1 below, 0 beside, 1 beyond) along its axes: 9 (sx + 1) + 3 (sy + 1) + sz + 1. Of a hexagonal
prism: 13 (sz + 1) + k, with k = 0..5 at side k, 6 + k at the edge between sides k and k + 1, 12 over or under it. Bit f
of `hidden` is set where feature f does not push.

Where two modules meet, a point belongs to one of them, on the border too: all borders are moved by one vector of
2e-12 m along each axis, and overlap by more than positions are rounded.
"""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel
from freefloat.kernels.surfaces import BOX, COS, SIN

MOVED = 2e-12  # [m]
OVERLAP = 1e-13  # [m]
LEVEL = 1e-6  # component of a normal that counts as none


@kernel
def is_hidden(hidden, feature):
    """Whether a feature does not push."""
    return (hidden >> feature) & 1 == 1


@kernel
def _sign(v):
    return 1 if v > 0.0 else -1 if v < 0.0 else 0


@kernel
def feature_along(x, y, z):
    """The feature of a box that has the unit normal (x, y, z)."""
    sx = _sign(x) if abs(x) > LEVEL else 0
    sy = _sign(y) if abs(y) > LEVEL else 0
    sz = _sign(z) if abs(z) > LEVEL else 0
    return 9 * (sx + 1) + 3 * (sy + 1) + sz + 1


@kernel
def to_module(kind, a, b, c, hidden, x, y, z):
    """Signed distance [m], unit gradient and whether it does not push: four floats and a bool.

    Inside, the nearest face counts that does push.
    """
    if kind == BOX:
        return _to_cube(a, b, c, hidden, x, y, z)
    return _to_hexagon(a, b, hidden, x, y, z)


@kernel
def _excess(x, a, below, above):
    """How far x is beyond [-a, a], with its sign; `below`, `above`: another module goes on there."""
    high = a + MOVED + 0.5 * OVERLAP if above else a
    low = MOVED - a - 0.5 * OVERLAP if below else -a
    return x - high if x > high else x - low if x < low else 0.0


@kernel
def _to_cube(a, b, c, hidden, x, y, z):
    ox = _excess(x, a, is_hidden(hidden, 4), is_hidden(hidden, 22))
    oy = _excess(y, b, is_hidden(hidden, 10), is_hidden(hidden, 16))
    oz = _excess(z, c, is_hidden(hidden, 12), is_hidden(hidden, 14))
    if ox == 0.0 and oy == 0.0 and oz == 0.0:
        return _in_cube(a, b, c, hidden, x, y, z)
    r = math.sqrt(ox * ox + oy * oy + oz * oz)
    feature = 9 * (_sign(ox) + 1) + 3 * (_sign(oy) + 1) + _sign(oz) + 1
    return r, ox / r, oy / r, oz / r, is_hidden(hidden, feature)


@kernel
def _in_cube(a, b, c, hidden, x, y, z):
    d, gx, gy, gz = -math.inf, 0.0, 0.0, 1.0
    for side in (-1.0, 1.0):
        if side * x - a > d and not is_hidden(hidden, 13 + 9 * int(side)):
            d, gx, gy, gz = side * x - a, side, 0.0, 0.0
        if side * y - b > d and not is_hidden(hidden, 13 + 3 * int(side)):
            d, gx, gy, gz = side * y - b, 0.0, side, 0.0
        if side * z - c > d and not is_hidden(hidden, 13 + int(side)):
            d, gx, gy, gz = side * z - c, 0.0, 0.0, side
    if d == -math.inf:
        return -min(a, b, c), gx, gy, gz, True
    return d, gx, gy, gz, False


@kernel
def _to_hexagon(a, b, hidden, x, y, z):
    near, q, inner, d = 0, -math.inf, -1, -math.inf  # the side towards the point; inside, the nearest that pushes
    for k in range(6):
        beyond = COS[k] * x + SIN[k] * y - a
        if is_hidden(hidden, 13 + k):
            beyond -= MOVED * (COS[k] + SIN[k]) + 0.5 * OVERLAP
        elif beyond > d:
            inner, d = k, beyond
        if beyond > q:
            near, q = k, beyond
    h, end = abs(z) - b, math.copysign(1.0, z)
    if q <= 0.0 and h <= 0.0:
        top_hidden = is_hidden(hidden, 13 * (int(end) + 1) + 12)
        if inner >= 0 and (d >= h or top_hidden):
            return d, COS[inner], SIN[inner], 0.0, False
        return h, 0.0, 0.0, end, top_hidden
    level = 13 if h <= 0.0 else 13 * (int(end) + 1)
    h = max(h, 0.0)
    if q <= 0.0:
        return h, 0.0, 0.0, end, is_hidden(hidden, level + 12)
    along, edge = COS[near] * y - SIN[near] * x, a / 3.0**0.5
    past = along - min(max(along, -edge), edge)
    feature = near if past == 0.0 else 6 + near if past > 0.0 else 6 + (near + 5) % 6
    r = math.sqrt(q * q + past * past + h * h)
    gx, gy = COS[near] * q - SIN[near] * past, SIN[near] * q + COS[near] * past
    return r, gx / r, gy / r, end * h / r, is_hidden(hidden, level + feature)
