"""Rotations, poses and spatial vectors in monogram notation (docs/notation.md).

`X_AB` is the pose of B in A: `p_A = R_AB @ p_B + p_AB`, and `X_AC = X_AB @ X_BC`.
Quaternions are float64 (4,), scalar first. Rotation vectors are axis times angle [rad].
Twists are [w; v] (6,) and wrenches are [moment; force] (6,), angular part first.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.amounts import Amount
from freefloat.errors import InputError

Array: TypeAlias = NDArray[np.float64]

ORTHONORMALITY_TOLERANCE = 1e-6  # [-] largest |R^T R - 1| that a Pose accepts; rounded files come near 1e-7


def _numbers(value: ArrayLike, what: str) -> Array:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be an array of numbers, got {reprlib.repr(value)}") from None
    except OverflowError:
        raise InputError(f"{what} holds an integer too large for a float") from None


def array_of(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """The value as float64; what is not an array of numbers of this shape is refused under the name `what`."""
    a = _numbers(value, what)
    if a.shape != shape:
        raise InputError(f"{what} must have shape {shape}, got {a.shape}")
    return a


def _measured(value: Any, unit: str, what: str) -> Array:
    """Three numbers in this unit, or texts with one of its kind."""
    if isinstance(value, (list, tuple)) and any(isinstance(v, str) for v in cast("list[Any]", value)):
        return np.array(Amount(unit).numbers(value, (3,), what), dtype=np.float64)
    return array_of(cast("ArrayLike", value), (3,), what)


def _points(value: ArrayLike, what: str) -> Array:
    a = _numbers(value, what)
    if a.ndim not in (1, 2) or a.shape[-1] != 3:
        raise InputError(f"{what} must have shape (3,) or (n, 3), got {a.shape}")
    return a


def _norm(v: Array, what: str) -> float:
    norm = math.hypot(*v.tolist())
    if not norm < math.inf:
        raise InputError(f"{what} must be finite, got {v.tolist()}")
    return norm


def _cross(a: Array, b: Array) -> Array:
    a0, a1, a2 = a.tolist()
    b0, b1, b2 = b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def sinc(x: float) -> float:
    """sin(x) / x."""
    return math.sin(x) / x if x != 0.0 else 1.0


def versine_ratio(x: float) -> float:
    """(1 - cos x) / x^2, without cancellation."""
    return 0.5 * sinc(0.5 * x) ** 2


def cubic_ratio(x: float) -> float:
    """(x - sin x) / x^3; below 1 rad its Taylor series, whose first omitted term is 1e-19."""
    if abs(x) >= 1.0:
        return (x - math.sin(x)) / x**3
    total, term = 0.0, 1.0 / 6.0
    for k in range(2, 10):
        total += term
        term *= -x * x / ((2 * k) * (2 * k + 1))
    return total


def quat_mul(a: ArrayLike, b: ArrayLike) -> Array:
    """Hamilton product: `q_AC = quat_mul(q_AB, q_BC)`."""
    aw, ax, ay, az = array_of(a, (4,), "quaternion").tolist()
    bw, bx, by, bz = array_of(b, (4,), "quaternion").tolist()
    return np.array(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ]
    )


def quat_conj(q: ArrayLike) -> Array:
    """`q_BA` from the unit quaternion `q_AB`."""
    w, x, y, z = array_of(q, (4,), "quaternion").tolist()
    return np.array([w, -x, -y, -z])


def quat_canonical(q: ArrayLike) -> Array:
    """The same rotation as a unit quaternion with w >= 0; at w = 0 the first non-zero component is positive."""
    a = array_of(q, (4,), "quaternion")
    norm = _norm(a, "quaternion")
    if norm == 0.0:
        raise InputError("quaternion must not be zero, got [0, 0, 0, 0]")
    first = next(c for c in a.tolist() if c != 0.0)
    return a / math.copysign(norm, first)


def quat_rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """`v_A` from `q_AB` (unit) and `v_B`, for one vector (3,) or rows (n, 3)."""
    return _points(v, "vector") @ quat_to_matrix(q).T


def quat_to_matrix(q: ArrayLike) -> Array:
    """`R_AB` (3, 3) from the unit quaternion `q_AB`."""
    w, x, y, z = array_of(q, (4,), "quaternion").tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def matrix_to_quat(R: ArrayLike) -> Array:
    """Canonical quaternion of a rotation matrix, dividing by its largest component (Shepperd 1978)."""
    (a, b, c), (d, e, f), (g, h, i) = array_of(R, (3, 3), "rotation matrix").tolist()
    squares = (a + e + i, a - e - i, e - a - i, i - a - e)  # 4 c^2 - 1 of each component c
    largest = max(range(4), key=squares.__getitem__)
    s = 1.0 + squares[largest]
    rows = (
        (s, h - f, c - g, d - b),
        (h - f, s, b + d, c + g),
        (c - g, b + d, s, f + h),
        (d - b, c + g, f + h, s),
    )
    return quat_canonical(rows[largest])


def quat_exp(rotvec: ArrayLike) -> Array:
    """Canonical quaternion of a rotation vector [rad]."""
    r = array_of(rotvec, (3,), "rotation vector")
    half = 0.5 * _norm(r, "rotation vector")
    return quat_canonical([math.cos(half), *(0.5 * sinc(half) * r).tolist()])


def quat_log(q: ArrayLike) -> Array:
    """Rotation vector [rad] of the shorter way round, |rotvec| <= pi; q and -q give the same."""
    w, *v = quat_canonical(q).tolist()
    s = math.hypot(*v)
    scale = 2.0 * math.atan2(s, w) / s if s > 0.0 else 2.0
    return scale * np.array(v)


def mrp_from_quat(q: ArrayLike) -> Array:
    """Modified Rodrigues parameters, axis times tan(angle / 4), of the shorter way round: |sigma| <= 1."""
    c = quat_canonical(q)
    return c[1:] / (1.0 + c[0])


def quat_from_mrp(sigma: ArrayLike) -> Array:
    """Canonical quaternion of modified Rodrigues parameters; the shadow set gives the same quaternion."""
    s = array_of(sigma, (3,), "modified Rodrigues parameters")
    square = float(s @ s)
    return quat_canonical([1.0 - square, *(2.0 * s).tolist()])


def rpy_to_matrix(roll: float, pitch: float, yaw: float) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll): turns about the fixed axes x, y, z in this order, as in URDF [rad]."""
    if not all(map(math.isfinite, (roll, pitch, yaw))):
        raise InputError(f"roll, pitch, yaw must be finite, got {[roll, pitch, yaw]}")
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def skew(v: ArrayLike) -> Array:
    """The matrix with `skew(v) @ u == cross(v, u)`."""
    x, y, z = array_of(v, (3,), "vector").tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def so3_exp(rotvec: ArrayLike) -> Array:
    """Rotation matrix of a rotation vector [rad]."""
    return quat_to_matrix(quat_exp(rotvec))


