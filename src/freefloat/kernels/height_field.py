"""Distance of points to the ground of a height map, solid below."""

from __future__ import annotations

import math

from freefloat.kernels.height_map import curvature, height
from freefloat.kernels.jit import kernel

STEPS = 30  # of Newton's method at most; 2 to 4 are usual
CLOSE = 1e-8  # of the spacing: a step so short is the last, and its square is nothing


@kernel
def to_height_field(f, first, spacing, rows, columns, x, y, z):
    """Signed distance [m] of the point (x, y, z) to z = h(x, y), negative below, and the unit gradient: four floats.

    The nearest point Q is the minimum of |P - Q|^2 that Newton's method finds from the point straight below; where the
    Hessian is not positive, Gauss's part of it replaces it, and a step that does not get nearer is halved. Q is unique,
    and the gradient continuous, for points nearer than the ground's smallest radius of curvature. A slope that ends at
    the map's edge is a crease: over a crease the normal jumps.
    """
    qx, qy, sx, sy, farther = x, y, 0.0, 0.0, False
    h, hx, hy = height(f, first, spacing, rows, columns, qx, qy)
    least, xx, xy, yy = (h - z) * (h - z), 0.0, 0.0, 0.0
    for _ in range(STEPS):
        if not farther:
            xx, xy, yy = curvature(f, first, spacing, rows, columns, qx, qy)
            r = h - z
            gx, gy = qx - x + r * hx, qy - y + r * hy
            a, b, c = 1.0 + hx * hx + r * xx, hx * hy + r * xy, 1.0 + hy * hy + r * yy
            if a <= 0.0 or a * c - b * b <= 0.0:
                a, b, c = 1.0 + hx * hx, hx * hy, 1.0 + hy * hy
            det = a * c - b * b
            sx, sy = (b * gy - c * gx) / det, (b * gx - a * gy) / det
        if sx * sx + sy * sy <= CLOSE * CLOSE * spacing * spacing:
            h += hx * sx + hy * sy
            hx, hy = hx + xx * sx + xy * sy, hy + xy * sx + yy * sy
            qx, qy = qx + sx, qy + sy
            break
        new, nx, ny = height(f, first, spacing, rows, columns, qx + sx, qy + sy)
        to2 = (qx + sx - x) * (qx + sx - x) + (qy + sy - y) * (qy + sy - y) + (new - z) * (new - z)
        farther = to2 > least * (1.0 + 1e-14)
        if farther:
            sx, sy = 0.5 * sx, 0.5 * sy
        else:
            qx, qy, h, hx, hy, least = qx + sx, qy + sy, new, nx, ny, to2
    size = math.sqrt(1.0 + hx * hx + hy * hy)
    ux, uy, uz = -hx / size, -hy / size, 1.0 / size
    return (x - qx) * ux + (y - qy) * uy + (z - h) * uz, ux, uy, uz
