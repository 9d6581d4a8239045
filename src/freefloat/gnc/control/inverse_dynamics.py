"""Inverse dynamics of a robot on a base that nothing holds, in a controller's own model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.cmujoco import mj_comPos, mj_comVel, mj_fullM, mj_kinematics, mj_makeM, mj_rne, mju_copy
from freefloat.compiled import inner, onboard
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.gnc.control.free_floating import base_joint
from freefloat.gnc.rotations import matrix_of, times, vector
from freefloat.inertia import check_inertia, parallel_axis

Places = NDArray[np.int64]
MEASURED = ("q", "qd", "q_WB", "v_WB", "w_WB_B")
# what `FloatingModel.places` begins with; the arm's dofs and the arm's positions in qpos follow
MODEL, DATA, QPOS, QVEL, ATTITUDE, BASE, DOFS, ARM = range(8)


@dataclass(frozen=True)
class FloatingModel:
    """The controller's own copy of the dynamics, and where base and arm stand in it.

    Measured state: q, qd of the arm and the base's q_WB, v_WB, w_WB_B.
    """

    model: mujoco.MjModel  # base with its free joint first, arm dofs in `arm_dofs`
    arm_dofs: NDArray[np.intp]
    data: mujoco.MjData = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", mujoco.MjData(self.model))

    @property
    def places(self) -> Places:
        """Addresses and indices, as `floating_dynamics` takes them; a copy of this object has its own."""
        m, d, b = self.model, self.data, base_joint(self.model)
        memory = m._address, d._address, d.qpos.ctypes.data, d.qvel.ctypes.data
        base = m.jnt_qposadr[b] + 3, m.jnt_dofadr[b], m.nv
        arm_q = m.jnt_qposadr[m.dof_jntid[self.arm_dofs]]
        return np.array([*memory, *base, *self.arm_dofs, *arm_q], np.int64)

    def efforts(self, a: Array, meas: Mapping[str, Array]) -> Array:
        """tau for the joint accelerations a, with the base left to react."""
        M, c = self.inertia_and_bias(meas)
        return M @ a + c

    def inertia_and_bias(self, meas: Mapping[str, Array]) -> tuple[Array, Array]:
        """M* (n, n) and c* (n,) with M* q'' + c* = tau, the base left to react."""
        n = len(self.arm_dofs)
        M, c = np.empty((n, n)), np.empty(n)
        q, qd, q_WB, v_WB, w_WB_B = (np.ascontiguousarray(meas[name], np.float64) for name in MEASURED)
        floating_dynamics(self.places, q, qd, q_WB, v_WB, w_WB_B, M, c)
        return M, c


@onboard
def floating_dynamics(
    places: Places, q: Array, qd: Array, q_WB: Array, v_WB: Array, w_WB_B: Array, inertia: Array, bias: Array
) -> None:
    """M* (n, n) and c* (n,) with M* q'' + c* = tau at the measured state, the base left to react."""
    pushed_dynamics(places, q, qd, q_WB, v_WB, w_WB_B, np.zeros(6), inertia, bias)


@inner
def pushed_dynamics(
    places: Places,
    q: Array,
    qd: Array,
    q_WB: Array,
    v_WB: Array,
    w_WB_B: Array,
    push: Array,
    inertia: Array,
    bias: Array,
) -> None:
    """The same with a wrench from outside on the base: `push`, force [N] and torque about Bo [N m], both in B.

    The base moves by H_b a_b = f - (H_bm a + c_b), and tau = H_bm^T a_b + H_m a + c_m (Umetani and Yoshida 1989).
    """
    n, base, nv = q.size, places[BASE], places[DOFS]
    _write_state(places, q, qd, q_WB, v_WB, w_WB_B)
    m, d, M, c = places[MODEL], places[DATA], np.empty((nv, nv)), np.empty(nv)
    mj_kinematics(m, d)
    mj_comPos(m, d)
    mj_makeM(m, d)
    mj_comVel(m, d)
    mj_rne(m, d, 0, c.ctypes.data)
    mj_fullM(m, d, M.ctypes.data)
    H = np.empty((6 + n, 7 + n))  # base and arm; the last column is the bias
    for i in range(6 + n):
        row = base + i if i < 6 else places[ARM - 6 + i]
        for j in range(6 + n):
            H[i, j] = M[row, base + j if j < 6 else places[ARM - 6 + j]]
        H[i, 6 + n] = c[row]
    force = times(matrix_of(q_WB), vector(push, 0))
    for i in range(3):
        H[i, 6 + n] -= force[i]
        H[3 + i, 6 + n] -= push[3 + i]
    _eliminate(H, 6)
    inertia[:] = H[6:, 6 : 6 + n]
    bias[:] = H[6:, 6 + n]


@inner
def _write_state(places: Places, q: Array, qd: Array, q_WB: Array, v_WB: Array, w_WB_B: Array) -> None:
    """The measured state into the model's qpos and qvel; where the base is does not matter."""
    n, qpos, qvel = q.size, places[QPOS], places[QVEL]
    mju_copy(qpos + 8 * places[ATTITUDE], q_WB.ctypes.data, 4)
    mju_copy(qvel + 8 * places[BASE], v_WB.ctypes.data, 3)
    mju_copy(qvel + 8 * (places[BASE] + 3), w_WB_B.ctypes.data, 3)
    for i in range(n):
        mju_copy(qvel + 8 * places[ARM + i], qd.ctypes.data + 8 * i, 1)
        mju_copy(qpos + 8 * places[ARM + n + i], q.ctypes.data + 8 * i, 1)


