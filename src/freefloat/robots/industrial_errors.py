"""How the geometry of an industrial robot differs from its type's: links not quite as drawn, axes with wrong zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.amounts import Amount, Measures, take_rows
from freefloat.engine.graph import LinkGraph
from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_exp
from freefloat.robots.industrial_links import AXIS
from freefloat.six_axis_arms import AXES

STEPS = ("base to A1", "A1 to A2", "A2 to A3", "A3 to A4", "A4 to A5", "A5 to A6", "A6 to flange")


@dataclass(frozen=True)
class GeometryErrors:
    """Seven small displacements along the chain and six zero offsets.

    With the pose X of a step by design (base to A1, A1 to A2, ..., A6 to flange), and the axis a at its end, if any:

        X exp([turn; shift]) rot(a, zero + q)
    """

    shifts: Sequence[Measures] = ((0.0, 0.0, 0.0),) * 7  # [m] of each step, in axes of its end
    turns: Sequence[Measures] = ((0.0, 0.0, 0.0),) * 7  # [rad] rotation vectors of each step, in axes of its end
    zeros: Measures = (0.0,) * 6  # [rad] true angle of an axis less the one that it is told to have

    def __post_init__(self) -> None:
        where = "geometry errors"
        take_rows(self, where, 7, 3, shifts=Amount("m"), turns=Amount("rad"))
        take_rows(self, where, 6, zeros=Amount("rad"))

    def step(self, i: int) -> Pose:
        """What step i (0 to 6) has behind its pose by design, the zero offset of its axis among it."""
        error = Pose.exp(np.concatenate([self.turns[i], self.shifts[i]]))
        if i == len(AXES):
            return error
        return error @ Pose(so3_exp(np.array(AXIS[AXES[i]]) * self.zeros[i]))

    def applied(self, graph: LinkGraph) -> LinkGraph:
        """The graph of a robot with axes A1 to A6 and the frame `flange`, with these errors in it."""
        names = [j.name for j in graph.moving]
        if names != list(AXES):
            raise InputError(f"geometry errors: a robot with joints {', '.join(names)}; allowed: {', '.join(AXES)}")
        joints = tuple(
            replace(j, X_PJ=j.X_PJ @ self.step(AXES.index(j.name))) if j.name in AXES else j for j in graph.joints
        )
        links = tuple(
            replace(link, frames={**link.frames, "flange": link.frames["flange"] @ self.step(6)})
            if "flange" in link.frames
            else link
            for link in graph.links
        )
        return replace(graph, joints=joints, links=links)

    @property
    def vector(self) -> Array:
        """All 48 numbers: of each step turn and shift, then the zeros."""
        steps = np.concatenate([np.array(self.turns), np.array(self.shifts)], axis=1)
        return np.concatenate([steps.ravel(), np.array(self.zeros)])

    @classmethod
    def of_vector(cls, values: Array) -> GeometryErrors:
        """From the 48 numbers of `vector`."""
        steps = np.asarray(values[:42], np.float64).reshape(7, 6)
        return cls(steps[:, 3:].tolist(), steps[:, :3].tolist(), values[42:48].tolist())
