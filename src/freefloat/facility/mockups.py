"""Mock-ups and a camera to mount on the plates where nobody brings their own; all masses and sizes assumed."""

from __future__ import annotations

import numpy as np

from freefloat.facility.equipment import PLATES, Equipment
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

GOLD, SILVER, BLUE = (0.83, 0.62, 0.20, 1.0), (0.75, 0.76, 0.78, 1.0), (0.10, 0.16, 0.42, 1.0)
DARK, WHITE, STEEL = (0.13, 0.14, 0.17, 1.0), (0.92, 0.92, 0.90, 1.0), (0.45, 0.46, 0.50, 1.0)
BESIDE = 0.14  # [m] y in T of the user tool of robot 1 in Fig. 24
FACE = PLATES[0].thickness  # [m] z of the plates' mounting faces in T; both are as thick
ALONG_X = Pose.from_rpy((0.0, 0.5 * np.pi, 0.0)).R


def client_mockup() -> Equipment:
    """A satellite with solar wings and a nozzle in a launch ring, whose front is where Fig. 24 has the user tool."""
    depth, half = 0.40, 0.4
    front = FACE + depth
    shapes = (
        _box((half, half, 0.5 * depth), (0.0, 0.0, FACE + 0.5 * depth), GOLD, "body"),
        _tube(0.33, 0.05, front, SILVER, "launch ring"),
        _tube(0.28, 0.052, front, DARK, "inside of the ring"),
        _tube(0.10, 0.12, front, STEEL, "nozzle"),
        *(_box((0.02, 0.04, 0.02), (0.0, s * (half + 0.03), FACE + 0.2), SILVER, "hinge") for s in (-1, 1)),
        *(_box((0.35, 0.28, 0.012), (0.0, s * (half + 0.34), FACE + 0.2), BLUE, "solar wing") for s in (-1, 1)),
        Shape("cylinder", (0.012, 0.15), Pose(ALONG_X, (half + 0.15, 0.0, FACE + 0.3)), SILVER, name="antenna"),
    )
    return Equipment("client", 60.0, (0.0, 0.0, FACE + 0.5 * depth), (5.0, 5.0, 6.4), shapes=shapes)


def servicer_mockup() -> Equipment:
    """A docking tool: a housing with a probe, on the line of the user tool of Fig. 24."""
    shapes = (
        _box((0.16, 0.16, 0.1), (0.0, BESIDE, FACE + 0.1), WHITE, "housing"),
        _tube(0.07, 0.10, FACE + 0.2, SILVER, "collar", BESIDE),
        _tube(0.02, 0.35, FACE + 0.3, SILVER, "probe", BESIDE),
        Shape("sphere", (0.035,), Pose(np.eye(3), (0.0, BESIDE, FACE + 0.65)), DARK, name="tip of the probe"),
    )
    return Equipment("servicer", 20.0, (0.0, BESIDE, FACE + 0.15), (0.4, 0.4, 0.3), shapes=shapes)


def mono_camera() -> Equipment:
    """A camera that looks along z of T from beside the docking tool, on 12 V and Ethernet."""
    y, z = -0.18, FACE + 0.08
    shapes = (
        _box((0.05, 0.05, 0.08), (0.0, y, z), DARK, "camera"),
        Shape("cylinder", (0.035, 0.03), Pose(np.eye(3), (0.0, y, z + 0.11)), SILVER, name="lens"),
    )
    return Equipment("camera", 1.0, (0.0, y, z), (0.003, 0.003, 0.002), "12 V", 0.4, ("RJ-48",), shapes)


def _box(size: tuple[float, ...], at: tuple[float, ...], rgba: tuple[float, float, float, float], name: str) -> Shape:
    return Shape("box", size, Pose(np.eye(3), at), rgba, name=name)


def _tube(
    radius: float, length: float, start: float, rgba: tuple[float, float, float, float], name: str, y: float = 0.0
) -> Shape:
    """A cylinder along z of T from z = start on, at y."""
    return Shape("cylinder", (radius, 0.5 * length), Pose(np.eye(3), (0.0, y, start + 0.5 * length)), rgba, name=name)
