"""Composite rigid bodies by 4 x 4 pseudo-inertia matrices, one body after another.

A body of density rho has J = integral of [p; 1] [p; 1]^T rho dV: it turns as J_A = X_AB J_B X_AB^T with the homogeneous
matrix, and the J of a composite is the sum (Wensing, Kim and Slotine 2018). Its blocks are [[S, m c], [m c^T, m]] with
S = tr(I) / 2 - I about the frame's origin. Extended precision, since S about the origin loses digits when it is moved
to the centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.frames import Pose

Matrix = NDArray[np.longdouble]


def pseudo_inertia(mass: float, p_BBcm: ArrayLike, I_BBcm_B: ArrayLike) -> Matrix:
    """J (4, 4) of a body about Bo, in axes of B."""
    centre, inertia = np.asarray(p_BBcm, np.longdouble), np.asarray(I_BBcm_B, np.longdouble)
    J = np.zeros((4, 4), np.longdouble)
    J[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia + mass * np.outer(centre, centre)
    J[:3, 3] = J[3, :3] = mass * centre
    J[3, 3] = mass
    return J


def assembled(bodies: Iterable[tuple[Pose, Matrix]]) -> Matrix:
    """J in A of bodies with poses X_AB and J in B."""
    total = np.zeros((4, 4), np.longdouble)
    for X_AB, J in bodies:
        X = X_AB.matrix().astype(np.longdouble)
        total += X @ J @ X.T
    return total


def read_out(J: Matrix) -> tuple[float, Matrix, Matrix]:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2], in the frame of J."""
    mass = J[3, 3]
    centre = J[:3, 3] / mass
    S = J[:3, :3] - mass * np.outer(centre, centre)
    return float(mass), centre, np.trace(S) * np.eye(3) - S
