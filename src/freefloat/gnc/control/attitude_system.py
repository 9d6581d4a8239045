"""One task for a spacecraft's attitude: estimate, point, balance the arm, unload the wheels, allocate, pulse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.compiled import Ticking, inner, joined
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.allocation import (
    Desaturation,
    ThrusterAllocation,
    WheelAllocation,
    allocate,
    desaturation_tick,
)
from freefloat.gnc.control.arm_feedforward import ArmFeedforward, balance
from freefloat.gnc.control.attitude import POINTING, AttitudeController, steer
from freefloat.gnc.control.dead_band import DeadBand
from freefloat.gnc.control.walking_feedforward import WalkingFeedforward, balance_walkers, tell_walkers
from freefloat.gnc.control.wheel_step import wheel_momentum
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF, filter_tick


@inner
def measured_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """The chain on a measured attitude."""
    _point(t, meas.q_WB, meas.w_WB_B, meas, state, out)
    _share(getattr(meas, "tau_ext", state.zero), meas.speed, state, out)


@inner
def measured_unloading_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """The same with desaturation."""
    _point(t, meas.q_WB, meas.w_WB_B, meas, state, out)
    desaturation_tick(t, out, state, out)
    _share(out.tau_ext, meas.speed, state, out)


@inner
def filtered_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """The chain on an estimated attitude."""
    filter_tick(t, meas, state, out)
    _point(t, out.q_WB, out.w_WB_B, meas, state, out)
    _share(getattr(meas, "tau_ext", state.zero), meas.speed, state, out)


@inner
def filtered_unloading_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """The same with desaturation."""
    filter_tick(t, meas, state, out)
    _point(t, out.q_WB, out.w_WB_B, meas, state, out)
    desaturation_tick(t, out, state, out)
    _share(out.tau_ext, meas.speed, state, out)


# by whether there is a filter and a desaturation
TICKS = {
    (False, False): measured_tick,
    (False, True): measured_unloading_tick,
    (True, False): filtered_tick,
    (True, True): filtered_unloading_tick,
}


@inner
def _point(t: float, q_WB: Array, w_WB_B: Array, meas: Any, state: Any, out: Any) -> None:
    """The feedforward, where the chain has one, and the controller with the momentum that the wheels hold."""
    wheel_momentum(state.wheel_axes, state.wheel_numbers, meas.speed, out.h_B)
    balance(t, w_WB_B, getattr(state, "arm_places", None), meas, state, out)
    balance_walkers(t, w_WB_B, getattr(state, "walk_motion", None), state, out)
    steer(t, q_WB, w_WB_B, out.h_B, meas, state, out)


@inner
def _share(outside: Array, speed: Array, state: Any, out: Any) -> None:
    """The wheels make what does not come from outside."""
    for i in range(3):
        state.wanted[i] = out.tau[i] - outside[i]
    allocate(state.wanted, speed, state, out)
    tell_walkers(out.tau_made, getattr(state, "walk_motion", None), state)


@dataclass(frozen=True, eq=False)
class AttitudeSystem(Ticking):
    """The chain of controllers, each fed with the measurements and what those before it returned.

    Reads speed [rad/s] of the wheels and what each member reads; without a filter, q_WB and w_WB_B are measured.
    Returns everything that the members return, so tau_wheel (wheels), and on_time and duty (thrusters). The wheels
    make the controller's torque less the one that comes from outside: `tau_ext`, or what the thrusters make of it.
    Without wheels the thrusters make all of it, by pulses; with a dead band they leave small errors alone.

    With thrusters, or a pointing mode or an arm's path of one's own, it runs in Python and has no `tick`.
    """

    control: AttitudeController
    wheels: WheelAllocation | None = None
    filter: AttitudeEKF | None = None
    feedforward: ArmFeedforward | WalkingFeedforward | None = None
    desaturation: Desaturation | None = None
    thrusters: ThrusterAllocation | None = None
    dead_band: DeadBand | None = None

    def __post_init__(self) -> None:
        if self.wheels is None and (self.thrusters is None or self.desaturation is not None):
            raise InputError("attitude system: without wheels it needs thrusters, and has no momentum to take out")
        if self.wheels is not None and self.dead_band is not None:
            raise InputError("attitude system: a dead band is for thrusters alone; wheels need none")
        limits = self.control.torque_limit, self.control.rate_limit
        if self.dead_band is not None and np.isfinite(limits).any():  # what rests is taken out of a torque as it was
            raise InputError(
                f"attitude system: limits {limits[0]} N m, {limits[1]} rad/s beside a dead band; allowed: inf, and a "
                "slew slow enough for the thrusters"
            )

    @property
    def tick(self) -> Callable[..., None]:
        """The compiled step of this chain."""
        if self.thrusters is not None or not all(hasattr(m, "tick") for m in self._members()):
            raise AttributeError("this chain of attitude control is not compiled")
        return TICKS[self.filter is not None, self.desaturation is not None]

    @property
    def state(self) -> Any:
        """The states of all members."""
        return joined(*(m.state for m in self._members()))

    @property
    def out(self) -> Any:
        """What the members return."""
        return joined(*(m.out for m in self._members()))

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Commands for the next period."""
        return super().update(t, meas) if hasattr(self, "tick") else self._update(t, meas)

    def _members(self) -> list[Any]:
        members = self.filter, self.feedforward, self.control, self.desaturation, self.wheels
        return [m for m in members if m is not None]

    def _update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Member after member, for chains that are not compiled."""
        known: dict[str, Array] = dict(meas)
        if self.wheels is not None:
            known["h_B"] = self.wheels.momentum(meas["speed"])
        out: dict[str, Array] = {}
        for member in (self.filter, self.feedforward, self.control, self.desaturation):
            if member is not None:
                out |= member.update(t, known)
                known |= out
        if self.wheels is None:
            return out | self._pulses(t, known)
        outside = known.get("tau_ext", np.zeros(3))
        if self.thrusters is not None:
            out |= self.thrusters.update(t, {"wrench": np.concatenate([outside, np.zeros(3)])})
            outside = out["wrench_made"][:3]
        return out | self.wheels.update(t, {"tau": known["tau"] - outside, "speed": meas["speed"]})

    def _pulses(self, t: float, known: Mapping[str, Array]) -> dict[str, Array]:
        """The pulse-width stage: thrusters make the controller's torque, where the dead band lets feedback work."""
        assert self.thrusters is not None
        tau: Array = known["tau"]
        awake: Array = np.ones(3)
        if self.dead_band is not None and known["mode"][0] == POINTING:
            gains, e, w_e = self.control.gains, known["error"], known["rate_error"]
            rests = self.dead_band.resting(e, w_e, gains.kd / gains.kp)
            inertia = known.get("inertia_B", self.control.inertia)
            feedback = np.where(rests, gains.kp * e + gains.kd * w_e, 0.0)
            tau = np.asarray(tau + inertia @ feedback, np.float64)
            awake = np.asarray(~rests, np.float64)
        made = self.thrusters.update(t, {"wrench": np.concatenate([tau, np.zeros(3)])})
        return {**made, "tau": tau, "awake": awake}
