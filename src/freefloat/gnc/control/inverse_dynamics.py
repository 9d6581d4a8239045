"""Inverse dynamics of a robot on a base that nothing holds, in a controller's own model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.frames import check_inertia, parallel_axis
from freefloat.gnc.control.free_floating import base_joint

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Onboard:
    """The controller's own copy of the dynamics, and where base and arm stand in it.

    Measured state: q, qd of the arm and the base's q_WB, v_WB, w_WB_B.
    """

    model: mujoco.MjModel  # base with its free joint first, arm dofs in `arm_dofs`
    arm_dofs: NDArray[np.intp]
    data: mujoco.MjData = field(init=False, repr=False, compare=False)
    pose: int = field(init=False)  # first index of the base's pose in qpos
    base: NDArray[np.intp] = field(init=False, repr=False)  # the base's six dofs
    arm_q: NDArray[np.intp] = field(init=False, repr=False)  # positions of the arm in qpos

    def __post_init__(self) -> None:
        m, b = self.model, base_joint(self.model)
        for name, value in {
            "data": mujoco.MjData(m),
            "pose": int(m.jnt_qposadr[b]),
            "base": np.arange(6) + int(m.jnt_dofadr[b]),
            "arm_q": m.jnt_qposadr[m.dof_jntid[self.arm_dofs]],
        }.items():
            object.__setattr__(self, name, value)

    def efforts(self, a: Array, meas: Mapping[str, Array]) -> Array:
        """tau for the joint accelerations a, with the base left to react: it moves by H_b a_b = -(H_bm a + c_b), and
        tau = H_bm^T a_b + H_m a + c_m (Umetani and Yoshida 1989).
        """
        M, c = self.dynamics(meas)
        arm, base = self.arm_dofs, self.base
        M_arm, M_base = M[arm], M[base]
        a_b = -np.linalg.solve(M_base[:, base], M_base[:, arm] @ a + c[base])
        return M_arm[:, base] @ a_b + M_arm[:, arm] @ a + c[arm]

    def inertia_and_bias(self, meas: Mapping[str, Array]) -> tuple[Array, Array]:
        """M* (n, n) and c* (n,) with M* q'' + c* = tau, the base left to react."""
        M, c = self.dynamics(meas)
        arm, base = self.arm_dofs, self.base
        M_arm, M_base = M[arm], M[base]
        coupling = np.linalg.solve(M_base[:, base], M_base[:, arm])
        return M_arm[:, arm] - M_arm[:, base] @ coupling, c[arm] - coupling.T @ c[base]

    def dynamics(self, meas: Mapping[str, Array]) -> tuple[Array, Array]:
        """Mass matrix and bias force of the onboard model at the measured state."""
        m, d = self.model, self.data
        d.qpos[self.pose + 3 : self.pose + 7] = meas["q_WB"]
        d.qvel[self.base[:3]], d.qvel[self.base[3:]] = meas["v_WB"], meas["w_WB_B"]
        d.qpos[self.arm_q] = meas["q"]
        d.qvel[self.arm_dofs] = meas["qd"]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_makeM(m, d)
        mujoco.mj_comVel(m, d)
        bias, M = np.zeros(m.nv), np.zeros((m.nv, m.nv))
        mujoco.mj_rne(m, d, 0, bias)
        mujoco.mj_fullM(m, d, M)
        return M, bias


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass properties of a body B about its centre of mass, in axes of B."""

    mass: float  # [kg]
    p_BBcm: Array  # [m]
    I_BBcm_B: Array  # [kg m^2], (3, 3)

    @classmethod
    def none(cls) -> Mass:
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    def __add__(self, other: Mass) -> Mass:
        """Both together, in the axes of the same B."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return self
        p = (self.mass * self.p_BBcm + other.mass * other.p_BBcm) / mass
        parts = [parallel_axis(x.I_BBcm_B, x.mass, x.p_BBcm - p) for x in (self, other)]
        return Mass(mass, p, parts[0] + parts[1])


def mass_of(model: mujoco.MjModel, body: str) -> Mass:
    """The mass properties of a body of an onboard model."""
    b = _body(model, body)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[b])
    R_BI = R.reshape(3, 3)
    return Mass(float(model.body_mass[b]), model.body_ipos[b].copy(), R_BI @ np.diag(model.body_inertia[b]) @ R_BI.T)


def write_mass(model: mujoco.MjModel, body: str, mass: Mass) -> None:
    """Give a body of an onboard model new mass properties."""
    b, p, I = _body(model, body), np.asarray(mass.p_BBcm, np.float64), np.asarray(mass.I_BBcm_B, np.float64)  # noqa: E741
    if not (np.isfinite(mass.mass) and mass.mass >= 0.0 and np.isfinite(p).all()):
        raise InputError(f"body {body!r}: mass {mass.mass!r} kg at {p.tolist()} m must be finite and not negative")
    if mass.mass > 0.0:
        check_inertia(I)
    values, R_BI = np.linalg.eigh(0.5 * (I + I.T))
    R_BI[:, 2] *= np.sign(np.linalg.det(R_BI))
    model.body_mass[b], model.body_ipos[b], model.body_inertia[b] = mass.mass, p, np.maximum(values, 0.0)
    mujoco.mju_mat2Quat(model.body_iquat[b], R_BI.ravel())
    model.body_sameframe[b] = int(mujoco.mjtSameFrame.mjSAMEFRAME_NONE)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _body(model: mujoco.MjModel, name: str) -> int:
    b = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if b < 0:
        raise unknown_name("body", name, filter(None, (model.body(i).name for i in range(model.nbody))))
    return b
