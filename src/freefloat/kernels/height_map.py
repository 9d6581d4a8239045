"""Heights z = h(x, y) by cubic B-splines, centred on the origin of their frame.

A map is rows x columns coefficients [m], row by row from place `first` of a flat array, along x and y `spacing` [m]
apart; cell (i, j) uses rows i to i + 3 and columns j to j + 3. Beyond its edge the ground goes on level.
"""

from __future__ import annotations

from freefloat.kernels.handle import local
from freefloat.kernels.jit import kernel


@kernel
def _weight(k, s):
    """Cubic B-spline weight k of 0..3 at s of a cell, times 6, and its derivative times 2."""
    r = 1.0 - s
    if k == 0:
        return r * r * r, -r * r
    if k == 1:
        return (3.0 * s - 6.0) * s * s + 4.0, (3.0 * s - 4.0) * s
    if k == 2:
        return (3.0 * r - 6.0) * r * r + 4.0, (4.0 - 3.0 * r) * r
    return s * s * s, s * s


@kernel
def _bend(k, s):
    """Second derivative of weight k of 0..3 at s of a cell."""
    if k == 0:
        return 1.0 - s
    if k == 1:
        return 3.0 * s - 2.0
    if k == 2:
        return 1.0 - 3.0 * s
    return s


@kernel
def height(f, first, spacing, rows, columns, x, y):
    """Height [m] and its gradient at (x, y): three floats."""
    u, v = x / spacing + 0.5 * (rows - 3), y / spacing + 0.5 * (columns - 3)
    cu, cv = min(max(u, 0.0), rows - 3.0), min(max(v, 0.0), columns - 3.0)
    i, j = min(int(cu), rows - 4), min(int(cv), columns - 4)
    z, gx, gy = 0.0, 0.0, 0.0
    along = local(8)
    for b in range(4):
        along[b], along[4 + b] = _weight(b, cv - j)
    for a in range(4):
        bu, du = _weight(a, cu - i)
        row = first + (i + a) * columns + j
        h, dh = 0.0, 0.0
        for b in range(4):
            h += f[row + b] * along[b]
            dh += f[row + b] * along[4 + b]
        z += bu * h
        gx += du * h
        gy += bu * dh
    gx = gx if u == cu else 0.0
    gy = gy if v == cv else 0.0
    return z / 36.0, gx / (12.0 * spacing), gy / (12.0 * spacing)


@kernel
def curvature(f, first, spacing, rows, columns, x, y):
    """Second derivatives [1/m] of the height at (x, y): xx, xy, yy."""
    u, v = x / spacing + 0.5 * (rows - 3), y / spacing + 0.5 * (columns - 3)
    cu, cv = min(max(u, 0.0), rows - 3.0), min(max(v, 0.0), columns - 3.0)
    i, j = min(int(cu), rows - 4), min(int(cv), columns - 4)
    xx, xy, yy = 0.0, 0.0, 0.0
    for a in range(4):
        bu, du = _weight(a, cu - i)
        row = first + (i + a) * columns + j
        h, dh, ddh = 0.0, 0.0, 0.0
        for b in range(4):
            bv, dv = _weight(b, cv - j)
            h += f[row + b] * bv
            dh += f[row + b] * dv
            ddh += f[row + b] * _bend(b, cv - j)
        xx += _bend(a, cu - i) * h
        xy += du * dh
        yy += bu * ddh
    per = 1.0 / (spacing * spacing)
    inx, iny = (1.0 if u == cu else 0.0), (1.0 if v == cv else 0.0)
    return xx * per * inx / 6.0, xy * per * inx * iny / 4.0, yy * per * iny / 6.0
