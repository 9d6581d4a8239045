"""Kinematics of a robot on a free base that nothing holds: the base reacts to every motion of the arm.

Works on an onboard `mujoco.MjModel` and `MjData`. The base B is the body of the model's first free joint; the system
is B and everything that hangs from it. Positions are refreshed from `data.qpos`; velocities are not read. Dofs of the
system that are not among `arm_dofs` count as locked.

Twists are [w; v] and momenta [angular; linear], both in axes of W, as everywhere in Freefloat. MuJoCo's own free joint
has another order and frame, [v_WB; w_WB_B]; `base_qvel` converts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError, ModelError, unknown_name
from freefloat.frames import Array

Index = NDArray[np.intp]
QvelMap = Callable[[mujoco.MjModel, mujoco.MjData], Array]  # (rows, nv)

RANK_TOLERANCE = 1e-10  # [-] singular values below this share of the largest count as zero


@dataclass(frozen=True)
class DynamicSingularity:
    """How near the generalised Jacobian is to losing rank (det J* = 0 in Papadopoulos and Dubowsky 1993)."""

    smallest_singular_value: float
    determinant: float  # NaN unless as many task rows as arm dofs


def base_joint(model: mujoco.MjModel) -> int:
    """Index of the model's first free joint, which carries the base B."""
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    if free.size == 0:
        raise ModelError("a free-floating robot needs a free joint on its base; the model has none")
    return int(free[0])


def system_arm_dofs(model: mujoco.MjModel) -> Index:
    """Every dof of the base's tree except the base's own six."""
    joint = base_joint(model)
    base, first = model.jnt_bodyid[joint], model.jnt_dofadr[joint]
    in_tree = model.body_rootid[model.dof_bodyid] == model.body_rootid[base]
    in_tree[first : first + 6] = False
    return np.flatnonzero(in_tree)


def arm_index(model: mujoco.MjModel, arm_dofs: ArrayLike | None) -> Index:
    """Dofs of the base's tree, checked; all of them for None."""
    allowed = system_arm_dofs(model)
    if arm_dofs is None:
        return allowed
    index = np.asarray(arm_dofs)
    if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
        raise InputError(f"arm_dofs: {arm_dofs!r} is not a list of dof indices")
    wrong = np.setdiff1d(index, allowed)
    if wrong.size:
        raise InputError(f"arm_dofs: {wrong.tolist()} are not joints of the base's tree; allowed: {allowed.tolist()}")
    return index.astype(np.intp)


def base_qvel(model: mujoco.MjModel, data: mujoco.MjData, V_WB_W: ArrayLike) -> Array:
    """MuJoCo's free-joint velocity [v_WB; w_WB_B] from the base twist V_WB_W = [w_WB_W; v_WB]; rows of twists too."""
    R_WB = _base_rotation(model, data)
    V = np.asarray(V_WB_W, dtype=np.float64)
    return np.concatenate([V[..., 3:], V[..., :3] @ R_WB], axis=-1)


def momentum_map(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None = None) -> Array:
    """H (6, 6 + n) with [L_cm; P] = H [V_WB_W; qdot]: momenta of the system, angular about its centre of mass.

    Units: L [N m s], P [N s]; columns are the base twist [w_WB_W; v_WB] and the rates of `arm_dofs`. It stacks the
    two momentum equations of Umetani and Yoshida (1989). Rotor inertia (armature) is not in it.
    """
    return _in_base_twist(model, data, arm_dofs, _system_momentum)


def base_coupling(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None = None) -> Array:
    """C (6, n) with V_WB_W = C qdot while both momenta are zero: C = -H_b^-1 H_m."""
    H = momentum_map(model, data, arm_dofs)
    return -np.linalg.solve(H[:, :6], H[:, 6:]).astype(np.float64)


def zero_momentum_base_twist(
    model: mujoco.MjModel, data: mujoco.MjData, qdot: ArrayLike, arm_dofs: ArrayLike | None = None
) -> Array:
    """Base twist V_WB_W = [w_WB_W; v_WB] that the joint rates `qdot` (n,) or (k, n) cause at zero momentum."""
    C = base_coupling(model, data, arm_dofs)
    rates = np.asarray(qdot, dtype=np.float64)
    if rates.shape[-1:] != C.shape[1:]:
        raise InputError(f"qdot: shape {rates.shape} does not fit {C.shape[1]} arm dofs")
    return rates @ C.T


