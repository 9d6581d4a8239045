"""Joint controllers that follow a path on a free-floating base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.gnc.control.free_floating import base_joint
from freefloat.gnc.planning.joint_path import Array, QuinticPath


@dataclass(frozen=True)
class JointPD:
    """tau = kp (q_d - q) + kd (q_d' - q'), joint by joint. Reads q, qd; returns tau and the tracking error."""

    path: QuinticPath
    kp: Array  # [N m/rad]
    kd: Array  # [N m s/rad]

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        q, qd, _ = self.path.at(t)
        error = q - meas["q"]
        return {"tau": self.kp * error + self.kd * (qd - meas["qd"]), "error": error}


@dataclass(frozen=True)
class _Onboard:
    """The controller's own copy of the dynamics, and where base and arm stand in it."""

    data: mujoco.MjData
    pose: int  # first index of the base's pose in qpos
    base: NDArray[np.intp]  # the base's six dofs
    arm_q: NDArray[np.intp]  # positions of the arm in qpos


@dataclass(frozen=True)
class ComputedTorque:
    """Inverse dynamics of the free-floating robot, with the base left to react.

    With a = q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q) for the joints, the base moves by H_b a_b = -(H_bm a + c_b), and
    tau = H_bm^T a_b + H_m a + c_m (Umetani and Yoshida 1989). Reads q, qd and the base's q_WB, v_WB, w_WB_B.
    """

    path: QuinticPath
    model: mujoco.MjModel  # onboard model: base with its free joint first, arm dofs in `arm_dofs`
    arm_dofs: NDArray[np.intp]
    bandwidth: float  # [rad/s] w above
    damping: float  # [-] z above
    onboard: _Onboard = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        m, b = self.model, base_joint(self.model)
        onboard = _Onboard(
            mujoco.MjData(m),
            pose=int(m.jnt_qposadr[b]),
            base=np.arange(6) + int(m.jnt_dofadr[b]),
            arm_q=m.jnt_qposadr[m.dof_jntid[self.arm_dofs]],
        )
        object.__setattr__(self, "onboard", onboard)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        q, qd, qdd = self.path.at(t)
        error = q - meas["q"]
        a = qdd + 2.0 * self.damping * self.bandwidth * (qd - meas["qd"]) + self.bandwidth**2 * error
        M, c = self._dynamics(meas)
        arm, base = self.arm_dofs, self.onboard.base
        M_arm, M_base = M[arm], M[base]
        a_b = -np.linalg.solve(M_base[:, base], M_base[:, arm] @ a + c[base])
        return {"tau": M_arm[:, base] @ a_b + M_arm[:, arm] @ a + c[arm], "error": error}

    def _dynamics(self, meas: Mapping[str, Array]) -> tuple[Array, Array]:
        """Mass matrix and bias force of the onboard model at the measured state."""
        m, o = self.model, self.onboard
        d = o.data
        d.qpos[o.pose + 3 : o.pose + 7] = meas["q_WB"]
        d.qvel[o.base[:3]], d.qvel[o.base[3:]] = meas["v_WB"], meas["w_WB_B"]
        d.qpos[o.arm_q] = meas["q"]
        d.qvel[self.arm_dofs] = meas["qd"]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_makeM(m, d)
        mujoco.mj_comVel(m, d)
        bias, M = np.zeros(m.nv), np.zeros((m.nv, m.nv))
        mujoco.mj_rne(m, d, 0, bias)
        mujoco.mj_fullM(m, d, M)
        return M, bias
