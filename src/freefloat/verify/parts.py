"""Parts that only the cases need: a tree that can be loaded everywhere, a distance to watch, a ball, a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from types import MappingProxyType

import numpy as np

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Link, LinkGraph
from freefloat.engine.rows import body_wrench
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.bank import Body, Column, Effect
from freefloat.robots.arm import Arm


@dataclass(frozen=True)
class LoadedTree:
    """A floating robot with a wrench on links: command `name.<link>.wrench` [torque; force] at P, in axes of L or W.

    Everything else is as in `Arm`.
    """

    name: str
    graph: LinkGraph
    in_body: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # link -> X_LP, wrench in L
    in_world: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # link -> X_LP, wrench in W

    def build(self, b: Builder) -> None:
        """Add the robot, then the wrench commands."""
        Arm(self.name, self.graph, motion=Motion()).build(b)
        for link, X_LP in self.in_body.items():
            command = b.command(f"{link}.wrench", (6,), "N m, N")
            b.add(body_wrench(b.full(link), command, X_LP, "body"))
        for link, X_LP in self.in_world.items():
            command = b.command(f"{link}.wrench", (6,), "N m, N")
            b.add(body_wrench(b.full(link), command, X_LP, "world"))


@dataclass(frozen=True)
class RangeFinder:
    """Distance between the origins of two links as the signal `name.distance` (1,)."""

    name: str
    a: str  # link
    b: str  # link

    def build(self, b: Builder) -> None:
        """Add the effect's row and its output as a signal."""
        row = b.add(RANGE.row(b.full("range"), a=self.a, b=self.b))
        b.signal_of("distance", [row], "distance", f"from {self.a} to {self.b}")


def _range_stage(t, p, x, u, view, dx, tau, wrench, y, power):  # the one signature of an effect; compiled
    for r in range(p.i.shape[0]):
        a, b = view.xpos[p.i[r, 0]], view.xpos[p.i[r, 1]]
        y[r] = sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)


RANGE = Effect("range", _range_stage, references={"a": Body, "b": Body}, outputs=(Column("distance", "m"),))


@dataclass(frozen=True)
class FreeBall:
    """A solid ball."""

    name: str
    mass: float = 100.0  # [kg]
    radius: float = 0.1  # [m]
    motion: Motion = field(default_factory=Motion)

    def build(self, b: Builder) -> None:
        """One link."""
        inertia = 0.4 * self.mass * self.radius**2 * np.eye(3)
        shape = Shape("sphere", (self.radius,), Pose.identity())
        b.body(Link("", self.mass, np.zeros(3), inertia, (shape,)), self.motion)


@dataclass(frozen=True)
class FreeBody:
    """A body with principal moments about its origin, and shapes."""

    name: str
    mass: float  # [kg]
    moments: tuple[float, float, float]  # [kg m^2]
    shapes: tuple[Shape, ...] = ()
    motion: Motion = field(default_factory=Motion)

    def build(self, b: Builder) -> None:
        """One link."""
        b.body(Link("", self.mass, np.zeros(3), np.diag(self.moments), self.shapes), self.motion)


@dataclass(frozen=True)
class Base:
    """A link that stands still in the world, at its origin."""

    name: str

    def build(self, b: Builder) -> None:
        """One link without a shape."""
        b.body(Link("", 1.0, np.zeros(3), np.eye(3)))
        b.anchor("", Pose.identity())
