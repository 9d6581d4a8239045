"""Accelerations by Pinocchio, which reads the same URDF files itself. Run with a Python that has it:

python pinocchio_states.py states.json accelerations.json

`states.json` holds for each robot its file, whether its root floats, and states by the file's own names: X_WR (4, 4)
and twist (linear, angular; in axes of R) of the root link R, positions, rates and efforts of the joints.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin


def accelerations(robot: dict) -> list:
    """Of each state: the root's spatial acceleration (linear, angular; in axes of R), then joints by name."""
    root = [pin.JointModelFreeFlyer()] if robot["floats"] else []
    model = pin.buildModelFromUrdf(robot["file"], *root)
    model.gravity = pin.Motion.Zero()
    data = model.createData()
    found = []
    for state in robot["states"]:
        q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        if robot["floats"]:
            q[:7] = pin.SE3ToXYZQUAT(pin.SE3(np.array(state["X_WR"])))
            v[:6] = state["twist"]
            tau[:6] = state["wrench"]
        for name, (position, rate, effort) in state["joints"].items():
            joint = model.joints[model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                position if joint.nq == 1 else [np.cos(position), np.sin(position)]
            )
            v[joint.idx_v], tau[joint.idx_v] = rate, effort
        a = pin.aba(model, data, q, v, tau)
        joints = {name: float(a[model.joints[model.getJointId(name)].idx_v]) for name in state["joints"]}
        found.append({"root": a[:6].tolist() if robot["floats"] else [], "joints": joints})
    return found


if __name__ == "__main__":
    robots = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(json.dumps([accelerations(r) for r in robots]), encoding="utf-8")
