"""Drives of an arm: what fits and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import load_drive
from freefloat.drives.rows import drive_row
from freefloat.engine.integrator import Dopri5
from freefloat.errors import InputError
from freefloat.robots import asset, load_urdf
from freefloat.robots.gantry import gantry

WALKER = load_drive("walker")


def arm(**options) -> ff.Arm:
    return ff.Arm("arm", load_urdf(asset("planar_two_link")), **options)


def test_driven_joints_have_signals_of_their_own_in_their_order() -> None:
    session = ff.Mission([arm(q=(0.1, 0.2), drives=[None, WALKER])]).session()
    assert session.read("arm.motor_q") == pytest.approx([100.0 * 0.2])
    assert session.read("arm.current").size == session.read("arm.voltage").size == 2
    assert session.read("arm.winding_temperature") == pytest.approx([WALKER.motor.ambient])
    assert session.read("arm.tau_applied").shape == (2,)


def test_a_driven_joint_leaves_the_armature_of_its_file_to_the_drive() -> None:
    graph = load_urdf(asset("planar_two_link"))
    heavy = replace(graph, joints=tuple(replace(j, armature=0.3) for j in graph.joints))
    model = ff.Mission([ff.Arm("arm", heavy, drives=[None, WALKER])]).session().world.compiled().model
    assert model.dof_armature[6:].tolist() == [0.3, 0.0]


def test_drives_that_do_not_fit_are_refused_with_place_value_and_what_is_allowed() -> None:
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
