"""Capsule against capsule: the closest points of two segments."""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel

PARALLEL = 1e-14  # squared sine of the angle below which two segments count as parallel


@kernel
def _clamp(s):
    return min(max(s, -1.0), 1.0)


@kernel
def _places(a, b, c, d, e):
    """Places s, t in -1..1 of the closest points w + t v - s u of two segments, with a = u.u, b = u.v, c = v.v,
    d = u.w, e = v.w. Of parallel segments that lie side by side, the middle of what they share."""
    det = a * c - b * b
    if det > PARALLEL * a * c:
        s = _clamp((c * d - b * e) / det)
    elif a > 0.0 and c > 0.0:
        low, high = max((d - abs(b)) / a, -1.0), min((d + abs(b)) / a, 1.0)
        s = _clamp(0.5 * (low + high))
    else:
        s = _clamp(d / a) if a > 0.0 else 0.0
    t = (b * s - e) / c if c > 0.0 else 0.0
    if abs(t) > 1.0:
        t = _clamp(t)
        s = _clamp((b * t + d) / a) if a > 0.0 else 0.0
    return s, t


@kernel
def _across(u, v):
    """A unit vector across both u and v, also where they are parallel or zero: three floats."""
    x, y, z = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    a, c = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if x * x + y * y + z * z <= PARALLEL * a * c:
        x, y, z = (u[0], u[1], u[2]) if a >= c else (v[0], v[1], v[2])
        if abs(z) * abs(z) > 0.5 * max(a, c):
            x, y, z = 0.0, z, -y
        else:
            x, y, z = y, -x, 0.0
    size = math.sqrt(x * x + y * y + z * z)
    if size == 0.0:
        return 0.0, 0.0, 1.0
    return x / size, y / size, z / size


@kernel
def capsule_gap(p_a, u_a, r_a, p_b, u_b, r_b):
    """Gap [m] of two capsules, the normal from A to B and the point in the middle of the gap: (d, n, p).

    p: centre, u: from the centre to an end of the segment (zero: a sphere), both with three entries in one frame;
    r: radius [m]. Where the segments cross, the normal is across both.
    """
    wx, wy, wz = p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2]
    a = u_a[0] * u_a[0] + u_a[1] * u_a[1] + u_a[2] * u_a[2]
    b = u_a[0] * u_b[0] + u_a[1] * u_b[1] + u_a[2] * u_b[2]
    c = u_b[0] * u_b[0] + u_b[1] * u_b[1] + u_b[2] * u_b[2]
    d = u_a[0] * wx + u_a[1] * wy + u_a[2] * wz
    e = u_b[0] * wx + u_b[1] * wy + u_b[2] * wz
    s, t = _places(a, b, c, d, e)
    x, y, z = wx + t * u_b[0] - s * u_a[0], wy + t * u_b[1] - s * u_a[1], wz + t * u_b[2] - s * u_a[2]
    size = math.sqrt(x * x + y * y + z * z)
    n = (x / size, y / size, z / size) if size > 0.0 else _across(u_a, u_b)
    half = 0.5 * (size + r_a - r_b)  # from the point on A's segment to the middle of the gap
    p = (
        p_a[0] + s * u_a[0] + half * n[0],
        p_a[1] + s * u_a[1] + half * n[1],
        p_a[2] + s * u_a[2] + half * n[2],
    )
    return size - r_a - r_b, n, p
