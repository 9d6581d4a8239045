"""The shipped walking manipulator: figures, and its symmetry under half a turn about x at the elbow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.engine.graph import LinkGraph
from freefloat.engine.tree import compile_tree
from freefloat.frames import Pose
from freefloat.gnc.control.free_floating import generalised_inertia
from freefloat.robots import load_robot

HALF_TURN = Pose.from_rpy((math.pi, 0.0, 0.0))


@pytest.fixture(scope="module")
def graph() -> LinkGraph:
    return load_robot("walking_manipulator")


def random_angles(graph: LinkGraph, rng: np.random.Generator) -> dict[str, float]:
    return {j.name: float(rng.uniform(j.lower, j.upper)) for j in graph.joints}


def reversed_angles(q: dict[str, float]) -> dict[str, float]:
    return dict(zip(q, reversed(q.values()), strict=True))


def test_it_has_the_length_mass_and_limits_of_its_specification(graph: LinkGraph, forward_kinematics) -> None:
    assert ["xyz"[int(np.argmax(j.axis))] for j in graph.joints] == list("zyzyzyz")
    X = forward_kinematics(graph, {})
    assert (X["end_a"].inverse() @ X["end_b"]).is_close(Pose(HALF_TURN.R, (0.0, 0.0, -1.6)), 1e-12)
    pitch = [float(X[j.child].p[2]) for j in graph.joints if j.axis[1] == 1.0]
    assert np.diff([0.0, *pitch, 1.6]) == pytest.approx([0.15, 0.65, 0.65, 0.15], abs=1e-12)
    assert sum(link.mass for link in graph.links) == pytest.approx(14.0, rel=1e-12)
    assert all(j.effort == 100.0 and j.velocity == pytest.approx(math.radians(20.0)) for j in graph.joints)
    assert all(j.lower == -j.upper for j in graph.joints)


def test_both_end_frames_look_away_from_the_robot(graph: LinkGraph, forward_kinematics) -> None:
    X = forward_kinematics(graph, {})
    assert graph.root == "hand_a"
    assert X["end_a"].R[:, 2] == pytest.approx([0.0, 0.0, -1.0], abs=1e-15)
    assert X["end_b"].R[:, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)


def test_seen_from_end_b_at_reversed_angles_it_is_the_robot_seen_from_end_a(
    graph: LinkGraph, forward_kinematics
) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        q = random_angles(graph, rng)
        X, Y = forward_kinematics(graph, q), forward_kinematics(graph, reversed_angles(q))
        X_AB, Y_BA = X["end_a"].inverse() @ X["end_b"], Y["end_b"].inverse() @ Y["end_a"]
        assert X_AB.is_close(Y_BA, 1e-12)
        for link, twin in zip(graph.links, reversed(graph.links), strict=True):
            cm = X["end_a"].inverse() @ X[link.name]
            twin_cm = Y["end_b"].inverse() @ Y[twin.name]
            assert cm.apply(link.p_LLcm) == pytest.approx(twin_cm.apply(twin.p_LLcm), abs=1e-9)
            I_A = cm.R @ link.I_LLcm_L @ cm.R.T
            I_B = twin_cm.R @ twin.I_LLcm_L @ twin_cm.R.T
            np.testing.assert_allclose(I_A, I_B, atol=1e-9)
            assert link.mass == pytest.approx(twin.mass, rel=1e-12)


def test_the_joints_feel_the_same_inertia_from_either_end(graph: LinkGraph) -> None:
    rng = np.random.default_rng(5)
    trees = {end: compile_tree(graph.links, graph.joints, (), [f"hand_{end}"]) for end in "ab"}
    dofs = {end: np.array([tree.rate[j.name] for j in graph.joints]) for end, tree in trees.items()}
    for _ in range(10):
        q = random_angles(graph, rng)
        for name, angle in q.items():
            trees["a"].data.joint(name).qpos = angle
        for name, angle in reversed_angles(q).items():
            trees["b"].data.joint(name).qpos = angle
        M_a, M_b = (generalised_inertia(trees[e].model, trees[e].data, dofs[e]) for e in "ab")
        assert M_a == pytest.approx(M_b[::-1, ::-1], rel=0.0, abs=1e-8)


def test_the_shapes_of_both_halves_are_images_of_each_other(graph: LinkGraph, forward_kinematics) -> None:
    X = forward_kinematics(graph, {})
    middle = Pose(HALF_TURN.R, (0.0, 0.0, 1.6))
    for link, twin in zip(graph.links, reversed(graph.links), strict=True):
        theirs = [(s, middle @ X[twin.name] @ s.X_LG) for s in twin.shapes]
        assert len(link.shapes) == len(theirs)
        for shape in link.shapes:
            here = (X[link.name] @ shape.X_LG).p
            same = [s for s, X_RG in theirs if np.allclose(X_RG.p, here, atol=1e-9)]
            assert [(s.kind, s.size, s.rgba) for s in same] == [(shape.kind, shape.size, shape.rgba)]
