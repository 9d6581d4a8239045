"""What a rigid connection carries: the wrench through a link's mount, whether a tree or multipliers hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from freefloat.engine.graph import Vector
from freefloat.frames import Pose
from freefloat.kernels import handle as H

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant


def mount_loads(plant: Plant) -> Vector:
    """(nbody, 6) [torque; force] that each body feels from its parent, at the body's frame origin, in W.

    Newton and Euler from the tips to the root with the accelerations, outside wrenches and multipliers of now.
    """
    m, d = plant.tree.model, plant.tree.data
    plant.refresh()
    wrench = plant.memory[H.WRENCH]
    d.xfrc_applied[:, :3], d.xfrc_applied[:, 3:] = wrench[: m.nbody, 3:], wrench[: m.nbody, :3]
    _add_multipliers(plant, d.xfrc_applied)
    d.xfrc_applied[0] = 0.0
    cvel = d.cvel.copy()
    d.cvel[1:, 3:] -= plant.memory[H.DRIFT]  # cdof_dot is that of a world that moves with the first root
    mujoco.mj_rnePostConstraint(m, d)
    d.xfrc_applied[:], d.cvel[:] = 0.0, cvel
    loads = d.cfrc_int.copy()
    r = d.subtree_com[m.body_rootid] - d.xpos
    loads[:, :3] += np.cross(r, loads[:, 3:])
    return loads


def _add_multipliers(plant: Plant, applied: Vector) -> None:
    """Wrenches of the edges that close loops, on both of their bodies: (nbody, 6) [force; torque] at xipos, in W."""
    d, body = plant.tree.data, plant.tree.body
    for w, edge in enumerate(plant.tree.loops):
        f = plant.memory[H.LAMBDA][6 * w : 6 * w + 6]
        c = body[edge.child]
        p_WP = Pose.from_quat(d.xquat[c], d.xpos[c]).apply(edge.X_JC.inverse().p)
        for b, sign in ((c, 1.0), (body.get(edge.parent, 0), -1.0)):  # 0: the ground
            applied[b, :3] += sign * f[:3]
            applied[b, 3:] += sign * (f[3:] + np.cross(p_WP - d.xipos[b], f[:3]))


def link_load(plant: Plant, link: str) -> Vector:
    """[torque; force] on a link from the body that it hangs on, at its frame, in W."""
    return mount_loads(plant)[plant.tree.body[link]]


def connection_load(plant: Plant, connection: str) -> Vector:
    """[torque; force] through a closed connection at side b's frame, in W; the sign is that of the force on side b."""
    edge = plant.closed[connection].edge
    names = [loop.name for loop in plant.tree.loops]
    X_WB = plant.pose(plant.blueprint.connections[connection].b)
    if connection in names:
        plant.refresh()
        w = names.index(connection)
        f = plant.memory[H.LAMBDA][6 * w : 6 * w + 6]  # [force; torque] at the point P of B (side a's frame on B)
        p_WP = plant.motion(edge.child)[0].apply(edge.X_JC.inverse().p)
        return np.concatenate([f[3:] + np.cross(p_WP - X_WB.p, f[:3]), f[:3]])
    body = plant.tree.body
    m = plant.tree.model
    below = int(m.body_parentid[body[edge.child]]) == body[edge.parent]
    link, sign = (edge.child, 1.0) if below else (edge.parent, -1.0)
    load = sign * link_load(plant, link)
    load[:3] += np.cross(plant.motion(link)[0].p - X_WB.p, load[3:])
    return load
