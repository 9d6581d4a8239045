"""What operational-space control knows of its arm: dynamics on a floating base, and where the tip is in the mount."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from freefloat.cmujoco import mj_jac, mj_kinematics, mju_copy
from freefloat.compiled import inner
from freefloat.errors import unknown_name
from freefloat.frames import Array
from freefloat.gnc.control.free_floating import base_joint
from freefloat.gnc.control.inverse_dynamics import ARM, DATA, DOFS, MODEL, QPOS, FloatingModel, Mass, Places, write_mass
from freefloat.gnc.control.inverse_dynamics import read_mass as mass_of
from freefloat.gnc.planning.arm.chain import Chain, Frame

BODY, XPOS, XMAT = range(3)  # entries of `ArmModel.hand`


@dataclass(frozen=True, eq=False)
class ArmModel:
    """An arm on a base that floats: `base` is the body A that its mount carries, `tip` the site T at its end.

    The model's base body B stands still at the origin, so that the model's axes are those of B. `holder` is the body to
    which a payload is fixed.
    """

    model: mujoco.MjModel
    joints: tuple[str, ...]
    base: str
    tip: str
    holder: str
    lower: Array  # [rad] positions that the joints may have
    upper: Array
    floating: FloatingModel = field(init=False, repr=False)
    chain: Chain = field(init=False, repr=False)
    frames: Array = field(init=False, repr=False)  # (8, 3) p_BA, R_AB, p_HT, R_HT; H is the body of the tip
    own: Mass = field(init=False, repr=False)

    def __post_init__(self) -> None:
        m = self.model
        names = [m.site(i).name for i in range(m.nsite)]
        if self.tip not in names:
            raise unknown_name("site", self.tip, names)
        joints = [m.joint(name) for name in self.joints]
        dofs = np.array([int(j.dofadr[0]) for j in joints], np.intp)
        data = mujoco.MjData(m)
        attitude = int(m.jnt_qposadr[base_joint(m)]) + 3
        data.qpos[attitude : attitude + 4] = 1.0, 0.0, 0.0, 0.0
        mujoco.mj_kinematics(m, data)
        site, R_HT = m.site(self.tip), np.empty(9)
        mujoco.mju_quat2Mat(R_HT, site.quat)
        A = data.body(self.base)
        frames = np.vstack([A.xpos, A.xmat.reshape(3, 3).T, site.pos, R_HT.reshape(3, 3)])
        chain = Chain(m, self.joints, Frame(self.base), Frame(self.tip), self.lower, self.upper)
        for name, value in (
            ("floating", FloatingModel(m, dofs)),
            ("chain", chain),
            ("frames", frames),
            ("own", mass_of(m, self.holder)),
        ):
            object.__setattr__(self, name, value)

    @property
    def hand(self) -> Places:
        """The tip's body and the addresses of places and axes of bodies; a copy of this object has its own."""
        d = self.floating.data
        body = int(self.model.site(self.tip).bodyid[0])
        return np.array([body, d.xpos.ctypes.data, d.xmat.ctypes.data], np.int64)

    def carry(self, payload: Mass) -> None:
        """The holder has this payload, in the frame of its body; `Mass.none()` for nothing."""
        write_mass(self.model, self.holder, self.own + payload)

    def inertia(self, q: Array) -> Array:
        """M* (n, n) [kg m^2] of the joints at the positions q, the base left to react."""
        still = np.zeros(3)
        meas = {"q": q, "qd": np.zeros(len(q)), "q_WB": np.array([1.0, 0.0, 0.0, 0.0]), "v_WB": still, "w_WB_B": still}
        return self.floating.inertia_and_bias(meas)[0]

    def inertia_range(self, postures: Sequence[Array]) -> tuple[Array, Array]:
        """[kg m^2] least inertia that each joint feels while the others give way, and largest while they are held."""
        n = len(self.joints)
        least, largest = np.full(n, np.inf), np.zeros(n)
        for q in postures:
            M = self.inertia(q)
            least = np.minimum(least, 1.0 / np.diagonal(np.linalg.inv(M)))
            largest = np.maximum(largest, np.diagonal(M))
        return least, largest


@inner
def stand(places: Places, q: Array) -> None:
    """Bring the model's bodies to the joint positions q."""
    for i in range(q.size):
        mju_copy(places[QPOS] + 8 * places[ARM + q.size + i], q.ctypes.data + 8 * i, 1)
    mj_kinematics(places[MODEL], places[DATA])


@inner
def tip_pose(hand: Places, frames: Array, p: Array, R: Array) -> None:
    """p_AT and R_AT of the state in which the model stands."""
    x, X = np.empty(3), np.empty((3, 3))
    mju_copy(x.ctypes.data, hand[XPOS] + 24 * hand[BODY], 3)
    mju_copy(X.ctypes.data, hand[XMAT] + 72 * hand[BODY], 9)
    p[:] = frames[1:4] @ (x + X @ frames[4] - frames[0])
    R[:] = frames[1:4] @ X @ frames[5:8]


@inner
def tip_jacobian(places: Places, hand: Places, frames: Array, J: Array) -> None:
    """J (6, n) with V_AT_A = [w; v] = J q', v of the tip's origin, the base at rest.

    At the state of the last `floating_dynamics`: `stand` brings the bodies to their places, but not the joints' axes.
    """
    n, nv = J.shape[1], places[DOFS]
    x, X = np.empty(3), np.empty((3, 3))
    mju_copy(x.ctypes.data, hand[XPOS] + 24 * hand[BODY], 3)
    mju_copy(X.ctypes.data, hand[XMAT] + 72 * hand[BODY], 9)
    point = x + X @ frames[4]
    both = np.empty((2, 3, nv))
    linear, angular = both[0], both[1]
    mj_jac(
        places[MODEL], places[DATA], linear.ctypes.data, angular.ctypes.data, point.ctypes.data, np.int32(hand[BODY])
    )
    for j in range(n):
        k = places[ARM + j]
        for i in range(3):
            w = v = 0.0
            for h in range(3):
                w += frames[1 + i, h] * angular[h, k]
                v += frames[1 + i, h] * linear[h, k]
            J[i, j], J[3 + i, j] = w, v
