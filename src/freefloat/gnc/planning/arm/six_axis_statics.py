"""A six-axis arm at rest, as a plain model knows it: torques against gravity, and how its gears give way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, rpy_to_matrix
from freefloat.gnc.planning.arm.six_axis import SixAxis

Weight = tuple[float, ArrayLike]  # mass [kg], and its centre [m] in the link's frame


@dataclass(frozen=True, eq=False)
class Statics:
    """Links 1 to 6 and what hangs on the flange, as masses at points, and the gears' stiffness.

    The frame of link i is at axis i and parallel to the base at q = 0, as in `freefloat.six_axis_arms`.
    """

    kinematics: SixAxis
    links: Sequence[Weight]  # six
    tool: Weight = (0.0, (0.0, 0.0, 0.0))  # in the flange's frame
    stiffness: ArrayLike = (np.inf,) * 6  # [N m/rad]
    gravity: ArrayLike = (0.0, 0.0, -9.81)  # [m/s^2] in W

    def __post_init__(self) -> None:
        if len(self.links) != 6:
            raise InputError(f"statics of {self.kinematics.arm.name!r}: {len(self.links)} links; allowed: 6")
        k = np.array(self.stiffness, np.float64)
        if k.shape != (6,) or not (k > 0.0).all():
            raise InputError(f"statics of {self.kinematics.arm.name!r}: stiffness {k.tolist()}; allowed: 6, each > 0")
        object.__setattr__(self, "stiffness", k)

    def holding_torques(self, q: ArrayLike) -> Array:
        """Torques of the axes [N m] (6,) that hold everything at rest."""
        g, (axes, frames) = np.asarray(self.gravity, np.float64), _axes_and_frames(self.kinematics, q)
        points = [(m, X.apply(p)) for (m, p), X in zip(self.links, frames, strict=True)]
        points.append((self.tool[0], self.kinematics.flange(q).apply(self.tool[1])))
        torques = np.zeros(6)
        for i, (axis, X) in enumerate(zip(axes, frames, strict=True)):
            torques[i] = -sum(m * float(axis @ np.cross(p - X.p, g)) for m, p in points[i:])
        return torques

    def sag(self, q: ArrayLike) -> Array:
        """Wind-up of the gears [rad] (6,): motors less links, at rest with the links at q."""
        return self.holding_torques(q) / np.asarray(self.stiffness, np.float64)

    def compliance(self, q: ArrayLike) -> Array:
        """C (3, 3) [m/N] in W: the tool's origin gives way to a force there by C f, with C = J K^-1 J^T."""
        J = self.kinematics.jacobian(q)[3:]
        return (J / np.asarray(self.stiffness, np.float64)) @ J.T


def _axes_and_frames(kinematics: SixAxis, q: ArrayLike) -> tuple[list[Array], list[Pose]]:
    """Directions of the axes and frames of the links, in W."""
    arm, (q1, q2, q3, q4, q5, q6) = kinematics.arm, np.asarray(q, np.float64).tolist()
    steps = (
        ((0.0, 0.0, arm.d1), (0.0, 0.0, -q1), (0.0, 0.0, -1.0)),
        ((arm.a1, 0.0, 0.0), (0.0, q2, 0.0), (0.0, 1.0, 0.0)),
        ((arm.a2, 0.0, 0.0), (0.0, q3, 0.0), (0.0, 1.0, 0.0)),
        ((arm.forearm, 0.0, arm.o), (-q4, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (0.0, q5, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, 0.0), (-q6, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    )
    X, axes, frames = kinematics.X_WB, list[Array](), list[Pose]()
    for place, turn, axis in steps:
        X = X @ Pose(rpy_to_matrix(*turn), place)
        axes.append(X.R @ np.array(axis))
        frames.append(X)
    return axes, frames
