"""Loads through the closed interfaces of a spacecraft that moves as one rigid body.

Modules are rigid and interfaces equal linear springs: force k d and torque k rho^2 phi for a displacement d and a
rotation phi of one face against the other. Where the structure is statically determinate, the loads follow from
equilibrium alone; where it has loops, this shares them out so that sum F^2 + (tau / rho)^2 is least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array
from scipy.sparse.linalg import splu

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.structure.design.contacts import Contacts
from freefloat.structure.design.design import Finding, Manoeuvre
from freefloat.structure.node_arrays import Integers
from freefloat.structure.tensor_body import TensorBody

SPRING_RADIUS = 0.25  # [-] rho over the spacing of the grid; assumed, docs/reference/parameters.md


@dataclass(frozen=True, eq=False)
class Loads:
    """Of m closed interfaces, on the first module of each pair by the second, at the centre of the face, in T."""

    pushed: int  # place on which the manoeuvre's forces act
    contact: Integers  # (m,) numbers of the contacts
    force: Array  # [N] (m, 3)
    torque: Array  # [N m] (m, 3)
    axial: Array  # [N] (m,) along the normal
    radial: Array  # [N] (m,) across it
    bending: Array  # [N m] (m,) size of the whole torque
    max_force: Array  # [N] (m,) of the weaker half
    max_torque: Array  # [N m] (m,)

    @property
    def use(self) -> Array:
        """(m,) largest share of a limit that is used."""
        return np.maximum(np.maximum(self.axial, self.radial) / self.max_force, self.bending / self.max_torque)


def inertial_wrenches(body: TensorBody, manoeuvre: Manoeuvre) -> tuple[Array, Array]:
    """Wrench (k, 6) [torque; force] that each occupied place needs about its own centre of mass, and those (k, 3) in T.

    f = m (a + alpha x r + w x (w x r)) with r from the common centre of mass; tau = I alpha + w x I w.
    """
    places, R = body.occupied, body.grid.R_PM[body.orientation[body.occupied]]
    kinds = body.shape[places]
    centre = body.grid.p_TP[places] + np.einsum("kij,kj->ki", R, body.catalogue.p_MMcm[kinds])
    inertia = R @ body.catalogue.I_MMcm_M[kinds] @ np.swapaxes(R, 1, 2)
    a, w, alpha = (np.asarray(v) for v in (manoeuvre.acceleration, manoeuvre.rate, manoeuvre.angular_acceleration))
    r = centre - body.mass_properties().p_TTcm
    force = body.catalogue.mass[kinds][:, None] * (a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))
    torque = inertia @ alpha + np.cross(w, inertia @ w)
    return np.concatenate([torque, force], axis=1), centre


def interface_loads(contacts: Contacts, manoeuvre: Manoeuvre) -> Loads:
    """Loads of all closed interfaces that join modules to the pushed one."""
    body = contacts.body
    pushed = _pushed(body, manoeuvre)
    group = contacts.groups(contacts.closed)
    contact = np.flatnonzero(contacts.closed & (group[contacts.pairs[:, 0]] == group[pushed]))
    place, side, other = contacts.pairs[contact, :3].T
    p_PF = np.array([X.p for X in body.grid.X_PF])[side]
    p_TF = body.grid.p_TP[place] + p_PF
    wrench = _spring_wrenches(body, place, other, p_TF, pushed, manoeuvre)
    torque, force = wrench[:, :3], wrench[:, 3:]
    normal = p_PF / np.linalg.norm(p_PF, axis=1, keepdims=True)
    along = np.einsum("mi,mi->m", force, normal)
    kinds = contacts.types[contact]
    limits = np.array([[np.inf, np.inf], *((t.max_force, t.max_torque) for t in body.catalogue.interfaces)])
    weakest = limits[kinds].min(axis=1)
    return Loads(
        pushed, contact, force, torque, np.abs(along), np.linalg.norm(force - along[:, None] * normal, axis=1),
        np.linalg.norm(torque, axis=1), weakest[:, 0], weakest[:, 1],
    )  # fmt: skip


def _pushed(body: TensorBody, manoeuvre: Manoeuvre) -> int:
    if manoeuvre.pushed is None:
        return int(np.argmax(body.catalogue.mass[body.shape]))
    place = body.find(manoeuvre.pushed)
    if place is None:
        raise InputError(f"module {manoeuvre.pushed} is to be pushed, but is not in the design")
    return place


def _spring_wrenches(
    body: TensorBody, place: Integers, other: Integers, p_TF: Array, pushed: int, manoeuvre: Manoeuvre
) -> Array:
    """(m, 6) [torque; force] at p_TF on `place`. Unknowns u: rotation and displacement of each module, 0 of the pushed.

    K u = W with K the sum over springs of J^T S J; then S (J_place u - J_other u). The true displacements are -u / k.
    """
    wrench, centre = inertial_wrenches(body, manoeuvre)
    if len(place) == 0:
        return np.zeros((0, 6))
    row = np.full(body.grid.n, -1, dtype=np.int64)
    row[body.occupied] = np.arange(len(wrench))
    involved = np.setdiff1d(np.union1d(place, other), [pushed])
    local = np.full(body.grid.n, -1, dtype=np.int64)
    local[involved] = np.arange(len(involved))
    rho = SPRING_RADIUS * body.grid.spacing
    S = np.diag([rho**2] * 3 + [1.0] * 3)
    J = [_jacobians(p_TF - centre[row[ends]]) for ends in (place, other)]
    K = _stiffness([local[place], local[other]], J, S, len(involved))
    u = np.zeros((body.grid.n, 6))
    if len(involved):
        u[involved] = splu(K.tocsc()).solve(wrench[row[involved]].ravel()).reshape(-1, 6)
    gap = np.einsum("mij,mj->mi", J[0], u[place]) - np.einsum("mij,mj->mi", J[1], u[other])
    return gap @ S


def _jacobians(r: Array) -> Array:
    """(m, 6, 6) from [rotation; displacement] of a module to that of a face at r (m, 3) from its centre of mass."""
    J = np.tile(np.eye(6), (len(r), 1, 1))
    x, y, z = r.T
    o = np.zeros_like(x)
    J[:, 3:, :3] = np.array([[o, z, -y], [-z, o, x], [y, -x, o]]).transpose(2, 0, 1)  # phi x r
    return J


def _stiffness(ends: list[Integers], J: list[Array], S: Array, n: int) -> bsr_array:
    blocks, rows, columns = [], [], []
    for i, (a, J_a) in enumerate(zip(ends, J, strict=True)):
        for j, (b, J_b) in enumerate(zip(ends, J, strict=True)):
            free = (a >= 0) & (b >= 0)
            block = np.swapaxes(J_a, 1, 2) @ S @ J_b * (1.0 if i == j else -1.0)
            blocks.append(block[free])
            rows.append(a[free])
            columns.append(b[free])
    row, column, data = np.concatenate(rows), np.concatenate(columns), np.concatenate(blocks)
    order = np.argsort(row, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    return bsr_array((data[order], column[order], starts), shape=(6 * n, 6 * n), blocksize=(6, 6))


def load_findings(name: str, contacts: Contacts, loads: Loads) -> Iterator[Finding]:
    for k, number in enumerate(loads.contact.tolist()):
        here = f"{contacts.name(number)}, loads {name}"
        for what, value, limit, unit in (
            ("axial force", loads.axial[k], loads.max_force[k], "N"),
            ("radial force", loads.radial[k], loads.max_force[k], "N"),
            ("torque", loads.bending[k], loads.max_torque[k], "N m"),
        ):
            if not value <= limit:
                message = f"{what} through the interface is over its limit"
                shown, allowed = f"{value:.4g} {unit}", f"<= {limit:.4g} {unit}"
                yield Finding("error", "load", here, message, shown, allowed, contacts.module(number))
