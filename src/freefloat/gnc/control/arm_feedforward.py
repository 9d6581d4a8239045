"""Torque that keeps a bus still while its arm moves."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.cmujoco import mj_angmomMat, mj_comPos, mj_comVel, mj_kinematics, mj_rne, mju_copy
from freefloat.compiled import Ticking, inner, onboard, ticked
from freefloat.errors import InputError, ModelError
from freefloat.frames import Array
from freefloat.gnc.control.free_floating import arm_index, base_joint
from freefloat.gnc.control.inverse_dynamics import ARM, BASE, DATA, DOFS, MODEL, QPOS, QVEL, FloatingModel, Places
from freefloat.gnc.planning.arm.joint_path import quintic_at
from freefloat.gnc.rotations import Vector, cross, vector

BODY, QACC, COM = -3, -2, -1  # what `arm_places` has after the places of `FloatingModel`


class JointPath(Protocol):
    """Planned joint motion: position, rate and acceleration at t [s]. Where it has `knots`, it compiles."""

    def at(self, t: float) -> tuple[Array, Array, Array]: ...


class ForwardState(NamedTuple):
    """What the feedforward needs."""

    arm_times: Array  # (k,) [s] knots of the path; none where the motion is measured
    arm_knots: Array  # (k, 3, n)
    arm_lead: Array  # (1,) [s]
    arm_places: Places  # those of `FloatingModel`, the bus's body, and the addresses of qacc and of the centre of mass
    still: Array  # (3,) a rate of the bus that is not measured
    unmeasured: Array  # (0,)


class ForwardOut(NamedTuple):
    """What the feedforward returns."""

    tau_ff: Array
    L_B: Array
    inertia_B: Array


@inner
def forward_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `ArmFeedforward`."""
    balance(t, getattr(meas, "w_WB_B", state.still), state.arm_places, meas, state, out)


@inner
def balance(t: float, w_WB_B: Array, places: Places | None, meas: Any, state: Any, out: Any) -> None:
    """The feedforward on a rate of the bus that need not be measured; nothing for a state without it, places None."""
    if places is not None:
        forward_step(
            t,
            w_WB_B,
            getattr(meas, "q", state.unmeasured),
            getattr(meas, "qd", state.unmeasured),
            getattr(meas, "qdd", state.unmeasured),
            state.arm_times,
            state.arm_knots,
            state.arm_lead,
            places,
            out.tau_ff,
            out.L_B,
            out.inertia_B,
        )


