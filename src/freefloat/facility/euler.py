"""The facility's Euler angles A, B, C: turns about z, the resulting y, the resulting x; R = Rz(A) Ry(B) Rx(C).

On plain numbers, in Python and compiled. Benninghoff and others 2017, appendix A ("321 = zyx").
"""

from __future__ import annotations

import math

from freefloat.compiled import inner
from freefloat.gnc.rotations import Matrix, Vector

UPRIGHT = 1e-12  # [-] cos B below which only the sum or difference of A and C is known


@inner
def euler_matrix(a: float, b: float, c: float) -> Matrix:
    """R_AB of the angles [rad] of B in A."""
    ca, sa, cb, sb, cc, sc = math.cos(a), math.sin(a), math.cos(b), math.sin(b), math.cos(c), math.sin(c)
    return (
        (ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc),
        (sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc),
        (-sb, cb * sc, cb * cc),
    )


@inner
def euler_angles(R: Matrix) -> Vector:
    """A, B, C [rad] of a rotation, A and C in (-pi, pi], B within +-pi/2; at B = +-pi/2, A is 0.

    C is what is left once the turn by A is taken back, so that the three together stay exact near B = +-pi/2, where A
    alone is not.
    """
    level = math.hypot(R[0][0], R[1][0])
    a = math.atan2(R[1][0], R[0][0]) if level > UPRIGHT else 0.0
    ca, sa = math.cos(a), math.sin(a)
    c = math.atan2(sa * R[0][2] - ca * R[1][2], ca * R[1][1] - sa * R[0][1])
    return a, math.atan2(-R[2][0], level), c
