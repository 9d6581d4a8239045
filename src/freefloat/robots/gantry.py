"""A three-axis gantry on a stack: a simple robot that reaches every column from above."""

from __future__ import annotations

import numpy as np

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import parallel_axis

REACH = 1.0  # [m] each way along x and y
FLOOR = -0.9  # [m] of the lowest beams
HEIGHT = 2.6  # [m] of the bridge over the stack's centre
RAM = 1.6  # [m] length of the ram below the bridge, when drawn up its end is HEIGHT - RAM + lift high
GREY = (0.55, 0.58, 0.62, 1.0)


def _link(name: str, mass: float, size: tuple[float, float, float], centre: tuple[float, float, float]) -> Link:
    a, b, c = np.array(size) ** 2
    inertia = mass / 12.0 * np.diag([b + c, a + c, a + b])
    shape = Shape("box", (0.5 * size[0], 0.5 * size[1], 0.5 * size[2]), Pose(np.eye(3), np.array(centre)), GREY)
    return Link(name, mass, np.array(centre), inertia, (shape,))


def _rails(mass: float) -> Link:
    """Two rails along x on four posts, joined below the stack: beams whose masses go with their lengths."""
    beams = [((2.0, 0.05, 0.05), (0.0, y, HEIGHT)) for y in (-REACH, REACH)]
    beams += [((0.05, 0.05, HEIGHT - FLOOR), (x, y, 0.5 * (HEIGHT + FLOOR))) for x in (-1, 1) for y in (-REACH, REACH)]
    beams += [((0.05, 2.0 * REACH, 0.05), (x, 0.0, FLOOR)) for x in (-1.0, 1.0)]
    lengths = np.array([max(size) for size, _ in beams])
    parts = [_link("", m, *beam) for m, beam in zip(mass * lengths / lengths.sum(), beams, strict=True)]
    centre = sum(p.mass * p.p_LLcm for p in parts) / mass
    inertia = sum(parallel_axis(p.I_LLcm_L, p.mass, p.p_LLcm - centre) for p in parts)
    return Link("rails", mass, np.asarray(centre), np.asarray(inertia), tuple(p.shapes[0] for p in parts))


def gantry(force: float = 200.0) -> LinkGraph:
    """Rails on the stack's frame T, bridge along x, trolley along y, ram along z with the frame `hand` (z down)."""
    hand = Pose(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, -RAM]))
    rails = _rails(20.0)
    bridge = _link("bridge", 8.0, (0.08, 2.0, 0.08), (0.0, 0.0, HEIGHT))
    trolley = _link("trolley", 4.0, (0.16, 0.16, 0.12), (0.0, 0.0, HEIGHT))
    ram = _link("ram", 3.0, (0.06, 0.06, RAM), (0.0, 0.0, -0.5 * RAM))
    ram = Link(ram.name, ram.mass, ram.p_LLcm, ram.I_LLcm_L, ram.shapes, {"hand": hand})
    joints = (
        Joint("x", "prismatic", "rails", "bridge", Pose.identity(), np.array([1.0, 0.0, 0.0]), effort=force),
        Joint("y", "prismatic", "bridge", "trolley", Pose.identity(), np.array([0.0, 1.0, 0.0]), effort=force),
        Joint(
            "z",
            "prismatic",
            "trolley",
            "ram",
            Pose(np.eye(3), np.array([0.0, 0.0, HEIGHT])),
            np.array([0.0, 0.0, 1.0]),
            effort=force,
        ),
    )
    return LinkGraph((rails, bridge, trolley, ram), joints, "rails")


def joints_for(p_T: np.ndarray) -> np.ndarray:
    """Joint positions that put the hand at a point of T."""
    return np.array([p_T[0], p_T[1], p_T[2] - HEIGHT + RAM])
