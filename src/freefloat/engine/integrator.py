"""Integrators and their settings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.errors import InputError
from freefloat.kernels import schemes


@dataclass(frozen=True)
class RK4:
    """Classical Runge-Kutta of order 4 with fixed steps."""

    step: float = 1e-3  # [s]

    def settings(self) -> Vector:
        """As the kernel reads them."""
        return np.array([schemes.RK4, _whole(self.step), 0.0, 0.0, self.step])


@dataclass(frozen=True)
class Dopri5:
    """Dormand and Prince's fifth-order method with fixed steps."""

    step: float = 1e-3  # [s]

    def settings(self) -> Vector:
        """As the kernel reads them."""
        return np.array([schemes.DOPRI5, _whole(self.step), 0.0, 0.0, self.step])


@dataclass(frozen=True)
class Dopri54:
    """Dormand and Prince's embedded 5(4) pair with adaptive steps and dense output.

    The error of each coordinate is held below atol + rtol * size per step, in the RMS over coordinates. A guard that
    crosses twice within one step is not seen: keep `max_step` below the shortest time between crossings.
    """

    rtol: float = 1e-9
    atol: float = 1e-12
    step: float = 1e-3  # [s] first step
    max_step: float = 0.1  # [s]

    def settings(self) -> Vector:
        """As the kernel reads them."""
        if not all(0.0 < v < np.inf for v in (self.rtol, self.atol, self.max_step, self.step)):
            raise InputError(f"Dopri54: tolerances and steps must be positive and finite, got {self}")
        return np.array([schemes.DOPRI54, self.step, self.rtol, self.atol, self.max_step])


Integrator = RK4 | Dopri5 | Dopri54


def _whole(step: float) -> float:
    """A fixed step must be a whole number of nanoseconds."""
    if not (1e-9 <= step <= 1e9 and abs(step * 1e9 - round(step * 1e9)) < 1e-3):
        raise InputError(f"fixed step {step!r} s: must be a positive whole number of nanoseconds")
    return step
