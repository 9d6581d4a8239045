"""Structural change while a run goes on: re-root, attach, detach.

Every pose and twist is read, the graph edited and compiled anew; joint coordinates keep their values and a closing
connection captures the relative pose. The new velocity keeps the generalised momentum: M v = sum_b J_b^T h_b with
h_b the spatial momentum of body b before the change. That is exact for re-rooting and detaching, and the plastic
impact for attaching; where a connection is held by a constraint, the impulse -A^+ J v follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from freefloat.engine.blueprint import Connection
from freefloat.engine.graph import Joint, Vector
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.kernels import handle as H
from freefloat.kernels.entry import PROJECT
from freefloat.kernels.plant import N_AUDIT

if TYPE_CHECKING:
    from freefloat.engine.world import World

HEAT = 8  # the audit integral that takes the energy lost in an impact


def close_at_start(world: World) -> None:
    """Close the connections that are declared closed."""
    for name, connection in world.blueprint.connections.items():
        if connection.closed:
            attach(world, name)


def attach(world: World, connection: str) -> float:
    """Close a connection as its frames stand now; returns the kinetic energy lost [J] by the relative velocity."""
    c = _declared(world, connection)
    if connection in world.closed:
        raise InputError(f"connection {connection!r} is closed already")
    (link_a, X_AFa), (link_b, _) = world.blueprint.frame(c.a), world.blueprint.frame(c.b)
    if link_a == link_b:
        raise InputError(f"connection {connection!r}: {c.a!r} and {c.b!r} are on the same link {link_a!r}")
    X_WA, X_WB = world.motion(link_a)[0], world.motion(link_b)[0]
    X_FaB = (X_WA @ X_AFa).inverse() @ X_WB
    world.closed[connection] = Joint(connection, "fixed", link_a, link_b, X_AFa, X_JC=X_FaB)
    return _rebuild(world, impact=True)


def detach(world: World, connection: str) -> None:
    """Open a closed connection; nothing else changes at that instant."""
    _declared(world, connection)
    if connection not in world.closed:
        raise InputError(f"connection {connection!r} is open already")
    del world.closed[connection]
    _rebuild(world, impact=False)


def reroot(world: World, link: str) -> None:
    """Make a link the root of its tree."""
    if link not in world.blueprint.links:
        raise unknown_name("link", link, world.blueprint.links)
    world.roots = [link, *(r for r in world.roots if r != link)]
    _rebuild(world, impact=False)


def _declared(world: World, connection: str) -> Connection:
    if connection not in world.blueprint.connections:
        raise unknown_name("connection", connection, world.blueprint.connections)
    return world.blueprint.connections[connection]


def _rebuild(world: World, impact: bool) -> float:
    """Compile the edited graph and carry the motion over; with `impact` the velocities become compatible."""
    motions = {link: world.motion(link) for link in world.blueprint.links}
    joints = {name: world.joint(name) for name in world.tree.coordinate}
    energy = float(world.audit_row()[6])
    nx = world.tree.model.nq + world.tree.model.nv
    tail = world.memory[H.X][nx:].copy()
    world.compile()
    m = world.tree.model
    for name, (q, qd) in joints.items():
        world.set_joint(name, q, qd)
    for root in world.tree.roots:
        world.set_motion(root, *motions[root])
    x = world.memory[H.X]
    x[m.nq + m.nv :] = tail
    if not impact:
        return 0.0
    v = x[m.nq : m.nq + m.nv].copy()
    _keep_momentum(world, motions, {n: qd for n, (_, qd) in joints.items()}, v)
    if world.tree.loops:
        world.call(world.memory.h, world.effects, PROJECT, 0, 0, v)
    x[m.nq : m.nq + m.nv] = v
    world.touch()
    lost = energy - float(world.audit_row()[6])
    x[-N_AUDIT + HEAT] += lost
    return lost


def _keep_momentum(
    world: World, motions: dict[str, tuple[Pose, Vector, Vector]], rates: dict[str, float], v: Vector
) -> None:
    """Correct the guess v so that M v equals the generalised momentum of the given motions."""
    m, d = world.tree.model, world.tree.data
    d.qpos[:] = world.memory[H.X][: m.nq]
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_makeM(m, d)
    mujoco.mj_factorM(m, d)
    momentum = np.zeros(m.nv)
    for name, (X_WL, w_WL_L, v_WL) in motions.items():
        link, b = world.links[name], world.tree.body[name]
        v_cm = v_WL + X_WL.R @ np.cross(w_WL_L, link.p_LLcm)
        L_cm = X_WL.R @ (link.I_LLcm_L @ w_WL_L)
        mujoco.mj_applyFT(m, d, link.mass * v_cm, L_cm, d.xipos[b], b, momentum)
    for name, rate in rates.items():
        i = world.tree.rate[name]
        momentum[i] += m.dof_armature[i] * rate
    for _ in range(2):  # the second pass is iterative refinement
        present, correction = np.zeros(m.nv), np.zeros(m.nv)
        mujoco.mj_mulM(m, d, present, v)
        mujoco.mj_solveM(m, d, correction.reshape(1, -1), (momentum - present).reshape(1, -1))
        v += correction
