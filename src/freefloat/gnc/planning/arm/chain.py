"""The chain of joints between two frames of an onboard model, whichever of its bodies is the model's root.

All frames are expressed in the base frame A of the chain; T is its tip. A walking robot has one chain per direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array, Pose, so3_log

TIP = "tip"  # the site of the tip in a chain's own model


@dataclass(frozen=True)
class Frame:
    """A frame F at the pose X_BF in a body or site B of the onboard model. A site hides a body of the same name."""

    on: str
    X_BF: Pose = field(default_factory=Pose.identity)


def segment_name(index: int) -> str:
    """The body of a chain's own model after `index` joints, counted from the base."""
    return f"segment{index}"


class Chain:
    """Joints from the base frame A to the tip frame T of an onboard model; every other joint of it is held.

    `joints` gives the order of q [rad or m], in either direction along the chain. Limits default to the joint ranges of
    the model. `segment` tells after how many of the joints a body of the onboard model comes, `X_AB` where it is at
    q = 0.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        joints: Sequence[str],
        base: Frame,
        tip: Frame,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        qpos: ArrayLike | None = None,  # held position of the other joints; None: the model's own
    ) -> None:
        self.joints = tuple(joints)
        index = [_joint(model, name) for name in self.joints]
        data = mujoco.MjData(model)
        data.qpos[:] = model.qpos0 if qpos is None else np.asarray(qpos, np.float64)
        data.qpos[model.jnt_qposadr[index]] = 0.0
        mujoco.mj_kinematics(model, data)
        (base_body, X_WA), (tip_body, X_WT) = _placed(model, data, base), _placed(model, data, tip)
        path = _path(model, base_body, tip_body, index)
        X_AW = X_WA.inverse()
        self.X_AT0 = X_AW @ X_WT
        self.segment = _segments(model, path, index)
        self.X_AB: Mapping[str, Pose] = {
            model.body(b).name: X_AW @ Pose(data.xmat[b].reshape(3, 3), data.xpos[b]) for b in range(model.nbody)
        }
        self._screws = [
            (
                self.joints[index.index(j)],
                int(model.jnt_type[j]),
                sign * (X_AW.R @ data.xaxis[j]),
                X_AW.apply(data.xanchor[j]),
            )
            for j, sign in path
        ]
        self.lower, self.upper = _limits(model, index, lower, upper)
        self.model = self.spec().compile()
        self.data = mujoco.MjData(self.model)
        self._at = np.array([self.model.joint(name).qposadr[0] for name in self.joints])
        self._dof = np.array([self.model.joint(name).dofadr[0] for name in self.joints])

    @property
    def hinges(self) -> NDArray[np.bool_]:
        """Which of the joints turn."""
        return self.model.jnt_type[self._at] == int(mujoco.mjtJoint.mjJNT_HINGE)

    def __len__(self) -> int:
        return len(self.joints)

    def spec(self) -> mujoco.MjSpec:
        """A new specification of the chain alone: A at rest in the world's origin, one body per segment, no shapes."""
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.gravity = [0.0, 0.0, 0.0]
        body = spec.worldbody.add_body(name=segment_name(0))
        limits = {name: (lo, hi) for name, lo, hi in zip(self.joints, self.lower, self.upper, strict=True)}
        for i, (name, kind, axis, anchor) in enumerate(self._screws, start=1):
            body = body.add_body(name=segment_name(i), mass=1.0, inertia=[1.0, 1.0, 1.0], explicitinertial=True)
            joint = body.add_joint(name=name, type=mujoco.mjtJoint(kind), axis=axis, pos=anchor)
            if np.isfinite(limits[name]).all():
                joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, list(limits[name])
        body.add_site(name=TIP, pos=self.X_AT0.p, quat=self.X_AT0.q)
        return spec

    def pose(self, q: ArrayLike) -> Pose:
        """X_AT at the joint positions q."""
        self._move(q)
        return Pose(self.data.site_xmat[0].reshape(3, 3), self.data.site_xpos[0])

    def pose_and_jacobian(self, q: ArrayLike) -> tuple[Pose, Array]:
        """X_AT and J (6, n) with V_AT_A = [w; v] = J q', v of the tip's origin."""
        X_AT = self.pose(q)
        mujoco.mj_comPos(self.model, self.data)
        J = np.zeros((6, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, J[3:], J[:3], 0)
        return X_AT, J[:, self._dof]

    def residual(self, q: ArrayLike, X_AT: Pose) -> tuple[float, float]:
        """Angle [rad] and distance [m] of the tip from X_AT."""
        X = self.pose(q)
        return float(np.linalg.norm(so3_log(X.R.T @ X_AT.R))), float(np.linalg.norm(X.p - X_AT.p))

    def within_limits(self, q: ArrayLike, slack: float = 1e-12) -> bool:
        q = np.asarray(q, np.float64)
        return bool(np.all(q >= self.lower - slack) and np.all(q <= self.upper + slack))

    def order(self, values: ArrayLike) -> Array:
        """Values in the order of `joints` brought into the order of the chain's own model."""
        ordered = np.empty(len(self))
        ordered[self._at] = np.asarray(values, np.float64)
        return ordered

    def pick(self, qpos: ArrayLike) -> Array:
        """The inverse of `order`."""
        return np.asarray(qpos, np.float64)[self._at].copy()

    def _move(self, q: ArrayLike) -> None:
        self.data.qpos[self._at] = q
        mujoco.mj_kinematics(self.model, self.data)


def _joint(model: mujoco.MjModel, name: str) -> int:
    j = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if j < 0:
        raise unknown_name("joint", name, filter(None, (model.joint(i).name for i in range(model.njnt))))
    if int(model.jnt_type[j]) not in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)):
        raise InputError(f"joint {name!r} has more than one coordinate; allowed: hinge and slide")
    return j


