"""Settings that scenarios with reaction wheels share: a pyramid of wheels, and feedback that holds an attitude."""

from __future__ import annotations

import numpy as np

from freefloat.actuators import ReactionWheels
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array
from freefloat.gnc.control.allocation import WheelAllocation, pyramid_axes
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.pointing import InertialPointing
from freefloat.gnc.control.walking_feedforward import WalkingFeedforward
from freefloat.scenario.fields import Settings, quantity


class WheelSettings(Settings):
    """Four equal wheels in a pyramid about z of their body, with the same capacity along x, y and z."""

    inertia: float = quantity(0.02, "kg m^2", "rotor inertia about its axis", gt=0)
    max_torque: float = quantity(0.4, "N m", "largest motor torque", gt=0)
    max_speed: float = quantity(420.0, "rad/s", "largest rotor speed", gt=0)
    viscous: float = quantity(0.0, "N m s/rad", "viscous friction of the bearing", ge=0)
    dry: float = quantity(0.0, "N m", "dry friction of the bearing", ge=0)

    def part(self, name: str, on: str) -> ReactionWheels:
        """The wheels as a part."""
        limits = self.max_torque, self.max_speed
        start = self.inertia * self.bias()
        axes = pyramid_axes()
        return ReactionWheels(name, on, axes, self.inertia, *limits, self.viscous, self.dry, momentum=start)

    def allocation(self, period: float) -> WheelAllocation:
        """Torques of the wheels for a controller of this period [s]."""
        limits = self.max_torque, self.max_speed
        return WheelAllocation(pyramid_axes(), self.inertia, *limits, self.bias(), horizon=period)

    def capacity(self, name: str = "wheels") -> dict[str, float]:
        """Part -> the largest momentum of one of its rotors [N m s]."""
        return {name: self.inertia * self.max_speed}

    def bias(self) -> Array:
        """Speeds at the start, kept where no torque is wanted [rad/s]."""
        return np.zeros(4)


class AttitudeSettings(Settings):
    """Quaternion feedback; the gains are those of feedback alone and of feedback with feedforward."""

    rate: float = quantity(10.0, "Hz", "update rate", gt=0, le=1e4)
    bandwidth: float = quantity(0.2, "rad/s", "natural frequency of the attitude error", gt=0)
    damping: float = quantity(0.7, "-", "damping ratio of the attitude error", gt=0)
    integral: float = quantity(0.0, "1/s", "pole of the integral action; 0: none", ge=0)

    def task(
        self,
        body: str,
        q_WR: Array,
        inertia: Array,  # [kg m^2] (3, 3), what the wheels turn
        wheels: WheelSettings,
        feedforward: ArmFeedforward | WalkingFeedforward | None = None,
    ) -> Task:
        """The task `attitude`, which holds `body` at q_WR with its part `wheels`, true measurements given."""
        gains = AttitudeGains(self.bandwidth, self.damping, self.integral)
        system = AttitudeSystem(
            AttitudeController(inertia, InertialPointing(q_WR), gains),
            wheels.allocation(1.0 / self.rate),
            feedforward=feedforward,
        )
        return Task(
            system,
            1.0 / self.rate,
            reads={"q_WB": f"{body}.q_WB", "w_WB_B": f"{body}.w_WB_B", "speed": "wheels.speed"},
            writes={"tau_wheel": "wheels.tau"},
            records={
                "error": Signal("attitude.error", "rad", (3,), "B", "attitude error"),
                "tau": Signal("attitude.tau", "N m", (3,), "B", "torque wanted on the body"),
            },
            name="attitude",
        )
