"""Massless and thin links: merged, in series, or what the robot stands on, with the motion of the whole unchanged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freefloat.engine.graph import WORLD, Coupling, Joint, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import parallel_axis
from freefloat.robots.assembly import DeclaredJoint, DeclaredLink, Inertial, assemble
from freefloat.robots.movable import mass_matrix, undetermined
from freefloat.robots.reading import Reading

X = Pose.from_rpy((0.3, -0.2, 0.5), (0.1, 0.2, 0.3))
FULL = np.diag([0.1, 0.2, 0.25])


def body(name: str, mass: float = 2.0, moments: object = FULL, shape: bool = False) -> DeclaredLink:
    inertial = (
        Inertial(mass, np.array([0.1, 0.0, 0.2]), np.array(moments, dtype=float)) if mass or np.any(moments) else None
    )
    shapes = (Shape("sphere", (0.1,)),) if shape else ()
    return DeclaredLink(name, inertial, f"f:1: <link name='{name}'>", shapes)


def empty(name: str, shape: bool = False) -> DeclaredLink:
    return body(name, 0.0, 0.0, shape)


def joint(name: str, kind: str, parent: str, child: str, axis: tuple[float, ...] = (0, 0, 1)) -> DeclaredJoint:
    return DeclaredJoint(
        Joint(name, kind, parent, child, X, np.array(axis, dtype=float)), f"f:2: <joint name='{name}'>"
    )


def exact(graph: LinkGraph) -> np.ndarray:
    """The mass matrix of a graph."""
    return mass_matrix(graph, {k.name: Inertial(k.mass, k.p_LLcm, k.I_LLcm_L) for k in graph.links})[1]


def test_a_point_mass_is_merged_into_the_link_it_is_fixed_to_by_the_parallel_axis_theorem() -> None:
    point = body("camera", 0.5, np.zeros((3, 3)))
    graph = assemble([body("a"), point], [joint("f", "fixed", "a", "camera")], "f")
    (link,) = graph.links
    p, q = np.array([0.1, 0.0, 0.2]), X.apply([0.1, 0.0, 0.2])
    centre = (2.0 * p + 0.5 * q) / 2.5
    inertia = parallel_axis(FULL, 2.0, p - centre) + parallel_axis(np.zeros((3, 3)), 0.5, q - centre)
    assert link.mass == 2.5
    np.testing.assert_allclose(link.p_LLcm, centre, atol=1e-15)
    np.testing.assert_allclose(link.I_LLcm_L, inertia, atol=1e-15)
    assert link.frames["camera"].is_close(X)
    assert "0.5 kg with no inertia: merged into link 'a'" in graph.notes[0]


def test_merging_leaves_the_mass_matrix_of_the_whole_as_it_is() -> None:
    """The same robot with an inertia of the camera that is too small to matter is not merged."""
    joints = [joint("j", "revolute", "a", "b"), joint("f", "fixed", "b", "camera")]
    merged = assemble([body("a"), body("b"), body("camera", 0.5, np.zeros((3, 3)))], joints, "f")
    kept = assemble([body("a"), body("b"), body("camera", 0.5, 1e-13 * np.eye(3))], joints, "f")
    assert (len(merged.links), len(kept.links)) == (2, 3)
    np.testing.assert_allclose(exact(merged), exact(kept), rtol=0.0, atol=1e-12)


def test_an_inertia_that_no_body_has_by_itself_may_be_part_of_one() -> None:
    odd = body("sensor", 1e-3, 1e-6 * np.ones((3, 3)))
    graph = assemble([odd, body("a")], [joint("f", "fixed", "sensor", "a")], "f")
    assert (graph.root, [k.mass for k in graph.links]) == ("a", [2.001])
    assert graph.links[0].frames["sensor"].is_close(X.inverse())


def test_massless_links_above_the_massive_one_hang_from_it_and_the_joint_ends_there() -> None:
    links = [body("a"), empty("flange", shape=True), body("b")]
    graph = assemble(links, [joint("j", "revolute", "a", "flange"), joint("f", "fixed", "flange", "b")], "f")
    (j,) = graph.joints
    assert (j.name, j.parent, j.child) == ("j", "a", "b")
    assert j.X_JC.is_close(X)
    assert graph.links[1].frames["flange"].is_close(X.inverse())
    assert len(graph.links[1].shapes) == 1


def test_a_massless_root_with_several_fixed_children_gives_way_to_the_heaviest() -> None:
    links = [empty("base"), body("light", 0.1), body("heavy", 5.0), body("arm")]
    joints = [
        joint("l", "fixed", "base", "light"),
        joint("h", "fixed", "base", "heavy"),
        joint("j", "revolute", "base", "arm"),
    ]
    graph = assemble(links, joints, "f")
    assert graph.root == "heavy"
    assert [(j.name, j.kind, j.parent) for j in graph.joints] == [("l", "fixed", "heavy"), ("j", "revolute", "heavy")]
    assert graph.joints[0].X_PJ.is_close(Pose.identity())


def test_joints_around_a_massless_link_are_in_series_and_move_the_child_as_before(forward_kinematics) -> None:
    links = [body("a"), empty("x", shape=True), empty("y"), body("b")]
    joints = [
        joint("j3", "revolute", "y", "b", (1, 0, 0)),
        joint("j1", "revolute", "a", "x", (0, 0, 1)),
        joint("j2", "prismatic", "x", "y", (0, 1, 0)),
    ]
    graph = assemble(links, joints, "f")
    assert [(j.name, j.series, j.parent, j.child) for j in graph.joints] == [
        ("j1", False, "a", "b"),
        ("j2", True, "a", "b"),
        ("j3", True, "a", "b"),
    ]
    q = {"j1": 0.4, "j2": 0.3, "j3": -0.7}
    turn, slide = Pose.from_rpy((0.0, 0.0, 0.4)), Pose(np.eye(3), (0.0, 0.3, 0.0))
    expected = X @ turn @ X @ slide @ X @ Pose.from_rpy((-0.7, 0.0, 0.0))
    assert forward_kinematics(graph, q)["b"].is_close(expected)
    assert graph.notes == (
        "f:1: <link name='x'>: has no mass and moves between joints in series: no frame, and no shapes (and 1 more)",
    )


def test_a_massless_link_that_carries_two_joints_stays_with_next_to_no_mass() -> None:
    links = [body("a"), empty("x"), body("b"), body("c")]
    joints = [joint("j", "revolute", "a", "x"), joint("k", "revolute", "x", "b"), joint("m", "revolute", "x", "c")]
    graph = assemble(links, joints, "f")
    assert [k.name for k in graph.links] == ["a", "x", "b", "c"]
    assert graph.links[1].mass < 1e-11
    assert "several joints hang from it" in graph.notes[0]


def test_a_massless_root_with_moving_joints_is_what_the_robot_stands_on() -> None:
    graph = assemble([empty("rail", shape=True), body("a")], [joint("j", "prismatic", "rail", "a")], "f")
    assert (graph.root, graph.joints[0].parent) == (WORLD, WORLD)
    assert len(graph.ground) == 1


def test_joints_may_hang_from_the_world_and_free_links_float_where_they_are_put() -> None:
    free = DeclaredJoint(Joint("f", "fixed", WORLD, "b", X), "f:2", free=True)
    graph = assemble([body("a"), body("b")], [joint("j", "fixed", WORLD, "a"), free], "f")
    assert (graph.root, [(j.parent, j.child) for j in graph.joints]) == (WORLD, [(WORLD, "a")])
    assert graph.floating["b"].is_close(X)


def test_a_joint_that_moves_no_mass_is_refused_or_held_with_all_that_it_leads() -> None:
    links = [body("a"), empty("tip"), body("b")]
    joints = [joint("j", "revolute", "a", "tip"), joint("k", "revolute", "a", "b")]
    led = [Coupling("k", "j", (0.25, 1.0, 0.0, 0.0, 0.0))]
    with pytest.raises(ModelError, match=r"^f:2: <joint name='j'>: a joint that moves link 'tip', which has no mass"):
        assemble(links, joints, "f", Reading(), led)
    graph = assemble(links, joints, "f", Reading("skip"), led)
    assert [(j.name, j.kind) for j in graph.joints] == [("k", "fixed")]
    assert graph.joints[0].X_PJ.is_close(X @ Pose.from_rpy((0.0, 0.0, 0.25)))
    assert graph.links[0].frames["tip"].is_close(X)
    assert graph.couplings == ()


def test_a_point_mass_moves_where_its_motion_is_determined_and_not_on_its_own_axis() -> None:
    aside = body("b", 1.0, np.zeros((3, 3)))
    graph = assemble([body("a"), aside], [joint("j", "revolute", "a", "b")], "f")
    assert graph.links[1].I_LLcm_L.tolist() == (1e-14 * np.eye(3)).tolist()
    on_axis = replace(aside, inertial=Inertial(1.0, np.array([0.0, 0.0, 0.2]), np.zeros((3, 3))))
    with pytest.raises(ModelError, match="a joint that turns or shifts no inertia"):
        assemble([body("a"), on_axis], [joint("j", "revolute", "a", "b")], "f")
    graph = assemble([body("a"), on_axis], [joint("j", "revolute", "a", "b")], "f", Reading("skip"))
    assert [k.mass for k in graph.links] == [3.0]


def test_a_point_mass_on_three_crossing_axes_has_one_turn_too_many() -> None:
    """Each axis alone turns it, but it has two ways to move at a distance from where they cross."""
    at = {"X_PJ": Pose.identity()}
    joints = [
        joint(n, "revolute", p, c, a)
        for n, p, c, a in (("x", "a", "u", (1, 0, 0)), ("y", "u", "v", (0, 1, 0)), ("z", "v", "b", (0, 0, 1)))
    ]
    joints = [replace(j, joint=replace(j.joint, **at)) for j in joints]
    links = [body("a"), empty("u"), empty("v"), body("b", 1.0, np.zeros((3, 3)))]
    with pytest.raises(ModelError, match="turns or shifts no inertia"):
        assemble(links, joints, "f")
    assert len(assemble([*links[:3], body("b")], joints, "f").joints) == 3


def test_inertias_are_balanced_below_five_percent_on_demand_and_replaced_beyond_with_skip() -> None:
    near, far = body("a", 1.0, np.diag([1.0, 1.0, 2.05])), body("a", 1.0, np.diag([1.0, 1.0, 4.0]))
    with pytest.raises(ModelError, match=r"by 2.44% of it .*balance=true"):
        assemble([near], [], "f")
    np.testing.assert_allclose(
        assemble([near], [], "f", Reading(balance=True)).links[0].I_LLcm_L, np.diag([1.025, 1.025, 2.05]), rtol=1e-8
    )
    with pytest.raises(ModelError, match=r"by 50.00% of it \(principal moments 1, 1, 4 kg m\^2\) is not supported"):
        assemble([far], [], "f", Reading(balance=True))
    graph = assemble([far], [], "f", Reading("skip"))
    np.testing.assert_allclose(graph.links[0].I_LLcm_L, np.diag([2.0, 2.0, 4.0]), rtol=1e-8)
    assert graph.skipped[0].endswith("taken as principal moments 2, 2, 4 kg m^2")


def test_negative_moments_stay_refused_with_balance() -> None:
    negative = body("a", 1.0, np.diag([-0.01, 1.0, 1.0]))
    with pytest.raises(ModelError, match="negative moment"):
        assemble([negative], [], "f", Reading(balance=True))


def test_several_problems_are_told_at_once() -> None:
    links = [body("a", 1.0, np.diag([1.0, 1.0, 4.0])), empty("b"), empty("c")]
    with pytest.raises(ModelError) as caught:
        assemble(links, [joint("j", "revolute", "a", "b"), joint("k", "revolute", "a", "c")], "f")
    assert len(str(caught.value).splitlines()) == 3


def test_a_model_without_coordinates_has_none_that_is_undetermined() -> None:
    assert undetermined(LinkGraph((), (), WORLD), {}) == ""
