"""REACSA on its reference trajectories: line, circle, half circle and S (sec. 5.3.1)."""

from __future__ import annotations

from typing import ClassVar

from freefloat.gnc.planning.platform import hermite_reference
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.missions.platform.reacsa_scenario import ReacsaScenario
from freefloat.scenario.fields import quantity
from freefloat.scenario.registry import register


@register
class ReacsaLine(ReacsaScenario):
    """From (0, 0, 0) to (1 m, 2 m, 180 deg) in 104 s, rest to rest."""

    kind: ClassVar[str] = "reacsa-line"
    title: ClassVar[str] = "A floating platform turns half around along a straight line"

    def reference(self) -> HermiteReference:
        """Table 4.1's first case at alpha = 12."""
        return hermite_reference.line()


@register
class ReacsaCircle(ReacsaScenario):
    """Once around (0, 1 m) at 1 m, always facing the same way inwards."""

    kind: ClassVar[str] = "reacsa-circle"
    title: ClassVar[str] = "A floating platform goes around a circle, facing its centre"

    duration: float = quantity(628.32, "s", "simulated time; the platform holds the end after the reference", gt=0)

    def reference(self) -> HermiteReference:
        """40 knots on the circle."""
        return hermite_reference.circle()


@register
class ReacsaSemicircle(ReacsaScenario):
    """The first half of the circle (sec. 6.2.3)."""

    kind: ClassVar[str] = "reacsa-semicircle"
    title: ClassVar[str] = "A floating platform goes half around a circle"

    duration: float = quantity(314.16, "s", "simulated time; the platform holds the end after the reference", gt=0)

    def reference(self) -> HermiteReference:
        """20 knots on the half circle."""
        return hermite_reference.semicircle()


@register
class ReacsaS(ReacsaScenario):
    """One period of a sine along y at constant angle."""

    kind: ClassVar[str] = "reacsa-s"
    title: ClassVar[str] = "A floating platform goes along an S without turning"

    duration: float = quantity(628.32, "s", "simulated time; the platform holds the end after the reference", gt=0)

    def reference(self) -> HermiteReference:
        """40 knots on the S."""
        return hermite_reference.s_shape()