def generalised_jacobian(
    model: mujoco.MjModel, data: mujoco.MjData, frame: str, arm_dofs: ArrayLike | None = None
) -> Array:
    """J_g (6, n) with V_WF_W = J_g qdot at zero momentum, for the site or body `frame` F.

        J_g = J_m - J_b H_b^-1 H_m                           (Umetani and Yoshida 1989)

    The twist is [w_WF_W; v_WF], v of F's origin. A site hides a body of the same name.
    """
    J = _in_base_twist(model, data, arm_dofs, lambda m, d: _frame_jacobian(m, d, frame))
    return J[:, 6:] + J[:, :6] @ base_coupling(model, data, arm_dofs)


def generalised_inertia(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None = None) -> Array:
    """M* (n, n): the inertia that the joints feel while the base reacts, M_m - M_bm^T M_b^-1 M_bm.

    [kg m^2], rotor inertia included (Umetani and Yoshida 1989).
    """
    arm = arm_index(model, arm_dofs)
    base = np.arange(6) + model.jnt_dofadr[base_joint(model)]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    coupling = M[np.ix_(base, arm)]
    return M[np.ix_(arm, arm)] - coupling.T @ np.linalg.solve(M[np.ix_(base, base)], coupling)


def reaction_null_space(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None = None) -> Array:
    """Orthonormal basis (n, k) of joint rates that leave position and attitude of the base undisturbed.

    The kernel of the coupling inertia, H_m qdot = 0 (Nenchev, Yoshida, Vichitkulsawat, Uchiyama 1999);
    k = n - 6 for a spatial arm away from its rank losses.
    """
    return _kernel(base_coupling(model, data, arm_dofs))


def attitude_null_space(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None = None) -> Array:
    """Orthonormal basis (n, k) of joint rates that leave the base's attitude undisturbed while it may translate.

    The reaction null space of the angular part alone, k = n - 3 for a spatial arm (Nenchev et al. 1999).
    """
    return _kernel(base_coupling(model, data, arm_dofs)[:3])


def dynamic_singularity(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    frame: str,
    arm_dofs: ArrayLike | None = None,
    rows: Sequence[int] = range(6),
) -> DynamicSingularity:
    """Smallest singular value, and determinant where square, of the task rows of the generalised Jacobian.

    `rows` picks components of [w; v]; a planar task in x, y is (3, 4). Rows of both kinds mix rad and m.
    """
    J = generalised_jacobian(model, data, frame, arm_dofs)[list(rows)]
    determinant = float(np.linalg.det(J)) if J.shape[0] == J.shape[1] else float("nan")
    singular_values = np.linalg.svd(J, compute_uv=False)
    smallest = float(singular_values[-1]) if J.shape[0] <= J.shape[1] else 0.0
    return DynamicSingularity(smallest, determinant)


def _base_rotation(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    address = model.jnt_qposadr[base_joint(model)]
    R = np.empty(9)
    quat = data.qpos[address + 3 : address + 7]
    mujoco.mju_quat2Mat(R, quat / np.linalg.norm(quat))
    return R.reshape(3, 3)


def _in_base_twist(model: mujoco.MjModel, data: mujoco.MjData, arm_dofs: ArrayLike | None, full: QvelMap) -> Array:
    """Columns [V_WB_W; arm rates] of a map from qvel. MuJoCo's rotation columns are per w_WB_B = R_WB^T w_WB_W."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    columns = full(model, data)
    first = model.jnt_dofadr[base_joint(model)]
    R_WB = _base_rotation(model, data)
    spin = columns[:, first + 3 : first + 6] @ R_WB.T
    return np.hstack([spin, columns[:, first : first + 3], columns[:, arm_index(model, arm_dofs)]])


def _system_momentum(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    base = int(model.jnt_bodyid[base_joint(model)])
    angular, velocity = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_angmomMat(model, data, angular, base)
    mujoco.mj_jacSubtreeCom(model, data, velocity, base)
    return np.vstack([angular, model.body_subtreemass[base] * velocity])


def _frame_jacobian(model: mujoco.MjModel, data: mujoco.MjData, frame: str) -> Array:
    J = np.zeros((6, model.nv))
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, frame)
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, frame)
    if site >= 0:
        mujoco.mj_jacSite(model, data, J[3:], J[:3], site)
    elif body >= 0:
        mujoco.mj_jacBody(model, data, J[3:], J[:3], body)
    else:
        names = [model.site(i).name for i in range(model.nsite)] + [model.body(i).name for i in range(model.nbody)]
        raise unknown_name("site or body", frame, filter(None, names))
    return J


def _kernel(matrix: Array) -> Array:
    _, values, Vt = np.linalg.svd(matrix)
    rank = int(np.count_nonzero(values > RANK_TOLERANCE * max(float(values.max(initial=0.0)), np.finfo(float).tiny)))
    return Vt[rank:].T.copy()
