"""Structural change while a run goes on: re-root, attach, detach, hold another way, move mass from link to link.

Every pose and twist is read, the graph edited and compiled anew; joint coordinates keep their values and a closing
connection captures the relative pose. The new velocity keeps the generalised momentum: M v = sum_b J_b^T h_b with
h_b the spatial momentum of body b before the change. That is exact for re-rooting and detaching, and the plastic
impact for attaching; where a connection is held by a constraint, or a joint's motion imposed, the impulse
-A^+ (J v - r) follows, r the rates of the courses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from freefloat.engine import masses
from freefloat.engine.connection import PULL, Connection
from freefloat.engine.graph import Closed, Hold, Joint, Lump, MassOf, Vector
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import AUDIT, BOOK, N_AUDIT
from freefloat.kernels.entry import PROJECT

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant

SLOWEST = 1e-9  # [m/s] below it, two sides are at rest against each other


def close_at_start(plant: Plant) -> None:
    """Close the connections that are declared closed."""
    for name, connection in plant.blueprint.connections.items():
        if connection.closed:
            attach(plant, name)


def attach(
    plant: Plant, connection: str, X_AB: Pose | None = None, hold: Hold | None = None, eta: float | None = None
) -> float:
    """Close a connection; returns the kinetic energy lost [J] by the relative velocity.

    Frame b is held where it stands against frame a or, by a constraint, drawn to X_AB with the rate `eta` [1/s]:
    an offset e0 at rest fades as e0 (1 + eta t) exp(-eta t), to first order in e0. `hold` and `eta` are the
    connection's own unless given.
    """
    c = _declared(plant, connection)
    if connection in plant.closed:
        raise InputError(f"connection {connection!r} is closed already")
    hold = hold or ("constraint" if c.hold == "constraint" else "tree")
    if hold == "tree" and c.free:
        raise InputError(f"connection {connection!r} has free directions; allowed: to hold it by a constraint")
    if X_AB is not None and hold == "tree":
        raise InputError(f"connection {connection!r}: a tree keeps a pose, only a constraint can draw to another one")
    rubs = [name for name in plant.closed if _declared(plant, name).friction]
    if c.friction and rubs:
        raise InputError(
            f"connection {connection!r} has friction, and {rubs[0]!r} is closed; allowed: one such at a time"
        )
    (link_a, X_LA), (link_b, X_LB) = plant.blueprint.frame(c.a), plant.blueprint.frame(c.b)
    if link_a == link_b:
        raise InputError(f"connection {connection!r}: {c.a!r} and {c.b!r} are on the same link {link_a!r}")
    parting = _parting_speed(plant, c) if c.pushes else 0.0
    if parting > SLOWEST:
        return 0.0
    X_AL = X_AB @ X_LB.inverse() if X_AB is not None else plant.pose(c.a).inverse() @ plant.motion(link_b)[0]
    edge = Joint(connection, "fixed", link_a, link_b, X_LA, X_JC=X_AL)
    plant.closed[connection] = Closed(edge, hold, c.eta if eta is None else eta)
    lost = _rebuild(plant, impact=True)
    if c.pushes and parting > -SLOWEST and _pushed(plant, c) < -PULL:
        detach(plant, connection)  # after an impact forces need a moment
    return lost


def _parting_speed(plant: Plant, c: Connection) -> float:
    """[m/s] of side b from side a, along the direction in which that one pushes."""
    (link_a, _), (link_b, X_LB) = plant.blueprint.frame(c.a), plant.blueprint.frame(c.b)
    normal, p_WB = plant.pose(c.a).R @ c.push, plant.motion(link_b)[0].apply(X_LB.p)
    rates = [v + np.cross(X.R @ w, p_WB - X.p) for X, w, v in (plant.motion(link_a), plant.motion(link_b))]
    return float(normal @ (rates[1] - rates[0]))


def _pushed(plant: Plant, c: Connection) -> float:
    """Force [N] with which side a pushes side b now."""
    plant.refresh()
    w = [edge.name for edge in plant.tree.loops].index(c.name)
    return float(plant.pose(c.a).R @ c.push @ plant.memory[H.LAMBDA][6 * w : 6 * w + 3])


def detach(plant: Plant, connection: str) -> None:
    """Open a closed connection; nothing else changes at that instant."""
    _closed(plant, connection)
    del plant.closed[connection]
    _rebuild(plant, impact=bool(plant.tree.loops))


def hold(plant: Plant, connection: str, hold: Hold, eta: float | None = None) -> float:
    """Hold a closed connection another way from now on: a tree keeps the pose of now, a constraint its target.

    Returns the kinetic energy lost [J] by what relative velocity there is.
    """
    held = _closed(plant, connection)
    if hold == "tree" and _declared(plant, connection).free:
        raise InputError(f"connection {connection!r} has free directions; allowed: to hold it by a constraint")
    plant.closed[connection] = Closed(held.edge, hold, held.eta if eta is None else eta)
    return _rebuild(plant, impact=True)


def reroot(plant: Plant, link: str) -> None:
    """Make a link the root of its tree."""
    if link not in plant.blueprint.links:
        raise unknown_name("link", link, plant.blueprint.links)
    plant.roots = [link, *(r for r in plant.roots if r != link)]
    _rebuild(plant, impact=False)


def move_mass(plant: Plant, lumps: Sequence[Lump], after: Mapping[str, MassOf]) -> float:
    """Give links the mass properties `after`, where the lumps have changed sides; returns the energy lost [J].

    Everything keeps its place. A lump's momentum goes with it: where its new link moves otherwise, that is a plastic
    impact. What the links have before and after must differ by the lumps alone: momentum would not be kept otherwise.
    """
    for link, properties in after.items():
        masses.check_mass(plant, link, properties)
    momenta = _bodies(plant, {name: plant.motion(name) for name in plant.blueprint.links})
    for lump in lumps:
        h = _momentum(lump.source, (lump.mass, lump.p_SScm, lump.I_SScm_S), plant.motion(lump.source))
        momenta += [_Momentum(lump.source, h.p_WCm, -h.P, -h.L), _Momentum(lump.target, h.p_WCm, h.P, h.L)]
    energy = float(plant.audit_row()[AUDIT.kinetic_energy])
    masses.put_masses(plant, after)
    m = plant.tree.model
    x = plant.memory[H.X]
    v = x[m.nq : m.nq + m.nv].copy()
    rates = {name: plant.joint(name)[1] for name in plant.tree.coordinate}
    _keep_momentum(plant, momenta, rates, v)
    return _settle(plant, v, energy)


def _declared(plant: Plant, connection: str) -> Connection:
    if connection not in plant.blueprint.connections:
        raise unknown_name("connection", connection, plant.blueprint.connections)
    return plant.blueprint.connections[connection]


def _closed(plant: Plant, connection: str) -> Closed:
    _declared(plant, connection)
    if connection not in plant.closed:
        raise InputError(f"connection {connection!r} is open already")
    return plant.closed[connection]


@dataclass(frozen=True)
class _Momentum:
    """Spatial momentum of something rigid on a link, about its centre of mass, in W."""

    link: str
    p_WCm: Vector  # [m]
    P: Vector  # [kg m/s]
    L: Vector  # [N m s]


def _momentum(link: str, properties: MassOf, motion: tuple[Pose, Vector, Vector]) -> _Momentum:
    mass, p_LLcm, inertia = properties
    X_WL, w_WL_L, v_WL = motion
    P = mass * (v_WL + X_WL.R @ np.cross(w_WL_L, p_LLcm))
    return _Momentum(link, X_WL.apply(p_LLcm), P, X_WL.R @ (inertia @ w_WL_L))


def _bodies(plant: Plant, motions: Mapping[str, tuple[Pose, Vector, Vector]]) -> list[_Momentum]:
    links = plant.links
    own = {n: (links[n].mass, links[n].p_LLcm, links[n].I_LLcm_L) for n in motions}
    return [_momentum(name, own[name], motion) for name, motion in motions.items()]


def _rebuild(plant: Plant, impact: bool) -> float:
    """Compile the edited graph and carry the motion over; with `impact` the velocities become compatible."""
    motions = {link: plant.motion(link) for link in plant.blueprint.links}
    joints = {name: plant.joint(name) for name in plant.tree.coordinate}
    energy = float(plant.audit_row()[AUDIT.kinetic_energy])
    _capture(plant, motions)
    nx = plant.tree.model.nq + plant.tree.model.nv
    tail = plant.memory[H.X][nx:].copy()
    plant.compile()
    m = plant.tree.model
    for name, (q, qd) in joints.items():
        plant.set_joint(name, q, qd)
    for root in plant.tree.roots:
        plant.set_motion(root, *motions[root])
    x = plant.memory[H.X]
    x[m.nq + m.nv :] = tail
    if not impact:
        return 0.0
    v = x[m.nq : m.nq + m.nv].copy()
    _keep_momentum(plant, _bodies(plant, motions), {n: qd for n, (_, qd) in joints.items()}, v)
    return _settle(plant, v, energy)


def _capture(plant: Plant, motions: Mapping[str, tuple[Pose, Vector, Vector]]) -> None:
    """Where a tree may take over from multipliers, it takes over the pose of now."""
    for loop in plant.tree.loops:
        held = plant.closed.get(loop.name)
        if held is not None and held.hold == "tree":
            X_AB = motions[loop.parent][0].inverse() @ motions[loop.child][0]
            plant.closed[loop.name] = replace(held, edge=replace(loop, X_JC=loop.X_PJ.inverse() @ X_AB))


def _settle(plant: Plant, v: Vector, energy: float) -> float:
    """Take v as the velocity, after the impulse of the constraints; book and return the energy lost.

    Imposed motions keep to their courses, and the work of their impulses is booked as supplied.
    """
    x, m = plant.memory[H.X], plant.tree.model
    supplied = -float(x[BOOK.work_supplied - N_AUDIT])
    if plant.tree.loops or plant.blueprint.imposed or plant.blueprint.couplings:
        plant.call(plant.memory.h, PROJECT, 0, 0, v)
    supplied += float(x[BOOK.work_supplied - N_AUDIT])
    x[m.nq : m.nq + m.nv] = v
    plant.touch()
    lost = energy - float(plant.audit_row()[AUDIT.kinetic_energy]) + supplied
    x[BOOK.heat - N_AUDIT] += lost
    return lost


def _keep_momentum(plant: Plant, momenta: Iterable[_Momentum], rates: Mapping[str, float], v: Vector) -> None:
    """Correct the guess v so that M v equals the generalised momentum of what moved before."""
    m, d = plant.tree.model, plant.tree.data
    d.qpos[:] = plant.memory[H.X][: m.nq]
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_makeM(m, d)
    mujoco.mj_factorM(m, d)
    momentum = np.zeros(m.nv)
    for h in momenta:
        mujoco.mj_applyFT(m, d, h.P, h.L, h.p_WCm, plant.tree.body[h.link], momentum)
    for name, rate in rates.items():
        i = plant.tree.rate[name]
        momentum[i] += m.dof_armature[i] * rate
    for _ in range(2):  # the second pass is iterative refinement
        present, correction = np.zeros(m.nv), np.zeros(m.nv)
        mujoco.mj_mulM(m, d, present, v)
        mujoco.mj_solveM(m, d, correction.reshape(1, -1), (momentum - present).reshape(1, -1))
        v += correction
