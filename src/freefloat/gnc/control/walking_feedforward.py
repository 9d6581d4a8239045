"""Torque that keeps a structure still while the robots that stand on it move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from freefloat.cmujoco import mj_angmomMat, mj_comPos, mj_comVel, mj_kinematics, mj_rne, mju_copy
from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.inverse_dynamics import (
    ARM,
    ATTITUDE,
    BASE,
    DATA,
    DOFS,
    MODEL,
    QPOS,
    QVEL,
    FloatingModel,
    Places,
)
from freefloat.gnc.control.joint_modes import FOOTING, Footing, JointModes
from freefloat.gnc.planning.arm.joint_path import quintic_at
from freefloat.gnc.rotations import cross, matrix_of, vector

FLAGS, START, COUNT, TIMES, KNOTS, PUSH, JOINTS = range(7)  # of a robot in `walk_motion`: addresses; how many joints
# of a footing in `walk_more`: the structure's body, and addresses
BODY, QACC, COM, ALL_MASS, MASS, CENTRE, MOMENTS, AXES = range(8)


class WalkState(NamedTuple):
    """What the feedforward needs."""

    walk_lead: Array  # (1,) [s]
    walk_motion: Places  # (robots, 7)
    walk_places: Places  # (robots, footings, ...) of `FloatingModel`
    walk_more: Places  # (robots, footings, 8)
    walk_wrench: Array  # (robots, 6) [N, N m] that each one's motion asks of B, about Bo
    walk_still: Array  # (3,) a rate of the structure that is not measured


class WalkOut(NamedTuple):
    """What the feedforward returns."""

    tau_ff: Array
    inertia_B: Array


@inner
def walking_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `WalkingFeedforward`."""
    balance_walkers(t, getattr(meas, "w_WB_B", state.walk_still), state.walk_motion, state, out)


@inner
def balance_walkers(t: float, w_WB_B: Array, motion: Places | None, state: Any, out: Any) -> None:
    """The feedforward on a rate of the structure that need not be measured; nothing for a state without it."""
    if motion is not None:
        walking_step(
            t + state.walk_lead[0],
            w_WB_B,
            motion,
            state.walk_places,
            state.walk_more,
            state.walk_wrench,
            out.tau_ff,
            out.inertia_B,
        )


@inner
def tell_walkers(tau: Array, motion: Places | None, state: Any) -> None:
    """Tell every joint controller what pushes its stack: the wheels' torque [N m], and the other robots' motion."""
    if motion is not None:
        push = np.empty(6)
        for k in range(motion.shape[0]):
            for i in range(6):
                push[i] = tau[i - 3] if i >= 3 else 0.0
                for j in range(motion.shape[0]):
                    if j != k:
                        push[i] -= state.walk_wrench[j, i]
            mju_copy(motion[k, PUSH], push.ctypes.data, 6)


