"""Where SPIDER's tip is, and how far from where it should be."""

from __future__ import annotations

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Array, Pose, quat_conj, quat_log, quat_mul

SIGNALS = ("arm.base.q_WB", "arm.base.p_WB", "arm.tool.q_WF", "arm.tool.p_WF")


def tip_places(result: Result) -> Array:
    """p_AT (n, 3) [m] of the tip as it is, in the mount's axes."""
    return np.array([pose.p for pose in _true_poses(result)])


def tip_errors(result: Result) -> tuple[Array, Array, Array]:
    """Times, what is wanted less what is (n, 3) [m] in the mount's axes, and the angle between both (n,) [rad]."""
    time, told_at = result.time(SIGNALS[3]), result.time("tip.p_wanted")
    told = np.hstack([result["tip.p_wanted"], result["tip.q_wanted"]])
    asked = np.column_stack([np.interp(time, told_at, column) for column in told.T])
    poses = _true_poses(result)
    off = asked[:, :3] - np.array([pose.p for pose in poses])
    turns = [quat_log(quat_mul(quat_conj(X.q), q)) for X, q in zip(poses, asked[:, 3:], strict=True)]
    return time, off, np.linalg.norm(np.array(turns), axis=1)


def _true_poses(result: Result) -> list[Pose]:
    """X_AT at each record."""
    rows = zip(*(result[name] for name in SIGNALS), strict=True)
    return [Pose.from_quat(qa, pa).inverse() @ Pose.from_quat(qt, pt) for qa, pa, qt, pt in rows]
