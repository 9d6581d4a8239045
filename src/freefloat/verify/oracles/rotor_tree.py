"""A free-floating arm with driven joints by a stiff solver, its rotors bodies of their own (`rotor_bodies`).

Mass matrix and bias are MuJoCo's (mj_crb, mj_factorM, mj_rne); no step and no force of it is used. States [qpos, qvel,
i_A, i_B, x_A, x_B, z, tau_h, T_w of all joints, electric energy, heat]; qvel of the root is [v_WR in W; w_WR in R], so
that p' = v, quat' = quat (0, w) / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.engine.graph import Joint, LinkGraph
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.verify.models import mujoco_model, set_state
from freefloat.verify.oracles.drive_equations import evaluator, scalar_evaluator
from freefloat.verify.oracles.drive_reference import ATOL, unwound_angle
from freefloat.verify.oracles.drive_symbols import INPUTS, SET, STATES, parameters
from freefloat.verify.oracles.newton_euler import TreeState
from freefloat.verify.oracles.rotor_bodies import with_rotors
from freefloat.verify.oracles.stiff import RTOL, Method, solve

Places = NDArray[np.int64]
# tau_c (n,) [N m] of sample number, time, q and q' of the links, theta and Omega of the motors, (n,) each
Command = Callable[[int, float, Array, Array, Array, Array], Array]

_OWN = tuple(quantity.name for quantity in STATES[2:])  # states beside angle and momentum
_OUTPUTS = (*(f"{name}_t" for name in _OWN), "tau", "T", "P_e", "P_h")
_ROTOR_MASS = 1e-3  # [kg] drops out
_FLAT = 0.6  # J_t / J, drops out


@dataclass(frozen=True)
class TreeRun:
    """Sampled motion of n driven joints in their order in the graph, and energies [J]."""

    t: Array
    q: Array  # (T, n) [rad]
    qd: Array  # (T, n) [rad/s]
    motor_q: Array  # (T, n) [rad] motor side
    motor_qd: Array  # (T, n) [rad/s]
    own: Mapping[str, Array]  # (T, n) each: iA, iB, xA, xB, z, tau_h, Tw
    tau: Array  # (T, n) [N m] of the gears on the links
    root: Array  # (T, 7) p_WR and quaternion of the root
    root_rate: Array  # (T, 6) v_WR in W and w_WR in R
    kinetic: Array  # (T,) [J] of all bodies
    angular_momentum: Array  # (T, 3) [N m s] about the centre of mass, in W
    stored: Array  # (T,) [J] in coils, cogging, springs and bristles
    supplied: Array  # (T,) [J] electric, since the start
    heat: Array  # (T,) [J] since the start

    @property
    def residual(self) -> Array:
        """What the energy balance is off by [J]."""
        held = self.kinetic + self.stored
        return held - held[0] + self.heat - self.supplied


class RotorTree:
    """A free-floating graph whose revolute joints are driven, `drives` by joint name; all other joints are fixed."""

    def __init__(
        self, graph: LinkGraph, drives: Mapping[str, Any], mass: float = _ROTOR_MASS, flat: float = _FLAT
    ) -> None:
        self.joints = tuple(j for j in graph.joints if j.kind != "fixed")
        if {j.name for j in self.joints} != set(drives) or any(j.kind != "revolute" for j in self.joints):
            raise InputError(f"drives of {sorted(drives)}; allowed: one for each moving joint, revolute ones only")
        names = [j.name for j in self.joints]
        self.drives = [drives[name] for name in names]
        self.inertia = np.array([d.motor.inertia for d in self.drives])
        self.params = np.array(
            [parameters(d, j.effort) for d, j in zip(self.drives, self.joints, strict=True)]
        ).T.copy()
        self.model = m = mujoco_model(
            with_rotors(graph, dict(zip(names, self.inertia.tolist(), strict=True)), mass, flat)
        )
        self.data = mujoco.MjData(m)
        self.n, self.nq, self.nv = len(names), int(m.nq), int(m.nv)
        self.q_at, self.v_at = _addresses(m, names)
        self.th_at, self.Om_at = _addresses(m, [f"rotor:{name}" for name in names])
        self.size = self.nq + self.nv + len(_OWN) * self.n + 2
        self.command = np.zeros(self.n)
        self._at = self.q_at, self.v_at, self.th_at, self.Om_at
        self._bias, self._force, self._acceleration = np.zeros(self.nv), np.zeros((1, self.nv)), np.zeros((1, self.nv))
        self._drives, self._rates = _compiled()

    def start(self, state: TreeState, motor_q: ArrayLike | None = None) -> Array:
        """State vector of a tree that moves without slip in its gears, unwound unless `motor_q` [rad] is given."""
        q = [state.q.get(j.name, 0.0) for j in self.joints]
        set_state(self.model, self.data, state)
        angles = [unwound_angle(d, a) for d, a in zip(self.drives, q, strict=True)] if motor_q is None else motor_q
        self.data.qpos[self.th_at] = angles
        self.data.qvel[self.Om_at] = [d.gear.ratio * state.qd.get(j.name, 0.0) for d, j in self._pairs()]
        own = np.zeros((len(_OWN), self.n))
        own[_OWN.index("Tw")] = [d.motor.ambient for d in self.drives]
        return np.concatenate([self.data.qpos, self.data.qvel, own.ravel(), [0.0, 0.0]])

    def rates(self, t: float, y: Array) -> Array:
        """y' of the state vector."""
        self._place(y)
        out = np.empty(self.size)
        self._rates(y, self._bias, self.command, self.params, *self._at, self._force[0], out)
        mujoco.mj_solveM(self.model, self.data, self._acceleration, self._force)
        out[self.nq : self.nq + self.nv] = self._acceleration[0]
        return out

    def jacobian(self, t: float, y: Array) -> Array:
        """dy'/dy without the changes of mass matrix and bias, which are slow; Newton's iteration needs no more.

        Drives are differentiated by differences, all joints at once: they meet in the mass matrix only.
        """
        nq, nv, n = self.nq, self.nv, self.n
        self._place(y)
        base = self._drive(y)
        inverse = np.linalg.inv(self._mass_matrix())
        J = np.zeros((self.size, self.size))
        J[np.arange(3), nq + np.arange(3)] = 1.0
        J[np.arange(7, nq), nq + np.arange(6, nv)] = 1.0
        J[3:7, nq + 3 : nq + 6] = _quaternion_matrix(y[3:7]) / 2.0
        J[3:7, 3:7] = _spin_matrix(y[nq + 3 : nq + 6]) / 2.0
        own = nq + nv + np.arange(len(_OWN) * n).reshape(len(_OWN), n)
        for columns in (self.q_at, self.th_at, nq + self.v_at, nq + self.Om_at, *own):
            step = 1e-7 * np.clip(np.abs(y[columns]), 1e-3, 1.0)
            moved = y.copy()
            moved[columns] += step
            slope = (self._drive(moved) - base) / step
            J[nq : nq + nv, columns] += inverse[:, self.v_at] * slope[-4] + inverse[:, self.Om_at] * slope[-3]
            J[own, columns] += slope[:-4]
            J[-2:, columns] += slope[-2:]
        return J

    def run(
        self,
        start: Array,
        command: Command,
        times: ArrayLike,
        *,
        period: float | None = None,
        rtol: float = RTOL,
        method: Method = "Adams",
    ) -> TreeRun:
        """Sample the tree at `times`. The command is taken at the start, and every `period` [s] if there is one."""
        t = np.asarray(times, dtype=np.float64)

        def hold(k: int, at: float, y: Array) -> None:
            v = y[self.nq :]
            self.command[:] = command(k, at, y[self.q_at], v[self.v_at], y[self.th_at], v[self.Om_at])

        rows = solve(
            self.rates,
            start,
            t,
            atol=self._atol(rtol),
            rtol=rtol,
            method=method,
            jacobian=self.jacobian,
            period=period,
            hold=hold,
        )
        return self._run(t, rows)

    def _pairs(self) -> Sequence[tuple[Any, Joint]]:
        return list(zip(self.drives, self.joints, strict=True))

    def _place(self, y: Array) -> None:
        """Mass matrix, its factors and bias at a state."""
        m, d = self.model, self.data
        d.qpos[:], d.qvel[:] = y[: self.nq], y[self.nq : self.nq + self.nv]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_crb(m, d)
        mujoco.mj_factorM(m, d)
        mujoco.mj_comVel(m, d)
        mujoco.mj_rne(m, d, 0, self._bias)

    def _mass_matrix(self) -> Array:
        M = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def _drive(self, y: Array) -> Array:
        """The outputs (len(_OUTPUTS), n) of all drives."""
        out = np.empty((len(_OUTPUTS), self.n))
        self._drives(y, self.command, self.params, *self._at, out)
        return out

    def _atol(self, rtol: float) -> Array:
        atol = np.full(self.size, 1e-12)
        atol[self.th_at], atol[self.nq + self.Om_at] = ATOL["th"], ATOL["th"]
        atol[self.nq + self.nv : -2] = np.repeat([ATOL[name] for name in _OWN], self.n)
        atol[-2:] = ATOL["energy"]
        return atol * min(1.0, rtol / RTOL)

    def _run(self, t: Array, rows: Array) -> TreeRun:
        v = rows[:, self.nq : self.nq + self.nv]
        own = rows[:, self.nq + self.nv : -2].reshape(t.size, len(_OWN), self.n)
        x = np.stack([rows[:, self.th_at], self.inertia * v[:, self.Om_at], *own.transpose(1, 0, 2)])
        inputs = np.zeros((len(INPUTS), t.size, self.n))
        inputs[1], inputs[2] = rows[:, self.q_at], v[:, self.v_at]
        with np.errstate(divide="ignore", invalid="ignore"):
            tau, stored = _stored()(x, inputs, self.params[:, None, :])
        kinetic, spin = np.empty(t.size), np.empty((t.size, 3))
        for i, row in enumerate(rows):
            self._place(row)
            mujoco.mj_subtreeVel(self.model, self.data)
            kinetic[i], spin[i] = 0.5 * v[i] @ self._mass_matrix() @ v[i], self.data.subtree_angmom[1]
        names = dict(zip(_OWN, own.transpose(1, 0, 2), strict=True))
        return TreeRun(
            t=t,
            q=inputs[1],
            qd=inputs[2],
            motor_q=x[0],
            motor_qd=v[:, self.Om_at],
            own=names,
            tau=tau,
            root=rows[:, :7],
            root_rate=v[:, :6],
            kinetic=kinetic,
            angular_momentum=spin,
            stored=stored.sum(axis=1),
            supplied=rows[:, -2],
            heat=rows[:, -1],
        )


