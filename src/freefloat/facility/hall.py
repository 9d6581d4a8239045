"""What stands around the robots and is only seen: the floor, and the fence with its door."""

from __future__ import annotations

import numpy as np

from freefloat.facility.geometry import LabGeometry
from freefloat.frames import Pose
from freefloat.geometry.scenery import Drawn
from freefloat.geometry.shape import Shape

FLOOR, POST, WIRE = (0.62, 0.64, 0.66, 1.0), (0.90, 0.72, 0.10, 1.0), (0.35, 0.36, 0.38, 1.0)
AROUND = 4.0  # [m] from the axis of the rail and from its ends to the fence; assumed
HEIGHT, BAY = 2.0, 2.0  # [m] of the fence, and between its posts; assumed
WIRES = 5


def fence(lab: LabGeometry) -> tuple[float, float, float, float]:
    """x and y between which the fence stands [m]: low x, high x, low y, high y in W."""
    low, high = lab.rail
    return low - AROUND, high + AROUND, -AROUND, AROUND + lab.base2[1]


def draw_hall(lab: LabGeometry) -> Drawn:
    """Floor and fence in W, for viewers and for the observation cameras."""
    left, right, near, far = fence(lab)
    middle, half = (0.5 * (left + right), 0.5 * (near + far)), (0.5 * (right - left) + 0.5, 0.5 * (far - near) + 0.5)
    shapes = [_box((*half, 0.02), (*middle, lab.floor - 0.02), FLOOR, "floor")]
    for y in (near, far):
        shapes += _panels((left, y), (right, y), lab.floor)
    for x in (left, right):
        shapes += _panels((x, near), (x, far), lab.floor)
    return Drawn("floor", tuple(shapes))


def _panels(a: tuple[float, float], b: tuple[float, float], floor: float) -> list[Shape]:
    """Posts from a to b, with wires between."""
    start, end = np.array(a), np.array(b)
    length = float(np.abs(end - start).max())
    count = max(1, round(length / BAY))
    posts = [start + (end - start) * k / count for k in range(count + 1)]
    shapes = [_box((0.03, 0.03, 0.5 * HEIGHT), (*p.tolist(), floor + 0.5 * HEIGHT), POST, "fence post") for p in posts]
    half = np.maximum(0.5 * np.abs(end - start), 0.01).tolist()
    for k in range(WIRES):
        z = floor + HEIGHT * (k + 1) / WIRES - 0.01
        shapes.append(_box((*half, 0.01), (*(0.5 * (start + end)).tolist(), z), WIRE, "fence wire"))
    return shapes


def _box(size: tuple[float, ...], at: tuple[float, ...], rgba: tuple[float, float, float, float], name: str) -> Shape:
    return Shape("box", size, Pose(np.eye(3), at), rgba, name=name)
