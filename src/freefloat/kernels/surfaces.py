"""Distances of points to surfaces, in the surface's own frame S, with their gradients: the outward normals."""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel

PLANE, SPHERE, CAPSULE, BOX, CYLINDER, REVOLVED, HEIGHT_FIELD, PRISM = range(8)
# sizes, as in `geometry.shape.Shape`: none (z = 0, solid below), radius, (radius, half length), half edges, (radius,
# half length); axes of capsule and cylinder are z. A regular hexagonal prism about z, side k along 60 k deg from x:
# half the distance of opposite sides, half the height
COS = (1.0, 0.5, -0.5, -1.0, -0.5, 0.5)  # of 0, 60, ... 300 deg
SIN = (0.0, 0.75**0.5, 0.75**0.5, 0.0, -(0.75**0.5), -(0.75**0.5))


@kernel
def distance(kind, a, b, c, x, y, z):
    """Signed distance [m] of the point (x, y, z), negative inside, and the unit gradient: four floats."""
    if kind == PLANE:
        return z, 0.0, 0.0, 1.0
    if kind == BOX:
        return _to_box(a, b, c, x, y, z)
    if kind == CYLINDER:
        return _to_cylinder(a, b, x, y, z)
    if kind == PRISM:
        return _to_prism(a, b, x, y, z)
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


@kernel
def _to_prism(a, b, x, y, z):
    c, s, q = 1.0, 0.0, -math.inf  # normal of the side that is nearest or looks to the point, and how far beyond it
    for k in range(6):
        beyond = COS[k] * x + SIN[k] * y - a
        if beyond > q:
            c, s, q = COS[k], SIN[k], beyond
    h, end = abs(z) - b, math.copysign(1.0, z)
    if q <= 0.0 and h <= 0.0:
        if q >= h:
            return q, c, s, 0.0
        return h, 0.0, 0.0, end
    along, edge = c * y - s * x, a / 3.0**0.5
    past = along - min(max(along, -edge), edge) if q > 0.0 else 0.0
    q, h = max(q, 0.0), max(h, 0.0)
    r = math.sqrt(q * q + past * past + h * h)
    return r, (c * q - s * past) / r, (s * q + c * past) / r, end * h / r


@kernel
def to_revolved(data, first, n, half_wall, x, y, z):
    """Signed distance [m] of the point (x, y, z) to a wall revolved about z, and the unit gradient: four floats.

    The wall is what is within `half_wall` [m] of a polyline in the half plane (rho >= 0, z): n points (rho, z) [m] from
    place `first` of a flat array; n = 1 is a ring. It has two sides and round rims. The gradient jumps in the middle of
    the wall, where it points to the right of the line as it is walked, and where two places of it are equally near;
    on the axis, radially means along x.
    """
    rho = math.sqrt(x * x + y * y)
    ux, uy = (x / rho, y / rho) if rho > 0.0 else (1.0, 0.0)
    least, away, up = math.inf, 1.0, 0.0
    for k in range(max(n - 1, 1)):
        r0, z0 = data[first + 2 * k], data[first + 2 * k + 1]
        dr, dz = (data[first + 2 * k + 2] - r0, data[first + 2 * k + 3] - z0) if n > 1 else (0.0, 0.0)
        length2, pr, pz = dr * dr + dz * dz, rho - r0, z - z0
        along = pr * dr + pz * dz
        if 0.0 < along < length2:
            length = math.sqrt(length2)
            side = (pr * dz - pz * dr) / length
            d = abs(side)
            if d < least:
                turn = math.copysign(1.0 / length, side)
                least, away, up = d, turn * dz, -turn * dr
        else:
            if along > 0.0:
                pr, pz = pr - dr, pz - dz
            d = math.sqrt(pr * pr + pz * pz)
            if d < least:
                least, away, up = (d, pr / d, pz / d) if d > 0.0 else (0.0, 1.0, 0.0)
    return least - half_wall, away * ux, away * uy, up
