"""Closed form of a torque-free rigid body: rates in Jacobi's elliptic functions, attitude by an elliptic integral.

In principal axes P with z the axis that the angular momentum h circles (the largest or smallest moment) and y the
middle one, the rates are (Landau and Lifshitz, Mechanics, sec. 37)

    w_x = C cn u,   w_y = +-B sn u,   w_z = A dn u,   u = rate t + u0.

For the attitude, let H be the frame with z along h, which is fixed in space. R_HP = Rz(chi) R_min(n), where R_min is
the shortest turn from the direction n of h in P to z. Then

    chi' = (2 T + h w_z) / (h + I_z w_z),

whose denominator never vanishes, unlike that of the precession angle of Euler's 3-1-3 set. Its integral has a linear
part, a part of the third kind and an arc tangent; `_third_kind` and `_arc_tangent` hold them.

Every difference that decides the shape of the motion is formed without cancellation, except the one that says on
which side of the separatrix the body is; that one is formed exactly. On the separatrix itself the functions are
hyperbolic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import elliprj

from freefloat import frames
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.inertia import check_inertia
from freefloat.verify.oracles import elliptic

TINY = 1e-140  # [rad/s or -] its square is still a number; a smaller wobble counts as none


@dataclass(frozen=True)
class _Shape:
    """Constants of the motion in principal axes P; moments [kg m^2], rates [rad/s], momenta [N m s]."""

    R_BP: Array
    moments: Array  # I_x, I_y, I_z in P
    A: float  # [rad/s] amplitudes of w_z, w_y, w_x
    B: float
    C: float
    sense: float  # sign of w_y against sn u
    m1: float  # [-] complementary parameter of the elliptic functions
    rate: float  # [rad/s] du/dt
    u0: float  # [-] u at t = 0
    h: float
    defect: float  # [J] 2 T - h^2 / I_z


@dataclass(frozen=True)
class TorqueFreeBody:
    """Motion of a rigid body B that no moment acts on, from its state at t = 0.

    `moments` are its principal moments of inertia [kg m^2] along the axes of B.
    """

    moments: ArrayLike  # [kg m^2] (3,)
    w_WB_B: ArrayLike  # [rad/s] (3,) at t = 0
    q_WB: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # at t = 0
    _shape: _Shape | None = field(init=False, repr=False)  # None: the rates are constant
    _R_WH: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        moments, w = np.array(self.moments, dtype=np.float64), np.array(self.w_WB_B, dtype=np.float64)
        if moments.shape != (3,) or w.shape != (3,):
            raise InputError(f"moments and w_WB_B need shape (3,), not {moments.shape} and {w.shape}")
        check_inertia(np.diag(moments))
        q = frames.quat_canonical(self.q_WB)
        for name, value in (("moments", moments), ("w_WB_B", w), ("q_WB", q)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_shape", _shape(moments, w))
        R_HB = self._R_HB(np.zeros(1))[0] if self._shape else np.eye(3)
        object.__setattr__(self, "_R_WH", frames.quat_to_matrix(q) @ R_HB.T)

    def rates(self, t: ArrayLike) -> Array:
        """w_WB_B [rad/s], (n, 3), at the times t (n,) [s]."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        s = self._shape
        if s is None:
            return np.tile(np.asarray(self.w_WB_B), (times.size, 1))
        _, sn, cn, dn, turns = _phase(s, times)
        flip = np.where(turns % 2 == 0, 1.0, -1.0)
        w_P = np.column_stack([s.C * flip * cn, s.sense * s.B * flip * sn, s.A * dn])
        return w_P @ s.R_BP.T

    def rotations(self, t: ArrayLike) -> Array:
        """R_WB (n, 3, 3) at the times t (n,) [s]."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if self._shape is None:
            w = np.asarray(self.w_WB_B)
            return np.array([self._R_WH @ frames.so3_exp(w * x) for x in times])
        return self._R_WH @ self._R_HB(times)

    def attitudes(self, t: ArrayLike) -> Array:
        """q_WB (n, 4), scalar first with w >= 0, at the times t (n,) [s]."""
        return np.array([frames.matrix_to_quat(R) for R in self.rotations(t)])

    def _R_HB(self, times: Array) -> Array:
        s = self._shape
        assert s is not None
        n = self.rates(times) * np.asarray(self.moments) @ s.R_BP
        x, y, z = (n / np.linalg.norm(n, axis=1, keepdims=True)).T
        chi = _turn(s, times)
        shortest = np.array(  # takes n to the z axis
            [
                [1.0 - x * x / (1.0 + z), -x * y / (1.0 + z), -x],
                [-x * y / (1.0 + z), 1.0 - y * y / (1.0 + z), -y],
                [x, y, z],
            ]
        )
        zero, one = np.zeros_like(chi), np.ones_like(chi)
        about_h = np.array([[np.cos(chi), -np.sin(chi), zero], [np.sin(chi), np.cos(chi), zero], [zero, zero, one]])
        return np.einsum("ijn,jkn,lk->nil", about_h, shortest, s.R_BP)


def _shape(moments: Array, w: Array) -> _Shape | None:
    """Constants of the motion, or None where the gyroscopic moment vanishes and the rates stay."""
    speed = np.linalg.norm(w)
    if speed <= TINY or np.abs(np.cross(w / speed, moments * w / speed)).max() <= TINY * moments.max():
        return None
    low, middle, high = np.argsort(moments, kind="stable")
    I_exact, w_exact = [Fraction(x) for x in moments], [Fraction(x) for x in w]
    side = sum(J * (J - I_exact[middle]) * v * v for J, v in zip(I_exact, w_exact, strict=True))  # h^2 - 2 T I_middle
    axes = (low, middle, high) if side >= 0 else (high, middle, low)

    R_BP = np.zeros((3, 3))
    sign_x, sign_z = np.where(w[[axes[0], axes[2]]] < 0.0, -1.0, 1.0)
    R_BP[axes[0], 0], R_BP[axes[1], 1], R_BP[axes[2], 2] = sign_x, 1.0, sign_z
    R_BP[axes[1], 1] = np.linalg.det(R_BP)
    Ix, Iy, Iz = moments[list(axes)]
    wx, wy, wz = w @ R_BP

    A = np.sqrt(wz**2 + Iy * (Iy - Ix) / (Iz * (Iz - Ix)) * wy**2)
    B = np.sqrt(wy**2 + Ix * (Iz - Ix) / (Iy * (Iz - Iy)) * wx**2)
    C = np.sqrt(wx**2 + Iy * (Iz - Iy) / (Ix * (Iz - Ix)) * wy**2)
    sense = 1.0 if Iz > Ix else -1.0
    m1 = float(side) / (Iz * (Iz - Iy) * A**2)
    return _Shape(
        R_BP=R_BP,
        moments=np.array([Ix, Iy, Iz]),
        A=float(A),
        B=float(B),
        C=float(C),
        sense=sense,
        m1=min(m1, 1.0),
        rate=float(A * np.sqrt((Iz - Ix) * (Iz - Iy) / (Ix * Iy))),
        u0=elliptic.first_kind(float(sense * wy / B), float(wx / C), m1),
        h=float(np.linalg.norm(moments * w)),
        defect=float(Ix * (1.0 - Ix / Iz) * wx**2 + Iy * (1.0 - Iy / Iz) * wy**2),
    )


def _phase(s: _Shape, times: Array) -> tuple[Array, Array, Array, Array, Array]:
    """v, sn v, cn v, dn v and k with u = v + 2 K k and |v| <= K."""
    u = s.rate * times + s.u0
    if s.m1 == 0.0:
        return u, *elliptic.jacobi(u, 0.0), np.zeros_like(u)
    K = elliptic.quarter_period(s.m1)
    turns = np.round(u / (2.0 * K))
    v = u - 2.0 * K * turns
    return v, *elliptic.jacobi(v, s.m1), turns


def _turn(s: _Shape, times: Array) -> Array:
    """chi(t) - chi(0) [rad]: the integral of h / I_z + defect / (h + I_z A dn u)."""
    both = np.concatenate([times, [0.0]])
    v, sn, cn, _, turns = _phase(s, both)
    integral = s.h * _third_kind(s, v, sn, cn, turns) - s.moments[2] * s.A * _arc_tangent(s, sn, cn, turns)
    return s.h / s.moments[2] * times + s.defect / s.rate * (integral[:-1] - integral[-1])


def _third_kind(s: _Shape, v: Array, sn: Array, cn: Array, turns: Array) -> Array:
    """Integral of du / (p + q sn^2 u), p = (I_x C)^2 and p + q = (I_y B)^2, in Carlson's form (DLMF 19.25.14).

    Beyond K / 2 it is counted back from K, where sn(K - d) = cn d / dn d: near the separatrix the integrand of the
    amplitude has a pole close to K that would cost digits.
    """
    p, whole = (s.moments[0] * s.C) ** 2, (s.moments[1] * s.B) ** 2
    Ix, Iy, Iz = s.moments
    q = Iy * Iz * (Iy - Ix) / (Iz - Ix) * s.B**2
    if s.m1 == 0.0:
        root = np.sqrt(q / p)
        return (v + root * np.arctan(root * np.tanh(v))) / whole

    def from_zero(w: Array, sn: Array, cn: Array) -> Array:
        s2, c2 = sn * sn, cn * cn
        return (w - q / p * sn * s2 / 3.0 * elliprj(c2, c2 + s.m1 * s2, 1.0, 1.0 + q / p * s2)) / p

    def before_K(d: Array) -> Array:
        sn, cn, _ = elliptic.jacobi(d, s.m1)
        s2, c2 = sn * sn, cn * cn
        weight = s.m1 * q / whole * sn * s2 / 3.0
        return (d + weight * elliprj(c2, c2 + s.m1 * s2, 1.0, c2 + p * s.m1 / whole * s2)) / whole

    K = elliptic.quarter_period(s.m1)
    half = np.array([0.5 * K])
    half_sn, half_cn, _ = elliptic.jacobi(half, s.m1)
    to_K = from_zero(half, half_sn, half_cn)[0] + before_K(half)[0]
    near = np.abs(v) <= 0.5 * K
    part = np.where(near, from_zero(v, sn, cn), np.sign(v) * (to_K - before_K(np.clip(K - np.abs(v), 0.0, 0.5 * K))))
    return part + 2.0 * turns * to_K


def _arc_tangent(s: _Shape, sn: Array, cn: Array, turns: Array) -> Array:
    """Integral of dn u du / (p + q sn^2 u) = d(am u) / (p + q sin^2(am u))."""
    a, b = s.moments[0] * s.C, s.moments[1] * s.B
    return (np.arctan2(b * sn, a * cn) + np.pi * turns) / (a * b)
