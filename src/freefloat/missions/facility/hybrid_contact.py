"""Tools that touch in the facility: what both robots hold, what is known of them, and the rendering of the contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.facility.axes import RAIL
from freefloat.facility.equipment import Equipment
from freefloat.facility.mockups import FACE
from freefloat.facility.part import DockingFacility
from freefloat.facility.user_tool import FIG24, UserTools
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.belief import SurfaceBelief
from freefloat.gnc.control.rendering.carrier import Carrier
from freefloat.gnc.control.rendering.controller import Rendering
from freefloat.gnc.control.rendering.observer import Observer
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.control.rendering.touch import Touch
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics
from freefloat.missions.facility.hybrid_space import Departure
from freefloat.missions.impacts.impact import TIP
from freefloat.missions.impacts.tasks import HORIZON
from freefloat.missions.impacts.ways import END, ONSET
from freefloat.robots.industrial_models import industrial_model

LENGTH = 0.45  # [m] from a plate's frame T to the tool, along z
MASS = 8.0  # [kg] of a mock-up, assumed
GREY, PLATE = (0.35, 0.37, 0.42, 1.0), (0.55, 0.6, 0.68, 1.0)
DISC = (0.08, 0.005)  # [m] radius and half thickness of the client's plate

CONTACT_TOOLS = UserTools(Pose(FIG24.rob1.R, (0.0, 0.0, LENGTH)), Pose(FIG24.rob2.R, (0.0, 0.0, LENGTH)))


def tip_mockup(radius: float) -> Equipment:
    """A bar with a ball, whose centre is the user tool of robot 1."""
    ball = Shape("sphere", (radius,), Pose(np.eye(3), (0.0, 0.0, LENGTH)), TIP, name="tip")
    return _on_a_bar("tip", LENGTH, ball)


def plate_mockup() -> Equipment:
    """A bar with a round plate, whose face is at the user tool of robot 2."""
    disc = Shape("cylinder", DISC, Pose(np.eye(3), (0.0, 0.0, LENGTH - DISC[1])), PLATE, name="plate")
    return _on_a_bar("plate", LENGTH - DISC[1], disc)


def _on_a_bar(name: str, end: float, tool: Shape) -> Equipment:
    radius, length = 0.03, end - FACE
    middle = (0.0, 0.0, FACE + 0.5 * length)
    bar = Shape("cylinder", (radius, 0.5 * length), Pose(np.eye(3), middle), GREY, name="bar")
    across = MASS * (length**2 / 12.0 + radius**2 / 4.0)
    return Equipment(name, MASS, middle, (across, across, 0.5 * MASS * radius**2), shapes=(bar, tool))


@dataclass(frozen=True, eq=False)
class Held:
    """One robot of the lab, the rail at rest, with its satellite's frame B on its flange."""

    lab: DockingFacility
    number: int
    X_BU: Pose  # the docking frame, which is the user tool's

    @property
    def name(self) -> str:
        """Of the robot."""
        return f"{self.lab.name}.rob{self.number}"

    @property
    def X_FT(self) -> Pose:
        """Of the satellite's frame."""
        tools = self.lab.tools
        return self.lab.geometry.X_FT @ (tools.rob1, tools.rob2)[self.number - 1] @ self.X_BU.inverse()

    @property
    def kinematics(self) -> SixAxis:
        """As the facility knows it; its tool frame is that of the satellite."""
        lab, k = self.lab.geometry, self.number
        return SixAxis(lab.arm(k), lab.base(k, self.lab.start[RAIL]), self.X_FT, lab.endless[k - 1])

    def carrier(self) -> Carrier:
        """What the facility knows of it: the mock-up behind the wrist's sensor; of elastic gears their stiffness, and
        all weights that they hold."""
        robot, arm, gravity = self.lab.robot(1 if self.number == 1 else 2), self.kinematics, self.lab.gravity
        tool = robot.tool
        wrist = WristCompensation(arm, float(tool.mass), tool.p_FFcm, tool.inertia, gravity)
        if self.lab.joints == "rigid":
            return Carrier(arm, wrist)
        graph, plate = robot.graph(), robot.adapter
        assert plate is not None
        links = [(link.mass, link.p_LLcm) for link in graph.links if link.name != graph.root]
        both = float(tool.mass) + plate.mass
        centre = (float(tool.mass) * np.array(tool.p_FFcm) + plate.mass * plate.p_LLcm) / both
        gears = industrial_model(self.lab.geometry.arms[self.number - 1]).stiffness
        return Carrier(arm, wrist, Statics(arm, links, (both, centre), gears, gravity))


class RenderedImpact:
    """A `Rendering` of the observer's kind, with a `Departure` beside it: the one task that commands the satellites."""

    def __init__(self, carriers: tuple[Carrier, Carrier], tools: Tools, stiffness: float, departure: Departure) -> None:
        way = Observer(tools, SurfaceBelief(stiffness), Touch(ONSET, END), Redo("contact", HORIZON))
        self.rendering, self.departure = Rendering(carriers, tools, way), departure

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Any]:
        """One cycle."""
        orders, pushes = self.rendering.update(t, meas), self.departure.update(t, meas)
        return orders | {name: orders[name] + push for name, push in pushes.items()}
