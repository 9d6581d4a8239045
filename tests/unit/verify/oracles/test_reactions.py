"""The oracle of reactions against what can be said by hand, and against the oracle of accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.engine.graph import Joint, Link
from freefloat.frames import Pose
from freefloat.verify.models import random_state, random_tree
from freefloat.verify.oracles.newton_euler import LinkMotion, forward_dynamics, link_motions
from freefloat.verify.oracles.reactions import LENGTH, reactions


def ball(
    name: str, mass: float, x: float, v: tuple[float, float, float] = (0.0, 0.0, 0.0), w: float = 0.0
) -> LinkMotion:
    """At x on the x-axis, turning about z."""
    link = Link(name, mass, np.zeros(3), 0.1 * mass * np.eye(3))
    return LinkMotion(link, Pose(np.eye(3), [x, 0.0, 0.0]), np.array([0.0, 0.0, w]), np.array(v))


def bar(name: str = "bar", parent: str = "a", child: str = "b", at: float = 0.0, length: float = 2.0) -> Joint:
    """A fixed edge whose frame J is `at` [m] from the parent, along x."""
    along = Pose(np.eye(3), [length - at, 0.0, 0.0])
    return Joint(name, "fixed", parent, child, Pose(np.eye(3), [at, 0.0, 0.0]), X_JC=along)


def test_a_pushed_pair_shares_the_force_by_mass() -> None:
    bodies = {"a": ball("a", 20.0, 0.0), "b": ball("b", 5.0, 2.0)}
    found = reactions(bodies, [bar()], {}, {}, {"a": [0.0, 0.0, 0.0, 10.0, 0.0, 0.0]})
    np.testing.assert_allclose(found["bar"], [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], rtol=0.0, atol=1e-12)


def test_a_spinning_pair_is_held_by_the_centripetal_force() -> None:
    bodies = {"a": ball("a", 20.0, 0.0, (0.0, -0.2, 0.0), 0.5), "b": ball("b", 5.0, 2.0, (0.0, 0.8, 0.0), 0.5)}
    found = reactions(bodies, [bar()], {}, {})
    np.testing.assert_allclose(found["bar"][3:], [-5.0 * 0.25 * 1.6, 0.0, 0.0], rtol=0.0, atol=1e-12)


def test_two_bars_of_one_pair_share_by_the_least_norm() -> None:
    """A force across: two bars with frames at 0 and 1 m of b; by symmetry of the sum, not of the parts."""
    bodies = {"a": ball("a", 20.0, 0.0), "b": ball("b", 5.0, 2.0)}
    edges = [bar("one", at=0.5), bar("two", at=1.5)]
    push = {"b": [0.0, 0.0, 0.0, 0.0, 3.0, 0.0]}
    once = reactions(bodies, edges[:1], {}, {}, push)["one"]
    both = reactions(bodies, edges, {}, {}, push, shared=("one", "two"))
    total = both["one"] + both["two"]
    total[:3] += np.cross([1.0, 0.0, 0.0], both["two"][3:])
    np.testing.assert_allclose(total, once, rtol=0.0, atol=1e-12)
    # the least |f|^2 + |tau|^2 / l^2 with given sums of force and moment about the first frame
    G = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, LENGTH, LENGTH]])  # f1 f2 tau1/l tau2/l across and about z
    f1, f2, t1, t2 = np.linalg.pinv(G) @ [once[4], once[2]]
    found = [both["one"][4], both["two"][4], both["one"][2], both["two"][2]]
    np.testing.assert_allclose(found, [f1, f2, LENGTH * t1, LENGTH * t2], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_in_a_tree_reactions_give_the_accelerations_of_the_other_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_tree(rng, 5, ("revolute", "prismatic", "fixed"))
    state = random_state(rng, graph)
    effort = {n: float(rng.normal()) for n in state.q}
    motions = link_motions(graph, state)
    found = reactions(motions, graph.joints, state.qd, effort)
    acceleration = forward_dynamics(graph, state, effort)
    root = motions[graph.root]
    force = np.zeros(3)
    for joint in graph.joints:
        sign = {joint.child: 1.0, joint.parent: -1.0}.get(graph.root, 0.0)
        force += sign * found[joint.name][3:]
    alpha, a = acceleration.A_WR_W[:3], acceleration.A_WR_W[3:]
    r = root.centre - root.X_WL.p
    expected = root.link.mass * (a + np.cross(alpha, r) + np.cross(root.w, np.cross(root.w, r)))
    np.testing.assert_allclose(force, expected, rtol=0.0, atol=1e-10 * max(1.0, np.abs(expected).max()))
    for joint in graph.joints:
        if joint.kind == "fixed":
            continue
        axis = motions[joint.parent].X_WL.R @ joint.X_PJ.R @ joint.axis
        part = found[joint.name][:3] if joint.kind == "revolute" else found[joint.name][3:]
        drive = effort[joint.name] - joint.armature * acceleration.qdd[joint.name]
        assert axis @ part == pytest.approx(drive, abs=1e-9)