@dataclass(frozen=True, eq=False)
class ArmFeedforward(Ticking):
    """Torque on the bus B that balances the arm's motion, from an onboard model.

    About the centre of mass of bus and arm, with the bus turning at w, the angular momentum in B is I(q) w + L(q, q'),
    and wheels have to supply its change. Without the part that a still arm asks for, I w' + w x I w, that is
        tau_ff = d/dt L + (d/dt I) w + w x L
    computed as the difference of two inverse dynamics of the free system (its net force is zero, so the bus is left to
    translate). Add it to `AttitudeController.tau_ff`; wheels take up -tau_ff. Rotor inertia (armature) is not in it.

    Reads q, qd, qdd, or takes them from `path` at t + `lead` (half a control period centres a held torque). Optional:
    w_WB_B. Returns tau_ff [N m], L_B [N m s] (the arm's part) and inertia_B [kg m^2] of the system, all in B.

    With a path that has no `knots` there is no `tick`.
    """

    model: mujoco.MjModel  # onboard model: bus with the first free joint, arm on it; copied, its gravity not used
    arm_dofs: NDArray[np.intp]  # hinges and slides that move; the others are locked
    path: JointPath | None = None
    lead: float = 0.0  # [s]
    mass_scale: float = 1.0  # [-] on mass and inertia of everything that the arm's joints move
    onboard: FloatingModel = field(init=False, repr=False)
    out: ForwardOut = field(init=False, repr=False)
    _state: ForwardState = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.mass_scale > 0.0:
            raise InputError(f"arm feedforward: mass_scale {self.mass_scale!r} must be positive")
        n = len(self.arm_dofs)
        times, knots = getattr(self.path, "knots", (np.zeros(0), np.zeros((0, 3, n))))
        if knots.shape[2] != n:
            raise InputError(f"arm feedforward: a path of {knots.shape[2]} joints for {n} dofs")
        object.__setattr__(self, "model", onboard_arm(self.model, self.arm_dofs, self.mass_scale))
        object.__setattr__(self, "onboard", FloatingModel(self.model, arm_index(self.model, self.arm_dofs)))
        start = int(self.model.jnt_qposadr[base_joint(self.model)])
        self.onboard.data.qpos[start : start + 7] = [0, 0, 0, 1, 0, 0, 0]  # W is B at this instant
        state = ForwardState(times, knots, np.array([self.lead]), self._places(), np.zeros(3), np.zeros(0))
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "out", ForwardOut(np.zeros(3), np.zeros(3), np.zeros((3, 3))))

    @property
    def tick(self) -> Callable[..., None]:
        """The compiled step."""
        if self.path is not None and not hasattr(self.path, "knots"):
            raise AttributeError(f"{type(self.path).__name__} is not compiled")
        return forward_tick

    @property
    def state(self) -> ForwardState:
        """With the present addresses of the model."""
        self._state.arm_places[:] = self._places()
        return self._state

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Feedforward for the next period."""
        if self.path is not None and not hasattr(self.path, "knots"):
            meas = {**meas, **dict(zip(("q", "qd", "qdd"), self.path.at(t + self.lead), strict=True))}
        return ticked(forward_tick, t, meas, self.state, self.out)

    def _places(self) -> Places:
        model, data = self.model, self.onboard.data
        body = int(model.jnt_bodyid[base_joint(model)])
        more = body, data.qacc.ctypes.data, data.subtree_com[body].ctypes.data
        return np.array([*self.onboard.places, *more], np.int64)


@onboard
def forward_step(
    t: float,
    w: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    times: Array,
    knots: Array,
    lead: Array,
    places: Places,
    tau_ff: Array,
    L_B: Array,
    inertia_B: Array,
) -> None:
    """Torque, the arm's momentum and the system's inertia for the bus rate w; W has the origin and the axes of B."""
    n, first = knots.shape[2], places[BASE] + 3
    motion, held, L = np.empty((3, n)), np.zeros((3, n)), np.zeros((3, places[DOFS]))
    if times.size > 0:
        quintic_at(times, knots, t + lead[0], motion)
    elif q.size == n and qd.size == n and qdd.size == n:
        for j in range(n):
            motion[0, j], motion[1, j], motion[2, j] = q[j], qd[j], qdd[j]
    else:
        raise InputError("arm feedforward: without a path, q, qd and qdd must be measured, a number per joint")
    held[0] = motion[0]
    _write_motion(places, w, motion)
    mj_kinematics(places[MODEL], places[DATA])
    mj_comPos(places[MODEL], places[DATA])
    mj_angmomMat(places[MODEL], places[DATA], L.ctypes.data, places[BODY])
    moving, still = _moment(places, w, motion), _moment(places, w, held)
    for i in range(3):
        tau_ff[i] = moving[i] - still[i]
        L_B[i] = 0.0
        for j in range(n):
            L_B[i] += L[i, places[ARM + j]] * motion[1, j]
        for j in range(3):
            inertia_B[i, j] = L[i, first + j]


@inner
def _moment(places: Places, w: Array, motion: Array) -> Vector:
    """Torque about the centre of mass [N m] in B for bus rate w, constant in B; positions are up to date."""
    base, wrench, p_cm = places[BASE], np.empty(places[DOFS]), np.empty(3)
    _write_motion(places, w, motion)
    mj_comVel(places[MODEL], places[DATA])
    mj_rne(places[MODEL], places[DATA], 1, wrench.ctypes.data)
    mju_copy(p_cm.ctypes.data, places[COM], 3)
    moment, turn = vector(wrench, base + 3), cross(p_cm, vector(wrench, base))
    return moment[0] - turn[0], moment[1] - turn[1], moment[2] - turn[2]


@inner
def _write_motion(places: Places, w: Array, motion: Array) -> None:
    """Rate of the bus and motion (3, n) of the arm into the model's qpos, qvel and qacc."""
    n, rows = motion.shape[1], motion.ctypes.data
    mju_copy(places[QVEL] + 8 * (places[BASE] + 3), w.ctypes.data, 3)
    for i in range(n):
        mju_copy(places[QPOS] + 8 * places[ARM + n + i], rows + 8 * i, 1)
        mju_copy(places[QVEL] + 8 * places[ARM + i], rows + 8 * (n + i), 1)
        mju_copy(places[QACC] + 8 * places[ARM + i], rows + 8 * (2 * n + i), 1)


def onboard_arm(model: mujoco.MjModel, dofs: NDArray[np.intp], mass_scale: float) -> mujoco.MjModel:
    """A copy without gravity, everything that these joints move with mass and inertia scaled."""
    own = copy.deepcopy(model)
    own.opt.gravity[:] = 0.0
    if np.any(own.jnt_type[own.dof_jntid[dofs]] < int(mujoco.mjtJoint.mjJNT_SLIDE)):
        raise ModelError(f"arm feedforward: dofs {list(dofs)} must belong to hinges or slides")
    scale_moved(own, dofs, mass_scale)
    return own


def scale_moved(model: mujoco.MjModel, dofs: NDArray[np.intp], scale: float) -> None:
    """Scale mass and inertia of everything that these joints move."""
    moved = moved_bodies(model, dofs)
    model.body_mass[moved] *= scale
    model.body_inertia[moved] *= scale
    mujoco.mj_setConst(model, mujoco.MjData(model))


def moved_bodies(model: mujoco.MjModel, dofs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mask (nbody,) of the bodies that any of these dofs carries."""
    moved = np.zeros(model.nbody, dtype=bool)
    moved[model.dof_bodyid[dofs]] = True
    for body in range(1, model.nbody):
        moved[body] |= moved[model.body_parentid[body]]
    return moved
