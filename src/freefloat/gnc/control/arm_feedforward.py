"""Torque that keeps a bus still while its arm moves."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError, ModelError
from freefloat.frames import Array, skew
from freefloat.gnc.control.free_floating import base_joint, momentum_map


class JointPath(Protocol):
    """Planned joint motion: position, rate and acceleration at t [s]."""

    def at(self, t: float) -> tuple[Array, Array, Array]: ...


@dataclass(frozen=True)
class ArmFeedforward:
    """Torque on the bus B that balances the arm's motion, from an onboard model.

    About the centre of mass of bus and arm, with the bus turning at w, the angular momentum in B is I(q) w + L(q, q'),
    and wheels have to supply its change. Without the part that a still arm asks for, I w' + w x I w, that is
        tau_ff = d/dt L + (d/dt I) w + w x L
    computed as the difference of two inverse dynamics of the free system (its net force is zero, so the bus is left to
    translate). Add it to `AttitudeController.tau_ff`; wheels take up -tau_ff. Rotor inertia (armature) is not in it.

    Reads q, qd, qdd, or takes them from `path` at t + `lead` (half a control period centres a held torque). Optional:
    w_WB_B. Returns tau_ff [N m], L_B [N m s] (the arm's part) and inertia_B [kg m^2] of the system, all in B.
    """

    model: mujoco.MjModel  # onboard model: bus with the first free joint, arm on it; copied, its gravity not used
    arm_dofs: NDArray[np.intp]  # hinges and slides that move; the others are locked
    path: JointPath | None = None
    lead: float = 0.0  # [s]
    mass_scale: float = 1.0  # [-] on mass and inertia of everything that the arm's joints move
    data: mujoco.MjData = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.mass_scale > 0.0:
            raise InputError(f"arm feedforward: mass_scale {self.mass_scale!r} must be positive")
        model = copy.deepcopy(self.model)
        model.opt.gravity[:] = 0.0
        kinds = model.jnt_type[model.dof_jntid[self.arm_dofs]]
        if np.any(kinds < int(mujoco.mjtJoint.mjJNT_SLIDE)):
            raise ModelError(f"arm feedforward: dofs {list(self.arm_dofs)} must belong to hinges or slides")
        moved = moved_bodies(model, self.arm_dofs)
        model.body_mass[moved] *= self.mass_scale
        model.body_inertia[moved] *= self.mass_scale
        data = mujoco.MjData(model)
        mujoco.mj_setConst(model, data)
        data.qpos[int(model.jnt_qposadr[base_joint(model)]) :][:7] = [0, 0, 0, 1, 0, 0, 0]  # W is B at this instant
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "data", data)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Feedforward for the next period."""
        q, qd, qdd = self.path.at(t + self.lead) if self.path else (meas["q"], meas["qd"], meas["qdd"])
        w = meas.get("w_WB_B", np.zeros(3))
        self.data.qpos[self.model.jnt_qposadr[self.model.dof_jntid[self.arm_dofs]]] = q
        H = momentum_map(self.model, self.data, self.arm_dofs)
        still = np.zeros_like(qd)
        tau = self._inverse_dynamics(w, qd, qdd) - self._inverse_dynamics(w, still, still)
        return {"tau_ff": tau, "L_B": H[:3, 6:] @ qd, "inertia_B": H[:3, :3]}

    def _inverse_dynamics(self, w: Array, qd: Array, qdd: Array) -> Array:
        """Torque about the centre of mass [N m] in B for bus rate w, constant in B; positions are up to date."""
        m, d = self.model, self.data
        joint = base_joint(m)
        first, base = int(m.jnt_dofadr[joint]), int(m.jnt_bodyid[joint])
        d.qvel[:], d.qacc[:] = 0.0, 0.0
        d.qvel[first + 3 : first + 6] = w
        d.qvel[self.arm_dofs], d.qacc[self.arm_dofs] = qd, qdd
        mujoco.mj_comVel(m, d)
        wrench = np.zeros(m.nv)
        mujoco.mj_rne(m, d, 1, wrench)
        force, moment = wrench[first : first + 3], wrench[first + 3 : first + 6]
        return moment - skew(d.subtree_com[base] - d.xpos[base]) @ force


def moved_bodies(model: mujoco.MjModel, dofs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mask (nbody,) of the bodies that any of these dofs carries."""
    moved = np.zeros(model.nbody, dtype=bool)
    moved[model.dof_bodyid[dofs]] = True
    for body in range(1, model.nbody):
        moved[body] |= moved[model.body_parentid[body]]
    return moved
