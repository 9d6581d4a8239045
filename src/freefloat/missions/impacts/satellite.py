"""A satellite of the simulation: a free body that is drawn as a box with its tool on a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Link
from freefloat.engine.rows import body_wrench
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.cycle import Moving, Satellite
from freefloat.gnc.control.rendering.shapes import Tools

HALF = 0.15  # [m] of a drawn box
NAMES = ("servicer", "client")
COLOURS = ((0.82, 0.70, 0.36, 1.0), (0.45, 0.55, 0.75, 1.0))


@dataclass(frozen=True)
class ToolCarrier:
    """Part: one free body with its frame in the centre of mass. Command `name.wrench` as of a `RigidBody`."""

    name: str
    body: Satellite
    shapes: Sequence[Shape]
    motion: Motion

    def build(self, b: Builder) -> None:
        """The body and the wrench on it."""
        full = b.body(Link("", self.body.mass, np.zeros(3), self.body.inertia, tuple(self.shapes)), self.motion)
        wrench = b.command("wrench", (6,), "N m, N", "outside torque and force at the origin, in B")
        b.add(body_wrench(full, wrench, Pose.identity(), "body"))


def box_and_bar(tool: Array, colour: tuple[float, float, float, float]) -> list[Shape]:
    """A box round the origin and a bar along x to the tool."""
    end, side = abs(float(tool[0])), float(np.sign(tool[0]))
    R = np.array([[0.0, 0.0, side], [0.0, 1.0, 0.0], [-side, 0.0, 0.0]])  # z along the bar
    middle = Pose(R, [0.5 * side * (HALF + end), 0.0, 0.0])
    bar = Shape("cylinder", (0.012, 0.5 * max(end - HALF, 0.01)), middle, (0.35, 0.37, 0.42, 1.0))
    return [Shape("box", (HALF, HALF, HALF), rgba=colour), bar]


def tool_carriers(
    bodies: tuple[Satellite, Satellite],
    motions: tuple[Moving, Moving],
    tools: Tools,
    looks: tuple[Sequence[Shape], Sequence[Shape]],  # of the tools
) -> list[ToolCarrier]:
    """Servicer and client, each a box with its tool on a bar."""
    points, found = (np.array(tools.p_ST), tools.surface.X_CS.p), list[ToolCarrier]()
    for k, name in enumerate(NAMES):
        m = motions[k]
        start = Motion(m.X_W, w_WL_L=_three(m.w_B), v_WL=_three(m.v_W))
        found.append(ToolCarrier(name, bodies[k], [*box_and_bar(points[k], COLOURS[k]), *looks[k]], start))
    return found


def _three(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
