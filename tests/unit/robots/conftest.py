from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from freefloat.engine.graph import Joint, LinkGraph
from freefloat.frames import Pose

Kinematics = Callable[[LinkGraph, Mapping[str, float]], dict[str, Pose]]


def motion(joint: Joint, q: float) -> Pose:
    turn, shift = (joint.axis * q, np.zeros(3)) if joint.kind == "revolute" else (np.zeros(3), joint.axis * q)
    return Pose.identity() if joint.kind == "fixed" else Pose.exp(np.concatenate([turn, shift]))


def poses(graph: LinkGraph, q: Mapping[str, float]) -> dict[str, Pose]:
    """Pose of every link and named frame in the root's frame, by plain products along the joints."""
    X_RL = {graph.root: Pose.identity()}
    left = list(graph.joints)
    while left:
        ready = [j for j in left if j.parent in X_RL]
        assert ready, "joints that hang from nothing"
        for j in ready:
            X_RL[j.child] = X_RL[j.parent] @ j.X_PJ @ motion(j, q.get(j.name, 0.0)) @ j.X_JC
            left.remove(j)
    frames = {name: X_RL[link.name] @ X_LF for link in graph.links for name, X_LF in link.frames.items()}
    return X_RL | frames


@pytest.fixture
def forward_kinematics() -> Kinematics:
    return poses
