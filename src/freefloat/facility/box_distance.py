"""Distance of two boxes with rounding, compiled: a capsule is a segment with rounding, and a segment is a thin box.

A solid is what is within its rounding [m] of a core, a box of half edges h [m] (0 is allowed) at p with axes R. Cores
that overlap have the depth of the shallowest separating axis, of faces and of pairs of edges (Gottschalk, Lin and
Manocha 1996); cores that are apart have the least distance of a vertex and a box, or of two edges.
"""

from __future__ import annotations

import math

from freefloat.compiled import inner
from freefloat.frames import Array

PARALLEL = 1e-8  # [-] sine of the angle of two edges below which their common normal says nothing new


@inner
def _across(a: Array, b: Array, R: tuple[float, ...], t: tuple[float, float, float]) -> float:
    """The largest gap [m] between the shadows of two cores over all axes; b is at t with axes R, by rows, seen in a."""
    ax, ay, az, bx, by, bz = a[0], a[1], a[2], b[0], b[1], b[2]
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = R
    q00, q01, q02, q10, q11, q12, q20, q21, q22 = (
        abs(r00), abs(r01), abs(r02), abs(r10), abs(r11), abs(r12), abs(r20), abs(r21), abs(r22),
    )  # fmt: skip
    best = abs(t[0]) - ax - (bx * q00 + by * q01 + bz * q02)
    best = max(best, abs(t[1]) - ay - (bx * q10 + by * q11 + bz * q12))
    best = max(best, abs(t[2]) - az - (bx * q20 + by * q21 + bz * q22))
    best = max(best, abs(t[0] * r00 + t[1] * r10 + t[2] * r20) - bx - (ax * q00 + ay * q10 + az * q20))
    best = max(best, abs(t[0] * r01 + t[1] * r11 + t[2] * r21) - by - (ax * q01 + ay * q11 + az * q21))
    best = max(best, abs(t[0] * r02 + t[1] * r12 + t[2] * r22) - bz - (ax * q02 + ay * q12 + az * q22))
    h = (bx, by, bz)
    columns = ((r00, r10, r20), (r01, r11, r21), (r02, r12, r22))
    for j in range(3):
        x, y, z = columns[j]
        # a's axes crossed with b's axis j: (0, -z, y), (z, 0, -x), (-y, x, 0); b's shadow is that of its other axes
        k, m = (j + 1) % 3, (j + 2) % 3
        cx, cy, cz = columns[k]
        dx, dy, dz = columns[m]
        u, v = h[k], h[m]
        s = math.sqrt(y * y + z * z)
        if s > PARALLEL:
            shadow = ay * abs(z) + az * abs(y) + u * abs(cz * y - cy * z) + v * abs(dz * y - dy * z)
            best = max(best, (abs(t[2] * y - t[1] * z) - shadow) / s)
        s = math.sqrt(x * x + z * z)
        if s > PARALLEL:
            shadow = ax * abs(z) + az * abs(x) + u * abs(cx * z - cz * x) + v * abs(dx * z - dz * x)
            best = max(best, (abs(t[0] * z - t[2] * x) - shadow) / s)
        s = math.sqrt(x * x + y * y)
        if s > PARALLEL:
            shadow = ax * abs(y) + ay * abs(x) + u * abs(cy * x - cx * y) + v * abs(dy * x - dx * y)
            best = max(best, (abs(t[1] * x - t[0] * y) - shadow) / s)
    return best


@inner
def _vertices(a: Array, b: Array, R: tuple[float, ...], t: tuple[float, float, float]) -> float:
    """The least squared distance [m^2] of a vertex of b to the box a; b is at t with axes R, seen in a."""
    best = math.inf
    for i in range(1 if b[0] == 0.0 else 2):
        x = b[0] - 2.0 * i * b[0]
        for j in range(1 if b[1] == 0.0 else 2):
            y = b[1] - 2.0 * j * b[1]
            for k in range(1 if b[2] == 0.0 else 2):
                z = b[2] - 2.0 * k * b[2]
                dx = max(abs(t[0] + R[0] * x + R[1] * y + R[2] * z) - a[0], 0.0)
                dy = max(abs(t[1] + R[3] * x + R[4] * y + R[5] * z) - a[1], 0.0)
                dz = max(abs(t[2] + R[6] * x + R[7] * y + R[8] * z) - a[2], 0.0)
                best = min(best, dx * dx + dy * dy + dz * dz)
    return best