def _addresses(model: mujoco.MjModel, names: Sequence[str]) -> tuple[Places, Places]:
    """Where joints are in qpos and in qvel."""
    joints = [model.joint(name) for name in names]
    return np.array([int(j.qposadr[0]) for j in joints]), np.array([int(j.dofadr[0]) for j in joints])


def _quaternion_matrix(quat: Array) -> Array:
    """E (4, 3) with quat (0, w) = E w."""
    w, x, y, z = quat
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def _spin_matrix(rate: Array) -> Array:
    """S (4, 4) with quat (0, w) = S quat."""
    x, y, z = rate
    return np.array([[0.0, -x, -y, -z], [x, 0.0, z, -y], [y, -z, 0.0, x], [z, y, -x, 0.0]])


@cache
def _compiled() -> tuple[Any, Any]:
    """Compiled: outputs of all drives at a state vector, and forces and rates but accelerations.

    The drives see h as if the stator stood still: only Omega matters to them.
    """
    one: Any = numba.njit(scalar_evaluator(_OUTPUTS))
    inertia = [quantity.name for quantity in SET].index("J")
    n_own, n_x, n_inputs = len(_OWN), len(STATES), len(INPUTS)

    @numba.njit
    def drives(
        y: Array, command: Array, params: Array, q_at: Array, v_at: Array, th_at: Array, Om_at: Array, out: Array
    ) -> None:
        n = command.size
        own = y.size - 2 - n_own * n
        nq = (own + 1) // 2  # the root has one coordinate more than rates
        x, inputs = np.zeros(n_x), np.zeros(n_inputs)
        for j in range(n):
            x[0], x[1] = y[th_at[j]], params[inertia, j] * y[nq + Om_at[j]]
            for i in range(n_own):
                x[2 + i] = y[own + i * n + j]
            inputs[0], inputs[1], inputs[2] = command[j], y[q_at[j]], y[nq + v_at[j]]
            answer = one(x, inputs, params[:, j])
            for i in range(out.shape[0]):
                out[i, j] = answer[i]

    @numba.njit
    def rates(
        y: Array,
        bias: Array,
        command: Array,
        params: Array,
        q_at: Array,
        v_at: Array,
        th_at: Array,
        Om_at: Array,
        force: Array,
        out: Array,
    ) -> None:
        n, nv = command.size, bias.size
        nq = nv + 1
        answers = np.empty((n_own + 4, n))
        drives(y, command, params, q_at, v_at, th_at, Om_at, answers)
        force[:] = -bias
        for j in range(n):
            force[v_at[j]] += answers[n_own, j]
            force[Om_at[j]] += answers[n_own + 1, j]
        a, b, c, d = y[3], y[4], y[5], y[6]
        wx, wy, wz = 0.5 * y[nq + 3], 0.5 * y[nq + 4], 0.5 * y[nq + 5]
        out[:3], out[7:nq] = y[nq : nq + 3], y[nq + 6 : nq + nv]
        out[3], out[4] = -b * wx - c * wy - d * wz, a * wx - d * wy + c * wz
        out[5], out[6] = d * wx + a * wy - b * wz, -c * wx + b * wy + a * wz
        out[nq + nv : -2] = answers[:n_own].ravel()
        out[-2], out[-1] = answers[n_own + 2].sum(), answers[n_own + 3].sum()

    return drives, rates


@cache
def _stored() -> Any:
    return evaluator(("tau", "U"))
