"""The controller of an industrial robot: set-points of its tool, cycle by cycle, into courses of its axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.follower_motion import Chase, Target, ToolMotion, needs_limits
from freefloat.gnc.planning.arm.six_axis import OutOfReachError, SixAxis
from freefloat.six_axis_arms import AXES

COURSE = 7  # numbers of a course: [t0, c0 .. c5]
Sag = Callable[[Array], Array]  # wind-up of the gears [rad] (6,) where the links are at q


@dataclass(frozen=True)
class FollowerLimits:
    """What a robot's tool may do, in each direction of W; assumed, docs/reference/parameters.md."""

    speed: float = 2.0  # [m/s]
    acceleration: float = 2.0  # [m/s^2]
    jerk: float = 1e3  # [m/s^3]
    angular_speed: float = 3.0  # [rad/s]
    angular_acceleration: float = 10.0  # [rad/s^2]
    angular_jerk: float = 5e3  # [rad/s^3]

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not 0.0 < value < math.inf:
                raise InputError(f"limits of a follower: {one.name} {value!r}; allowed: > 0 and finite")

    @property
    def table(self) -> Array:
        """(3, 6) speeds, accelerations and jerks of x, y, z and of turns about them."""
        straight = np.array([self.speed, self.acceleration, self.jerk])
        turning = np.array([self.angular_speed, self.angular_acceleration, self.angular_jerk])
        return np.concatenate([np.tile(straight[:, None], 3), np.tile(turning[:, None], 3)], axis=1)


class Follower:
    """Reads `setpoint` (19,): [p_WT, q_WT, v_WT, w_WT_W, a_WT, alpha_WT_W]; returns `course` (6, 7) of the axes.

    Every cycle it aims at where the set-point will be `lead` later, at the end of the cycle, with constant
    accelerations. Where speed, acceleration and jerk of the tool allow it, the tool is there then, exactly; else it
    chases the set-point by jerk-limited motion (ruckig, extra `plan`) in the frame that moves with it, its own
    acceleration within limits, and is exact again once it has caught up. Limits hold where cycles meet. In between each
    axis is a quintic that takes position, rate and acceleration from one end to the other.

    Until the first set-point (its quaternion is not zero) the axes go on as they started. A set-point out of reach,
    beyond the limits or speeds of the axes, or at a singular posture ends the run with what it was.
    Also returned: `state` (2,): 1 while it chases, and the distance [m] that the tool is behind.
    """

    def __init__(
        self,
        kinematics: SixAxis,
        q: ArrayLike,  # [rad] (6,) motors at the start
        period: float,  # [s] cycle; that of the task
        limits: FollowerLimits | None = None,
        lead: float | None = None,  # [s] None: one cycle; see `lead_of`
        qd: ArrayLike = (0.0,) * 6,  # [rad/s] at the start
        sag: Sag | None = None,  # what the gears wind up, known: motors are led by that much more
        name: str = "robot",  # in messages
    ) -> None:
        if not 0.0 < period < math.inf:
            raise InputError(f"follower of {name!r}: period {period!r} s; allowed: > 0 and finite")
        if lead is not None and not 0.0 <= lead < math.inf:
            raise InputError(f"follower of {name!r}: lead {lead!r} s; allowed: >= 0 and finite")
        self.kinematics, self.period, self.name, self.sag = kinematics, period, name, sag
        self.lead = period if lead is None else lead
        self.limits = (limits or FollowerLimits()).table
        self._motors = np.stack([_six(q, "q"), _six(qd, "qd"), np.zeros(6)])  # at the end of the last course
        self._links = self._motors.copy()  # without what the gears wind up
        if sag is not None:
            self._links[0] = _unsagged(sag, self._motors[0])
        self._told = False
        self._tool = self._tool_of(self._links)
        self._chasing = False

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Courses from t on, for one cycle."""
        setpoint = np.asarray(meas["setpoint"], dtype=np.float64)
        T = self.period
        if not self._told and not setpoint[3:7].any():
            course = np.column_stack([np.full(6, t), *self._motors, np.zeros((6, 3))])
            self._coast()
            return {"course": course, "state": np.zeros(2)}
        self._told = True
        goal = Target.of(setpoint)
        end = self._next(t, goal)
        links = self._axes_at(t, end)
        motors = links if self.sag is None else _wound(self.sag, links)
        course = _quintics(t, T, self._motors, motors)
        behind = float(np.linalg.norm(end.p - goal.at(self.lead).p))
        self._links, self._motors, self._tool = links, motors, end
        return {"course": course, "state": np.array([float(self._chasing), behind])}

    def _coast(self) -> None:
        """Go on at the rates of the start."""
        for state in (self._links, self._motors):
            state[0] += self.period * state[1]
        self._tool = self._tool_of(self._links)

    def _next(self, t: float, goal: Target) -> ToolMotion:
        """The tool's motion at the end of the cycle."""
        exact = goal.at(self.lead)
        if not needs_limits(self._tool, exact, self.period, self.limits):
            self._chasing = False
            return exact
        self._reached(t, exact, self._links[0])  # one out of reach is told now, not when the arm is stretched out
        chase = Chase(self._tool, goal.at(self.lead - self.period), self.period, self.limits)
        self._chasing = not chase.ends
        return chase.end if self._chasing else exact

    def _tool_of(self, links: Array) -> ToolMotion:
        """Of axes, rates and accelerations."""
        q, qd, qdd = links
        X, J = self.kinematics.forward(q), self.kinematics.jacobian(q)
        V, A = J @ qd, J @ qdd + self.kinematics.drift(q, qd)
        return ToolMotion(X.p, X.R, V[3:], V[:3], A[3:], A[:3])

    def _axes_at(self, t: float, tool: ToolMotion) -> Array:
        """Axes, rates and accelerations (3, 6) that move the tool so, on the branch that goes on from those of now."""
        q, qd, qdd = self._links
        T = self.period
        there = self._reached(t, tool, q + T * (qd + 0.5 * T * qdd))
        J = self.kinematics.jacobian(there)
        near = self.kinematics.singularity(there)
        if near.near(1e-4, 1e-4):
            raise self._refused(t, tool, f"is singular: {near}")
        rates = np.asarray(np.linalg.solve(J, np.concatenate([tool.w, tool.v])), np.float64)
        turning = np.concatenate([tool.alpha, tool.a]) - self.kinematics.drift(there, rates)
        mean = (there - q) / T
        fast = np.maximum(np.abs(rates), np.abs(mean)) / self.kinematics.speed
        worst = int(np.argmax(fast))
        if fast[worst] > 1.0:
            speed, most = fast[worst] * self.kinematics.speed[worst], self.kinematics.speed[worst]
            told = f"asks {AXES[worst]} for {math.degrees(speed):.4g} deg/s; allowed: {math.degrees(most):.4g} deg/s"
            raise self._refused(t, tool, f"{told} ({near})")
        return np.stack([there, rates, np.asarray(np.linalg.solve(J, turning), np.float64)])

    def _reached(self, t: float, tool: ToolMotion, near: Array) -> Array:
        """Axes that reach a pose."""
        try:
            return self.kinematics.nearest(Pose._trusted(tool.R, tool.p), near)
        except OutOfReachError as e:
            raise SimulationError(f"follower of {self.name!r} at {t:.6g} s: {e}") from None

    def _refused(self, t: float, tool: ToolMotion, why: str) -> SimulationError:
        at = ", ".join(f"{x:.6g}" for x in tool.p)
        return SimulationError(f"follower of {self.name!r} at {t:.6g} s: its tool at ({at}) m {why}")