@inner
def _edges(a: Array, b: Array, R: tuple[float, ...], t: tuple[float, float, float]) -> float:
    """The least squared distance [m^2] of an edge of a and one of b, both met between their ends."""
    best = math.inf
    columns = ((R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8]))
    for m in range(3):
        if a[m] == 0.0:
            continue
        m1, m2 = (m + 1) % 3, (m + 2) % 3
        for n in range(3):
            if b[n] == 0.0:
                continue
            d = columns[n]
            n1, n2 = (n + 1) % 3, (n + 2) % 3
            c = d[m]  # cosine of the angle of the edges
            sine2 = d[m1] * d[m1] + d[m2] * d[m2]
            if sine2 < PARALLEL * PARALLEL:
                continue  # parallel edges are as near at an end
            e, f = columns[n1], columns[n2]
            for i in range(1 if b[n1] == 0.0 else 2):
                y = b[n1] - 2.0 * i * b[n1]
                for j in range(1 if b[n2] == 0.0 else 2):
                    z = b[n2] - 2.0 * j * b[n2]
                    o0 = t[m] + e[m] * y + f[m] * z  # middle of b's edge, along a's edge and across it
                    o1 = t[m1] + e[m1] * y + f[m1] * z
                    o2 = t[m2] + e[m2] * y + f[m2] * z
                    for k in range(1 if a[m1] == 0.0 else 2):
                        w1 = o1 - a[m1] + 2.0 * k * a[m1]
                        for l in range(1 if a[m2] == 0.0 else 2):  # noqa: E741
                            w2 = o2 - a[m2] + 2.0 * l * a[m2]
                            s = -(w1 * d[m1] + w2 * d[m2]) / sine2  # along b's edge, where lines are nearest
                            if abs(s) > b[n] or abs(o0 + c * s) > a[m]:
                                continue
                            r = w1 * d[m2] - w2 * d[m1]
                            best = min(best, r * r / sine2)
    return best


@inner
def box_distance(
    p_a: Array, R_a: Array, a: Array, r_a: float, p_b: Array, R_b: Array, b: Array, r_b: float, most: float
) -> float:
    """Distance [m] of two solids, negative by the depth where they overlap.

    `p` (3,) and `R` (3, 3) are their poses in one frame, a and b the half edges (3,), r the roundings. Where they are
    `most` or more apart, any value from `most` on may be told.
    """
    rounding = r_a + r_b
    x, y, z = p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2]
    t = (
        R_a[0, 0] * x + R_a[1, 0] * y + R_a[2, 0] * z,
        R_a[0, 1] * x + R_a[1, 1] * y + R_a[2, 1] * z,
        R_a[0, 2] * x + R_a[1, 2] * y + R_a[2, 2] * z,
    )
    R = (
        R_a[0, 0] * R_b[0, 0] + R_a[1, 0] * R_b[1, 0] + R_a[2, 0] * R_b[2, 0],
        R_a[0, 0] * R_b[0, 1] + R_a[1, 0] * R_b[1, 1] + R_a[2, 0] * R_b[2, 1],
        R_a[0, 0] * R_b[0, 2] + R_a[1, 0] * R_b[1, 2] + R_a[2, 0] * R_b[2, 2],
        R_a[0, 1] * R_b[0, 0] + R_a[1, 1] * R_b[1, 0] + R_a[2, 1] * R_b[2, 0],
        R_a[0, 1] * R_b[0, 1] + R_a[1, 1] * R_b[1, 1] + R_a[2, 1] * R_b[2, 1],
        R_a[0, 1] * R_b[0, 2] + R_a[1, 1] * R_b[1, 2] + R_a[2, 1] * R_b[2, 2],
        R_a[0, 2] * R_b[0, 0] + R_a[1, 2] * R_b[1, 0] + R_a[2, 2] * R_b[2, 0],
        R_a[0, 2] * R_b[0, 1] + R_a[1, 2] * R_b[1, 1] + R_a[2, 2] * R_b[2, 1],
        R_a[0, 2] * R_b[0, 2] + R_a[1, 2] * R_b[1, 2] + R_a[2, 2] * R_b[2, 2],
    )
    apart = _across(a, b, R, t)
    if apart <= 0.0 or apart - rounding >= most:
        return apart - rounding
    back = (
        -(R[0] * t[0] + R[3] * t[1] + R[6] * t[2]),
        -(R[1] * t[0] + R[4] * t[1] + R[7] * t[2]),
        -(R[2] * t[0] + R[5] * t[1] + R[8] * t[2]),
    )
    R_back = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    best = min(_vertices(a, b, R, t), _vertices(b, a, R_back, back))
    return math.sqrt(min(best, _edges(a, b, R, t))) - rounding
