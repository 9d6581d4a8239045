"""Attitude feedback on quaternions: detumble, then point, with integral action and feedforward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner, ticked
from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical, quat_conj, quat_mul
from freefloat.gnc.control.attitude_step import DETUMBLE, POINTING, attitude_step
from freefloat.gnc.control.pointing import OTHER, REFERENCE, InertialPointing, Pointing, pointing_numbers
from freefloat.inertia import check_inertia


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


class ControlState(NamedTuple):
    """What the controller remembers and needs."""

    inertia: Array  # (3, 3)
    control_numbers: Array  # (8,) of `attitude_step`
    pointing: Array  # (13,) numbers of the mode
    reference: Array  # (10,) q_WR, w_WR_R, a_WR_R
    control_memory: Array  # (2,) mode, time of the last update
    integral: Array  # (3,) [rad s]
    zero: Array  # (3,)
    nothing: Array  # (0,)


class ControlOut(NamedTuple):
    """What the controller returns."""

    tau: Array
    error: Array
    rate_error: Array
    mode: Array


@inner
def attitude_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `AttitudeController`."""
    steer(t, meas.q_WB, meas.w_WB_B, getattr(meas, "h_B", state.zero), meas, state, out)


@inner
def steer(t: float, q_WB: Array, w_WB_B: Array, h_B: Array, meas: Any, state: Any, out: Any) -> None:
    """The controller on an attitude, rate and wheel momentum that need not be measured.

    What an arm's feedforward has put into `out` goes before what is measured.
    """
    attitude_step(
        t,
        q_WB,
        w_WB_B,
        h_B,
        getattr(out, "tau_ff", getattr(meas, "tau_ff", state.zero)),
        getattr(out, "inertia_B", getattr(meas, "inertia_B", state.inertia)),
        getattr(meas, "p_ECI", state.nothing),
        getattr(meas, "v_ECI", state.nothing),
        getattr(meas, "a_ECI", state.nothing),
        getattr(meas, "sun_W", state.nothing),
        state.pointing,
        state.reference,
        state.control_numbers,
        state.control_memory,
        state.integral,
        out.tau,
        out.error,
        out.rate_error,
        out.mode,
    )


@dataclass(frozen=True, eq=False)
class AttitudeController(Ticking):
    """Quaternion feedback (Wie, Weiss, Arapostathis 1989) with exact compensation of the body's own motion.

        tau = w x (I w + h) + I (a_r - Kd w_e - Kp e - Ki int e) + tau_ff

    in B, with w = w_WB_B, w_e = w - w_r, the reference's rate w_r and acceleration a_r seen from B, wheel momentum h.
    `tau` is the torque wanted on the bus. Reads q_WB, w_WB_B and what the pointing mode needs; optional are h_B
    [N m s], tau_ff [N m] (arm) and inertia_B [kg m^2] in place of `inertia`. Returns tau, error, rate_error, mode.

    A large error is cut to the one that turns at `rate_limit` (Wie's cascade saturation), a large torque is scaled
    to `torque_limit` on its largest axis. While either acts, the integral may only shrink.

    With a pointing mode of one's own in Python there is no `tick`.
    """

    inertia: Array  # [kg m^2] (3, 3) of bus and all it carries but the wheels' spin, about the centre of mass, in B
    pointing: Pointing = field(default_factory=InertialPointing)
    gains: AttitudeGains = field(default_factory=AttitudeGains)
    torque_limit: float = np.inf  # [N m]
    rate_limit: float = np.inf  # [rad/s]
    detumble: Detumble | None = None
    state: ControlState = field(init=False, repr=False)
    out: ControlOut = field(init=False, repr=False)

    def __post_init__(self) -> None:
        inertia = np.array(self.inertia, dtype=np.float64, order="C")
        check_inertia(inertia)
        if not (self.torque_limit > 0.0 and self.rate_limit > 0.0):
            raise InputError(f"attitude control: limits {self.torque_limit} N m, {self.rate_limit} rad/s: positive")
        g, d = self.gains, self.detumble or Detumble()
        numbers = np.array([g.kp, g.kd, g.ki, self.torque_limit, self.rate_limit, d.gain, d.handover, d.resume])
        state = ControlState(
            inertia,
            numbers,
            pointing_numbers(self.pointing),
            np.zeros(REFERENCE),
            np.array([POINTING if self.detumble is None else DETUMBLE, np.nan]),
            np.zeros(3),
            np.zeros(3),
            np.zeros(0),
        )
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "state", state)
        object.__setattr__(self, "out", ControlOut(*(np.zeros(n) for n in (3, 3, 3, 1))))

    @property
    def tick(self) -> Callable[..., None]:
        """The compiled step."""
        if self.state.pointing[0] == OTHER:
            raise AttributeError(f"{type(self.pointing).__name__} is not compiled")
        return attitude_tick

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Torque for the next period."""
        if self.state.pointing[0] == OTHER:
            ref = self.pointing.at(t, meas)
            self.state.reference[:] = np.concatenate([ref.q_WR, ref.w_WR_R, ref.a_WR_R])
        return ticked(attitude_tick, t, meas, self.state, self.out)

    @property
    def mode(self) -> float:
        """DETUMBLE or POINTING."""
        return float(self.state.control_memory[0])

    @property
    def integral(self) -> Array:
        """[rad s] of e, in B; may be written to."""
        return self.state.integral

    @property
    def last_t(self) -> float | None:
        """[s] of the last update."""
        t = float(self.state.control_memory[1])
        return None if np.isnan(t) else t
