"""Joint controllers that follow a path on a free-floating base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.gnc.control.inverse_dynamics import Onboard
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
class ComputedTorque:
    """Inverse dynamics of the free-floating robot, with the base left to react.

    The joints accelerate by a = q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q); `Onboard.efforts` gives tau.
    Reads q, qd and the base's q_WB, v_WB, w_WB_B.
    """

    path: QuinticPath
    model: mujoco.MjModel  # onboard model: base with its free joint first, arm dofs in `arm_dofs`
    arm_dofs: NDArray[np.intp]
    bandwidth: float  # [rad/s] w above
    damping: float  # [-] z above
    onboard: Onboard = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "onboard", Onboard(self.model, self.arm_dofs))

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        q, qd, qdd = self.path.at(t)
        error = q - meas["q"]
        a = qdd + 2.0 * self.damping * self.bandwidth * (qd - meas["qd"]) + self.bandwidth**2 * error
        return {"tau": self.onboard.efforts(a, meas), "error": error}
