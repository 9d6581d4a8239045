"""Rotations in compiled steps: what `freefloat.frames` has, on plain numbers.

Vectors and quaternions (scalar first) may be arrays or tuples; results are tuples, matrices are tuples of rows. Parts
of arrays come as tuples too (`vector`, `quaternion`, `row`, `column`): a slice costs the compiler far more.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from freefloat.compiled import inner
from freefloat.errors import InputError
from freefloat.frames import Array, cubic_ratio, sinc, versine_ratio

Numbers: TypeAlias = Array | tuple[float, ...]
Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]

inner(sinc), inner(versine_ratio), inner(cubic_ratio)


@inner
def vector(a: Array, first: int) -> Vector:
    """The three numbers of a from `first` on."""
    return a[first], a[first + 1], a[first + 2]


@inner
def quaternion(a: Array, first: int) -> Quaternion:
    """The four numbers of a from `first` on."""
    return a[first], a[first + 1], a[first + 2], a[first + 3]


@inner
def row(M: Array, i: int) -> Vector:
    """The first three numbers of a row."""
    return M[i, 0], M[i, 1], M[i, 2]


@inner
def column(M: Array, j: int) -> Vector:
    """The first three numbers of a column."""
    return M[0, j], M[1, j], M[2, j]


@inner
def matrix(M: Array) -> Matrix:
    """M (3, 3) as rows."""
    return row(M, 0), row(M, 1), row(M, 2)


@inner
def dot(a: Numbers, b: Numbers) -> float:
    """Of two vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def norm(a: Numbers) -> float:
    """Of a vector (3,)."""
    return math.sqrt(dot(a, a))


@inner
def scaled(a: Numbers, factor: float) -> Vector:
    """A vector (3,) times a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor


@inner
def cross(a: Numbers, b: Numbers) -> Vector:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def times(M: Matrix, v: Numbers) -> Vector:
    """M v for M (3, 3)."""
    return dot(M[0], v), dot(M[1], v), dot(M[2], v)


@inner
def transposed(M: Matrix) -> Matrix:
    """M^T."""
    return (M[0][0], M[1][0], M[2][0]), (M[0][1], M[1][1], M[2][1]), (M[0][2], M[1][2], M[2][2])


@inner
def quat_product(a: Numbers, b: Numbers) -> Quaternion:
    """q_AC from q_AB and q_BC."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inner
def quat_inverse(q: Numbers) -> Quaternion:
    """q_BA from the unit quaternion q_AB."""
    return q[0], -q[1], -q[2], -q[3]


@inner
def quat_unit(q: Numbers) -> Quaternion:
    """The same rotation as a unit quaternion whose first component that is not zero is positive."""
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if not 0.0 < length < math.inf:
        raise InputError("quaternion must be finite and not zero")
    first = q[0] if q[0] != 0.0 else q[1] if q[1] != 0.0 else q[2] if q[2] != 0.0 else q[3]
    s = math.copysign(length, first)
    return q[0] / s, q[1] / s, q[2] / s, q[3] / s


@inner
def quat_of(r: Numbers) -> Quaternion:
    """Unit quaternion of a rotation vector [rad]."""
    half = 0.5 * norm(r)
    s = 0.5 * sinc(half)
    return quat_unit((math.cos(half), s * r[0], s * r[1], s * r[2]))


@inner
def rotation_vector(q: Numbers) -> Vector:
    """Rotation vector [rad] of a quaternion, the shorter way round."""
    u = quat_unit(q)
    s = math.sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3])
    scale = 2.0 * math.atan2(s, u[0]) / s if s > 0.0 else 2.0
    return scale * u[1], scale * u[2], scale * u[3]


@inner
def matrix_of(q: Numbers) -> Matrix:
    """R_AB of the unit quaternion q_AB."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@inner
def quat_of_axes(x: Numbers, y: Numbers, z: Numbers) -> Quaternion:
    """Quaternion q_AB of the axes of B in A, dividing by its largest component (Shepperd 1978)."""
    a, e, i = x[0], y[1], z[2]
    u, v, w = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    xy, xz, yz = x[1] + y[0], x[2] + z[0], y[2] + z[1]
    trace = a + e + i
    if trace >= max(a - e - i, e - a - i, i - a - e):
        return quat_unit((1.0 + trace, u, v, w))
    if a >= max(e, i):
        return quat_unit((u, 1.0 + a - e - i, xy, xz))
    if e >= i:
        return quat_unit((v, xy, 1.0 + e - a - i, yz))
    return quat_unit((w, xz, yz, 1.0 + i - a - e))


@inner
def right_jacobian(r: Numbers) -> Matrix:
    """J_r with exp(r + d) = exp(r) exp(J_r(r) d) to first order: 1 - a S + b S^2, S = skew(r)."""
    angle = norm(r)
    a, b = versine_ratio(angle), cubic_ratio(angle)
    x, y, z = r[0], r[1], r[2]
    return (
        (1.0 - b * (y * y + z * z), a * z + b * x * y, b * x * z - a * y),
        (b * x * y - a * z, 1.0 - b * (x * x + z * z), a * x + b * y * z),
        (a * y + b * x * z, b * y * z - a * x, 1.0 - b * (x * x + y * y)),
    )
