from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.engine.graph import Coupling, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots import load_urdf

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def chain(*joints: tuple[str, str, str], **options: str) -> LinkGraph:
    """Links l0, l1, ... joined by (name, type, inside)."""
    links = [f'<link name="l{i}">{INERTIAL}</link>' for i in range(len(joints) + 1)]
    parts = [
        f'<joint name="{name}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>{inside}</joint>'
        for i, (name, kind, inside) in enumerate(joints)
    ]
    return load_urdf(f'<robot name="r">{"".join(links + parts)}</robot>', **options)


def test_mimic_couples_a_joint_and_chains_are_resolved_to_a_leader_that_is_free() -> None:
    graph = chain(
        ("a", "continuous", ""),
        ("b", "continuous", '<mimic joint="a" multiplier="2" offset="0.5"/>'),
        ("c", "prismatic", LIMIT + '<mimic joint="b" multiplier="-3"/>'),
    )
    assert graph.couplings == (
        Coupling("b", "a", (0.5, 2.0, 0.0, 0.0, 0.0)),
        Coupling("c", "a", (-1.5, -6.0, 0.0, 0.0, 0.0)),
    )


def test_a_joint_that_follows_itself_or_nobody_is_refused_and_a_wrong_leader_can_be_skipped() -> None:
    with pytest.raises(ModelError, match="joint 'a' follows itself"):
        chain(("a", "continuous", '<mimic joint="b"/>'), ("b", "continuous", '<mimic joint="a"/>'))
    lost = ("a", "continuous", '<mimic joint="bb"/>')
    with pytest.raises(ModelError, match=r"unknown joint 'bb'. Did you mean 'b'\?"):
        chain(lost, ("b", "continuous", ""))
    assert chain(lost, ("b", "continuous", ""), unsupported="skip").couplings == ()


def test_a_joint_whose_leader_is_fixed_is_held_at_its_offset() -> None:
    graph = chain(("a", "fixed", ""), ("b", "continuous", '<axis xyz="0 0 1"/><mimic joint="a" offset="0.25"/>'))
    assert [j.kind for j in graph.joints] == ["fixed", "fixed"]
    assert graph.joints[1].X_PJ.is_close(Pose.from_rpy((0.0, 0.0, 0.25)))


@pytest.mark.parametrize(
    ("limit", "expected", "note"),
    [
        ('<limit lower="-1" upper="1" effort="0" velocity="0"/>', (-1.0, 1.0, math.inf, math.inf), 'effort = "0"'),
        ('<limit lower="-1" upper="1"/>', (-1.0, 1.0, math.inf, math.inf), "no effort"),
        ('<limit effort="3" velocity="4"/>', (-math.inf, math.inf, 4.0, 3.0), "neither lower nor upper"),
        ("", (-math.inf, math.inf, math.inf, math.inf), "<limit> is missing"),
        ('<limit lower="-1e16" upper="1e16" effort="3" velocity="4"/>', (-math.inf, math.inf, 4.0, 3.0), ""),
    ],
)
def test_limits_that_are_not_given_do_not_bind_and_are_told(limit: str, expected: tuple[float, ...], note: str) -> None:
    graph = chain(("a", "revolute", limit))
    j = graph.joints[0]
    assert (j.lower, j.upper, j.velocity, j.effort) == expected
    assert any(note in told for told in graph.notes) or not note


def test_a_continuous_joint_has_no_limits_of_position_whatever_the_file_says() -> None:
    graph = chain(("a", "continuous", LIMIT))
    assert (graph.joints[0].lower, graph.joints[0].effort) == (-math.inf, 3.0)
    assert graph.notes == ("<text>:1: <joint name='a'>: lower and upper of a continuous joint are read past",)


def test_what_a_fixed_joint_cannot_use_is_read_past_unchecked() -> None:
    graph = chain(("a", "fixed", '<axis xyz="0 0 0"/><limit effort="nobody knows"/>'))
    assert [note.split(": ")[2] for note in graph.notes] == [
        "<axis> of a fixed joint is read past",
        "<limit> of a fixed joint is read past",
    ]


def test_a_planar_joint_slides_twice_across_its_axis_and_turns_about_it(forward_kinematics) -> None:
    graph = chain(("p", "planar", '<origin xyz="0 0 1"/><axis xyz="0 0 2"/>'))
    assert [(j.name, j.kind, j.series) for j in graph.joints] == [
        ("p_x", "prismatic", False),
        ("p_y", "prismatic", True),
        ("p_theta", "revolute", True),
    ]
    X = forward_kinematics(graph, {"p_x": 2.0, "p_y": 3.0, "p_theta": 0.5})["l1"]
    assert X.is_close(Pose.from_rpy((0.0, 0.0, 0.5), (2.0, 3.0, 1.0)))


def test_a_floating_joint_leaves_its_child_free_where_the_file_puts_it() -> None:
    graph = chain(("a", "continuous", '<origin xyz="1 0 0"/>'), ("f", "floating", '<origin xyz="0 2 0"/>'))
    assert [j.name for j in graph.joints] == ["a"]
    assert list(graph.floating) == ["l2"]
    np.testing.assert_allclose(graph.floating["l2"].p, [1.0, 2.0, 0.0])


def test_bullets_spherical_joint_is_three_turns_in_series() -> None:
    graph = chain(("s", "spherical", ""))
    assert [(j.name, j.axis.tolist()) for j in graph.joints] == [
        ("s_x", [1.0, 0.0, 0.0]),
        ("s_y", [0.0, 1.0, 0.0]),
        ("s_z", [0.0, 0.0, 1.0]),
    ]


DYNAMICS = '<dynamics damping="0.5" friction="0.1"/>'


def test_each_coordinate_of_a_planar_joint_has_its_effort_velocity_damping_and_friction() -> None:
    graph = chain(("p", "planar", '<limit effort="3" velocity="4"/>' + DYNAMICS))
    assert [(j.effort, j.velocity, j.damping, j.friction) for j in graph.joints] == [(3.0, 4.0, 0.5, 0.1)] * 3
    assert any("hold for each of the three" in note for note in graph.notes)


def test_limits_and_losses_that_none_of_three_joints_in_series_can_keep_are_told() -> None:
    with pytest.raises(ModelError, match="lower = -1 of a planar joint is not supported"):
        chain(("p", "planar", LIMIT))
    graph = chain(("s", "spherical", LIMIT + DYNAMICS), unsupported="skip")
    assert [s.split(": ")[-1].split(" =")[0] for s in graph.skipped] == [
        *("lower", "upper", "effort", "velocity", "damping", "friction"),
    ]
    assert chain(("s", "spherical", '<limit lower="0" upper="0" effort="0" velocity="0"/>')).skipped == ()


@pytest.mark.parametrize("kind", ["planar", "spherical", "floating"])
def test_a_mimic_of_or_after_a_joint_of_several_coordinates_is_told(kind: str) -> None:
    follower = ("p", kind, '<mimic joint="a"/>'), ("a", "continuous", "")
    with pytest.raises(ModelError, match=f"a mimic of a {kind} joint is not supported"):
        chain(*follower)
    leader = ("p", kind, ""), ("a", "continuous", '<mimic joint="p"/>')
    with pytest.raises(ModelError, match="the leader 'p', which is no single joint, is not supported"):
        chain(*leader)
    assert chain(*leader, unsupported="skip").couplings == ()