@dataclass(frozen=True, eq=False)
class WalkingFeedforward(Ticking):
    """Torque on the structure B that balances the motion of every robot on it, from the models and the references of
    their joint controllers: each as it stands, holds and moves now.

    With F_k and N_k the force and the moment about Bo that robot k's motion asks of B (the difference of two inverse
    dynamics, moving and held, B turning at w and not accelerating), and c the centre of mass of all together, about
    which the free system turns,
        tau_ff = sum N_k - c x sum F_k
    which is exact for any number of robots, since each one's motion is known relative to B. A robot whose joints give
    way has no motion in its reference. The stack of each model is the structure alone, without the other robots. In an
    `AttitudeSystem` it also tells the joint controllers what pushes the structure besides their own robot: the wheels,
    and the others.

    Optional: w_WB_B. Returns tau_ff [N m] for `AttitudeController.tau_ff` and inertia_B [kg m^2] of all together about
    c, in B. Both are of t + `lead` (half a control period centres a held torque).
    """

    robots: tuple[JointModes, ...]
    lead: float = 0.0  # [s]
    models: tuple[tuple[FloatingModel, ...], ...] = field(init=False, repr=False)  # with memory of their own
    out: WalkOut = field(init=False, repr=False)
    _state: WalkState = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.robots:
            raise InputError("walking feedforward: no robot; allowed: one or more")
        object.__setattr__(self, "robots", tuple(self.robots))
        own = tuple(tuple(FloatingModel(f.model, f.onboard.arm_dofs) for f in r.footings.values()) for r in self.robots)
        object.__setattr__(self, "models", own)
        for model in (m for models in own for m in models):
            model.data.qpos[:], model.data.qvel[:], model.data.qacc[:] = model.model.qpos0, 0.0, 0.0
            at = int(model.places[ATTITUDE])
            model.data.qpos[at - 3 : at + 4] = [0, 0, 0, 1, 0, 0, 0]  # W is B at this instant
        robots, footings = len(own), max(len(models) for models in own)
        width = max(len(m.places) for models in own for m in models)
        state = WalkState(
            np.array([self.lead]),
            np.zeros((robots, 7), np.int64),
            np.zeros((robots, footings, width), np.int64),
            np.zeros((robots, footings, 8), np.int64),
            np.zeros((robots, 6)),
            np.zeros(3),
        )
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "out", WalkOut(np.zeros(3), np.zeros((3, 3))))

    @property
    def tick(self) -> Any:
        """The compiled step."""
        return walking_tick

    @property
    def state(self) -> WalkState:
        """With the present addresses."""
        for k, (robot, models) in enumerate(zip(self.robots, self.models, strict=True)):
            told = robot.state
            arrays = told.flags, told.start, told.count, told.times, told.knots, told.push
            self._state.walk_motion[k] = [*(a.ctypes.data for a in arrays), told.knots.shape[2]]
            for f, (footing, model) in enumerate(zip(robot.footings.values(), models, strict=True)):
                places = model.places
                self._state.walk_places[k, f, : len(places)] = places
                self._state.walk_more[k, f] = _more(footing, model)
        return self._state


def _more(footing: Footing, own: FloatingModel) -> Sequence[int]:
    """Where the masses are: the structure's own and those of all together."""
    m, d = own.model, own.data
    b = int(m.body(footing.stack).id)
    of_body = m.body_subtreemass, m.body_mass, m.body_ipos, m.body_inertia, m.body_iquat
    addresses = [x[b : b + 1].ctypes.data for x in of_body]
    return [b, d.qacc.ctypes.data, d.subtree_com[b].ctypes.data, *addresses]


@onboard
def walking_step(
    t: float,
    w: Array,
    motion: Places,
    places: Places,
    more: Places,
    wrench: Array,
    tau_ff: Array,
    inertia_B: Array,
) -> None:
    """Torque and inertia at t [s] for the structure's rate w; W has the origin and the axes of B."""
    robots, flags = motion.shape[0], np.empty(3, np.int64)
    force, moment, about_origin, mass, first = np.zeros(3), np.zeros(3), np.zeros((3, 3)), 0.0, np.zeros(3)
    for k in range(robots):
        mju_copy(flags.ctypes.data, motion[k, FLAGS], 3)
        at, own = places[k, flags[FOOTING]], more[k, flags[FOOTING]]
        mass += _move(t, w, motion[k], at, own, wrench[k], about_origin, first)
        for i in range(3):
            force[i] += wrench[k, i]
            moment[i] += wrench[k, 3 + i]
        if k > 0:  # every model has the structure in it
            mass -= _leave_out(own, about_origin, first)
    for i in range(3):
        first[i] /= mass
    turn = cross(first, force)
    for i in range(3):
        tau_ff[i] = moment[i] - turn[i]
    _add_point(about_origin, -mass, first)
    inertia_B[:] = about_origin


