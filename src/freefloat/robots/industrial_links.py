"""Links of industrial arms by parameters: bodies with masses, and shapes to draw, from the lengths of the chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.six_axis_arms import AXES, SixAxisArm

ORANGE, DARK, SILVER = (0.93, 0.42, 0.10, 1.0), (0.16, 0.17, 0.20, 1.0), (0.75, 0.76, 0.78, 1.0)
SHARES = (0.38, 0.24, 0.15, 0.14, 0.05, 0.03, 0.01)  # of the mass: base, links 1 to 6; assumed
AXIS = {"A1": (0, 0, -1), "A2": (0, 1, 0), "A3": (0, 1, 0), "A4": (-1, 0, 0), "A5": (0, 1, 0), "A6": (-1, 0, 0)}
ALONG_X = Pose.from_rpy((0.0, 0.5 * np.pi, 0.0)).R  # z of a cylinder along x
ALONG_Y = Pose.from_rpy((0.5 * np.pi, 0.0, 0.0)).R
X_6F = Pose(ALONG_X, (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Girth:
    """How thick an arm is, for its picture and its inertias."""

    column: Measure  # [m] radius of base and turntable
    arm: Measure  # [m] half width of upper arm and forearm
    wrist: Measure  # [m] radius of the hand

    def __post_init__(self) -> None:
        take(self, "girth", column=positive("m"), arm=positive("m"), wrist=positive("m"))


def industrial_graph(arm: SixAxisArm, mass: float, girth: Girth) -> LinkGraph:
    """Links `base`, `link_1` to `link_6`, joints A1 to A6, and the frame `flange`; `mass` [kg] of all of it."""
    masses = [share * mass for share in SHARES]
    places = [
        (0.0, 0.0, arm.d1),
        (arm.a1, 0.0, 0.0),
        (arm.a2, 0.0, 0.0),
        (arm.forearm, 0.0, arm.o),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    ]
    links = _links(arm, masses, girth)
    joints = [
        Joint(
            axis,
            "revolute",
            links[i].name,
            links[i + 1].name,
            Pose(np.eye(3), places[i]),
            np.array(AXIS[axis], dtype=np.float64),
            lower=arm.lower[i],
            upper=arm.upper[i],
            velocity=arm.speed[i],
        )
        for i, axis in enumerate(AXES)
    ]
    return LinkGraph(tuple(links), tuple(joints), "base")


def _links(arm: SixAxisArm, masses: list[float], g: Girth) -> list[Link]:
    """Each with a main shape, whose mass it has, and some more to be seen."""
    foot, hub = 0.55 * arm.d1, 0.45 * arm.d1
    back, reach = 0.25 * arm.forearm, 0.45 * arm.forearm
    flange = Pose(X_6F.R, (arm.flange, 0.0, 0.0))
    hand = 0.6 * arm.flange
    return [
        _link("base", masses[0], _upright(g.column * 1.25, foot, 0.5 * foot, DARK)),
        _link("link_1", masses[1], _upright(g.column, hub, -0.5 * hub, ORANGE), _hinge(g, (arm.a1, 0.0, 0.0))),
        _link("link_2", masses[2], _beam(0.0, arm.a2, g.arm, 0.0), _hinge(g, (arm.a2, 0.0, 0.0))),
        _link("link_3", masses[3], _beam(-back, reach, 1.1 * g.arm, arm.o)),
        _link("link_4", masses[4], _rod(-0.55 * arm.forearm, -g.wrist, 0.75 * g.arm, ORANGE)),
        _link("link_5", masses[5], _rod(-g.wrist, hand, g.wrist, DARK)),
        _link("link_6", masses[6], _rod(hand, arm.flange, 0.8 * g.wrist, SILVER), frames={"flange": flange}),
    ]


def _upright(radius: float, length: float, z: float, rgba: tuple[float, float, float, float]) -> Shape:
    return Shape("cylinder", (radius, 0.5 * length), Pose(np.eye(3), (0.0, 0.0, z)), rgba)


def _hinge(g: Girth, at: tuple[float, float, float]) -> Shape:
    return Shape("cylinder", (1.2 * g.arm, 1.3 * g.arm), Pose(ALONG_Y, at), DARK)


def _beam(start: float, end: float, half: float, z: float) -> Shape:
    return Shape("box", (0.5 * (end - start), half, half), Pose(np.eye(3), (0.5 * (start + end), 0.0, z)), ORANGE)


def _rod(start: float, end: float, radius: float, rgba: tuple[float, float, float, float]) -> Shape:
    return Shape("cylinder", (radius, 0.5 * (end - start)), Pose(ALONG_X, (0.5 * (start + end), 0.0, 0.0)), rgba)


def _link(name: str, mass: float, main: Shape, *more: Shape, frames: dict[str, Pose] | None = None) -> Link:
    """A link whose mass fills its main shape evenly."""
    R = main.X_LG.R
    inertia = R @ np.diag(_moments(main, mass)) @ R.T
    return Link(name, mass, main.X_LG.p, inertia, (main, *more), frames or {})


def _moments(shape: Shape, mass: float) -> list[float]:
    """Principal moments [kg m^2] of a solid box or cylinder."""
    if shape.kind == "box":
        a, b, c = (s**2 for s in shape.size)
        return [mass / 3.0 * (b + c), mass / 3.0 * (a + c), mass / 3.0 * (a + b)]
    r, half = shape.size
    across = mass * (0.25 * r**2 + half**2 / 3.0)
    return [across, across, 0.5 * mass * r**2]
