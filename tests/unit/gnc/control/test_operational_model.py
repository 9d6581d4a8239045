"""What operational-space control knows of its arm, against MuJoCo's own functions and differences."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from freefloat.compiled import onboard
from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_log
from freefloat.gnc.control.inverse_dynamics import Mass, Places
from freefloat.gnc.control.operational_model import ArmModel, stand, tip_jacobian, tip_pose

Make = Callable[..., ArmModel]
TILTED = Pose.from_rpy((0.4, -0.7, 1.1), (0.2, -0.3, 0.5))  # of the mount on the base
Q = np.array([-0.3, 0.4, 0.2, 1.2, -0.5, 0.8, 0.3])
QD = np.array([0.1, -0.2, 0.3, 0.05, -0.4, 0.2, 0.6])


@onboard
def _tip(places: Places, hand: Places, frames: Array, q: Array, p: Array, R: Array, J: Array) -> None:
    stand(places, q)
    tip_pose(hand, frames, p, R)
    tip_jacobian(places, hand, frames, J)


def tip_of(arm: ArmModel, q: Array) -> tuple[Array, Array, Array]:
    p, R, J = np.empty(3), np.empty((3, 3)), np.empty((6, q.size))
    arm.inertia(q)  # what `tip_jacobian` asks for
    arm.floating.data.xpos[:] = np.nan  # places must come from `stand`
    _tip(arm.floating.places, arm.hand, arm.frames, q, p, R, J)
    return p, R, J


def placed(arm: ArmModel, q: Array) -> mujoco.MjData:
    """The model with its base turned and moved: what is told in A must not depend on it."""
    data = mujoco.MjData(arm.model)
    data.qpos[:7] = 1.0, -2.0, 3.0, *Pose.from_rpy((1.0, 0.3, -0.8)).q
    for name, value in zip(arm.joints, q, strict=True):
        data.joint(name).qpos = value
    mujoco.mj_forward(arm.model, data)
    return data


def test_the_pose_of_the_tip_in_a_tilted_mount_is_that_of_mujocos_site(spider_on: Make) -> None:
    arm = spider_on(TILTED)
    for q in (Q, -0.6 * Q, np.zeros(7)):
        p, R, _ = tip_of(arm, q)
        data = placed(arm, q)
        A, T = data.body("arm.base"), data.site("arm.tool")
        R_WA = A.xmat.reshape(3, 3)
        assert p == pytest.approx(R_WA.T @ (T.xpos - A.xpos), abs=1e-12)
        assert pytest.approx(R_WA.T @ T.xmat.reshape(3, 3), abs=1e-12) == R


def test_the_jacobian_of_the_tip_is_the_difference_of_its_pose(spider_on: Make) -> None:
    arm, h = spider_on(TILTED), 1e-6
    J = tip_of(arm, Q)[2]
    for i, step in enumerate(h * np.eye(7)):
        (ahead, R_ahead, _), (behind, R_behind, _) = tip_of(arm, Q + step), tip_of(arm, Q - step)
        column = np.concatenate([so3_log(R_ahead @ R_behind.T), ahead - behind]) / (2.0 * h)
        assert J[:, i] == pytest.approx(column, abs=1e-8)


def test_the_inertia_gives_the_energy_of_a_motion_without_momentum(spider_on: Make) -> None:
    arm = spider_on(TILTED)
    data, full = placed(arm, Q), np.empty((arm.model.nv, arm.model.nv))
    mujoco.mj_fullM(arm.model, data, full)
    dofs = [int(arm.model.joint(name).dofadr[0]) for name in arm.joints]
    data.qvel[dofs] = QD
    data.qvel[:6] = -np.linalg.solve(full[:6, :6], full[:6][:, dofs] @ QD)
    mujoco.mj_fwdVelocity(arm.model, data)
    mujoco.mj_energyVel(arm.model, data)
    assert 0.5 * QD @ arm.inertia(Q) @ QD == pytest.approx(data.energy[1], rel=1e-10)
    assert data.energy[1] < 0.9 * 0.5 * QD @ full[np.ix_(dofs, dofs)] @ QD  # the base gives way


def test_a_payload_adds_its_own_inertia_through_its_jacobian_and_leaves_no_trace(spider_on: Make) -> None:
    arm = spider_on(mass=1e9)  # a base that does not give way
    place, spread = np.array([0.05, -0.1, 0.4]), np.diag([2.0, 3.0, 1.5])
    before = arm.inertia(Q)
    data = placed(arm, Q)
    hand, Jp, Jr = data.body("arm.hand"), np.empty((3, arm.model.nv)), np.empty((3, arm.model.nv))
    R = hand.xmat.reshape(3, 3)
    mujoco.mj_jac(arm.model, data, Jp, Jr, hand.xpos + R @ place, arm.model.body("arm.hand").id)
    dofs = [int(arm.model.joint(name).dofadr[0]) for name in arm.joints]
    v, w = Jp[:, dofs], R.T @ Jr[:, dofs]
    arm.carry(Mass(30.0, place, spread))
    assert arm.inertia(Q) - before == pytest.approx(30.0 * v.T @ v + w.T @ spread @ w, abs=1e-4)
    arm.carry(Mass.none())
    assert arm.inertia(Q) == pytest.approx(before, rel=1e-12, abs=1e-12)


def test_the_range_of_inertia_is_of_all_postures_and_held_joints_feel_more(spider_on: Make) -> None:
    arm = spider_on()
    (low, high), (low_0, high_0) = arm.inertia_range([Q, np.zeros(7)]), arm.inertia_range([np.zeros(7)])
    assert (low < high).all()
    assert (low <= low_0).all()
    assert (high >= high_0).all()
    M = arm.inertia(Q)
    torque = np.linalg.solve(M, np.eye(7))  # accelerations of all joints by 1 N m at one
    assert arm.inertia_range([Q])[0] == pytest.approx(1.0 / np.diagonal(torque), rel=1e-12)


def test_a_site_that_is_not_there_is_refused(spider_on: Make) -> None:
    arm = spider_on()
    with pytest.raises(InputError, match=r"unknown site 'arm\.tol'.*arm\.tool"):
        ArmModel(arm.model, arm.joints, "arm.base", "arm.tol", "arm.hand", arm.lower, arm.upper)