def _placed(model: mujoco.MjModel, data: mujoco.MjData, frame: Frame) -> tuple[int, Pose]:
    """The body that carries a frame F, and X_WF."""
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, frame.on)
    if site >= 0:
        X_WS = Pose(data.site_xmat[site].reshape(3, 3), data.site_xpos[site])
        return int(model.site_bodyid[site]), X_WS @ frame.X_BF
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, frame.on)
    if body < 0:
        names = [model.site(i).name for i in range(model.nsite)] + [model.body(i).name for i in range(model.nbody)]
        raise unknown_name("site or body", frame.on, filter(None, names))
    return body, Pose(data.xmat[body].reshape(3, 3), data.xpos[body]) @ frame.X_BF


def _path(model: mujoco.MjModel, base: int, tip: int, index: Sequence[int]) -> list[tuple[int, float]]:
    """The joints from base to tip, with -1 where the way leads from the joint's child to its parent."""
    up, down = _ancestors(model, base), _ancestors(model, tip)
    shared = set(up) & set(down)
    order = [(b, -1.0) for b in up if b not in shared] + [(b, 1.0) for b in reversed(down) if b not in shared]
    found = [(j, sign) for b, sign in order for j in _joints_of(model, b, sign) if j in index]
    missing = [model.joint(j).name for j in index if j not in [f for f, _ in found]]
    if missing:
        raise InputError(
            f"joints {', '.join(missing)} are not between {model.body(base).name!r} and {model.body(tip).name!r}"
        )
    return found


def _ancestors(model: mujoco.MjModel, body: int) -> list[int]:
    """The body and those above it, the world last."""
    found = [body]
    while found[-1] != 0:
        found.append(int(model.body_parentid[found[-1]]))
    return found


def _joints_of(model: mujoco.MjModel, body: int, sign: float) -> list[int]:
    first, n = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    joints = list(range(first, first + n))
    return joints if sign > 0.0 else joints[::-1]


def _segments(model: mujoco.MjModel, path: Sequence[tuple[int, float]], index: Sequence[int]) -> dict[str, int]:
    """How many joints of the chain lie between the base and each body.

    Downwards a joint adds itself; above the highest joint of a chain that first climbs, all climbed ones count.
    """
    climbed = sum(sign < 0.0 for _, sign in path)
    rank = {j: (i if sign < 0.0 else i + 1) for i, (j, sign) in enumerate(path)}
    count = np.full(model.nbody, climbed)
    for b in range(1, model.nbody):
        own = [j for j in _joints_of(model, b, 1.0) if j in index]
        parent = int(model.body_parentid[b])
        count[b] = rank[own[-1]] if own else count[parent]
    return {model.body(b).name: int(count[b]) for b in range(model.nbody)}


def _limits(
    model: mujoco.MjModel, index: Sequence[int], lower: ArrayLike | None, upper: ArrayLike | None
) -> tuple[Array, Array]:
    limited = model.jnt_limited[index].astype(bool)
    lo = np.where(limited, model.jnt_range[index, 0], -np.inf) if lower is None else np.array(lower, np.float64)
    hi = np.where(limited, model.jnt_range[index, 1], np.inf) if upper is None else np.array(upper, np.float64)
    if lo.shape != (len(index),) or hi.shape != (len(index),) or not np.all(lo <= hi):
        raise InputError(f"joint limits {lo.tolist()} to {hi.tolist()}; allowed: {len(index)} each, lower <= upper")
    lo.flags.writeable = hi.flags.writeable = False
    return lo, hi
