"""Mass properties as a file declares them, and what kind of body, if any, can have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Pose
from freefloat.inertia import INERTIA_TOLERANCE, parallel_axis

SMALLEST_MOMENT = 1e-14  # [kg m^2] MuJoCo refuses 1e-15 and below
SMALLEST_MASS = 1e-12  # [kg] of a link that only joints hang from; MuJoCo refuses 1e-15 and below
BALANCED = 0.05  # [-] share of the largest moment by which the triangle inequality may be missed and balanced

THIN = 1e-12  # [-] smallest moment beside the largest, well above rounding
FLAT = 1e-9  # [-] thickness of a balanced body beside its extent, so that rounding leaves it possible

Grade = Literal["full", "thin", "triangle", "negative"]


@dataclass(frozen=True)
class Inertial:
    """Mass properties in the axes of link L."""

    mass: float  # [kg]
    p_LLcm: NDArray[np.float64]  # [m]
    I_LLcm_L: NDArray[np.float64]  # [kg m^2], (3, 3)

    @property
    def moments(self) -> tuple[float, float, float]:
        """Principal moments [kg m^2], the smallest first."""
        low, middle, high = np.linalg.eigvalsh(self.I_LLcm_L).tolist()
        return low, middle, high

    @property
    def told(self) -> str:
        return f"principal moments {', '.join(f'{m:.4g}' for m in self.moments)} kg m^2"

    @property
    def grade(self) -> Grade:
        """Full: a body with extent in all directions. Thin: no moment, or hardly one, about some axis. The others: no
        body has a largest moment that exceeds the sum of the other two, or a negative one.
        """
        low, middle, high = self.moments
        slack = INERTIA_TOLERANCE * max(abs(low), abs(high))
        if high < SMALLEST_MOMENT and low > -SMALLEST_MOMENT:
            return "thin"
        if low < -slack:
            return "negative"
        if high > low + middle + slack:
            return "triangle"
        return "thin" if low < max(SMALLEST_MOMENT, 0.1 * THIN * high) else "full"

    @property
    def miss(self) -> float:
        """By which share of the largest moment the other two fall short of it."""
        low, middle, high = self.moments
        return (high - low - middle) / high if high > 0.0 else 0.0

    def moved(self, X_HL: Pose) -> Inertial:
        """The same in the axes of H."""
        turned = X_HL.R @ self.I_LLcm_L @ X_HL.R.T
        return Inertial(self.mass, X_HL.apply(self.p_LLcm), 0.5 * (turned + turned.T))

    def plus(self, other: Inertial) -> Inertial:
        """Both as one body, in the same axes (parallel axis theorem)."""
        mass = self.mass + other.mass
        p = (self.mass * self.p_LLcm + other.mass * other.p_LLcm) / mass if mass > 0.0 else self.p_LLcm
        parts = [parallel_axis(one.I_LLcm_L, one.mass, one.p_LLcm - p) for one in (self, other)]
        return Inertial(mass, p, parts[0] + parts[1])

    def balanced(self) -> Inertial:
        """The nearest inertia that a body can have.

        The second moments of mass, tr(I) / 2 - I, that are negative become zero: the body is flat where it would have
        to be thinner than flat. The largest principal moment stays where only the triangle inequality is missed.
        """
        values, axes = np.linalg.eigh(self.I_LLcm_L)
        spread = 0.5 * values.sum() - values
        spread = np.maximum(spread, FLAT * max(spread.max(), 0.0))
        return Inertial(self.mass, self.p_LLcm, (axes * (spread.sum() - spread)) @ axes.T)

    def thickened(self) -> Inertial:
        """With principal moments, and a mass, that MuJoCo takes."""
        values, axes = np.linalg.eigh(self.I_LLcm_L)
        raised = np.maximum(values, max(SMALLEST_MOMENT, THIN * values[2]))
        tensor = SMALLEST_MOMENT * np.eye(3) if np.ptp(raised) == 0.0 else (axes * raised) @ axes.T
        return Inertial(max(self.mass, SMALLEST_MASS), self.p_LLcm, 0.5 * (tensor + tensor.T))
