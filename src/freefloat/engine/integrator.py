"""Integrators and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.graph import Vector
from freefloat.errors import InputError
from freefloat.kernels import schemes

AUTO: Final = "auto"
DEFAULT_STEP = 1e-3  # [s]
Step = Measure | Literal["auto"]  # [s]; "auto": what the parts advise (`engine.advice`), `longest` at most


@dataclass(frozen=True)
class RK4:
    """Classical Runge-Kutta of order 4 with fixed steps."""

    step: Step = DEFAULT_STEP
    longest: Measure = DEFAULT_STEP  # [s] that "auto" takes

    def __post_init__(self) -> None:
        _read_texts(self, "step")
        take(self, type(self).__name__, longest=Amount("s", gt=0.0))

    def settings(self, step: float) -> Vector:
        """As the kernel reads them, for steps of `step` [s]."""
        return np.array([schemes.RK4, _whole(step), 0.0, 0.0, step])


@dataclass(frozen=True)
class Dopri5:
    """Dormand and Prince's fifth-order method with fixed steps."""

    step: Step = DEFAULT_STEP
    longest: Measure = DEFAULT_STEP  # [s] that "auto" takes

    def __post_init__(self) -> None:
        _read_texts(self, "step")
        take(self, type(self).__name__, longest=Amount("s", gt=0.0))

    def settings(self, step: float) -> Vector:
        """As the kernel reads them, for steps of `step` [s]."""
        return np.array([schemes.DOPRI5, _whole(step), 0.0, 0.0, step])


@dataclass(frozen=True)
class Dopri54:
    """Dormand and Prince's embedded 5(4) pair with adaptive steps and dense output.

    The error of each coordinate is held below atol + rtol * size per step, in the RMS over coordinates, so advice on
    the step is not asked for. A guard that crosses twice within one step is not seen: keep `max_step` below the
    shortest time between crossings, such as that in which something could pass through a thin wall.
    """

    rtol: float = 1e-9
    atol: float = 1e-12
    step: Measure = DEFAULT_STEP  # [s] first step
    max_step: Measure = 0.1  # [s]

    def __post_init__(self) -> None:
        _read_texts(self, "step", "max_step")

    def settings(self, step: float) -> Vector:
        """As the kernel reads them; `step` is the first one [s]."""
        if not all(0.0 < v < np.inf for v in (self.rtol, self.atol, self.max_step, step)):
            raise InputError(f"Dopri54: tolerances and steps must be positive and finite, got {self}")
        return np.array([schemes.DOPRI54, step, self.rtol, self.atol, self.max_step])


Integrator = RK4 | Dopri5 | Dopri54


def _read_texts(integrator: RK4 | Dopri5 | Dopri54, *fields: str) -> None:
    """Turn texts such as "4 ms" into seconds."""
    for field in fields:
        given = getattr(integrator, field)
        if isinstance(given, str) and given.strip()[:1] in "+-.0123456789":  # others are no quantities: `first_step`
            object.__setattr__(integrator, field, Amount("s").number(given, f"{type(integrator).__name__}: {field}"))


def first_step(integrator: Integrator) -> float:
    """[s] as it is set; where the parts are to be asked, the default."""
    step = integrator.step
    if not isinstance(step, str):
        return step
    if step != AUTO or isinstance(integrator, Dopri54):
        also = "" if isinstance(integrator, Dopri54) else ", or auto"
        raise InputError(f"{type(integrator).__name__}: step {step!r}; allowed: a number of seconds{also}")
    return DEFAULT_STEP


def _whole(step: float) -> float:
    """A fixed step must be a whole number of nanoseconds."""
    if not (1e-9 <= step <= 1e9 and abs(step * 1e9 - round(step * 1e9)) < 1e-3):
        raise InputError(f"fixed step {step!r} s: must be a positive whole number of nanoseconds")
    return step
