"""Platforms that exist: their numbers, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Amount, Count, Measure, Measures, positive, take, take_rows
from freefloat.platforms.platform import Body
from freefloat.units import RPM


@dataclass(frozen=True)
class Nozzle:
    """A thruster in B: p_BP and the direction of its force, in the plane; the manifold that feeds it."""

    position: Measures  # [m]
    direction: Measures  # [-]
    manifold: int

    def __post_init__(self) -> None:
        take_rows(self, "nozzle", 2, position=Amount("m"), direction=Amount("-"))
        take(self, "nozzle", manifold=Count())


@dataclass(frozen=True)
class Wheel:
    """A reaction wheel about z with a speed loop."""

    inertia: Measure  # [kg m^2]
    max_torque: Measure  # [N m]
    max_speed: Measure  # [rad/s]

    def __post_init__(self) -> None:
        take(self, "wheel", inertia=positive("kg m^2"), max_torque=positive("N m"), max_speed=positive("rad/s"))


@dataclass(frozen=True)
class Platform:
    """What a platform is made of."""

    body: Body
    nozzles: tuple[Nozzle, ...]
    thrust: Measure  # [N] of one nozzle
    wheel: Wheel | None
    bottles: Measure = 13.6e-3  # [m^3] of compressed gas; two of 6.8 l

    def __post_init__(self) -> None:
        take(self, "platform", thrust=positive("N"), bottles=positive("m^3"))


def _reacsa_nozzles(arm: float) -> tuple[Nozzle, ...]:
    """Eq. 3.11: counter-facing pairs on +x, +y, -x, -y; which four share a bank is assumed: opposite sides."""
    sides = ((1, 0), (1, 0), (0, 1), (0, 1), (-1, 0), (-1, 0), (0, -1), (0, -1))
    pushes = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, -1), (0, 1), (1, 0), (-1, 0))
    return tuple(
        Nozzle((arm * p[0], arm * p[1]), (float(d[0]), float(d[1])), (k // 2) % 2)
        for k, (p, d) in enumerate(zip(sides, pushes, strict=True))
    )


# Tables 3.1 to 3.4; inertia without the wheel and the arm are inferred (docs/explanation/floating-platform.md)
REACSA = Platform(
    Body(221.67, 12.129, radius=0.35, height=1.0),
    _reacsa_nozzles(0.35),
    thrust=10.36,
    wheel=Wheel(0.047, 1.7, 500.0 * RPM),
)


def _corner_nozzles(arm: float) -> tuple[Nozzle, ...]:
    """One nozzle along x and one along y at each corner (+-arm, +-arm), pushing inwards: every plume is free."""
    corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return tuple(
        Nozzle((arm * x, arm * y), (-float(x), 0.0) if along == 0 else (0.0, -float(y)), 0)
        for x, y in corners
        for along in (0, 1)
    )


# ATMOS of the DISCOWER project at KTH: published sources disagree on some numbers, and its wheel is not used
ATMOS = Platform(
    Body(16.8, 0.30, radius=0.165, height=0.4, bearing_radius=0.12),
    _corner_nozzles(0.12),
    thrust=1.5,
    wheel=None,
    bottles=1.5e-3,  # assumed
)

PLATFORMS = {"reacsa": REACSA, "atmos": ATMOS}
