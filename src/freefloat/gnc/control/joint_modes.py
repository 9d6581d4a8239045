"""Joint control of a walking robot on a floating stack: position mode, compliance mode, either end as its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.gnc.control.inverse_dynamics import FloatingModel, Mass, Places, floating_dynamics, read_mass, write_mass
from freefloat.gnc.control.joints import tracking_efforts
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, Path, Stop
from freefloat.gnc.planning.arm.joint_path import quintic_at, resting

Mode = Literal["position", "compliance"]
MODES: tuple[Mode, Mode] = ("position", "compliance")
NANOSECOND = 1e-9  # [s] instants nearer than that are one
MODE, FOOTING, CATCH = range(3)  # places in `flags`; CATCH: hold where the next measurement finds the joints


class ModesState(NamedTuple):
    """What `JointModes` knows and is told."""

    flags: NDArray[np.int64]  # (3,)
    places: Places  # a row per footing
    times: Array  # [s] (2,) of the piece of reference
    knots: Array  # (2, 3, n) q_d, q_d', q_d'' at both
    gains: Array  # w^2 and 2 z w of the position mode, z of the compliance
    effort: Array  # [N m] (n,)
    stiffness: Array  # [N m/rad] (n,)


class ModesOut(NamedTuple):
    """What `JointModes` gives."""

    tau: Array
    error: Array
    q_ref: Array
    qd_ref: Array  # with q_ref, tau_ref and mode for a joint servo behind
    tau_ref: Array  # position: for the reference's acceleration; compliance: tau
    mode: Array  # (1,) 0 position, 1 compliance


@dataclass(frozen=True, eq=False)
class Footing:
    """The onboard model for one way the robot stands: its base end on the stack, the other end free.

    The stack is the body of the model's free joint; `joints` gives the order of q. `tip` carries the payload.
    """

    model: mujoco.MjModel
    joints: tuple[str, ...]
    stack: str
    tip: str
    onboard: FloatingModel = field(init=False, repr=False)
    own: Mass = field(init=False, repr=False)  # of the tip without a payload

    def __post_init__(self) -> None:
        names = [self.model.joint(i).name for i in range(self.model.njnt)]
        for name in self.joints:
            if name not in names:
                raise unknown_name("joint", name, filter(None, names))
        dofs = np.array([int(self.model.joint(name).dofadr[0]) for name in self.joints], np.intp)
        object.__setattr__(self, "onboard", FloatingModel(self.model, dofs))
        object.__setattr__(self, "own", read_mass(self.model, self.tip))

    def set_stack(self, mass: Mass) -> None:
        """Mass properties of the stack, in the frame of its body."""
        write_mass(self.model, self.stack, mass)

    def set_payload(self, payload: Mass) -> None:
        """What the tip holds, in the frame of the tip's body; `Mass.none()` for nothing."""
        write_mass(self.model, self.tip, self.own + payload)


