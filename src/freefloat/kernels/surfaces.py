"""Distances of points to surfaces, in the surface's own frame S, with their gradients: the outward normals."""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel

PLANE, SPHERE, CAPSULE, BOX, CYLINDER = range(5)
# sizes, as in `geometry.shape.Shape`: none (z = 0, solid below), radius, (radius, half length), half edges, (radius,
# half length); axes of capsule and cylinder are z


@kernel
def distance(kind, a, b, c, x, y, z):
    """Signed distance [m] of the point (x, y, z), negative inside, and the unit gradient: four floats."""
    if kind == PLANE:
        return z, 0.0, 0.0, 1.0
    if kind == BOX:
        return _to_box(a, b, c, x, y, z)
    if kind == CYLINDER:
        return _to_cylinder(a, b, x, y, z)
    along = 0.0 if kind == SPHERE else min(max(z, -b), b)
    r = math.sqrt(x * x + y * y + (z - along) * (z - along))
    if r == 0.0:
        return -a, 0.0, 0.0, 1.0
    return r - a, x / r, y / r, (z - along) / r


@kernel
def _to_box(a, b, c, x, y, z):
    qx, qy, qz = abs(x) - a, abs(y) - b, abs(z) - c
    sx, sy, sz = math.copysign(1.0, x), math.copysign(1.0, y), math.copysign(1.0, z)
    if qx <= 0.0 and qy <= 0.0 and qz <= 0.0:  # inside: the nearest face
        if qx >= qy and qx >= qz:
            return qx, sx, 0.0, 0.0
        if qy >= qz:
            return qy, 0.0, sy, 0.0
        return qz, 0.0, 0.0, sz
    ox, oy, oz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
    r = math.sqrt(ox * ox + oy * oy + oz * oz)
    return r, sx * ox / r, sy * oy / r, sz * oz / r


@kernel
def _to_cylinder(a, b, x, y, z):
    radial = math.sqrt(x * x + y * y)
    ux, uy = (x / radial, y / radial) if radial > 0.0 else (1.0, 0.0)
    q, h, side = radial - a, abs(z) - b, math.copysign(1.0, z)
    if q <= 0.0 and h <= 0.0:
        if q >= h:
            return q, ux, uy, 0.0
        return h, 0.0, 0.0, side
    oq, oh = max(q, 0.0), max(h, 0.0)
    r = math.sqrt(oq * oq + oh * oh)
    return r, ux * oq / r, uy * oq / r, side * oh / r
