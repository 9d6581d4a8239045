"""Oblique impacts: the servicer's tip bounces in the client's cone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.contact.surfaces import Surface, cone
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.shapes import HollowCone, Tools
from freefloat.missions.impacts import settings as S
from freefloat.missions.impacts.ideal import Reference
from freefloat.missions.impacts.impact import Impact
from freefloat.missions.impacts.laboratory import SURFACE, Stand
from freefloat.missions.impacts.pictures import draw_cone
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register

WALL = 0.01  # [m] thickness
PANELS = 24  # flat pieces that the cone is drawn with


@register
class ImpactCone(Impact):
    """A light servicer and a heavy client: four contacts, after which they part, turning slowly (Fig. 7 of Lange,
    Grunwald and Albu-Schaeffer 2016)."""

    kind: ClassVar[str] = "impact-cone"
    title: ClassVar[str] = "Two robots render a tip that bounces in a cone: four oblique impacts"

    duration: float = quantity(6.5, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(250.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    client: S.SatelliteSettings = setting(
        S.SatelliteSettings(mass=1000.0, inertia=(300.0, 300.0, 300.0)),
        "the satellite that rests, carried by robot 2",
    )
    approach: S.ConeApproach = setting(S.ConeApproach(), "how the servicer comes")
    tools: S.ConeSettings = setting(S.ConeSettings(), "tip and cone")

    def tools_used(self) -> S.ToolSettings:
        """Tip and cone."""
        return self.tools

    def start(self) -> tuple[Array, Array]:
        """Before the rim, beside the axis."""
        a, depth = self.approach, self.tools.generator * math.cos(self.tools.half_angle)
        return np.array([-depth - a.distance, a.beside, 0.0]), np.array([a.speed, 0.0, a.across])

    def known_tools(self) -> Tools:
        """A ball and a hollow cone that opens against x of the client."""
        surface = HollowCone(Pose(SURFACE, [-self.tools.base, 0.0, 0.0]), self.tools.half_angle, self.tools.generator)
        return Tools((self.tools.tip, 0.0, 0.0), self.tools.radius, surface)

    def solid(self, X_LS: Pose) -> Surface:
        """Its wall."""
        return cone(self.tools.half_angle, self.tools.generator, WALL, X_LS=X_LS)[0]

    def look(self, X_LS: Pose) -> list[Shape]:
        """Flat pieces round the cone."""
        a, long = self.tools.half_angle, self.tools.generator
        tilt = np.array([[math.cos(a), 0.0, math.sin(a)], [0.0, 1.0, 0.0], [-math.sin(a), 0.0, math.cos(a)]])
        off = np.array([0.5 * WALL * math.cos(a), 0.0, -0.5 * WALL * math.sin(a)])
        found: list[Shape] = []
        for k in range(PANELS):
            w = 2.0 * math.pi * k / PANELS
            turn = np.array([[math.cos(w), -math.sin(w), 0.0], [math.sin(w), math.cos(w), 0.0], [0.0, 0.0, 1.0]])
            for part in range(3):  # narrower towards the apex
                at = (part + 0.5) / 3.0 * long
                middle = turn @ (at * np.array([math.sin(a), 0.0, math.cos(a)]) + off)
                width = math.tan(math.pi / PANELS) * (at + long / 6.0) * math.sin(a)
                piece = (0.5 * WALL, width, long / 6.0)
                found.append(Shape("box", piece, X_LS @ Pose(turn @ tilt, middle), (0.55, 0.6, 0.68, 1.0)))
        return found

    def draw(self, result: Result, out: Path, stands: tuple[Stand, Stand], tools: Tools, reference: Reference) -> None:
        """After the paper's figure."""
        draw_cone(result, out, stands, tools, reference)
