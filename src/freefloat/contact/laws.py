"""Laws of contact: the force along the normal for a penetration x, and friction along the surface.

Explicit integration wants sqrt(k / m) h below about 0.1, with m the reduced mass and h the step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from freefloat.amounts import Amount, Measure, Measures, not_negative, positive, share, take
from freefloat.errors import InputError
from freefloat.kernels import contact_laws as K
from freefloat.kernels import contact_row as R


class _Checked:
    """Takes the numbers of a law in their units."""

    amounts: ClassVar[dict[str, Amount]] = {}

    def __post_init__(self) -> None:
        take(self, type(self).__name__, **self.amounts)


@dataclass(frozen=True)
class SpringDamper(_Checked):
    """f = k x + c x' (Kelvin and Voigt): it jumps at first touch, and parts where f falls to zero."""

    amounts: ClassVar[dict[str, Amount]] = {"stiffness": positive("N/m"), "damping": not_negative("N s/m")}

    stiffness: Measure  # [N/m] k
    damping: Measure = 0.0  # [N s/m] c

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"exponent": 1.0, "damping": self.damping, "restitution": 1.0, "rest_speed": 0.0}
        return {"law": K.SPRING_DAMPER, "stiffness": self.stiffness, **numbers}


@dataclass(frozen=True)
class HuntCrossley(_Checked):
    """f = k x^n (1 + 3/2 c x') (Hunt and Crossley 1975): no jump; restitution is near 1 - c v for slow impacts."""

    amounts: ClassVar[dict[str, Amount]] = {"damping": not_negative("s/m"), "exponent": positive("-")}

    stiffness: Measure  # [N/m^n] k
    damping: Measure = 0.0  # [s/m] c
    exponent: Measure = 1.5  # [-] n, 3/2 of Hertz

    def __post_init__(self) -> None:
        super().__post_init__()
        take(self, type(self).__name__, stiffness=positive(f"N/m^{self.exponent:.16g}"))

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"exponent": self.exponent, "damping": self.damping, "restitution": 1.0, "rest_speed": 0.0}
        return {"law": K.HUNT_CROSSLEY, "stiffness": self.stiffness, **numbers}


@dataclass(frozen=True)
class LankaraniNikravesh(_Checked):
    """f = k x^n (1 + 3/4 (1 - e^2) x' / v0), v0 the speed at first touch (Lankarani and Nikravesh 1990).

    The restitution that it gives is above e: 0.9132, 0.8471, 0.7252 for e = 0.9, 0.8, 0.5.
    """

    amounts: ClassVar[dict[str, Amount]] = {"restitution": share(), "exponent": positive("-")}

    stiffness: Measure  # [N/m^n] k
    restitution: Measure = 0.8  # [-] e, 0 to 1
    exponent: Measure = 1.5  # [-] n

    def __post_init__(self) -> None:
        super().__post_init__()
        take(self, type(self).__name__, stiffness=positive(f"N/m^{self.exponent:.16g}"))

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"exponent": self.exponent, "damping": 0.0, "restitution": self.restitution, "rest_speed": 0.0}
        return {"law": K.LANKARANI_NIKRAVESH, "stiffness": self.stiffness, **numbers}


@dataclass(frozen=True)
class Impulse(_Checked):
    """Velocities jump at first touch: of the speed of approach the share e comes back (Newton), and the impulse along
    the surface keeps Coulomb's law. Below `rest_speed` a spring and damper hold what comes to rest.
    """

    amounts: ClassVar[dict[str, Amount]] = {
        "restitution": share(),
        "stiffness": positive("N/m"),
        "damping": not_negative("N s/m"),
        "rest_speed": positive("m/s"),
    }

    restitution: Measure  # [-] e, 0 to 1
    stiffness: Measure  # [N/m] of the spring
    damping: Measure = 0.0  # [N s/m] of the damper beside it
    rest_speed: Measure = 0.01  # [m/s]

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"exponent": 1.0, "damping": self.damping, "restitution": self.restitution}
        return {"law": K.IMPULSE, "stiffness": self.stiffness, **numbers, "rest_speed": self.rest_speed}


@dataclass(frozen=True)
class RegularisedFriction(_Checked):
    """f_t = -mu f v / sqrt(v^2 + v_s^2): smooth; under a load below mu f it creeps."""

    amounts: ClassVar[dict[str, Amount]] = {"mu": not_negative("-"), "slip_speed": positive("m/s")}

    mu: Measure  # [-]
    slip_speed: Measure = 0.01  # [m/s] v_s; mu f h / (m v_s) below about 0.5 keeps it stable

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"shear_stiffness": 1.0, "shear_damping": 0.0}
        return {"friction": R.REGULARISED, "mu": self.mu, "slip_speed": self.slip_speed, **numbers}


@dataclass(frozen=True)
class StickingFriction(_Checked):
    """Coulomb's law with a spring that sticks: no creep below mu f, exactly mu f where it slips."""

    amounts: ClassVar[dict[str, Amount]] = {
        "mu": not_negative("-"),
        "stiffness": positive("N/m"),
        "damping": not_negative("N s/m"),
    }

    mu: Measure  # [-]
    stiffness: Measure  # [N/m] along the surface
    damping: Measure = 0.0  # [N s/m] along the surface, while it sticks

    def columns(self) -> dict[str, float]:
        """Numbers of a row of the bank."""
        numbers = {"shear_stiffness": self.stiffness, "shear_damping": self.damping}
        return {"friction": R.STICKING, "mu": self.mu, "slip_speed": 1.0, **numbers}


Law = SpringDamper | HuntCrossley | LankaraniNikravesh | Impulse
Friction = RegularisedFriction | StickingFriction
NO_FRICTION = {"friction": R.SMOOTH, "mu": 0.0, "slip_speed": 1.0, "shear_stiffness": 1.0, "shear_damping": 0.0}


def hertz_stiffness(
    radii: Measures,  # [m] two; math.inf for a plane, negative for a hollow
    moduli: Measures,  # [Pa] of elasticity
    poisson: Measures = (0.3, 0.3),
) -> float:
    """k [N/m^1.5] of two bodies with round surfaces, f = k x^1.5: k = 4/3 E* sqrt(R) (Hertz 1882; Johnson, Contact
    Mechanics, sec. 4.2), 1/E* = sum (1 - nu^2) / E and 1/R = sum 1/r."""
    radii = Amount("m", inf=True).numbers(radii, (2,), "Hertz: radii")
    moduli = positive("Pa").numbers(moduli, (2,), "Hertz: moduli")
    poisson = Amount("-", gt=-1.0, le=0.5).numbers(poisson, (2,), "Hertz: poisson")
    curvature = sum(1.0 / r if r else math.nan for r in radii)
    if not curvature > 0.0:
        raise InputError(f"Hertz: radii {radii} m; allowed: surfaces that bulge towards each other")
    stiffness = 1.0 / sum((1.0 - nu * nu) / E for nu, E in zip(poisson, moduli, strict=True))
    return 4.0 / 3.0 * stiffness / math.sqrt(curvature)
