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
from freefloat.frames import Array, Pose
from freefloat.gnc.control.arm_feedforward import scale_moved
from freefloat.gnc.control.inverse_dynamics import FloatingModel, Mass, Places, pushed_dynamics, read_mass, write_mass
from freefloat.gnc.control.joint_reference import JointReference
from freefloat.gnc.control.joints import tracking_efforts
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, Path, Stop
from freefloat.gnc.planning.arm.joint_path import quintic_at

Mode = Literal["position", "compliance"]
MODES: tuple[Mode, Mode] = ("position", "compliance")
MODE, FOOTING, CATCH = range(3)  # places in `flags`; CATCH: hold where the next measurement finds the joints


class ModesState(NamedTuple):
    """What `JointModes` knows and is told."""

    flags: NDArray[np.int64]  # (3,)
    places: Places  # a row per footing
    start: Array  # [s] (1,) time 0 of the reference
    count: NDArray[np.int64]  # (1,) of its knots  # pyright: ignore[reportIncompatibleMethodOverride]
    times: Array  # [s] (KNOTS,) of them
    knots: Array  # (KNOTS, 3, n) q_d, q_d', q_d'' at them
    gains: Array  # w^2 and 2 z w of the position mode, z of the compliance
    push: Array  # [N, N m] (6,) on the stack, in its axes and about its origin: of wheels and other robots
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

    The stack is the body of the model's free joint; `joints` gives the order of q. `tip` carries the payload. `foot` is
    the link that stands on the stack, X_FE its end there; without it the robot stands where the model has it.
    `mass_scale` is how wrong the model is: mass and inertia of everything that the joints move are so much too large,
    the payload's too.
    """

    model: mujoco.MjModel
    joints: tuple[str, ...]
    stack: str
    tip: str
    foot: str = ""
    X_FE: Pose = field(default_factory=Pose.identity)
    mass_scale: float = 1.0  # [-]
    onboard: FloatingModel = field(init=False, repr=False)
    own: Mass = field(init=False, repr=False)  # of the tip without a payload

    def __post_init__(self) -> None:
        names = [self.model.joint(i).name for i in range(self.model.njnt)]
        for name in self.joints:
            if name not in names:
                raise unknown_name("joint", name, filter(None, names))
        dofs = np.array([int(self.model.joint(name).dofadr[0]) for name in self.joints], np.intp)
        if self.mass_scale != 1.0:
            scale_moved(self.model, dofs, self.mass_scale)
        object.__setattr__(self, "onboard", FloatingModel(self.model, dofs))
        object.__setattr__(self, "own", read_mass(self.model, self.tip))

    def set_stack(self, mass: Mass) -> None:
        """Mass properties of the stack, in the frame of its body."""
        write_mass(self.model, self.stack, mass)

    def set_payload(self, payload: Mass) -> None:
        """What the tip holds, in the frame of the tip's body; `Mass.none()` for nothing."""
        write_mass(self.model, self.tip, self.own + payload.scaled(self.mass_scale))

    def stand_at(self, X_TE: Pose) -> None:
        """Stand elsewhere on the stack T, with the end E."""
        model, kind = self.model, mujoco.mjtObj.mjOBJ_BODY
        foot, stack = (mujoco.mj_name2id(model, kind, name) for name in (self.foot or "world", self.stack))
        if foot <= 0 or model.body_parentid[foot] != stack or model.body_dofnum[foot] != 0:
            raise InputError(f"footing: {self.foot!r} does not stand on {self.stack!r}; allowed: a link fixed to it")
        X_TF = X_TE @ self.X_FE.inverse()
        model.body_pos[foot], model.body_quat[foot] = X_TF.p, X_TF.q
        mujoco.mj_setConst(model, mujoco.MjData(model))


