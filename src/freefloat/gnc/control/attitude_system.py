"""One task for a spacecraft's attitude: estimate, point, balance the arm, unload the wheels, allocate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.allocation import Desaturation, ThrusterAllocation, WheelAllocation
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.attitude import AttitudeController
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF


@dataclass
class AttitudeSystem:
    """The chain of controllers, each fed with the measurements and what those before it returned.

    Reads speed [rad/s] of the wheels and what each member reads; without a filter, q_WB and w_WB_B are measured.
    Returns everything that the members return, so tau_wheel (wheels), and on_time and duty (thrusters). The wheels
    make the controller's torque less the one that comes from outside: `tau_ext`, or what the thrusters make of it.
    """

    control: AttitudeController
    wheels: WheelAllocation
    filter: AttitudeEKF | None = None
    feedforward: ArmFeedforward | None = None
    desaturation: Desaturation | None = None
    thrusters: ThrusterAllocation | None = None

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Commands for the next period."""
        known: dict[str, Array] = dict(meas)
        known["h_B"] = self.wheels.momentum(meas["speed"])
        out: dict[str, Array] = {}
        for member in (self.filter, self.feedforward, self.control, self.desaturation):
            if member is not None:
                out |= member.update(t, known)
                known |= out
        outside = known.get("tau_ext", np.zeros(3))
        if self.thrusters is not None:
            out |= self.thrusters.update(t, {"wrench": np.concatenate([outside, np.zeros(3)])})
            outside = out["wrench_made"][:3]
        return out | self.wheels.update(t, {"tau": known["tau"] - outside, "speed": meas["speed"]})
