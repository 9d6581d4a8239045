"""Attitude feedback on quaternions: detumble, then point, with integral action and feedforward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array, check_inertia, quat_canonical, quat_conj, quat_mul, quat_to_matrix, skew
from freefloat.gnc.control.pointing import InertialPointing, Pointing, Reference

DETUMBLE, POINTING = 0.0, 1.0  # values of the output `mode`


@dataclass(frozen=True)
class AttitudeGains:
    """Gains per unit of inertia that place the poles of the small-angle error.

        (s + k) (s^2 + 2 z w s + w^2), so that Kd = 2 z w + k, Kp = w^2 + 2 z w k, Ki = k w^2

    With k = 0 there is no integral action, and Kd, Kp are those of the second-order response.
    """

    bandwidth: float = 0.2  # [rad/s] w above
    damping: float = 0.7  # [-] z above
    integral: float = 0.02  # [1/s] k above

    def __post_init__(self) -> None:
        if not (self.bandwidth > 0.0 and self.damping > 0.0 and self.integral >= 0.0):
            raise InputError(f"attitude gains: {self} must be positive, integral not negative")

    @property
    def kp(self) -> float:
        """[1/s^2]"""
        return self.bandwidth**2 + 2.0 * self.damping * self.bandwidth * self.integral

    @property
    def kd(self) -> float:
        """[1/s]"""
        return 2.0 * self.damping * self.bandwidth + self.integral

    @property
    def ki(self) -> float:
        """[1/s^3]"""
        return self.integral * self.bandwidth**2


@dataclass(frozen=True)
class Detumble:
    """Rate damping w' = -gain w before pointing starts: below `handover`; again above `resume`."""

    gain: float = 0.05  # [1/s]
    handover: float = 0.01  # [rad/s]
    resume: float = np.inf  # [rad/s]

    def __post_init__(self) -> None:
        if not (self.gain > 0.0 and 0.0 < self.handover < self.resume):
            raise InputError(f"detumble: {self} needs gain > 0 and 0 < handover < resume")


def attitude_error(q_WR: Array, q_WB: Array) -> Array:
    """e = 2 vec(q_RB) with q_RB of positive scalar part: the rotation vector for small angles, |e| <= 2 for all."""
    return 2.0 * quat_canonical(quat_mul(quat_conj(q_WR), q_WB))[1:]


@dataclass
class AttitudeController:
    """Quaternion feedback (Wie, Weiss, Arapostathis 1989) with exact compensation of the body's own motion.

        tau = w x (I w + h) + I (a_r - Kd w_e - Kp e - Ki int e) + tau_ff

    in B, with w = w_WB_B, w_e = w - w_r, the reference's rate w_r and acceleration a_r seen from B, wheel momentum h.
    `tau` is the torque wanted on the bus. Reads q_WB, w_WB_B and what the pointing mode needs; optional are h_B
    [N m s], tau_ff [N m] (arm) and inertia_B [kg m^2] in place of `inertia`. Returns tau, error, rate_error, mode.

    A large error is cut to the one that turns at `rate_limit` (Wie's cascade saturation), a large torque is scaled
    to `torque_limit` on its largest axis. While either acts, the integral may only shrink.
    """

    inertia: Array  # [kg m^2] (3, 3) of bus and all it carries but the wheels' spin, about the centre of mass, in B
    pointing: Pointing = field(default_factory=InertialPointing)
    gains: AttitudeGains = field(default_factory=AttitudeGains)
    torque_limit: float = np.inf  # [N m]
    rate_limit: float = np.inf  # [rad/s]
    detumble: Detumble | None = None
    mode: float = field(init=False)
    integral: Array = field(init=False)  # [rad s] of e, in B
    last_t: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.inertia = np.array(self.inertia, dtype=np.float64)
        check_inertia(self.inertia)
        if not (self.torque_limit > 0.0 and self.rate_limit > 0.0):
            raise InputError(f"attitude control: limits {self.torque_limit} N m, {self.rate_limit} rad/s: positive")
        self.mode = POINTING if self.detumble is None else DETUMBLE
        self.integral = np.zeros(3)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Torque for the next period."""
        dt = 0.0 if self.last_t is None else t - self.last_t
        self.last_t = t
        ref = self.pointing.at(t, meas)
        w = meas["w_WB_B"]
        R_BR = quat_to_matrix(quat_mul(quat_conj(meas["q_WB"]), ref.q_WR))
        e, w_e = attitude_error(ref.q_WR, meas["q_WB"]), w - R_BR @ ref.w_WR_R
        inertia = meas.get("inertia_B", self.inertia)
        self._choose_mode(w)
        if self.mode == DETUMBLE and self.detumble is not None:
            acceleration, slewing = -self.detumble.gain * w, False
        else:
            acceleration, slewing = self._pointing_acceleration(ref, R_BR, e, w, w_e)
        momentum = inertia @ w + meas.get("h_B", np.zeros(3))
        wanted = skew(w) @ momentum + inertia @ acceleration + meas.get("tau_ff", np.zeros(3))
        largest = float(np.abs(wanted).max())
        saturated = largest > self.torque_limit
        if self.mode == POINTING and self.gains.integral > 0.0:
            free = e * self.integral < 0.0 if slewing or saturated else np.ones(3, dtype=bool)
            self.integral = self.integral + np.where(free, e * dt, 0.0)
        tau = wanted * (self.torque_limit / largest) if saturated else wanted
        return {"tau": tau, "error": e, "rate_error": w_e, "mode": np.array([self.mode])}

    def _pointing_acceleration(self, ref: Reference, R_BR: Array, e: Array, w: Array, w_e: Array) -> tuple[Array, bool]:
        """Wanted derivative of w_WB_B, and whether the rate limit cuts the error."""
        g = self.gains
        a_r = R_BR @ ref.a_WR_R - skew(w) @ (R_BR @ ref.w_WR_R)
        size, largest = float(np.linalg.norm(e)), self.rate_limit * g.kd / g.kp
        cut = size > largest
        shown = e * (largest / size) if cut else e
        return a_r - g.kd * w_e - g.kp * shown - g.ki * self.integral, cut

    def _choose_mode(self, w: Array) -> None:
        if self.detumble is None:
            return
        rate = float(np.linalg.norm(w))
        if self.mode == DETUMBLE and rate < self.detumble.handover:
            self.mode = POINTING
        elif self.mode == POINTING and rate > self.detumble.resume:
            self.mode, self.integral = DETUMBLE, np.zeros(3)