class JointModes(Ticking):
    """tau for the joints; reads q, qd and the base's q_WB, v_WB, w_WB_B; returns tau, the reference and the error.

    position:   inverse dynamics of q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q), the base left to react
    compliance: tau = K (q_d - q) - D q' + c*, with q_d as it was at the switch and c* the bias of the floating robot;
                D gives every mode of K against the floating inertia M* the same damping ratio: with M* = L L^T,
                D = 2 z L (L^-1 K L^-T)^(1/2) L^T (Albu-Schaeffer, Ott, Frese and Hirzinger 2003)

    Efforts are clipped to `effort`. Until a path is set, position mode holds where the first measurement finds it.

    A path is put into the arrays of `motion` as a whole, so that who leads this controller need not run while it
    follows. What pushes the stack besides this robot may be written into `push`; `WalkingFeedforward` in an
    `AttitudeSystem` does so.
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
        self.motion, self.push = JointReference(n), np.zeros(6)
        self._gains = np.array([bandwidth**2, 2.0 * damping * bandwidth, compliance_damping])
        tau, error, q_ref, qd_ref, tau_ref = np.zeros((5, n))
        self.out = ModesOut(tau, error, q_ref, qd_ref, tau_ref, np.zeros(1))
        self.stand_on(base)

    @property
    def state(self) -> ModesState:
        """With the present addresses of the models."""
        for row, footing in zip(self._places, self.footings.values(), strict=True):
            row[:] = footing.onboard.places
        r = self.motion
        motion = r.start, r.count, r.times, r.knots
        return ModesState(self._flags, self._places, *motion, self._gains, self.push, self.effort, self.stiffness)

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
        self.motion.follow(path, start)
        self._flags[MODE], self._flags[CATCH] = MODES.index("position"), 0

    def hold(self, q: ArrayLike | None = None) -> None:
        """Position mode at q, or where the next measurement finds the joints."""
        self._rest("position", q)

    def comply(self, q: ArrayLike | None = None) -> None:
        """Compliance mode about q, or about where the next measurement finds the joints."""
        self._rest("compliance", q)

    def _rest(self, mode: Mode, q: ArrayLike | None) -> None:
        self._flags[MODE], self._flags[CATCH] = MODES.index(mode), q is None
        self.motion.rest(self.motion.knots[0, 0] if q is None else q)

    def stop(self, t: float, limits: MotionLimits) -> None:
        """Brake from the reference at t [s] within limits, then hold."""
        if self.motion.rests:
            return
        q, qd, qdd = self.reference(t)
        self.follow(Stop(q, qd, np.clip(qdd, -limits.acceleration, limits.acceleration), limits), t)

    def reference(self, t: float) -> tuple[Array, Array, Array]:
        """q_d, q_d', q_d'' at t [s]."""
        if self._flags[CATCH]:
            raise InputError("joint modes: no reference before the first measurement")
        return self.motion.at(t)

    def finished(self, t: float) -> bool:
        """Whether the motion has ended at t [s]."""
        return self.motion.rests or t >= self.motion.end

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: ModesState, out: ModesOut) -> None:
        """Efforts for the next period, along the reference; at rest after it."""
        modes_tick(
            t,
            (meas.q, meas.qd, meas.q_WB, meas.v_WB, meas.w_WB_B),
            state.flags,
            state.places,
            (state.start, state.times, state.knots),
            state.count,
            state.gains,
            state.push,
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
    motion: tuple[Array, Array, Array],
    count: NDArray[np.int64],
    gains: Array,
    push: Array,
    effort: Array,
    stiffness: Array,
    out: ModesOut,
) -> None:
    """One update of `JointModes`; `now` is q, qd, q_WB, v_WB, w_WB_B, `motion` the reference's start, times, knots."""
    q, qd, n, tau = now[0], now[1], now[0].size, out.tau
    start, times, knots = motion
    if flags[CATCH] != 0:
        flags[CATCH] = 0
        count[0] = 1
        knots[0] = 0.0
        knots[0, 0] = q
    wanted, inertia, bias = np.empty((3, n)), np.empty((n, n)), np.empty(n)
    quintic_at(times[: count[0]], knots[: count[0]], max(t - start[0], times[0]), wanted)
    out.q_ref[:] = wanted[0]
    out.qd_ref[:] = wanted[1]
    out.error[:] = wanted[0] - q
    out.mode[0] = flags[MODE]
    pushed_dynamics(places[flags[FOOTING]], *now, push, inertia, bias)
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
