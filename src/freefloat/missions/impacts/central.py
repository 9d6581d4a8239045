"""A direct central impact: the servicer's tip meets the middle of the client's plate."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.contact.surfaces import Plane, Surface
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.shapes import Plate, Tools
from freefloat.missions.impacts import settings as S
from freefloat.missions.impacts.ideal import Reference
from freefloat.missions.impacts.impact import Impact
from freefloat.missions.impacts.laboratory import SURFACE, Stand
from freefloat.missions.impacts.pictures import draw_central
from freefloat.scenario.fields import setting
from freefloat.scenario.registry import register


@register
class ImpactCentral(Impact):
    """Equal masses: the servicer stops and the client takes over its speed (Fig. 6 of Lange, Grunwald and
    Albu-Schaeffer 2016)."""

    kind: ClassVar[str] = "impact-central"
    title: ClassVar[str] = "Two robots render a hard central impact of two satellites"

    approach: S.CentralApproach = setting(S.CentralApproach(), "how the servicer comes")
    tools: S.ToolSettings = setting(S.ToolSettings(), "tip and plate")

    def tools_used(self) -> S.ToolSettings:
        """Tip and plate."""
        return self.tools

    def start(self) -> tuple[Array, Array]:
        """Straight before the plate."""
        before = self.approach.distance + self.tools.radius
        return np.array([-before, 0.0, 0.0]), np.array([self.approach.speed, 0.0, 0.0])

    def known_tools(self) -> Tools:
        """A ball and a plane."""
        surface = Plate(Pose(SURFACE, [-self.tools.base, 0.0, 0.0]))
        return Tools((self.tools.tip, 0.0, 0.0), self.tools.radius, surface)

    def solid(self, X_LS: Pose) -> Surface:
        """The plane."""
        return Plane(X_LS)

    def look(self, X_LS: Pose) -> list[Shape]:
        """A round plate."""
        return [Shape("cylinder", (0.08, 0.005), X_LS @ Pose(np.eye(3), [0.0, 0.0, -0.005]), (0.55, 0.6, 0.68, 1.0))]

    def draw(self, result: Result, out: Path, stands: tuple[Stand, Stand], tools: Tools, reference: Reference) -> None:
        """After the paper's figure."""
        draw_central(result, out, stands, tools, reference)
