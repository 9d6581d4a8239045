"""Onboard model of a planar floating platform with on/off thrusters and a reaction wheel: plain matrices.

State x = [x, y, theta, x', y', theta', w_wheel], control u = [tau, f_0 .. f_n-1] (REACSA eqs 3.9, 3.10); positions of
B in the floor's frame W, w_wheel the wheel's speed in W, tau the motor's torque on the wheel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array

THETA = 2  # place of the angle in the state
STATES = 7
REACSA_DIRECTIONS = ((0, 1), (0, -1), (-1, 0), (1, 0), (0, -1), (0, 1), (1, 0), (-1, 0))
REACSA_SIDES = ((1, 0), (1, 0), (0, 1), (0, 1), (-1, 0), (-1, 0), (0, -1), (0, -1))


def reacsa_thrusters(arm: float = 0.35) -> Array:
    """Wrench [F_x, F_y, torque] in B per newton of each thruster, (3, 8): eq. 3.11 at theta = 0, arm [m]."""
    d, p = np.array(REACSA_DIRECTIONS, np.float64), arm * np.array(REACSA_SIDES, np.float64)
    return np.vstack([d.T, p[:, 0] * d[:, 1] - p[:, 1] * d[:, 0]])


@dataclass(frozen=True, eq=False)
class PlatformModel:
    """Mass and actuators of a planar platform; the defaults are REACSA's.

    The body's inertia excludes the wheel's: Table 3.4 gives 11.506 + 0.67 with the wheel, and 12.129 kg m^2 without it
    reproduces eq. 6.1's 5.81 deg/s (at 250 rpm).
    """

    mass: float = 221.67  # [kg] Table 3.1
    inertia: float = 12.129  # [kg m^2] I_b of the body without the wheel, about its centre
    wheel_inertia: float = 0.047  # [kg m^2] I_w, Table 3.4
    thrust: float = 10.36  # [N] of one open valve
    thrusters: Array = field(default_factory=reacsa_thrusters)  # (3, n) wrench in B per newton

    def __post_init__(self) -> None:
        for name in ("mass", "inertia", "wheel_inertia", "thrust"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise InputError(f"platform {name}: {value!r}; allowed: a positive number")
        wrenches = np.array(self.thrusters, np.float64)
        if wrenches.ndim != 2 or wrenches.shape[0] != 3 or not np.isfinite(wrenches).all():
            raise InputError(f"platform thrusters: shape {wrenches.shape}; allowed: (3, n) finite numbers")
        wrenches.flags.writeable = False
        object.__setattr__(self, "thrusters", wrenches)

    @property
    def A(self) -> Array:
        """(7, 7) of x' = A x + B(theta) u."""
        A = np.zeros((STATES, STATES))
        A[:3, 3:6] = np.eye(3)
        return A

    def B(self, theta: float) -> Array:
        """(7, 1 + n) of eq. 3.11."""
        c, s = math.cos(theta), math.sin(theta)
        B = np.zeros((STATES, 1 + self.thrusters.shape[1]))
        B[3:5, 1:] = np.array([[c, -s], [s, c]]) @ self.thrusters[:2] / self.mass
        B[5, 0], B[5, 1:] = -1.0 / self.inertia, self.thrusters[2] / self.inertia
        B[6, 0] = 1.0 / self.wheel_inertia
        return B

    def derivative(self, x: Array, u: Array) -> Array:
        """x' of eq. 3.11."""
        return self.A @ x + self.B(float(x[THETA])) @ u

    def linearised(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Jacobians (7, 7) and (7, 1 + n) of `derivative`, for eq. 4.25: the thrust turns with the body."""
        A, B = self.A, self.B(float(x[THETA]))
        ax, ay = B[3:5, 1:] @ u[1:]
        A[3, THETA], A[4, THETA] = -ay, ax
        return A, B

    def discrete(self, theta: float, T: float) -> tuple[Array, Array]:
        """A_d (7, 7) and B_d (7, 1 + n) over T [s] with control and angle held: eq. 3.18 with T / I_w in its last row.

        Exact while the body does not turn; otherwise the velocity is off by (thrust / m) theta' T^2 / 2.
        """
        A, B = self.A, self.B(theta)
        return np.eye(STATES) + T * A, T * B + (0.5 * T**2) * (A @ B)

    def wrench(self, theta: float, acceleration: ArrayLike) -> Array:
        """[F_x, F_y, torque] in B for an acceleration [x'', y'', theta''] in W."""
        ax, ay, alpha = np.asarray(acceleration, np.float64)
        c, s = math.cos(theta), math.sin(theta)
        return np.array([self.mass * (c * ax + s * ay), self.mass * (c * ay - s * ax), self.inertia * alpha])

    def feedforward(self, theta: float, acceleration: ArrayLike) -> Array:
        """u (1 + n,) for an acceleration in W: the wheel makes the torque, thrusters that push alike share the force.

        For thrusters along the body's axes, this is the least sum of f^2 over f >= 0 with the torque left to the wheel.
        """
        wrench, d = self.wrench(theta, acceleration), self.thrusters[:2]
        alike = np.sum(d.T @ d > 0.5, axis=1)
        f = np.maximum(wrench[:2] @ d, 0.0) / alike
        return np.concatenate([[self.thrusters[2] @ f - wrench[2]], f])
