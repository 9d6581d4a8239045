"""Joint controllers that follow a path on a free-floating base."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import Ticking, inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.inverse_dynamics import FloatingModel, Places, floating_dynamics
from freefloat.gnc.planning.arm.joint_path import QuinticPath, QuinticPieces, quintic_at


class Efforts(NamedTuple):
    """What a joint controller gives."""

    tau: Array  # [N m or N]
    error: Array  # [rad or m] reference minus measured position
    q_ref: Array  # [rad or m] reference, for a joint servo behind: position, rate, and the effort of its acceleration
    qd_ref: Array
    tau_ref: Array


class PDState(NamedTuple):
    """Path and gains of `JointPD`."""

    times: Array
    knots: Array
    kp: Array
    kd: Array


class TorqueState(NamedTuple):
    """Path, model and gains of `ComputedTorque`."""

    times: Array
    knots: Array
    places: Places
    gains: Array  # w^2 and 2 z w


@dataclass(frozen=True, eq=False)
class JointPD(Ticking):
    """tau = kp (q_d - q) + kd (q_d' - q'), joint by joint. Reads q, qd; returns tau and the tracking error."""

    path: QuinticPath | QuinticPieces
    kp: Array  # [N m/rad]
    kd: Array  # [N m s/rad]
    state: PDState = field(init=False, repr=False)
    out: Efforts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times, knots = self.path.knots
        n = knots.shape[2]
        kp, kd = (np.broadcast_to(np.asarray(k, np.float64), (n,)).copy() for k in (self.kp, self.kd))
        object.__setattr__(self, "state", PDState(times, knots, kp, kd))
        object.__setattr__(self, "out", Efforts(*np.zeros((5, n))))

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: PDState, out: Efforts) -> None:
        """Efforts for the next period."""
        pd_tick(t, meas.q, meas.qd, state.times, state.knots, state.kp, state.kd, out)


@dataclass(frozen=True, eq=False)
class ComputedTorque(Ticking):
    """Inverse dynamics of the free-floating robot, with the base left to react.

    The joints accelerate by a = q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q), and tau = M* a + c* (`FloatingModel`).
    Reads q, qd and the base's q_WB, v_WB, w_WB_B; returns tau and the tracking error.
    """

    path: QuinticPath | QuinticPieces
    model: mujoco.MjModel  # onboard model: base with its free joint first, arm dofs in `arm_dofs`
    arm_dofs: NDArray[np.intp]
    bandwidth: float  # [rad/s] w above
    damping: float  # [-] z above
    onboard: FloatingModel = field(init=False, repr=False)
    out: Efforts = field(init=False, repr=False)
    _state: TorqueState = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times, knots = self.path.knots
        n = knots.shape[2]
        object.__setattr__(self, "onboard", FloatingModel(self.model, self.arm_dofs))
        object.__setattr__(self, "out", Efforts(*np.zeros((5, n))))
        gains = np.array([self.bandwidth**2, 2.0 * self.damping * self.bandwidth])
        object.__setattr__(self, "_state", TorqueState(times, knots, self.onboard.places, gains))

    @property
    def state(self) -> TorqueState:
        """With the present addresses of the model."""
        self._state.places[:] = self.onboard.places
        return self._state

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: TorqueState, out: Efforts) -> None:
        """Efforts for the next period."""
        base = meas.q_WB, meas.v_WB, meas.w_WB_B
        torque_tick(t, meas.q, meas.qd, base, state.times, state.knots, state.places, state.gains, out)


@onboard
def pd_tick(t: float, q: Array, qd: Array, times: Array, knots: Array, kp: Array, kd: Array, out: Efforts) -> None:
    """One update of `JointPD`."""
    wanted = np.empty((3, q.size))
    quintic_at(times, knots, t, wanted)
    for i in range(q.size):
        out.error[i] = wanted[0, i] - q[i]
        out.tau[i] = kp[i] * out.error[i] + kd[i] * (wanted[1, i] - qd[i])
        out.q_ref[i], out.qd_ref[i] = wanted[0, i], wanted[1, i]


@onboard
def torque_tick(
    t: float,
    q: Array,
    qd: Array,
    base: tuple[Array, Array, Array],
    times: Array,
    knots: Array,
    places: Places,
    gains: Array,
    out: Efforts,
) -> None:
    """One update of `ComputedTorque`."""
    n = q.size
    wanted, inertia, bias = np.empty((3, n)), np.empty((n, n)), np.empty(n)
    quintic_at(times, knots, t, wanted)
    floating_dynamics(places, q, qd, *base, inertia, bias)
    for i in range(n):
        out.error[i] = wanted[0, i] - q[i]
        out.q_ref[i], out.qd_ref[i] = wanted[0, i], wanted[1, i]
    tracking_efforts(wanted, q, qd, inertia, bias, gains[0], gains[1], out.tau)
    tracking_efforts(wanted, q, qd, inertia, bias, 0.0, 0.0, out.tau_ref)


@inner
def tracking_efforts(
    wanted: Array, q: Array, qd: Array, inertia: Array, bias: Array, kp: float, kd: float, tau: Array
) -> None:
    """tau = M* (q_d'' + kd (q_d' - q') + kp (q_d - q)) + c*."""
    tau[:] = bias
    for j in range(q.size):
        a = wanted[2, j] + kd * (wanted[1, j] - qd[j]) + kp * (wanted[0, j] - q[j])
        for i in range(q.size):
            tau[i] += inertia[i, j] * a