def lead_of(period: float, delay: float, sensed: bool = True) -> float:
    """The lead [s] with which a tool is exactly `delay` [s] behind what a task of the same period sends each cycle.

    A set-point that a `Sensor` delays (`sensed`) is sampled before the sender's update of the same instant; one that
    the sender's own latency delays arrives as it was sent. Where the delay is no whole number of cycles it is older
    than that, by the time from the sender's update.
    """
    older = -delay % period
    if min(older, period - older) < 1e-9 * period:
        older = period if sensed and delay > 0.0 else 0.0
    return period + older


def _quintics(t: float, T: float, start: Array, end: Array) -> Array:
    """Courses (6, 7) between two states (3, 6), T [s] apart."""
    (q0, v0, a0), (q1, v1, a1) = start, end
    d = q1 - q0 - T * (v0 + 0.5 * T * a0)
    e, f = (v1 - v0 - T * a0) * T, (a1 - a0) * T * T
    c3, c4, c5 = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
    return np.column_stack([np.full(6, t), q0, v0, 0.5 * a0, c3 / T**3, c4 / T**4, c5 / T**5])


def _wound(sag: Sag, links: Array) -> Array:
    """Motors (3, 6) of links, with rates and accelerations by differences along the motion."""
    q, qd, qdd = links
    h = 1e-3
    before, now, after = (sag(q + s * (qd + 0.5 * s * qdd)) for s in (-h, 0.0, h))
    return np.stack([q + now, qd + (after - before) / (2.0 * h), qdd + (after - 2.0 * now + before) / h**2])


def _unsagged(sag: Sag, motors: Array) -> Array:
    """Links q with q + sag(q) = motors."""
    q = motors.copy()
    for _ in range(20):
        q = motors - sag(q)
    return q


def _six(value: ArrayLike, what: str) -> Array:
    a = np.array(value, dtype=np.float64)
    if a.shape != (6,) or not np.isfinite(a).all():
        raise InputError(f"follower: {what} {a.tolist()}; allowed: 6 finite numbers")
    return a
