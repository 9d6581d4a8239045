import mujoco
import numpy as np
import pytest

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose, so3_exp
from freefloat.verify.models import mujoco_model, random_state, random_tree, set_state
from freefloat.verify.oracles.newton_euler import TreeState, forward_dynamics, link_motions, momenta


def body(name: str, mass: float = 1.0, p=(0.0, 0.0, 0.0), moments=(1.0, 1.0, 1.0)) -> Link:
    return Link(name, mass, np.array(p), np.diag(moments))


def advance(state: TreeState, acceleration, h: float) -> TreeState:
    """State after the small time h at constant acceleration; the turn is second order in h."""
    V, A = np.asarray(state.V_WR_W), acceleration.A_WR_W
    turn = so3_exp(h * V[:3] + h * h / 2 * A[:3])
    return TreeState(
        X_WR=Pose(turn @ state.X_WR.R, state.X_WR.p + h * V[3:] + h * h / 2 * A[3:]),
        V_WR_W=V + h * A,
        q={n: q + h * state.qd[n] + h * h / 2 * acceleration.qdd[n] for n, q in state.q.items()},
        qd={n: v + h * acceleration.qdd[n] for n, v in state.qd.items()},
    )


@pytest.mark.parametrize("seed", range(8))
def test_trees_with_every_joint_kind_and_direction_agree_with_mujoco(seed):
    rng = np.random.default_rng(seed)
    graph = random_tree(rng, 2 + seed, ("revolute", "prismatic", "fixed"))
    state = random_state(rng, graph)
    effort = {name: float(10 * rng.normal()) for name in state.q}
    wrench = {link.name: rng.normal(size=6) for link in graph.links}
    gravity = rng.normal(size=3)
    model = mujoco_model(graph)
    model.opt.gravity[:] = gravity
    data = mujoco.MjData(model)
    set_state(model, data, state)
    for name, value in effort.items():
        data.joint(name).qfrc_applied[0] = value
    for name, load in wrench.items():
        data.body(name).xfrc_applied[:] = np.concatenate([load[3:], load[:3]])
    mujoco.mj_forward(model, data)

    a = forward_dynamics(graph, state, effort, wrench, gravity)
    atol = 1e-12 * np.abs(data.qacc).max()
    np.testing.assert_allclose(a.A_WR_W[3:], data.qacc[:3], atol=atol)
    np.testing.assert_allclose(state.X_WR.R.T @ a.A_WR_W[:3], data.qacc[3:6], atol=atol)
    np.testing.assert_allclose([a.qdd[n] for n in effort], [data.joint(n).qacc[0] for n in effort], atol=atol)


@pytest.mark.parametrize("seed", range(4))
def test_internal_efforts_change_no_momentum(seed):
    rng = np.random.default_rng(seed)
    graph = random_tree(rng, 6)
    graph = LinkGraph(graph.links, tuple(Joint(**{**vars(j), "armature": 0.0}) for j in graph.joints), graph.root)
    state = random_state(rng, graph)
    a = forward_dynamics(graph, state, {name: float(rng.normal()) for name in state.q})
    h = 1e-5
    slope = (momenta(graph, advance(state, a, h)) - momenta(graph, advance(state, a, -h))) / (2 * h)
    np.testing.assert_allclose(slope, 0.0, atol=1e-6 * np.abs(momenta(graph, state)).max())


def test_a_single_body_obeys_eulers_equation():
    graph = LinkGraph((body("b", 2.0, (0.1, 0.2, 0.3), (1.0, 2.0, 2.5)),), (), "b")
    w = np.array([0.3, -0.2, 0.9])
    a = forward_dynamics(graph, TreeState(V_WR_W=np.concatenate([w, np.zeros(3)])))
    moments = np.array([1.0, 2.0, 2.5])
    np.testing.assert_allclose(a.A_WR_W[:3], -np.cross(w, moments * w) / moments, atol=1e-15)


def test_two_carts_on_a_slide_share_the_force_by_reduced_mass():
    slide = Joint("s", "prismatic", "a", "b", Pose.identity(), np.array([1.0, 0.0, 0.0]))
    graph = LinkGraph((body("a", 3.0), body("b", 1.0)), (slide,), "a")
    a = forward_dynamics(graph, TreeState(), {"s": 6.0})
    assert a.qdd["s"] == pytest.approx(6.0 / 3.0 + 6.0 / 1.0)
    assert a.A_WR_W[3] == pytest.approx(-2.0)


def test_the_sign_of_a_coordinate_does_not_depend_on_the_root():
    hinge = Joint("h", "revolute", "a", "b", Pose(np.eye(3), [1.0, 0.0, 0.0]), X_JC=Pose(np.eye(3), [0.5, 0.0, 0.0]))
    links = (body("a", 5.0), body("b", 2.0))
    from_a = TreeState(V_WR_W=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), q={"h": 0.4}, qd={"h": -0.7})
    b = link_motions(LinkGraph(links, (hinge,), "a"), from_a)["b"]
    from_b = TreeState(X_WR=b.X_WL, V_WR_W=np.concatenate([b.w, b.v]), q=from_a.q, qd=from_a.qd)
    one = forward_dynamics(LinkGraph(links, (hinge,), "a"), from_a, {"h": 1.0})
    other = forward_dynamics(LinkGraph(links, (hinge,), "b"), from_b, {"h": 1.0})
    assert other.qdd["h"] == pytest.approx(one.qdd["h"], abs=1e-13)


def test_a_loop_or_a_loose_link_is_refused():
    links = (body("a"), body("b"), body("c"))
    hinge = Joint("h", "revolute", "a", "b", Pose.identity())
    twin = Joint("again", "revolute", "a", "b", Pose.identity())
    with pytest.raises(ModelError, match="again"):
        forward_dynamics(LinkGraph(links[:2], (hinge, twin), "a"), TreeState())
    with pytest.raises(ModelError, match="'c'"):
        forward_dynamics(LinkGraph(links, (hinge,), "a"), TreeState())
