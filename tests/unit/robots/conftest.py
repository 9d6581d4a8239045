from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, LinkGraph
from freefloat.frames import Pose

Kinematics = Callable[[LinkGraph, Mapping[str, float]], dict[str, Pose]]


def motion(joint: Joint, q: float) -> Pose:
    turn, shift = (joint.axis * q, np.zeros(3)) if joint.kind == "revolute" else (np.zeros(3), joint.axis * q)
    return Pose.identity() if joint.kind == "fixed" else Pose.exp(np.concatenate([turn, shift]))


def poses(graph: LinkGraph, q: Mapping[str, float]) -> dict[str, Pose]:
    """Pose of every link and named frame in the root's frame, by plain products along the joints."""
    X_RL = {graph.root: Pose.identity(), **graph.floating}
    left = list(graph.joints)
    while left:
        ready = [j for j in left if j.parent in X_RL]
        assert ready, "joints that hang from nothing"
        for j in ready:
            before = X_RL[j.child] if j.series else X_RL[j.parent]
            X_RL[j.child] = before @ j.X_PJ @ motion(j, q.get(j.name, 0.0)) @ j.X_JC
            left.remove(j)
    frames = {name: X_RL[link.name] @ X_LF for link in graph.links for name, X_LF in link.frames.items()}
    return X_RL | frames


State = tuple[dict[str, tuple[float, float]], list[float]]  # joint -> (q, q'), commands of the actuators


def accelerate(graph: LinkGraph, state: State) -> dict[str, float]:
    """Accelerations of the robot's joints, by our own plant."""
    joints, control = state
    names = [j.name for j in graph.joints if j.kind != "fixed"]
    session = ff.Mission([ff.Arm("r", graph, q=[joints[name][0] for name in names])]).session()
    for name in names:
        session.world.set_joint(f"r.{name}", *joints[name])
    if control:
        session.write("r.control", control)
    return dict(zip(names, session.read("r.qdd").tolist(), strict=True))


@pytest.fixture
def accelerations() -> Callable[[LinkGraph, State], dict[str, float]]:
    return accelerate


def mujoco_at(text: str, state: State) -> tuple[Any, Any]:
    """MuJoCo's own model of a text, without gravity and constraints, and its data at a state."""
    spec = mujoco.MjSpec.from_string(text)
    spec.option.gravity = [0.0, 0.0, 0.0]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, (q, qd) in state[0].items():
        data.joint(name).qpos, data.joint(name).qvel = q, qd
    data.ctrl[:] = state[1]
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture
def in_mujoco() -> Callable[[str, State], tuple[Any, Any]]:
    return mujoco_at


@pytest.fixture
def forward_kinematics() -> Kinematics:
    return poses