@inner
def _eliminate(H: Array, count: int) -> None:
    """Take the first `count` unknowns out of the rows below them; the matrix is positive definite: no pivoting."""
    for k in range(count):
        for i in range(k + 1, H.shape[0]):
            share = H[i, k] / H[k, k]
            for j in range(k + 1, H.shape[1]):
                H[i, j] -= share * H[k, j]


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass properties of a body B about its centre of mass, in axes of B."""

    mass: float  # [kg]
    p_BBcm: Array  # [m]
    I_BBcm_B: Array  # [kg m^2], (3, 3)

    @classmethod
    def none(cls) -> Mass:
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    def scaled(self, factor: float) -> Mass:
        """Mass and inertia times a factor, in the same place."""
        return Mass(factor * self.mass, self.p_BBcm, factor * self.I_BBcm_B)

    def __add__(self, other: Mass) -> Mass:
        """Both together, in the axes of the same B."""
        mass = self.mass + other.mass
        if mass == 0.0:
            return self
        p = (self.mass * self.p_BBcm + other.mass * other.p_BBcm) / mass
        parts = [parallel_axis(x.I_BBcm_B, x.mass, x.p_BBcm - p) for x in (self, other)]
        return Mass(mass, p, parts[0] + parts[1])


def read_mass(model: mujoco.MjModel, body: str) -> Mass:
    """The mass properties of a body of an onboard model."""
    b = _body(model, body)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[b])
    R_BI = R.reshape(3, 3)
    return Mass(float(model.body_mass[b]), model.body_ipos[b].copy(), R_BI @ np.diag(model.body_inertia[b]) @ R_BI.T)


def write_mass(model: mujoco.MjModel, body: str, mass: Mass) -> None:
    """Give a body of an onboard model new mass properties."""
    b, p, I = _body(model, body), np.asarray(mass.p_BBcm, np.float64), np.asarray(mass.I_BBcm_B, np.float64)  # noqa: E741
    if not (np.isfinite(mass.mass) and mass.mass >= 0.0 and np.isfinite(p).all()):
        raise InputError(f"body {body!r}: mass {mass.mass!r} kg at {p.tolist()} m must be finite and not negative")
    if mass.mass > 0.0:
        check_inertia(I)
    values, R_BI = np.linalg.eigh(0.5 * (I + I.T))
    R_BI[:, 2] *= np.sign(np.linalg.det(R_BI))
    model.body_mass[b], model.body_ipos[b], model.body_inertia[b] = mass.mass, p, np.maximum(values, 0.0)
    mujoco.mju_mat2Quat(model.body_iquat[b], R_BI.ravel())
    model.body_sameframe[b] = int(mujoco.mjtSameFrame.mjSAMEFRAME_NONE)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _body(model: mujoco.MjModel, name: str) -> int:
    b = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if b < 0:
        raise unknown_name("body", name, filter(None, (model.body(i).name for i in range(model.nbody))))
    return b
