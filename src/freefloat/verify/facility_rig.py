"""Commands of the docking facility for its cases, and the rotations that they ask, computed apart from it."""

from __future__ import annotations

import math

import numpy as np

from freefloat.facility.record import LIN, Frame, Record
from freefloat.frames import Array

SOURCE = (
    "Benninghoff, Rems, Risse, Mietner 2017, European Proximity Operations Simulator 2.0, sec. 2.2.3 to 2.2.5, Table "
    "3, appendix A; closed forms"
)
# Fig. 24's tools unturned: U1 at (5, 0, 0) m with data lin 1.5 m, U2 at (1.9, 1.5, 0) m; angles in deg
CHECK = {"rob1": (0.0, -59.0730, 129.8348, 0.0, -70.7617, 0.0), "rob2": (0.0, -96.6903, 120.3313, 0.0, -23.6409, 0.0)}
PLACES = ((5.0, 0.0, 0.0), (1.9, 1.5, 0.0))
HOME = np.concatenate([[6.55], np.radians([*CHECK["rob1"], *CHECK["rob2"]])])
HOME.flags.writeable = False


def glc(p1: tuple[float, ...] = PLACES[0], p2: tuple[float, ...] = PLACES[1], lin: float = 1.5) -> Record:
    """Both user tools at places [m] in the lab, unturned unless three angles A, B, C [deg] follow."""
    values = np.zeros(22)
    values[: len(p1)], values[7 : 7 + len(p2)], values[LIN] = p1, p2, lin
    return Record(Frame.GLC, values)


def turns_about(angle: Array, axis: int) -> Array:
    """Turns about one axis, (n, 3, 3)."""
    R, i, j = np.zeros((len(angle), 3, 3)), (axis + 1) % 3, (axis + 2) % 3
    R[:, axis, axis] = 1.0
    R[:, i, i] = R[:, j, j] = np.cos(angle)
    R[:, i, j], R[:, j, i] = -np.sin(angle), np.sin(angle)
    return R


def quaternion_matrices(q: Array) -> Array:
    """Matrices (n, 3, 3) of quaternions, scalar last: 1 + 2 w S + 2 S^2."""
    S = np.zeros((len(q), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        S[:, i, j], S[:, j, i] = -q[:, k], q[:, k]
    return np.eye(3) + 2.0 * q[:, 3, None, None] * S + 2.0 * S @ S


def apart(R: Array, S: Array) -> Array:
    """Angles [rad] (n,) between attitudes (n, 3, 3) that are near: |R - S| (Frobenius) is sqrt(8) sin(angle / 2)."""
    return np.linalg.norm(R - S, axis=(1, 2)) / math.sqrt(2.0)
