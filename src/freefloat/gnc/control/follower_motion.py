"""Motions of a tool that follows: set-points carried on, what limits allow, and the chase where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.errors import InputError, SimulationError
from freefloat.frames import (
    Array,
    quat_canonical,
    quat_to_matrix,
    so3_exp,
    so3_left_jacobian,
    so3_left_jacobian_inv,
    so3_log,
)
from freefloat.gnc.planning.optional import ruckig

SPEED, ACCELERATION, JERK = range(3)  # rows of a table of limits (3, 6)
LED = 0.98  # share of its limits that a chase grants to the target's own speed and acceleration, at most
SAMPLES = np.linspace(0.0, 1.0, 9)  # of a cycle, at which limits are looked at
SLACK = 1.0 + 1e-9  # of limits, for rounding


@dataclass(frozen=True, eq=False)
class ToolMotion:
    """Where a tool T is and how it moves, all in W."""

    p: Array  # [m]
    R: Array  # (3, 3) R_WT
    v: Array  # [m/s]
    w: Array  # [rad/s]
    a: Array  # [m/s^2]
    alpha: Array  # [rad/s^2]


@dataclass(frozen=True, eq=False)
class Target:
    """A set-point, which goes on with constant accelerations."""

    now: ToolMotion

    @classmethod
    def of(cls, setpoint: Array) -> Target:
        """From its 19 numbers."""
        if setpoint.shape != (19,) or not np.isfinite(setpoint).all():
            raise InputError(f"set-point {setpoint.tolist()}; allowed: 19 finite numbers")
        parts = np.split(setpoint, [3, 7, 10, 13, 16])
        return cls(ToolMotion(parts[0], quat_to_matrix(quat_canonical(parts[1])), *parts[2:]))

    def at(self, later: float) -> ToolMotion:
        """Its motion so much later [s]."""
        m, h = self.now, later
        if h == 0.0:
            return m
        # Magnus' series for a rate that grows evenly: its next term is of the fifth order in h
        turn = h * (m.w + 0.5 * h * m.alpha) + h**3 / 12.0 * np.cross(m.alpha, m.w)
        return ToolMotion(
            m.p + h * (m.v + 0.5 * h * m.a), so3_exp(turn) @ m.R, m.v + h * m.a, m.w + h * m.alpha, m.a, m.alpha
        )


def needs_limits(start: ToolMotion, end: ToolMotion, T: float, limits: Array) -> bool:
    """Whether the quintics from one motion to the other in T [s] are beyond the limits (3, 6)."""
    turn = so3_log(end.R @ start.R.T)
    x1 = np.concatenate([end.p - start.p, turn])
    J = so3_left_jacobian_inv(turn)
    v0, v1 = np.concatenate([start.v, start.w]), np.concatenate([end.v, J @ end.w])
    a0, a1 = np.concatenate([start.a, start.alpha]), np.concatenate([end.a, J @ end.alpha])
    d = x1 - T * (v0 + 0.5 * T * a0)
    e, f = (v1 - v0 - T * a0) * T, (a1 - a0) * T * T
    c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
    s = SAMPLES[:, None]
    v = v0 + s * (T * a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / T)
    a = a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / T**2
    jerk = (6.0 * c3 + s * (24.0 * c4 + s * 60.0 * c5)) / T**3
    most = SLACK * limits
    return bool(
        (np.abs(v) > most[SPEED]).any() or (np.abs(a) > most[ACCELERATION]).any() or (np.abs(jerk) > most[JERK]).any()
    )


class Chase:
    """The fastest way from a motion to that of a target, within limits, for one cycle of T [s].

    It is planned in a frame that moves and turns with the target, as far as the limits grant its speed and
    acceleration: x = p - p_frame, and for attitudes r with R = exp(r) R_frame, whose rates follow with J_l(r); terms of
    the order r r'^2 are left out of accelerations. What is limited are the tool's own speed, acceleration and jerk.
    """

    def __init__(self, tool: ToolMotion, target: ToolMotion, T: float, limits: Array) -> None:
        frame, self._granted = _granted(target, limits)
        self._end, self._T = Target(frame).at(T), T
        r = so3_log(tool.R @ frame.R.T)
        E, J = so3_exp(r), so3_left_jacobian_inv(r)
        carried = E @ frame.w
        spin = tool.w - carried
        x = np.concatenate([tool.p - frame.p, r])
        rate = np.concatenate([tool.v - frame.v, J @ spin])
        second = np.concatenate([tool.a - frame.a, J @ (tool.alpha - E @ frame.alpha - np.cross(spin, carried))])
        speed, led = np.concatenate([frame.v, frame.w]), np.concatenate([frame.a, frame.alpha])
        self._profile = _profile(x, rate, second, speed, led, limits)

    @property
    def ends(self) -> bool:
        """Whether the target is reached within the cycle."""
        return self._granted and self._profile.duration <= self._T

    @property
    def end(self) -> ToolMotion:
        """The tool's motion at the end of the cycle."""
        x, rate, second = (np.array(v) for v in self._profile.at_time(min(self._T, self._profile.duration)))
        frame = self._end
        E, J = so3_exp(x[3:]), so3_left_jacobian(x[3:])
        spin, carried = J @ rate[3:], E @ frame.w
        return ToolMotion(
            frame.p + x[:3],
            E @ frame.R,
            frame.v + rate[:3],
            carried + spin,
            frame.a + second[:3],
            E @ frame.alpha + np.cross(spin, carried) + J @ second[3:],
        )


def _granted(target: ToolMotion, limits: Array) -> tuple[ToolMotion, bool]:
    """The target with no more speed and acceleration than a chase may give it, and whether it has no more."""
    given = np.stack([np.concatenate([target.v, target.w]), np.concatenate([target.a, target.alpha])])
    most = LED * limits[:JERK]
    (speed, led), within = np.clip(given, -most, most), bool((np.abs(given) <= most).all())
    return ToolMotion(target.p, target.R, speed[:3], speed[3:], led[:3], led[3:]), within


def _profile(x: Array, rate: Array, second: Array, speed: Array, led: Array, limits: Array) -> Any:
    """Six motions to rest in the target's frame, each as fast as its limits allow."""
    rk = ruckig()
    request = rk.InputParameter(6)
    request.synchronization = rk.Synchronization.No
    request.current_position, request.current_velocity = x.tolist(), rate.tolist()
    request.target_position = request.target_velocity = request.target_acceleration = [0.0] * 6
    most, least = limits[ACCELERATION] - led, -limits[ACCELERATION] - led
    request.current_acceleration = np.clip(second, least, most).tolist()  # rounding must not ask for a way back to them
    request.max_acceleration, request.min_acceleration = most.tolist(), least.tolist()
    request.max_velocity, request.min_velocity = (limits[SPEED] - speed).tolist(), (-limits[SPEED] - speed).tolist()
    request.max_jerk = limits[JERK].tolist()
    profile = rk.Trajectory(6)
    result = rk.Ruckig(6).calculate(request, profile)
    if result not in (rk.Result.Working, rk.Result.Finished):
        raise SimulationError(f"follower: no jerk-limited way back to the set-point from {x.tolist()}: {result}")
    return profile
