"""What the courses of a robot's axes tell, as signals, and the step that elastic axes ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from freefloat.engine.advice import Longest
from freefloat.engine.world import World
from freefloat.kernels.bank import Column, Effect
from freefloat.robots.drive_step import MOST


def _course_stage(t, p, x, u, view, dx, tau, wrench, y, power):  # the one signature of an effect; compiled
    for r in range(p.i.shape[0]):
        c = p.i[r, 0] + 1
        s = t - u[c - 1]
        y[3 * r] = u[c] + s * (u[c + 1] + s * (u[c + 2] + s * (u[c + 3] + s * (u[c + 4] + s * u[c + 5]))))
        y[3 * r + 1] = u[c + 1] + s * (
            2.0 * u[c + 2] + s * (3.0 * u[c + 3] + s * (4.0 * u[c + 4] + s * 5.0 * u[c + 5]))
        )
        y[3 * r + 2] = 2.0 * u[c + 2] + s * (6.0 * u[c + 3] + s * (12.0 * u[c + 4] + s * 20.0 * u[c + 5]))


COURSES = Effect(
    "course",
    _course_stage,
    commands=("course",),
    outputs=(
        Column("angle", "rad", meaning="of the course, output side"),
        Column("rate", "rad/s", meaning="of the course"),
        Column("acceleration", "rad/s^2", meaning="of the course"),
    ),
)


@dataclass(frozen=True, eq=False)
class ElasticAdvice:
    """What links that swing against their gears, whose rotors are led, ask of the step."""

    name: str
    stiffness: Mapping[str, float]  # [N m/rad] by joint

    def longest_step(self, world: World) -> Longest:
        """A share of 1 / w of the fastest mode with the other links free to give way."""
        tree = world.compiled()
        M = np.zeros((tree.model.nv, tree.model.nv))
        mujoco.mj_fullM(tree.model, tree.data, M)
        dofs = [tree.rate[joint] for joint in self.stiffness]
        root = np.sqrt(np.diag(list(self.stiffness.values())))
        modes = np.linalg.eigvalsh(root @ np.linalg.inv(M)[np.ix_(dofs, dofs)] @ root)
        w, most = math.sqrt(float(modes[-1])), MOST[world.order]
        return Longest(most / w, f"links swing at {w:.3g} rad/s against their gears; at most {most} rad in a step")
