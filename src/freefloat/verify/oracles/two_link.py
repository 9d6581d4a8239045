"""Free-floating planar two-link robot, written out by hand from Lagrange's equations.

Coordinates (x, y, th, q1, q2): centre of mass and angle of the base in W, then the joints. With the absolute angles
f = (th, th + q1, th + q1 + q2) and e(a) = (cos a, sin a), the centres of mass are

    c0 = (x, y),   c1 = c0 + r0 e(f0) + l1 e(f1),   c2 = c0 + r0 e(f0) + (l1 + r1) e(f1) + l2 e(f2)

and the tip is c0 + r0 e(f0) + (l1 + r1) e(f1) + (l2 + r2) e(f2). So c_i = c0 + sum_j A_ij e(f_j), from which mass
matrix and bias follow without any derivative of a product:

    K_jk = sum_i m_i A_ij A_ik,   b_j = sum_i m_i A_ij
    T = m |c0'|^2 / 2 + c0' . sum_j b_j e(f_j)' + sum_jk K_jk e(f_j)' . e(f_k)' / 2 + sum_j I_j f_j'^2 / 2

The default parameters are those of Papadopoulos and Dubowsky (1993).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array

_TO_ABSOLUTE = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])  # f = _TO_ABSOLUTE (th, q1, q2)


@dataclass(frozen=True)
class TwoLink:
    """Masses, inertias about the centres of mass and lengths of base (0) and links (1, 2)."""

    masses: tuple[float, float, float] = (40.0, 4.0, 3.0)  # [kg]
    inertias: tuple[float, float, float] = (6.667, 0.333, 0.25)  # [kg m^2]
    r0: float = 0.5  # [m] base centre of mass to joint 1, along the base's x
    l1: float = 0.5  # [m] joint 1 to centre of mass 1
    r1: float = 0.5  # [m] centre of mass 1 to joint 2
    l2: float = 0.5  # [m] joint 2 to centre of mass 2
    r2: float = 0.5  # [m] centre of mass 2 to tip

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M (5, 5) of T = v^T M v / 2 in the coordinates (x, y, th, q1, q2)."""
        f = self._absolute(q)
        b, K = self._moments()
        M = np.zeros((5, 5))
        M[:2, :2] = sum(self.masses) * np.eye(2)
        M[:2, 2:] = np.array([-b * np.sin(f), b * np.cos(f)])
        M[2:, :2] = M[:2, 2:].T
        M[2:, 2:] = K * np.cos(f[:, None] - f[None, :]) + np.diag(self.inertias)
        return _chain(M)

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocity-dependent forces c (5,) of M v' + c = forces."""
        f, f_rate = self._absolute(q), _TO_ABSOLUTE @ np.asarray(v, dtype=np.float64)[2:]
        b, K = self._moments()
        squares = f_rate**2
        linear = -np.array([np.cos(f), np.sin(f)]) @ (b * squares)
        angular = (K * np.sin(f[:, None] - f[None, :])) @ squares
        return np.concatenate([linear, _TO_ABSOLUTE.T @ angular])

    def accelerations(self, q: ArrayLike, v: ArrayLike, forces: ArrayLike) -> Array:
        """v' (5,) from the generalised forces (f_x, f_y, moment on the base, tau1, tau2)."""
        load = np.asarray(forces, dtype=np.float64) - self.bias(q, v)
        return np.linalg.solve(self.mass_matrix(q), load).astype(np.float64)

    def energy(self, q: ArrayLike, v: ArrayLike) -> float:
        """Kinetic energy [J]."""
        rates = np.asarray(v, dtype=np.float64)
        return float(0.5 * rates @ self.mass_matrix(q) @ rates)

    def tip(self, q: ArrayLike) -> Array:
        """Position of the tip in W [m] (2,)."""
        f = self._absolute(q)
        return np.asarray(q, dtype=np.float64)[:2] + np.array([np.cos(f), np.sin(f)]) @ self._tip_arms()

    def generalised_jacobian(self, q: ArrayLike) -> Array:
        """J_g (2, 2): velocity of the tip per joint rate while both momenta are zero.

        Momenta conjugate to (x, y, th) are cyclic: the first three rows of M v vanish.
        """
        f = self._absolute(q)
        arms = self._tip_arms()
        J = np.hstack([np.eye(2), np.array([-arms * np.sin(f), arms * np.cos(f)]) @ _TO_ABSOLUTE])
        M = self.mass_matrix(q)
        return J[:, 3:] - J[:, :3] @ np.linalg.solve(M[:3, :3], M[:3, 3:])

    def _absolute(self, q: ArrayLike) -> Array:
        return _TO_ABSOLUTE @ np.asarray(q, dtype=np.float64)[2:]

    def _moments(self) -> tuple[Array, Array]:
        A = np.array([[0.0, 0.0, 0.0], [self.r0, self.l1, 0.0], [self.r0, self.l1 + self.r1, self.l2]])
        m = np.array(self.masses)
        return m @ A, A.T @ (m[:, None] * A)

    def _tip_arms(self) -> Array:
        return np.array([self.r0, self.l1 + self.r1, self.l2 + self.r2])


def _chain(M: Array) -> Array:
    """The matrix of the same quadratic form in joint angles instead of absolute ones."""
    S = np.eye(5)
    S[2:, 2:] = _TO_ABSOLUTE
    return S.T @ M @ S
