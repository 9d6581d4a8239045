"""The laboratory: two robots face each other, each with a mock-up on its flange; as it is, and as it is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from freefloat.contact import Ball, Contact, SpringDamper
from freefloat.contact.surfaces import Surface
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.carrier import Carrier
from freefloat.gnc.control.rendering.cycle import Moving
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics
from freefloat.missions.impacts.settings import RobotSettings
from freefloat.missions.impacts.truth import Truth
from freefloat.robots.industrial import IndustrialRobot, Mockup
from freefloat.robots.industrial_models import industrial_model

GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s^2] in W
REACH = {"kr16-2": (1.1, 0.9), "kr240-2": (1.7, 1.5), "kr100-ha": (1.7, 1.5)}  # [m] of the flange at the meeting: x, z
BAR = 0.25  # [m] from a flange to its tool
R_F = {  # R_WF of a flange that looks along the reach: z outwards, x down
    1: np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
    2: np.array([[0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]),
}
SURFACE = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # R_CS: surfaces look against x of the client
GREY = (0.35, 0.37, 0.42, 1.0)


@dataclass(frozen=True, eq=False)
class Stand:
    """One robot with its mock-up, whose frame T is that of the satellite."""

    number: int  # 1 carries the servicer, 2 the client
    settings: RobotSettings
    tool_T: Array  # [m] the tool's middle in the satellite's frame
    R_WD: Array  # axes of the approach in W

    @property
    def name(self) -> str:
        """Of the robot."""
        return f"robot{self.number}"

    @property
    def X_WB(self) -> Pose:
        """Where it stands: robot 1 at the origin, robot 2 opposite."""
        if self.number == 1:
            return Pose.identity()
        return Pose(np.diag([-1.0, -1.0, 1.0]), [2.0 * (REACH[self.settings.model][0] + BAR), 0.0, 0.0])

    @property
    def X_FT(self) -> Pose:
        """The satellite's frame on the flange; the tool's middle is straight before the flange."""
        R_FT = R_F[self.number].T @ self.R_WD
        return Pose(R_FT, np.array([0.0, 0.0, BAR]) - R_FT @ self.tool_T)

    @property
    def kinematics(self) -> SixAxis:
        """As the facility knows it."""
        return SixAxis.of(self.settings.model, self.X_WB, self.X_FT)

    def start(self, moving: Moving) -> tuple[Array, Array]:
        """Axes and rates with which the mock-up moves as its satellite does."""
        arm = self.kinematics
        ways = [s.q for s in arm.inverse(moving.X_W)]
        q = min(ways, key=lambda q: float(np.abs(q[[0, 3, 5]]).sum()))
        w_W = moving.X_W.R @ moving.w_B
        return q, np.asarray(np.linalg.solve(arm.jacobian(q), np.concatenate([w_W, moving.v_W])), np.float64)

    def mockup(self, shapes: list[Shape]) -> Mockup:
        """Of even mass along its bar, roughly."""
        m = self.settings.mockup_mass
        across = m * (BAR**2 / 12.0 + 0.05**2 / 4.0)
        return Mockup(m, (0.0, 0.0, 0.5 * BAR), (across, across, 0.5 * m * 0.05**2), self.X_FT, shapes)

    def robot(self, moving: Moving, truth: Truth, shapes: list[Shape]) -> IndustrialRobot:
        """The part, with its true gears."""
        q, qd = self.start(moving)
        gears = np.array(industrial_model(self.settings.model).stiffness) * truth.gears[self.number - 1]
        return IndustrialRobot(
            self.name,
            self.settings.model,
            self.X_WB,
            tuple(q.tolist()),
            self.mockup(shapes),
            truth.joints,
            tuple(qd.tolist()),
            stiffness=tuple(gears.tolist()),
        )

    def carrier(self, robot: IndustrialRobot, truth: Truth) -> Carrier:
        """What the facility knows of it: masses, nominal gears, and how its motors stand where it starts."""
        tool, arm = robot.tool, self.kinematics
        wrist = WristCompensation(arm, float(tool.mass), tool.p_FFcm, tool.inertia, GRAVITY)
        if truth.joints == "rigid":
            return Carrier(arm, wrist)
        graph, gears = robot.graph(), industrial_model(self.settings.model).stiffness
        links = [(link.mass, link.p_LLcm) for link in graph.links if link.name != graph.root]
        statics = Statics(arm, links, (float(tool.mass), tool.p_FFcm), gears, GRAVITY)
        q = np.array(robot.q)
        return Carrier(arm, wrist, statics, robot.motor_start() - q - statics.sag(q))


def bar(radius: float = 0.012) -> Shape:
    """From the flange to the tool."""
    return Shape("cylinder", (radius, 0.5 * BAR), Pose(np.eye(3), [0.0, 0.0, 0.5 * BAR]), GREY)


class Holding(Protocol):
    """A robot that holds a satellite's frame T on its flange."""

    @property
    def name(self) -> str: ...
    @property
    def X_FT(self) -> Pose: ...


def real_contact(stands: tuple[Holding, Holding], stiffness: float, true: Tools, surface: Surface) -> Contact:
    """Between the mock-ups as they truly are; `surface` is in the frame of robot 2's flange."""
    p = stands[0].X_FT.apply(np.array(true.p_ST))
    ball = Ball((float(p[0]), float(p[1]), float(p[2])), true.radius)
    law, touching = SpringDamper(stiffness), (f"{stands[1].name}.mockup", f"{stands[0].name}.mockup")
    return Contact("mockups", *touching, law, surfaces=[surface], balls=[ball])


def simulated_contact(stiffness: float, tools: Tools, surface: Surface) -> Contact:
    """Between the satellites, whose surface a rendering places; `surface` is in the client's frame."""
    law, ball = SpringDamper(stiffness), Ball(tools.p_ST, tools.radius)
    return Contact("satellites", "client", "servicer", law, surfaces=[surface], balls=[ball], placed=True)
