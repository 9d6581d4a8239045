"""The walking manipulator's planning by compiled code and by the libraries that it is measured against."""

from __future__ import annotations

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.clearance import Box, Clearance
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_search_step import how_many_clear
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.missions.modular.walker import POSTURE
from freefloat.structure.interface import mated_rotation
from freefloat.verify.limb_rig import chain, motions, slab, walker

MARGIN = 0.02  # [m]


class InverseByBoth:
    """The same poses, solved by mink for one solution and in closed form for all eight branches."""

    def __init__(self, count: int) -> None:
        c = chain()
        self.poses = [c.pose(q) for q in np.random.default_rng(0).uniform(c.lower, c.upper, (count, 7))]
        self.ik, self.limb = InverseKinematics(c, np.array(POSTURE)), Limb.of(c)

    def mink(self) -> int:
        """How many poses it solves."""
        return sum(next(iter(self.ik.solutions(X)), None) is not None for X in self.poses)

    def closed(self) -> int:
        """How many poses have a branch."""
        return sum(bool((self.limb.branches(X, 0.3)[1] >= 0).any()) for X in self.poses)


class ClearanceByBoth:
    """The same postures on a slab of 20 modules, by MuJoCo's distances from Python and compiled."""

    def __init__(self, count: int) -> None:
        grid, occupied = slab()
        foot = Stance(grid.index((2, 1, 1)), 4)
        ground = motions(grid).ground
        X_TA = Pose(np.eye(3), grid.p_TP[foot.place]) @ grid.X_PF[foot.side] @ Pose(mated_rotation(0))
        edges = (grid.spacing, grid.spacing, grid.spacing)
        boxes = [Box(X_TA.inverse() @ Pose(np.eye(3), grid.p_TP[p]), edges) for p in np.flatnonzero(occupied)]
        self.python = Clearance(chain(), {link.name: link.shapes for link in walker().graph.links}, boxes)
        self.room = ground.scenes.stand(occupied, foot).room(ground.body, MARGIN, MARGIN)
        drawn = np.random.default_rng(1).uniform(chain().lower, chain().upper, (count, 7))
        self.postures: Array = drawn
        self.steps = np.ascontiguousarray([ground.limb.to_steps(q) for q in drawn])

    def by_python(self) -> int:
        """How many postures keep the margin."""
        return sum(self.python.at(q, MARGIN) >= MARGIN for q in self.postures)

    def compiled(self) -> int:
        """How many postures keep the margin."""
        return how_many_clear(self.room, self.steps)