@inner
def _move(
    t: float,
    w: Array,
    motion: Places,
    at: Places,
    own: Places,
    wrench: Array,
    about_origin: Array,
    first: Array,
) -> float:
    """What one robot's motion asks of B about Bo; adds its model's moments of mass and returns its mass [kg]."""
    n, base, nv = motion[JOINTS], at[BASE], at[DOFS]
    curve, moving, held = np.zeros((3, n)), np.empty(nv), np.empty(nv)
    _curve_at(motion, t, curve)
    _write(at, own, w, curve)
    mj_kinematics(at[MODEL], at[DATA])
    mj_comPos(at[MODEL], at[DATA])
    mj_comVel(at[MODEL], at[DATA])
    mj_rne(at[MODEL], at[DATA], 1, moving.ctypes.data)
    curve[1:] = 0.0
    _write(at, own, w, curve)
    mj_comVel(at[MODEL], at[DATA])
    mj_rne(at[MODEL], at[DATA], 1, held.ctypes.data)
    L, mass, p_cm = np.zeros((3, nv)), np.empty(1), np.empty(3)
    mj_angmomMat(at[MODEL], at[DATA], L.ctypes.data, own[BODY])
    mju_copy(mass.ctypes.data, own[ALL_MASS], 1)
    mju_copy(p_cm.ctypes.data, own[COM], 3)
    for i in range(3):
        wrench[i] = moving[base + i] - held[base + i]
        wrench[3 + i] = moving[base + 3 + i] - held[base + 3 + i]
        first[i] += mass[0] * p_cm[i]
        for j in range(3):
            about_origin[i, j] += L[i, base + 3 + j]
    _add_point(about_origin, mass[0], p_cm)
    return mass[0]


@inner
def _curve_at(motion: Places, t: float, out: Array) -> None:
    """The reference of a robot at t [s] (`quintic_at` on arrays that are known by their addresses)."""
    n, start, at, count = motion[JOINTS], np.empty(1), np.empty(1), np.empty(1, np.int64)
    mju_copy(start.ctypes.data, motion[START], 1)
    mju_copy(count.ctypes.data, motion[COUNT], 1)
    mju_copy(at.ctypes.data, motion[TIMES], 1)
    t = max(t - start[0], at[0])
    i, above = 0, count[0] - 1  # times[i] <= t < times[above], but at the ends
    while above - i > 1:
        middle = (i + above) // 2
        mju_copy(at.ctypes.data, motion[TIMES] + 8 * middle, 1)
        if at[0] <= t:
            i = middle
        else:
            above = middle
    pair = min(count[0], 2)
    times, knots = np.empty(pair), np.empty((pair, 3, n))
    mju_copy(times.ctypes.data, motion[TIMES] + 8 * i, pair)
    mju_copy(knots.ctypes.data, motion[KNOTS] + 8 * 3 * n * i, pair * 3 * n)
    quintic_at(times, knots, t, out)


@inner
def _write(at: Places, own: Places, w: Array, curve: Array) -> None:
    """Rate of the structure and motion (3, n) of the robot into the model's qpos, qvel and qacc."""
    n, rows = curve.shape[1], curve.ctypes.data
    mju_copy(at[QVEL] + 8 * (at[BASE] + 3), w.ctypes.data, 3)
    for i in range(n):
        mju_copy(at[QPOS] + 8 * at[ARM + n + i], rows + 8 * i, 1)
        mju_copy(at[QVEL] + 8 * at[ARM + i], rows + 8 * (n + i), 1)
        mju_copy(own[QACC] + 8 * at[ARM + i], rows + 8 * (2 * n + i), 1)


@inner
def _leave_out(own: Places, about_origin: Array, first: Array) -> float:
    """Take the structure's own moments of mass off; returns its mass [kg]."""
    mass, p, moments, axes = np.empty(1), np.empty(3), np.empty(3), np.empty(4)
    mju_copy(mass.ctypes.data, own[MASS], 1)
    mju_copy(p.ctypes.data, own[CENTRE], 3)
    mju_copy(moments.ctypes.data, own[MOMENTS], 3)
    mju_copy(axes.ctypes.data, own[AXES], 4)
    R = matrix_of(axes)
    for i in range(3):
        first[i] -= mass[0] * p[i]
        for j in range(3):
            for k in range(3):
                about_origin[i, j] -= R[i][k] * moments[k] * R[j][k]
    _add_point(about_origin, -mass[0], p)
    return mass[0]


@inner
def _add_point(inertia: Array, mass: float, p: Array) -> None:
    """Add the inertia of a point mass at p about the origin."""
    x = vector(p, 0)
    square = x[0] ** 2 + x[1] ** 2 + x[2] ** 2
    for i in range(3):
        inertia[i, i] += mass * square
        for j in range(3):
            inertia[i, j] -= mass * p[i] * p[j]
