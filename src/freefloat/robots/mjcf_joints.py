"""Joints of an MJCF body: X_PC = X0 E1(q1) E2(q2) ..., with E_k the screw of its k-th joint in the body's own frame."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat.engine.graph import Joint, JointKind
from freefloat.frames import Pose
from freefloat.robots.mjcf_model import Model, mj

FREE, BALL = mj.mjtJoint.mjJNT_FREE, mj.mjtJoint.mjJNT_BALL
_KINDS: dict[int, JointKind] = {
    int(mj.mjtJoint.mjJNT_HINGE): "revolute",
    int(mj.mjtJoint.mjJNT_SLIDE): "prismatic",
}
_DRIVE = "use a drive or an effect of the mission"


class Joints:
    """Makes the joints of bodies."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, b: int) -> list[Joint]:
        """What ties body `b` to its parent: a fixed joint, or one or more in series; none for a free body."""
        model = self.model
        name, parent = model.body_names[b], model.body_names[int(model.m.body_parentid[b])]
        X_PC, items = model.pose("body", b), model.bodies[b].joints
        if any(item.type == FREE for item in items):
            self._check_free(items[0])
            return []
        if not items:
            own = model.joint_name_pool.free(f"{name}_joint")
            return [Joint(own, "fixed", parent, name, X_PC)]
        made = [joint for item in items for joint in self._moving(item, parent, name)]
        first = replace(made[0], X_PJ=X_PC @ made[0].X_PJ)
        return [first, *(replace(joint, series=True) for joint in made[1:])]

    def _check_free(self, item: Any) -> None:
        m, j, where = self.model.m, int(item.id), self.model.where("joint", item)
        dofs = slice(int(m.jnt_dofadr[j]), int(m.jnt_dofadr[j]) + 6)
        self._cannot_spring(j, where)
        for what, value in (
            ("stiffness", m.jnt_stiffness[j]),
            ("damping", m.dof_damping[dofs].max()),
            ("armature", m.dof_armature[dofs].max()),
            ("frictionloss", m.dof_frictionloss[dofs].max()),
        ):
            if value:
                self.model.reading.cannot(where, f"{what} = {value:g} of a free joint", _DRIVE)

    def _cannot_spring(self, j: int, where: str) -> None:
        m, dof = self.model.m, int(self.model.m.jnt_dofadr[j])
        for what, value in (
            ("springyield", m.jnt_springyield[j]),
            ("stiffness of second or third order", np.abs(m.jnt_stiffnesspoly[j]).max()),
            ("damping of second or third order", np.abs(m.dof_dampingpoly[dof]).max()),
        ):
            if value:
                self.model.reading.cannot(where, f"{what} = {value:g}", _DRIVE)

    def _moving(self, item: Any, parent: str, child: str) -> list[Joint]:
        where = self.model.where("joint", item, self.model.joint_names[int(item.id)])
        self._cannot_spring(int(item.id), where)
        if item.type == BALL:
            return self._ball(item, parent, child, where)
        return [self._hinge_or_slide(item, parent, child, where)]

    def _hinge_or_slide(self, item: Any, parent: str, child: str, where: str) -> Joint:
        """MuJoCo turns by q - ref about `pos` in the body's frame; X_JC takes the -ref and the way back from `pos`."""
        m, j = self.model.m, int(item.id)
        dof, qpos = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        values = {
            "damping": float(m.dof_damping[dof]),
            "stiffness": float(m.jnt_stiffness[j]),
            "armature": float(m.dof_armature[dof]),
            "frictionloss": float(m.dof_frictionloss[dof]),
        }
        for what, value in values.items():
            if value < 0.0:
                self.model.reading.problem(f"{where}: {what} = {value:g}; allowed: numbers >= 0")
        kind, axis, ref = _KINDS[int(m.jnt_type[j])], m.jnt_axis[j].copy(), float(m.qpos0[qpos])
        X_CJ = Pose(np.eye(3), m.jnt_pos[j])
        turn = np.concatenate([axis * -ref, np.zeros(3)] if kind == "revolute" else [np.zeros(3), axis * -ref])
        lower, upper = m.jnt_range[j].tolist() if m.jnt_limited[j] else (-math.inf, math.inf)
        return Joint(
            self.model.joint_names[j],
            kind,
            parent,
            child,
            X_CJ,
            axis=axis,
            X_JC=Pose.exp(turn) @ X_CJ.inverse(),
            lower=lower,
            upper=upper,
            effort=self._effort(j, where),
            damping=values["damping"],
            stiffness=values["stiffness"],
            springref=float(m.qpos_spring[qpos]) if values["stiffness"] else 0.0,
            armature=values["armature"],
            friction=values["frictionloss"],
        )

    def _effort(self, j: int, where: str) -> float:
        if not self.model.m.jnt_actfrclimited[j]:
            return math.inf
        low, high = self.model.m.jnt_actfrcrange[j].tolist()
        if low == -high:
            return high
        remedy = "give the same limit both ways"
        self.model.reading.cannot(where, f"actuatorfrcrange = {low:g} {high:g}", remedy)
        return math.inf

    def _ball(self, item: Any, parent: str, child: str, where: str) -> list[Joint]:
        """Three hinges about x, y and z, through the joint's point."""
        m, j = self.model.m, int(item.id)
        dof = int(m.jnt_dofadr[j])
        for what, value in (
            ("stiffness", m.jnt_stiffness[j]),
            ("damping", m.dof_damping[dof]),
            ("armature", m.dof_armature[dof]),
            ("frictionloss", m.dof_frictionloss[dof]),
        ):
            if value:
                self.model.reading.cannot(where, f"{what} = {value:g} of a ball joint", _DRIVE)
        what = "a ball joint is three hinges about x, y and z, which fail where the second is at +-90 deg"
        self.model.reading.alike(what, where)
        if m.jnt_limited[j]:
            self.model.reading.alike("the range of a ball joint is not kept", where)
        X_CJ = Pose(np.eye(3), m.jnt_pos[j])
        hinges: list[Joint] = []
        for letter, axis in zip("xyz", np.eye(3), strict=True):
            name = self.model.joint_name_pool.free(f"{self.model.joint_names[j]}_{letter}")
            hinges.append(Joint(name, "revolute", parent, child, X_CJ, axis=axis, X_JC=X_CJ.inverse()))
        return hinges