class JointModes(Ticking):
    """tau for the joints; reads q, qd and the base's q_WB, v_WB, w_WB_B; returns tau, the reference and the error.

    position:   inverse dynamics of q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q), the base left to react
    compliance: tau = K (q_d - q) - D q' + c*, with q_d as it was at the switch and c* the bias of the floating robot;
                D gives every mode of K against the floating inertia M* the same damping ratio: with M* = L L^T,
                D = 2 z L (L^-1 K L^-T)^(1/2) L^T (Albu-Schaeffer, Ott, Frese and Hirzinger 2003)

    Efforts are clipped to `effort`. Until a path is set, position mode holds where the first measurement finds it.

    The reference is one quintic piece. `lead` hands over the next one of the path; who runs this as a compiled task
    calls it once a period from a task of its own (`Sequencer` does), because a tick does not see the path. `update`
    takes the path itself where no piece covers its time.
    """

    def __init__(
        self,
        footings: Mapping[str, Footing],
        base: str,
        effort: ArrayLike,  # [N m]
        bandwidth: float = 8.0,  # [rad/s] w above
        damping: float = 1.0,  # [-] z above
        stiffness: ArrayLike = 30.0,  # [N m/rad] K of each joint; its fastest mode must be slower than the update rate
        compliance_damping: float = 0.7,  # [-] z of the compliance
    ) -> None:
        self.footings = dict(footings)
        n = len(next(iter(self.footings.values())).joints)
        self.effort, self.stiffness = (
            np.broadcast_to(np.asarray(v, np.float64), (n,)).copy() for v in (effort, stiffness)
        )
        self._flags = np.array([0, 0, 1], np.int64)
        self._places = np.stack([f.onboard.places for f in self.footings.values()])
        self._times, self._knots = np.zeros(2), np.zeros((2, 3, n))
        self._gains = np.array([bandwidth**2, 2.0 * damping * bandwidth, compliance_damping])
        self._path: Path | None = None
        self._start = 0.0
        tau, error, q_ref, qd_ref, tau_ref = np.zeros((5, n))
        self.out = ModesOut(tau, error, q_ref, qd_ref, tau_ref, np.zeros(1))
        self.stand_on(base)

    @property
    def state(self) -> ModesState:
        """With the present addresses of the models."""
        for row, footing in zip(self._places, self.footings.values(), strict=True):
            row[:] = footing.onboard.places
        return ModesState(self._flags, self._places, self._times, self._knots, self._gains, self.effort, self.stiffness)

    @property
    def mode(self) -> Mode:
        return MODES[self._flags[MODE]]

    @property
    def base(self) -> str:
        """The footing's name."""
        return list(self.footings)[self._flags[FOOTING]]

    @property
    def footing(self) -> Footing:
        return self.footings[self.base]

    def stand_on(self, base: str) -> None:
        """Choose the footing; the motion in progress goes on."""
        if base not in self.footings:
            raise unknown_name("footing", base, self.footings)
        self._flags[FOOTING] = list(self.footings).index(base)

    def follow(self, path: Path, start: float) -> None:
        """Position mode along a path whose time 0 is `start` [s]."""
        self._path, self._start = path, start
        self._flags[MODE], self._flags[CATCH] = MODES.index("position"), 0
        self.lead(start, 0.0)

    def hold(self, q: ArrayLike | None = None) -> None:
        """Position mode at q, or where the next measurement finds the joints."""
        self._rest("position", q)

    def comply(self, q: ArrayLike | None = None) -> None:
        """Compliance mode about q, or about where the next measurement finds the joints."""
        self._rest("compliance", q)

    def _rest(self, mode: Mode, q: ArrayLike | None) -> None:
        self._path = None
        self._flags[MODE], self._flags[CATCH] = MODES.index(mode), q is None
        if q is not None:
            self._knots[:] = resting(q)

    def lead(self, t: float, span: float) -> None:
        """The reference from t to t + span [s]: the quintic with the states of the path at both ends.

        A jerk-limited path is found again, but where its jerk jumps by J on the way: there the piece is off by at most
        J span^3 / 768 in position and J span / 16 in acceleration.
        """
        if self._path is None:
            return
        self._times[:] = t, t + span
        for knot, at in zip(self._knots, self._times, strict=True):
            knot[:] = self._path.at(at - self._start)

    def stop(self, t: float, limits: MotionLimits) -> None:
        """Brake from the reference at t [s] within limits, then hold."""
        if self._path is None:
            return
        q, qd, qdd = self.reference(t)
        self.follow(Stop(q, qd, np.clip(qdd, -limits.acceleration, limits.acceleration), limits), t)

    def reference(self, t: float) -> tuple[Array, Array, Array]:
        """q_d, q_d', q_d'' of the path at t [s], or where it holds."""
        if self._path is not None:
            return self._path.at(t - self._start)
        if self._flags[CATCH]:
            raise InputError("joint modes: no reference before the first measurement")
        q, qd, qdd = resting(self._knots[1, 0])
        return q, qd, qdd

    def finished(self, t: float) -> bool:
        """Whether the path has ended at t [s]."""
        return self._path is None or t >= self._start + self._path.duration

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        if not self._times[0] - NANOSECOND <= t < self._times[1]:
            self.lead(t, 0.0)
        return super().update(t, meas)

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: ModesState, out: ModesOut) -> None:
        """Efforts for the next period, along the piece of reference; at rest after it."""
        modes_tick(
            t,
            (meas.q, meas.qd, meas.q_WB, meas.v_WB, meas.w_WB_B),
            state.flags,
            state.places,
            state.times,
            state.knots,
            state.gains,
            state.effort,
            state.stiffness,
            out,
        )


@onboard
def modes_tick(
    t: float,
    now: tuple[Array, Array, Array, Array, Array],
    flags: NDArray[np.int64],
    places: Places,
    times: Array,
    knots: Array,
    gains: Array,
    effort: Array,
    stiffness: Array,
    out: ModesOut,
) -> None:
    """One update of `JointModes`; `now` is q, qd, q_WB, v_WB, w_WB_B."""
    q, qd, n, tau = now[0], now[1], now[0].size, out.tau
    if flags[CATCH] != 0:
        flags[CATCH] = 0
        knots[:] = 0.0
        knots[:, 0] = q
    wanted, inertia, bias = np.empty((3, n)), np.empty((n, n)), np.empty(n)
    quintic_at(times, knots, max(t, times[0]), wanted)
    out.q_ref[:] = wanted[0]
    out.qd_ref[:] = wanted[1]
    out.error[:] = wanted[0] - q
    out.mode[0] = flags[MODE]
    floating_dynamics(places[flags[FOOTING]], *now, inertia, bias)
    if flags[MODE] == 0:
        tracking_efforts(wanted, q, qd, inertia, bias, gains[0], gains[1], tau)
    else:
        D = 2.0 * gains[2] * _geometric_mean(inertia, stiffness)
        tau[:] = stiffness * out.error + D @ (wanted[1] - qd) + bias
    for i in range(n):
        tau[i] = min(max(tau[i], -effort[i]), effort[i])
    out.tau_ref[:] = tau
    if flags[MODE] == 0:
        tracking_efforts(wanted, q, qd, inertia, bias, 0.0, 0.0, out.tau_ref)


@inner
def _geometric_mean(M: Array, K: Array) -> Array:
    """L (L^-1 diag(K) L^-T)^(1/2) L^T with M = L L^T: damping at which every mode of M and K has the ratio 1/2."""
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    values, vectors = np.linalg.eigh(inverse @ (K.reshape(-1, 1) * inverse.T))
    half = L @ np.ascontiguousarray(vectors)
    return (half * np.sqrt(np.maximum(values, 0.0))) @ half.T
