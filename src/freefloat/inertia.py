"""Inertia tensors: whether a rigid body can have one, and how it changes with the point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, array_of

INERTIA_TOLERANCE = 1e-9  # [-] relative to the largest principal moment


def check_inertia(I: ArrayLike) -> None:  # noqa: E741
    """Refuse an inertia (3, 3) [kg m^2] that no rigid body has.

    It must be symmetric and positive definite, and no principal moment may exceed the sum of the other two.
    """
    M = array_of(I, (3, 3), "inertia")
    if not np.isfinite(M).all():
        raise InputError(f"inertia must be finite, got {M.tolist()}")
    slack = INERTIA_TOLERANCE * float(np.abs(M).max())
    if np.abs(M - M.T).max() > slack:
        raise InputError(f"inertia must be symmetric, got {M.tolist()}")
    low, middle, high = np.linalg.eigvalsh(M).tolist()
    moments = f"{low:.6g}, {middle:.6g}, {high:.6g} kg m^2"
    if low <= 0.0:
        raise InputError(f"inertia must be positive definite, got principal moments {moments}")
    if high > low + middle + slack:
        raise InputError(f"largest principal moment must not exceed the sum of the other two, got {moments}")


def parallel_axis(I_cm: ArrayLike, m: float, p: ArrayLike) -> Array:
    """Inertia (3, 3) [kg m^2] about a point at the offset p [m] from the centre of mass, same axes, mass m [kg]."""
    r = array_of(p, (3,), "offset")
    return array_of(I_cm, (3, 3), "inertia") + m * (float(r @ r) * np.eye(3) - np.outer(r, r))
