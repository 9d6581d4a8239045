"""The cone of a docking port, with a socket at its narrow end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, UnfitError, positive, share, take, take_rows
from freefloat.contact import Wall, cone
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import Link
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

HALF_ANGLE = math.radians(35.0)
PANELS = 24  # flat pieces that the cone is drawn with


@dataclass(frozen=True)
class DockingCone:
    """Part: a cone C that is fixed with its socket to the frame `on` and opens along z of it.

    Frame C lies in the middle of the socket's floor, `name.mouth` in the plane of the mouth; sizes are those of the
    inner face. `walls` are its surfaces for a `Contact`, in C.
    """

    name: str
    on: str
    half_angle: Measure = HALF_ANGLE  # [rad]
    generator: Measure = 0.36  # [m] from the apex to the mouth
    thickness: Measure = 0.01  # [m] of the wall
    socket_radius: Measure = 0.03  # [m]
    socket_depth: Measure = 0.03  # [m]
    mass: Measure = 30.0  # [kg]
    colour: Measures = (0.55, 0.60, 0.68, 1.0)  # [-] red, green, blue, opacity

    def __post_init__(self) -> None:
        where = f"cone {self.name!r}"
        take(self, where, half_angle=Amount("rad", gt=0.0, lt=0.5 * math.pi), generator=positive("m"))
        take(self, where, thickness=positive("m"), mass=positive("kg"))
        take(self, where, socket_radius=positive("m"), socket_depth=positive("m"))
        take_rows(self, where, 4, colour=share())
        if self.socket_radius >= self.mouth[0]:
            told = f"narrower than the mouth, {self.mouth[0]:g} m"
            raise UnfitError(where, "socket_radius", self.socket_radius, told)

    @property
    def walls(self) -> tuple[Wall, ...]:
        """The cone with the sides of its socket, and the floor."""
        socket = (self.socket_radius, self.socket_depth)
        X_CS = Pose(np.eye(3), [0.0, 0.0, self.socket_depth - self.socket_radius / math.tan(self.half_angle)])
        return cone(self.half_angle, self.generator, self.thickness, socket, X_CS)

    @property
    def mouth(self) -> tuple[float, float]:
        """Radius [m] of the mouth, and its height [m] over the socket's floor."""
        begin = self.socket_radius / math.tan(self.half_angle)
        height = self.generator * math.cos(self.half_angle) - begin + self.socket_depth
        return self.generator * math.sin(self.half_angle), height

    def build(self, b: Builder) -> None:
        """One link, fixed to its body."""
        radius, height = self.mouth
        X_CM = Pose(np.eye(3), [0.0, 0.0, height])
        middle, r = 0.6 * height, 0.6 * radius  # of a thin ring, nearly
        inertia = self.mass * np.diag([0.5 * r * r + height**2 / 12.0, 0.5 * r * r + height**2 / 12.0, r * r])
        link = Link("", self.mass, np.array([0.0, 0.0, middle]), inertia, self._shapes(), {"mouth": X_CM})
        b.body(link)
        b.mount(self.on, "")

    def _shapes(self) -> tuple[Shape, ...]:
        """Flat pieces round the cone, and the socket."""
        (radius, height), a = self.mouth, self.half_angle
        low = self.socket_radius, self.socket_depth
        long = math.hypot(radius - low[0], height - low[1])
        off = 0.5 * self.thickness
        r, z = 0.5 * (radius + low[0]) + off * math.cos(a), 0.5 * (height + low[1]) - off * math.sin(a)
        tilt = np.array([[math.cos(a), 0.0, math.sin(a)], [0.0, 1.0, 0.0], [-math.sin(a), 0.0, math.cos(a)]])
        found: list[Shape] = []
        for k in range(PANELS):
            w = 2.0 * math.pi * k / PANELS
            turn = np.array([[math.cos(w), -math.sin(w), 0.0], [math.sin(w), math.cos(w), 0.0], [0.0, 0.0, 1.0]])
            for part in range(4):  # narrower towards the socket
                s = (part + 0.5) / 4.0 - 0.5
                at = turn @ np.array([r + s * (radius - low[0]), 0.0, z + s * (height - low[1])])
                width = math.tan(math.pi / PANELS) * (r + (s + 0.125) * (radius - low[0]))
                found.append(Shape("box", (off, width, 0.125 * long), Pose(turn @ tilt, at), self.colour))
            side = (off, math.tan(math.pi / PANELS) * (low[0] + off), 0.5 * low[1])
            found.append(
                Shape("box", side, Pose(turn, turn @ np.array([low[0] + off, 0.0, 0.5 * low[1]])), self.colour)
            )
        deep = Pose(np.eye(3), [0.0, 0.0, -off])
        return (*found, Shape("cylinder", (self.socket_radius + 2.0 * off, off), deep, self.colour))