def so3_log(R: ArrayLike) -> Array:
    """Rotation vector [rad] of a rotation matrix, |rotvec| <= pi, accurate up to pi."""
    return quat_log(matrix_to_quat(R))


def _angle_and_skew(rotvec: ArrayLike) -> tuple[float, Array]:
    r = array_of(rotvec, (3,), "rotation vector")
    return _norm(r, "rotation vector"), skew(r)


def so3_left_jacobian(rotvec: ArrayLike) -> Array:
    """J_l with exp(r + d) = exp(J_l(r) d) exp(r) to first order (Sola, Deray, Atchuthan 2018, app. B)."""
    angle, S = _angle_and_skew(rotvec)
    return np.eye(3) + versine_ratio(angle) * S + cubic_ratio(angle) * (S @ S)


def so3_left_jacobian_inv(rotvec: ArrayLike) -> Array:
    """Inverse of `so3_left_jacobian`, for |rotvec| < 2 pi.

    The coefficient of S^2, (1 - h cot h) / (4 h^2) with h = angle / 2, is written without cancellation at h = 0.
    """
    angle, S = _angle_and_skew(rotvec)
    h = 0.5 * angle
    coefficient = (versine_ratio(h) - cubic_ratio(h)) / (4.0 * sinc(h))
    return np.eye(3) - 0.5 * S + coefficient * (S @ S)


