"""The walking manipulator as an onboard model, standing on end A or on end B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from freefloat.engine.graph import LinkGraph
from freefloat.engine.tree import compile_tree
from freefloat.geometry.shape import Shape
from freefloat.gnc.planning.arm.chain import Chain, Frame
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.robots import load_robot

POSTURE = np.array([0.0, 0.6, 0.0, -1.2, 0.0, 0.6, 0.0])


@dataclass(frozen=True)
class Walker:
    graph: LinkGraph
    limits: MotionLimits
    solids: Mapping[str, tuple[Shape, ...]]

    def chain(self, base: str = "a", root: str = "hand_a") -> Chain:
        tree = compile_tree(self.graph.links, self.graph.joints, (), [root])
        frames = {n: Frame(link.name, X) for link in self.graph.links for n, X in link.frames.items()}
        joints = self.graph.joints
        ends = (frames["end_a"], frames["end_b"])
        return Chain(
            tree.model,
            [j.name for j in joints],
            *(ends if base == "a" else ends[::-1]),
            [j.lower for j in joints],
            [j.upper for j in joints],
        )

    def ik(self, base: str = "a") -> InverseKinematics:
        return InverseKinematics(self.chain(base), POSTURE)


@pytest.fixture(scope="session")
def walker() -> Walker:
    graph = load_robot("walking_manipulator")
    limits = MotionLimits(np.full(7, np.radians(20.0)), np.full(7, np.radians(20.0)), np.full(7, np.radians(60.0)))
    return Walker(graph, limits, {link.name: link.shapes for link in graph.links})
