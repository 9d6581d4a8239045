"""Drives of an arm, and dry friction of joints without one: from its file, or otherwise given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import Friction, load_drive
from freefloat.drives.rows import drive_row
from freefloat.engine.integrator import Dopri5
from freefloat.errors import InputError
from freefloat.robots import asset, load_mjcf, load_urdf
from freefloat.robots.gantry import gantry

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LIMIT = '<limit lower="-3" upper="3" effort="20" velocity="4"/>'
URDF = f"""<robot name="r"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
<link name="c">{INERTIAL}</link>
<joint name="dry" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{LIMIT}
<dynamics friction="2"/></joint>
<joint name="smooth" type="revolute"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>{LIMIT}</joint></robot>"""
LINK = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
MJCF = f"""<mujoco><worldbody><body name="a">{LINK}<body name="b">
<joint name="dry" axis="0 0 1" frictionloss="2" actuatorfrcrange="-20 20"/>{LINK}<body name="c">
<joint name="smooth" axis="1 0 0" actuatorfrcrange="-20 20"/>{LINK}</body></body></body></worldbody></mujoco>"""


def driven(graph: Any, tau: tuple[float, float], **of_arm: Any) -> ff.Session:
    """A floating robot after 1 s of constant efforts."""
    session = ff.Mission([ff.Arm("arm", graph, **of_arm)]).session()
    session.write("arm.tau", tau)
    session.step(1.0)
    return session


@pytest.mark.parametrize("graph", [load_urdf(URDF), load_mjcf(MJCF)], ids=["urdf", "mjcf"])
def test_a_joint_moves_once_its_effort_is_above_the_friction_of_its_file(graph: Any) -> None:
    held, moved = driven(graph, (1.0, 1.0)), driven(graph, (3.0, 0.0))
    assert abs(held.read("arm.q")[0]) < 1e-3
    assert held.read("arm.q")[1] == pytest.approx(0.75, rel=1e-2), "1 N m on 1 kg m^2 against 2"
    assert held.read("arm.friction") == pytest.approx([-1.0], rel=0.2)
    assert moved.read("arm.friction") == pytest.approx([-2.0], rel=1e-9)
    assert moved.read("arm.qd")[0] == pytest.approx(1.5, rel=2e-2), "1 N m left on 1 kg m^2 against 2"


def test_the_formats_mean_the_same() -> None:
    urdf, mjcf = driven(load_urdf(URDF), (3.0, 0.5)), driven(load_mjcf(MJCF), (3.0, 0.5))
    np.testing.assert_allclose(urdf.read("arm.q"), mjcf.read("arm.q"), rtol=1e-9)


def test_friction_that_is_given_takes_the_place_of_the_files() -> None:
    session = driven(load_urdf(URDF), (3.0, 3.0), friction=[Friction.dry(0.0), Friction.dry(5.0)])
    assert session.read("arm.qd")[0] > 2.0
    assert abs(session.read("arm.q")[1]) < 1e-2
    assert session.read("arm.friction").shape == (1,)


def test_without_friction_there_is_no_signal_of_it() -> None:
    session = driven(load_urdf(URDF), (0.0, 0.0), friction=[Friction.dry(0.0), None])
    with pytest.raises(InputError, match="friction"):
        session.read("arm.friction")


def test_a_joint_with_a_drive_has_the_friction_of_its_drive_alone() -> None:
    graph, drives = load_urdf(URDF), [load_drive("spider-wrist"), None]
    session = driven(graph, (0.0, 0.0), drives=drives)
    with pytest.raises(InputError, match="friction"):
        session.read("arm.friction")
    with pytest.raises(InputError, match="friction of the joint 'dry', which has a drive; allowed: in the drive"):
        driven(graph, (0.0, 0.0), drives=drives, friction=[Friction.dry(1.0), None])


def test_each_joint_needs_its_friction() -> None:
    with pytest.raises(InputError, match="1 frictions for 2 joints"):
        driven(load_urdf(URDF), (0.0, 0.0), friction=[None])
    with pytest.raises(InputError, match=r"friction of the joint 'smooth' is 2\.0; allowed: a Friction, or None"):
        driven(load_urdf(URDF), (0.0, 0.0), friction=[None, 2.0])


def test_an_arm_with_friction_from_its_file_runs_and_passes_its_audit() -> None:
    class Swing:
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {"tau": [4.0 * np.sin(2.0 * t), 0.3 * np.cos(t)]}

    task = ff.Task(Swing(), 0.01, writes={"tau": "arm.tau"})
    result = ff.Mission([ff.Arm("arm", load_urdf(URDF))], [task]).run(4.0, strict=True)
    assert result.audit.amounts["heat_J"] > 1.0
    assert np.abs(result["arm.friction"]).max() == pytest.approx(2.0, rel=0.05)


WALKER = load_drive("walker")


def arm(**options) -> ff.Arm:
    return ff.Arm("arm", load_urdf(asset("planar_two_link")), **options)


def test_driven_joints_have_signals_of_their_own_in_their_order() -> None:
    session = ff.Mission([arm(q=(0.1, 0.2), drives=[None, WALKER])]).session()
    assert session.read("arm.motor_q") == pytest.approx([100.0 * 0.2], abs=100.0 * WALKER.gear.kinematic_error)
    assert session.read("arm.current").size == session.read("arm.voltage").size == 2
    assert session.read("arm.winding_temperature") == pytest.approx([WALKER.motor.ambient])
    assert session.read("arm.tau_applied").shape == (2,)


def test_a_driven_joint_leaves_the_armature_of_its_file_to_the_drive() -> None:
    graph = load_urdf(asset("planar_two_link"))
    heavy = replace(graph, joints=tuple(replace(j, armature=0.3) for j in graph.joints))
    model = ff.Mission([ff.Arm("arm", heavy, drives=[None, WALKER])]).session().world.compiled().model
    assert model.dof_armature[6:].tolist() == [0.3, 0.0]


def test_drives_that_do_not_fit_are_refused_with_place_value_and_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"part 'arm': drive 'walker' of joint .*; allowed: None, or a JointDrive"):
        ff.Mission([arm(drives=["walker", "walker"])])
    with pytest.raises(InputError, match="part 'arm': 1 drives for 2 joints"):
        ff.Mission([arm(drives=[WALKER])])
    with pytest.raises(InputError, match=r"drive 'walker' on the prismatic joint .*; allowed: on revolute joints"):
        ff.Mission([ff.Arm("gantry", gantry(), drives=[WALKER, None, None])])
    with pytest.raises(InputError, match="which Dopri54 cannot run: its error estimate does not see such states"):
        ff.Mission([arm(drives=[WALKER, WALKER])], integrator=ff.Dopri54()).session()


def test_a_second_drive_on_a_joint_is_refused_with_both_names() -> None:
    one = arm(drives=[WALKER, None])
    name = f"arm.{next(j.name for j in one.graph.joints if j.kind != 'fixed')}"
    second = drive_row("more", WALKER, name, "arm.base", np.array([0.0, 0.0, 1.0]), 0.0, ("arm.tau", 0))
    with pytest.raises(InputError, match=f"joint '{name}' has two drives, '{name}.drive' and 'more'; allowed: one"):
        ff.Mission([one], rows=[second]).session()


def test_too_few_substeps_are_refused_with_those_that_do() -> None:
    few = replace(WALKER, substeps=2)
    with pytest.raises(InputError, match=r"drive 'walker': 2 substeps of a step of 1 ms are too few .*; allowed: >= 6"):
        ff.Mission([arm(drives=[few, few])], integrator=Dopri5(1e-3)).session()
    ff.Mission([arm(drives=[replace(WALKER, substeps=6)] * 2)], integrator=Dopri5(1e-3)).session()


def test_a_run_begins_with_its_gears_unwound() -> None:
    session = ff.Mission([arm(q=(0.31, -0.9), drives=[load_drive("spider-shoulder"), WALKER])]).session()
    assert np.abs(session.read("arm.torque_gear")).max() < 1e-9