def so3_right_jacobian(rotvec: ArrayLike) -> Array:
    """J_r with exp(r + d) = exp(r) exp(J_r(r) d) to first order; J_r(r) = J_l(-r)."""
    return so3_left_jacobian(rotvec).T


def so3_right_jacobian_inv(rotvec: ArrayLike) -> Array:
    """Inverse of `so3_right_jacobian`, for |rotvec| < 2 pi."""
    return so3_left_jacobian_inv(rotvec).T


def _frozen(a: Array) -> Array:
    a.setflags(write=False)
    return a


@dataclass(frozen=True, eq=False, init=False)
class Pose:
    """Pose `X_AB` of frame B in frame A, with read-only arrays. Two poses are equal when every number is."""

    R: Array  # [-] R_AB (3, 3)
    p: Array  # [m] p_AB (3,), Bo from Ao, in A

    def __init__(self, R: ArrayLike, p: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        R_AB = array_of(R, (3, 3), "rotation matrix")
        p_AB = _measured(p, "m", "position")
        error = float(np.abs(R_AB.T @ R_AB - np.eye(3)).max())
        if not error <= ORTHONORMALITY_TOLERANCE:
            raise InputError(
                f"rotation matrix must be orthonormal within {ORTHONORMALITY_TOLERANCE:g}, got an error of {error:.3g}"
            )
        if float(_cross(R_AB[0], R_AB[1]) @ R_AB[2]) < 0.0:
            raise InputError("rotation matrix must be right-handed (determinant +1), got a reflection (-1)")
        if not np.isfinite(p_AB).all():
            raise InputError(f"position must be finite, got {p_AB.tolist()}")
        self._set(R_AB.copy(), p_AB.copy())

    def _set(self, R: Array, p: Array) -> None:
        object.__setattr__(self, "R", _frozen(R))
        object.__setattr__(self, "p", _frozen(p))

    @classmethod
    def _trusted(cls, R: Array, p: Array) -> Pose:
        """A pose of arrays that are right by construction and shared with nobody."""
        X = object.__new__(cls)
        X._set(R, p)
        return X

    @classmethod
    def identity(cls) -> Pose:
        return cls._trusted(np.eye(3), np.zeros(3))

    @classmethod
    def from_quat(cls, q: ArrayLike, p: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From `q_AB` (scalar first, normalised here) and `p_AB` [m]."""
        return cls(quat_to_matrix(quat_canonical(q)), p)

    @classmethod
    def from_rpy(cls, rpy: ArrayLike, p: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From roll, pitch, yaw [rad] about fixed axes, as in URDF, and `p_AB` [m]; texts such as "90 deg" too."""
        roll, pitch, yaw = _measured(rpy, "rad", "roll, pitch, yaw").tolist()
        return cls(rpy_to_matrix(roll, pitch, yaw), p)

    @classmethod
    def from_matrix(cls, T: ArrayLike) -> Pose:
        """From a homogeneous matrix (4, 4)."""
        M = array_of(T, (4, 4), "homogeneous matrix")
        if M[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            raise InputError(f"last row of a homogeneous matrix must be [0, 0, 0, 1], got {M[3].tolist()}")
        return cls(M[:3, :3], M[:3, 3])

    @classmethod
    def exp(cls, twist: ArrayLike) -> Pose:
        """Displacement after unit time under the constant body twist [w; v]: R = exp(w), p = J_l(w) v."""
        V = array_of(twist, (6,), "twist")
        return cls(so3_exp(V[:3]), so3_left_jacobian(V[:3]) @ V[3:])

    def log(self) -> Array:
        """The twist [w; v] (6,) with `Pose.exp(twist) == self` and |w| <= pi."""
        r = so3_log(self.R)
        return np.concatenate([r, so3_left_jacobian_inv(r) @ self.p])

    @property
    def q(self) -> Array:
        """`q_AB`, canonical quaternion (4,), scalar first."""
        return matrix_to_quat(self.R)

    def inverse(self) -> Pose:
        """`X_BA`."""
        return Pose._trusted(self.R.T.copy(), -(self.p @ self.R))

    def __matmul__(self, other: Pose) -> Pose:
        """`X_AC = X_AB @ X_BC`."""
        if not isinstance(other, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"a pose multiplies a pose, got {type(other).__name__}; for points use X_AB.apply(p_B)")
        return Pose._trusted(self.R @ other.R, self.R @ other.p + self.p)

    def apply(self, points: ArrayLike) -> Array:
        """`p_A = R_AB @ p_B + p_AB` [m] for one point (3,) or rows (n, 3)."""
        return _points(points, "points") @ self.R.T + self.p

    def matrix(self) -> Array:
        """Homogeneous matrix (4, 4)."""
        T = np.eye(4)
        T[:3, :3] = self.R
        T[:3, 3] = self.p
        return T

    def adjoint(self) -> Array:
        """Matrix (6, 6) that takes a twist [w; v] at Bo in B to Ao in A: [[R, 0], [skew(p) R, R]]."""
        A = np.zeros((6, 6))
        A[:3, :3] = A[3:, 3:] = self.R
        A[3:, :3] = skew(self.p) @ self.R
        return A

    def is_close(self, other: Pose, tolerance: float = 1e-9) -> bool:
        """Whether both the relative angle [rad] and the distance [m] are within the tolerance."""
        angle = math.hypot(*so3_log(self.R.T @ other.R).tolist())
        return angle <= tolerance and math.dist(self.p.tolist(), other.p.tolist()) <= tolerance

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        return np.array_equal(self.R, other.R) and np.array_equal(self.p, other.p)

    def __hash__(self) -> int:
        return hash((*self.R.ravel().tolist(), *self.p.tolist()))

    def __reduce__(self) -> tuple[Callable[[Array, Array], Pose], tuple[Array, Array]]:
        # NumPy forgets the read-only flag when it copies or pickles; rebuilding sets it again.
        return _rebuild, (self.R, self.p)


def _rebuild(R: Array, p: Array) -> Pose:
    return Pose(R, p)


def transform_twist(X_AB: Pose, V_B: ArrayLike) -> Array:
    """Twist [w; v] of the same rigid motion, from point Bo and axes B to point Ao and axes A."""
    V = array_of(V_B, (6,), "twist")
    w = X_AB.R @ V[:3]
    return np.concatenate([w, X_AB.R @ V[3:] + _cross(X_AB.p, w)])


def transform_wrench(X_AB: Pose, F_B: ArrayLike) -> Array:
    """Wrench [moment; force] of the same load, from point Bo and axes B to point Ao and axes A."""
    F = array_of(F_B, (6,), "wrench")
    f = X_AB.R @ F[3:]
    return np.concatenate([X_AB.R @ F[:3] + _cross(X_AB.p, f), f])


def cross_motion(V: ArrayLike, U: ArrayLike) -> Array:
    """Spatial cross product of motions, V x U (Featherstone 2008, sec. 2.9): rate of U when it moves with V."""
    a, b = array_of(V, (6,), "twist"), array_of(U, (6,), "twist")
    return np.concatenate([_cross(a[:3], b[:3]), _cross(a[:3], b[3:]) + _cross(a[3:], b[:3])])


def cross_force(V: ArrayLike, F: ArrayLike) -> Array:
    """Spatial cross product V x* F (Featherstone 2008, sec. 2.9): rate of the wrench F when it moves with V."""
    a, b = array_of(V, (6,), "twist"), array_of(F, (6,), "wrench")
    return np.concatenate([_cross(a[:3], b[:3]) + _cross(a[3:], b[3:]), _cross(a[:3], b[3:])])
