"""Settings of scenarios in which bodies touch: the law of the force, and friction."""

from __future__ import annotations

from typing import Literal

from freefloat.contact import (
    HuntCrossley,
    Impulse,
    LankaraniNikravesh,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
)
from freefloat.scenario.fields import Settings, quantity, setting


class HuntCrossleySettings(Settings):
    """f = k x^n (1 + 3/2 c x'): no jump at first touch."""

    kind: Literal["hunt-crossley"] = setting("hunt-crossley", "the law of the normal force")
    force_at_1_mm: float = quantity(10.0, "N", "k x^n at a penetration of 1 mm", gt=0, le=1e9)
    exponent: float = quantity(1.5, "-", "n; 1.5 of round bodies, 1 of a spring", ge=1, le=4)
    damping: float = quantity(0.3, "s/m", "c; restitution is near 1 - c v for slow impacts", ge=0, le=100)

    def make(self) -> HuntCrossley:
        """The law."""
        return HuntCrossley(self.force_at_1_mm / 1e-3**self.exponent, self.damping, self.exponent)


class SpringDamperSettings(Settings):
    """f = k x + c x': jumps at first touch."""

    kind: Literal["spring-damper"] = setting("spring-damper", "the law of the normal force")
    stiffness: float = quantity(2e4, "N/m", "k", gt=0, le=1e12)
    damping: float = quantity(30.0, "N s/m", "c", ge=0, le=1e9)

    def make(self) -> SpringDamper:
        """The law."""
        return SpringDamper(self.stiffness, self.damping)


class LankaraniNikraveshSettings(Settings):
    """f = k x^n (1 + 3/4 (1 - e^2) x' / v0), v0 the speed at first touch."""

    kind: Literal["lankarani-nikravesh"] = setting("lankarani-nikravesh", "the law of the normal force")
    force_at_1_mm: float = quantity(10.0, "N", "k x^n at a penetration of 1 mm", gt=0, le=1e9)
    exponent: float = quantity(1.5, "-", "n; 1.5 of round bodies, 1 of a spring", ge=1, le=4)
    restitution: float = quantity(0.6, "-", "e that is asked for; what comes out is more", ge=0, le=1)

    def make(self) -> LankaraniNikravesh:
        """The law."""
        return LankaraniNikravesh(self.force_at_1_mm / 1e-3**self.exponent, self.restitution, self.exponent)


class ImpulseSettings(Settings):
    """Velocities jump; below `rest_speed` a spring and damper hold."""

    kind: Literal["impulse"] = setting("impulse", "the law of the normal force")
    restitution: float = quantity(0.6, "-", "share of the speed of approach that comes back", ge=0, le=1)
    stiffness: float = quantity(2e4, "N/m", "of the spring below rest_speed", gt=0, le=1e12)
    damping: float = quantity(100.0, "N s/m", "of the damper beside it", ge=0, le=1e9)
    rest_speed: float = quantity(0.05, "m/s", "speed of approach below which the spring takes over", gt=0, le=10)

    def make(self) -> Impulse:
        """The law."""
        return Impulse(self.restitution, self.stiffness, self.damping, self.rest_speed)


class StickingSettings(Settings):
    """A spring that sticks up to mu times the normal force, and then slips at exactly that."""

    kind: Literal["sticking"] = setting("sticking", "how bodies rub")
    mu: float = quantity(0.5, "-", "coefficient of friction; 0: smooth", ge=0, le=10)
    stiffness: float = quantity(2e4, "N/m", "of the spring along the surface", gt=0, le=1e12)
    damping: float = quantity(20.0, "N s/m", "of the damper beside it", ge=0, le=1e9)

    def make(self) -> StickingFriction:
        """The friction."""
        return StickingFriction(self.mu, self.stiffness, self.damping)


class RegularisedSettings(Settings):
    """mu times the normal force, less below `slip_speed`: smooth, and what rests creeps."""

    kind: Literal["regularised"] = setting("regularised", "how bodies rub")
    mu: float = quantity(0.5, "-", "coefficient of friction", ge=0, le=10)
    slip_speed: float = quantity(0.1, "m/s", "speed below which the force is less", gt=0, le=10)

    def make(self) -> RegularisedFriction:
        """The friction."""
        return RegularisedFriction(self.mu, self.slip_speed)


class SmoothSettings(Settings):
    """No friction."""

    kind: Literal["none"] = setting("none", "how bodies rub: not at all")

    def make(self) -> None:
        """No friction."""


Law = HuntCrossleySettings | SpringDamperSettings | LankaraniNikraveshSettings | ImpulseSettings
Friction = StickingSettings | RegularisedSettings | SmoothSettings
