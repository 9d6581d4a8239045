from __future__ import annotations

import numpy as np
import pytest

from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.planning.arm.chain import Chain, Frame

ROOTS = ["hand_a", "upper_b", "hand_b"]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("base", ["a", "b"])
def test_the_pose_of_the_tip_does_not_depend_on_the_models_root(walker, base: str, root: str) -> None:
    """Against plain products of the joints' motions."""
    chain, rng = walker.chain(base, root), np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(chain.lower, chain.upper)
        X_AB = Pose.from_rpy((np.pi, 0.0, 0.0))
        for joint, angle in zip(walker.graph.joints, q, strict=True):
            X_AB = X_AB @ joint.X_PJ @ Pose.exp([*(joint.axis * angle), 0.0, 0.0, 0.0])
        X_AB = X_AB @ Pose(np.eye(3), (0.0, 0.0, 0.075))
        assert chain.pose(q).is_close(X_AB if base == "a" else X_AB.inverse(), 1e-12)


@pytest.mark.parametrize("root", ROOTS)
def test_the_jacobian_is_the_derivative_of_the_pose(walker, root: str) -> None:
    chain, q = walker.chain("b", root), np.linspace(-1.0, 1.3, 7)
    _, J = chain.pose_and_jacobian(q)
    for i in range(7):
        step = np.zeros(7)
        step[i] = 1e-6
        ahead, behind = chain.pose(q + step), chain.pose(q - step)
        v = (ahead.p - behind.p) / 2e-6
        w = Pose(ahead.R @ behind.R.T).log()[:3] / 2e-6
        assert J[:, i] == pytest.approx(np.concatenate([w, v]), abs=1e-8)


def test_bodies_belong_to_the_segment_after_the_joints_before_them(walker) -> None:
    links = [link.name for link in walker.graph.links]
    for root in ROOTS:
        assert [walker.chain("a", root).segment[n] for n in links] == list(range(8))
        assert [walker.chain("b", root).segment[n] for n in links] == list(range(7, -1, -1))


def test_wrong_names_and_joints_off_the_way_are_refused(walker) -> None:
    graph = walker.graph
    model = compile_tree(graph.links, graph.joints, (), ["hand_a"]).model
    with pytest.raises(InputError, match="unknown joint 'roll_8'"):
        Chain(model, ["roll_8"], Frame("hand_a"), Frame("hand_b"))
    with pytest.raises(InputError, match="unknown site or body 'hand_c'"):
        Chain(model, ["roll_1"], Frame("hand_c"), Frame("hand_b"))
    with pytest.raises(InputError, match="joints roll_7 are not between 'hand_a' and 'wrist_b'"):
        Chain(model, ["roll_1", "roll_7"], Frame("hand_a"), Frame("wrist_b"))
    with pytest.raises(InputError, match="joint limits"):
        Chain(model, ["roll_1"], Frame("hand_a"), Frame("hand_b"), [1.0], [-1.0])
    with pytest.raises(InputError, match="more than one coordinate"):
        Chain(model, ["free:hand_a"], Frame("hand_a"), Frame("hand_b"))
