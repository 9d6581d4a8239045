"""What the signals of a running mission say, in the words of the oracles."""

from __future__ import annotations

import numpy as np

from freefloat.engine.session import Session
from freefloat.frames import Pose
from freefloat.verify.oracles.newton_euler import LinkMotion, TreeAcceleration


def link_motion(session: Session, name: str) -> LinkMotion:
    """Pose and velocity of a link from its four signals."""
    link = session.world.declared(name)
    X_WL = Pose.from_quat(session.read(f"{name}.q_WB"), session.read(f"{name}.p_WB"))
    w_L, v = session.read(f"{name}.w_WB_B"), session.read(f"{name}.v_WB")
    return LinkMotion(link, X_WL, X_WL.R @ w_L, v + X_WL.R @ np.cross(w_L, link.p_LLcm))


def all_motions(session: Session) -> dict[str, LinkMotion]:
    """Every link of the world."""
    return {name: link_motion(session, name) for name in session.world.links}


def tree_acceleration(session: Session, robot: str, root: str) -> TreeAcceleration:
    """Accelerations of a robot's joints (signal `robot.qdd`) and of its free root, as the plant computes them now."""
    world = session.world
    qdd = session.read(f"{robot}.qdd")
    tree = world.compiled()
    d, first = tree.data, int(tree.model.joint(f"free:{root}").dofadr[0])
    a, alpha_B = d.qacc[first : first + 3], d.qacc[first + 3 : first + 6]
    R_WB = world.motion(root)[0].R
    joints = [name for name in world.joints if name.startswith(f"{robot}.") and name in tree.rate]
    names = [name.removeprefix(f"{robot}.") for name in joints]
    return TreeAcceleration(np.concatenate([R_WB @ alpha_B, a]), dict(zip(names, map(float, qdd), strict=True)))
