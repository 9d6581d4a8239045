"""The position mode of `JointModes` in NumPy over MuJoCo's Python bindings: what a tick is compared with."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.joint_modes import JointModes


class PythonLaw:
    """tau = M* (q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q)) + c* on the model of the footing that the modes have now."""

    def __init__(self, modes: JointModes, bandwidth: float = 8.0, damping: float = 1.0) -> None:
        self.modes, self.kp, self.kd = modes, bandwidth**2, 2.0 * damping * bandwidth
        self.model = modes.footing.model
        self.data = mujoco.MjData(self.model)
        places = modes.footing.onboard.places
        n = len(modes.footing.joints)
        self.attitude, self.base, self.arm = int(places[4]), int(places[5]), places[7 : 7 + n]
        self.arm_q = places[7 + n :]

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        q_d, qd_d, qdd_d = self.modes.reference(t)
        M, c = self._inertia_and_bias(meas)
        error = q_d - meas["q"]
        tau = M @ (qdd_d + self.kd * (qd_d - meas["qd"]) + self.kp * error) + c
        return {"tau": np.clip(tau, -self.modes.effort, self.modes.effort), "error": error}

    def _inertia_and_bias(self, meas: Mapping[str, Array]) -> tuple[Array, Array]:
        """M* and c* by eliminating the base (Umetani and Yoshida 1989)."""
        m, d, b = self.model, self.data, self.base
        d.qpos[self.attitude : self.attitude + 4], d.qpos[self.arm_q] = meas["q_WB"], meas["q"]
        d.qvel[b : b + 3], d.qvel[b + 3 : b + 6], d.qvel[self.arm] = meas["v_WB"], meas["w_WB_B"], meas["qd"]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_makeM(m, d)
        mujoco.mj_comVel(m, d)
        M, c = np.zeros((m.nv, m.nv)), np.zeros(m.nv)
        mujoco.mj_rne(m, d, 0, c)
        mujoco.mj_fullM(m, d, M)
        across = M[b : b + 6][:, self.arm]
        share = np.linalg.solve(M[b : b + 6, b : b + 6], across)
        return M[np.ix_(self.arm, self.arm)] - across.T @ share, c[self.arm] - share.T @ c[b : b + 6]
