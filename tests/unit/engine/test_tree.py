"""From the graph to MuJoCo's trees: roots, joint signs, loops, refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.engine.tree import WORLD, Tree, compile_tree, principal_axes, spanning_edges
from freefloat.errors import InputError, ModelError
from freefloat.frames import Pose
from freefloat.verify.models import random_tree


def link(name: str, mass: float = 1.0, inertia: Any = (1.0, 1.0, 1.0)) -> Link:
    return Link(name, mass, np.zeros(3), np.diag(np.asarray(inertia, dtype=float)))


def edge(name: str, parent: str, child: str, kind: Any = "revolute") -> Joint:
    return Joint(name, kind, parent, child, Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))


def forward_kinematics(graph: LinkGraph, q: dict[str, float]) -> dict[str, Pose]:
    """X_RL of every link by plain products along the joints, in either direction."""
    X_RL = {graph.root: Pose.identity()}
    left = list(graph.joints)
    while left:
        j = next(j for j in left if j.parent in X_RL or j.child in X_RL)
        left.remove(j)
        twist = np.concatenate([j.axis, np.zeros(3)] if j.kind == "revolute" else [np.zeros(3), j.axis])
        X_PC = j.X_PJ @ Pose.exp(q[j.name] * twist) @ j.X_JC
        if j.parent in X_RL:
            X_RL[j.child] = X_RL[j.parent] @ X_PC
        else:
            X_RL[j.parent] = X_RL[j.child] @ X_PC.inverse()
    return X_RL


def poses(tree: Tree, q: dict[str, float], qd: dict[str, float]) -> tuple[dict[str, Pose], dict[str, np.ndarray]]:
    """Poses and angular velocities (in W) of all links with the root at the origin and at rest."""
    m, d = tree.model, tree.data
    for name, value in q.items():
        d.qpos[tree.coordinate[name]] = value
        d.qvel[tree.rate[name]] = qd[name]
    mujoco.mj_forward(m, d)
    X = {name: Pose.from_quat(d.xquat[b], d.xpos[b]) for name, b in tree.body.items()}
    return X, {name: d.cvel[b, :3].copy() for name, b in tree.body.items()}


@pytest.mark.parametrize("seed", range(4))
def test_joint_coordinates_mean_the_same_whichever_link_is_the_root(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    graph = random_tree(rng, 6)
    q, qd = ({j.name: float(rng.normal()) for j in graph.joints} for _ in range(2))
    truth = forward_kinematics(graph, q)
    small = 1e-6
    later = forward_kinematics(graph, {n: v + small * qd[n] for n, v in q.items()})
    for root in (link.name for link in graph.links):
        tree = compile_tree(graph.links, graph.joints, (), [root])
        assert tree.roots == (root,)
        X_WL, w_WL = poses(tree, q, qd)
        for name, X in X_WL.items():
            expected = truth[root].inverse() @ truth[name]
            assert np.allclose(X.matrix(), expected.matrix(), atol=1e-12), (root, name)
            moved = (later[root].inverse() @ later[name]).R @ expected.R.T
            rate = np.array([moved[2, 1], moved[0, 2], moved[1, 0]]) / small
            assert np.allclose(w_WL[name], rate, atol=1e-4), (root, name)


def test_a_spanning_forest_takes_moving_joints_first_and_leaves_fixed_edges_as_loops() -> None:
    edges = [edge("ab", "a", "b", "fixed"), edge("bc", "b", "c", "fixed"), edge("j", "a", "c"), edge("d", "d", "e")]
    forest, loops = spanning_edges(list("abcde"), edges)
    assert {e.name for (e,) in forest} == {"ab", "j", "d"}
    assert [e.name for e in loops] == ["bc"]


def test_a_joint_in_series_with_none_is_refused() -> None:
    alone = replace(edge("b", "a", "b"), series=True)
    for edges in ([alone], [edge("a", "a", "c"), alone], [edge("a", "a", "b", "fixed"), alone]):
        with pytest.raises(ModelError, match="joint 'b' is in series with none; allowed: behind a moving joint"):
            spanning_edges(list("abc"), edges)


@pytest.mark.parametrize("seed", range(5))
def test_forest_and_loops_are_all_edges_and_the_forest_spans(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"l{i}" for i in range(8)]
    edges = [edge(f"e{k}", *rng.choice(names, 2, replace=False), "fixed") for k in range(12)]
    chains, loops = spanning_edges(names, edges)
    forest = [e for (e,) in chains]
    assert {e.name for e in (*forest, *loops)} == {e.name for e in edges}
    reach = {n: {n} for n in names}
    for e in edges:
        union = reach[e.parent] | reach[e.child]
        for n in union:
            reach[n] = union
    components = len({frozenset(s) for s in reach.values()})
    assert len(forest) == len(names) - components


def test_a_loop_of_moving_joints_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"joint 'ca' .* closes a loop of moving joints"):
        compile_tree([*map(link, "abc")], [edge("ab", "a", "b"), edge("bc", "b", "c"), edge("ca", "c", "a")], (), [])


def test_unknown_links_are_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"link \(at joint 'j'\) 'bsu'. Did you mean 'bus'"):
        compile_tree([link("bus"), link("arm")], [edge("j", "bsu", "arm")], (), [])
    with pytest.raises(InputError, match=r"root link 'bos'. Did you mean 'bus'"):
        compile_tree([link("bus")], (), (), ["bos"])


def test_each_floating_component_gets_one_free_root_and_the_first_named_one() -> None:
    tree = compile_tree([*map(link, "abcd")], [edge("ab", "a", "b"), edge("cd", "c", "d")], (), ["b", "a"])
    assert set(tree.roots) == {"b", "c"}
    assert tree.floating
    assert tree.model.nv == 14


def test_a_component_on_the_world_has_no_free_joint() -> None:
    tree = compile_tree([*map(link, "ab")], [edge("wa", WORLD, "a", "fixed"), edge("ab", "a", "b")], (), ["b"])
    assert tree.roots == ()
    assert not tree.floating
    assert tree.model.nv == 1


@pytest.mark.parametrize(
    "bad",
    [link("a", mass=0.0), link("a", mass=-1.0), link("a", inertia=(1.0, 1.0, 5.0)), link("a", inertia=(0.0, 0.0, 0.0))],
    ids=["no mass", "negative mass", "triangle", "no inertia"],
)
def test_a_model_that_mujoco_refuses_is_one_line(bad: Link) -> None:
    with pytest.raises(ModelError, match="MuJoCo refuses the model") as error:
        compile_tree([bad], (), (), [])
    assert "\n" not in str(error.value)


def test_principal_axes_give_the_inertia_back() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = rng.normal(size=(3, 3))
        inertia = a @ a.T + np.eye(3)
        moments, R_LI = principal_axes(inertia)
        assert np.linalg.det(R_LI) == pytest.approx(1.0)
        assert np.allclose(R_LI @ np.diag(moments) @ R_LI.T, inertia, atol=1e-12)
