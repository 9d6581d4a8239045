"""Joint modes of the walking manipulator on a floating bus, with end A or end B as its base."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link
from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.control.inverse_dynamics import Mass, read_mass
from freefloat.gnc.control.joint_modes import Footing, JointModes
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits
from freefloat.inertia import parallel_axis
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm

LIMITS = MotionLimits.uniform(7, np.radians(20.0), np.radians(10.0), np.radians(30.0))
Q0 = np.array([0.2, 0.7, -0.3, -1.5, 0.4, 0.6, 0.1])
Q1 = np.array([-1.5, -0.4, 0.8, 1.2, -0.7, -0.5, 2.4])
TOP = Pose(np.eye(3), (0.1, -0.2, 0.5))
MODULE = Mass(
    9.0, np.array([0.01, -0.02, 0.2]), np.array([[0.3, 0.02, 0.01], [0.02, 0.28, -0.01], [0.01, -0.01, 0.26]])
)


class WithModule:
    """The robot, its end B holding a module."""

    def __init__(self, payload: Mass) -> None:
        graph = load_robot("walking_manipulator")
        last = graph.links[-1]
        own = Mass(last.mass, last.p_LLcm, last.I_LLcm_L)
        total = own + at_end_b(payload)
        link = Link(last.name, total.mass, total.p_BBcm, total.I_BBcm_B, last.shapes, last.frames)
        self.graph = type(graph)((*graph.links[:-1], link), graph.joints, graph.root)


def at_end_b(payload: Mass) -> Mass:
    """A payload given in end B's frame, in the frame of the link hand_b."""
    return Mass(payload.mass, payload.p_BBcm + np.array([0.0, 0.0, 0.075]), payload.I_BBcm_B)


def mission(payload: Mass, told: Mass, act, wrap=lambda controller: controller) -> ff.Mission:
    """Bus and robot; the controller believes in the payload `told`. `act(modes, t)` is called before each update.

    `wrap` may put something around the controller.
    """
    bus = ff.RigidBody("bus", 200.0, (20.0, 25.0, 15.0), frames={"top": TOP})
    arm = Arm("arm", WithModule(payload).graph, on="bus.top", q=Q0)
    modes = standing()
    modes.footing.set_payload(at_end_b(told))

    class Scripted:
        def __init__(self) -> None:
            self.modes = modes

        def update(self, t, meas):
            act(self.modes, t)
            return self.modes.update(t, meas)

    reads = {"q": "arm.q", "qd": "arm.qd", "q_WB": "bus.q_WB", "v_WB": "bus.v_WB", "w_WB_B": "bus.w_WB_B"}
    task = ff.Task(wrap(Scripted()), 0.004, reads, {"tau": "arm.tau"}, name="modes")
    return ff.Mission([bus, arm], [task], integrator=ff.RK4(2e-3), record_rate=20.0)


def footing(end: str) -> Footing:
    """A bus on which the robot stands on end A or B."""
    graph = load_robot("walking_manipulator")
    bus = Link("bus", 200.0, np.zeros(3), np.diag([20.0, 25.0, 15.0]), variable=True)
    hand = f"hand_{end}"
    frames = {n: X for link in graph.links for n, X in link.frames.items()}
    X_HF = Pose.identity() if end == "a" else frames["end_b"] @ Pose.from_rpy((np.pi, 0.0, 0.0))
    mount = Joint("mount", "fixed", "bus", hand, TOP, X_JC=X_HF.inverse())
    tree = compile_tree([bus, *graph.links], [*graph.joints, mount], (), ["bus"])
    names = tuple(j.name for j in graph.joints)
    return Footing(tree.model, names, "bus", "hand_b" if end == "a" else "hand_a")


def standing(base: str = "a", **settings) -> JointModes:
    return JointModes({end: footing(end) for end in "ab"}, base, effort=100.0, **settings)


def measured(rng: np.random.Generator) -> dict[str, np.ndarray]:
    q_WB = rng.normal(size=4)
    return {
        "q": rng.uniform(-1.0, 1.0, 7),
        "qd": rng.uniform(-0.3, 0.3, 7),
        "q_WB": q_WB / np.linalg.norm(q_WB),
        "v_WB": rng.normal(size=3) * 0.1,
        "w_WB_B": rng.normal(size=3) * 0.05,
    }


@pytest.mark.parametrize("payload", [Mass.none(), MODULE], ids=["empty", "module"])
def test_the_arm_follows_its_path_and_momentum_is_kept(payload: Mass) -> None:
    path = JerkLimited(Q0, Q1, LIMITS)

    def act(modes: JointModes, t: float) -> None:
        if t == 1.0:
            modes.follow(path, 1.0)

    result = mission(payload, payload, act).run(20.0)
    assert 10.0 < path.duration < 18.0
    q = result["arm.q"]
    wanted = np.array([path.at(t - 1.0)[0] for t in result.time("arm.q")])
    assert np.abs(q - wanted).max() < 5e-4
    assert np.abs(q[-1] - Q1).max() < 1e-6
    assert np.abs(result["arm.tau_applied"]).max() < 100.0
    assert result.audit.drifts["linear_momentum_drift"] < 1e-9
    assert result.audit.drifts["angular_momentum_drift"] < 1e-9


def test_a_payload_that_the_controller_does_not_know_costs_accuracy() -> None:
    path = JerkLimited(Q0, Q1, LIMITS)
    off = []
    for told in (MODULE, Mass.none()):
        result = mission(MODULE, told, lambda modes, t: modes.follow(path, 0.0) if t == 0.0 else None).run(8.0)
        wanted = np.array([path.at(t)[0] for t in result.time("arm.q")])
        off.append(np.abs(result["arm.q"] - wanted).max())
    assert off[1] > 20.0 * off[0]


def test_compliance_answers_a_steady_torque_with_its_stiffness() -> None:
    """A steady torque at one joint, from outside the law, turns it by torque over stiffness and no other joint."""
    K, push = 40.0, 2.0

    def act(modes: JointModes, t: float) -> None:
        if t == 0.0:
            modes.stiffness[:] = K
            modes.comply()

    kick = np.zeros(7)
    kick[3] = push

    class Pushed:
        def __init__(self, inner) -> None:
            self.inner = inner

        def update(self, t, meas):
            return {"tau": self.inner.update(t, meas)["tau"] + kick}

    result = mission(Mass.none(), Mass.none(), act, Pushed).run(40.0)
    turned = result["arm.q"][-1] - Q0
    assert push / turned[3] == pytest.approx(K, rel=1e-4)
    assert np.abs(np.delete(turned, 3)).max() < 1e-5


def test_compliance_holds_where_the_switch_found_the_joints() -> None:
    modes, meas = standing(), measured(np.random.default_rng(1))
    meas["qd"] = np.zeros(7)
    modes.comply()
    first = modes.update(0.0, meas)
    assert not first["error"].any()
    meas = meas | {"q": meas["q"] + 0.01}
    moved = modes.update(0.1, meas)
    assert moved["error"] == pytest.approx(np.full(7, -0.01), abs=1e-15)
    bias = modes.footing.onboard.efforts(np.zeros(7), meas)
    assert moved["tau"] - bias == pytest.approx(modes.stiffness * -0.01, abs=1e-12)


def test_every_mode_of_the_compliance_has_the_same_damping_ratio() -> None:
    """With M* q'' + D q' + K q = 0 the eigenvalues are w (-z +- j sqrt(1 - z^2))."""
    modes, meas = standing(compliance_damping=0.6), measured(np.random.default_rng(5))
    modes.stiffness[:] = np.linspace(20.0, 50.0, 7)
    modes.comply(meas["q"])
    M, _ = modes.footing.onboard.inertia_and_bias(meas)
    D = np.column_stack([_damping_column(modes, meas, i) for i in range(7)])
    A = np.block(
        [[np.zeros((7, 7)), np.eye(7)], [-np.linalg.solve(M, np.diag(modes.stiffness)), -np.linalg.solve(M, D)]]
    )
    s = np.linalg.eigvals(A)
    assert -s.real / np.abs(s) == pytest.approx(np.full(14, 0.6), abs=1e-6)


def _damping_column(modes: JointModes, meas: dict[str, np.ndarray], i: int) -> np.ndarray:
    """D e_i: from the efforts at two rates, the bias taken off."""
    tau = []
    for rate in (0.0, 0.1):
        qd = np.zeros(7)
        qd[i] = rate
        now = meas | {"qd": qd}
        tau.append(modes.update(0.0, now)["tau"] - modes.footing.onboard.efforts(np.zeros(7), now))
    return (tau[0] - tau[1]) / 0.1


@pytest.mark.parametrize("end", ["a", "b"])
def test_new_masses_give_the_model_that_is_compiled_with_them(end: str) -> None:
    changed, rng = footing(end), np.random.default_rng(8)
    stack = Mass(321.0, np.array([0.05, -0.1, 0.2]), np.diag([30.0, 22.0, 27.0]) + 0.5)
    changed.set_stack(stack)
    changed.set_payload(MODULE)
    graph = load_robot("walking_manipulator")
    links = {link.name: link for link in graph.links}
    own = links[changed.tip]
    total = Mass(own.mass, own.p_LLcm, own.I_LLcm_L) + MODULE
    links[changed.tip] = Link(own.name, total.mass, total.p_BBcm, total.I_BBcm_B, (), own.frames)
    bus = Link("bus", stack.mass, stack.p_BBcm, stack.I_BBcm_B)
    hand = f"hand_{end}"
    X_HF = Pose.identity() if end == "a" else links["hand_b"].frames["end_b"] @ Pose.from_rpy((np.pi, 0.0, 0.0))
    mount = Joint("mount", "fixed", "bus", hand, TOP, X_JC=X_HF.inverse())
    tree = compile_tree([bus, *links.values()], [*graph.joints, mount], (), ["bus"])
    compiled = Footing(tree.model, changed.joints, "bus", changed.tip)
    for _ in range(5):
        meas, a = measured(rng), rng.normal(size=7)
        np.testing.assert_allclose(changed.onboard.efforts(a, meas), compiled.onboard.efforts(a, meas), atol=1e-12)
    changed.set_payload(Mass.none())
    assert read_mass(changed.model, changed.tip).mass == own.mass


@pytest.mark.parametrize("end", ["a", "b"])
def test_a_footing_elsewhere_is_the_model_that_is_compiled_there(end: str) -> None:
    rng, graph = np.random.default_rng(9), load_robot("walking_manipulator")
    X_TE = Pose.from_rpy((0.3, -1.2, 2.0), (-0.4, 0.3, 0.7))
    (link, X_FE) = next((k.name, X) for k in graph.links for n, X in k.frames.items() if n == f"end_{end}")
    bus = Link("bus", 200.0, np.zeros(3), np.diag([20.0, 25.0, 15.0]), variable=True)
    names, tip = tuple(j.name for j in graph.joints), "hand_b" if end == "a" else "hand_a"

    def standing_at(X: Pose) -> Footing:
        stands = Joint("mount", "fixed", "bus", link, X @ X_FE.inverse())
        tree = compile_tree([bus, *graph.links], [*graph.joints, stands], (), ["bus"])
        return Footing(tree.model, names, "bus", tip, link, X_FE)

    moved, there = standing_at(TOP), standing_at(X_TE)
    moved.stand_at(X_TE)
    for footing in (moved, there):
        footing.set_payload(MODULE)
    for _ in range(5):
        meas, a = measured(rng), rng.normal(size=7)
        np.testing.assert_allclose(moved.onboard.efforts(a, meas), there.onboard.efforts(a, meas), atol=1e-12)


def test_a_footing_that_does_not_know_its_foot_refuses_to_stand_elsewhere() -> None:
    with pytest.raises(InputError, match="'' does not stand on 'bus'"):
        footing("a").stand_at(TOP)


def test_two_masses_together_have_the_inertia_of_the_parallel_axis_theorem() -> None:
    a, b = MODULE, Mass(2.0, np.array([0.3, 0.1, -0.2]), np.diag([0.1, 0.2, 0.15]))
    both = a + b
    assert both.mass == 11.0
    about_origin = [parallel_axis(x.I_BBcm_B, x.mass, x.p_BBcm) for x in (a, b, both)]
    np.testing.assert_allclose(about_origin[0] + about_origin[1], about_origin[2], atol=1e-14)


def test_a_stop_brings_the_reference_to_rest_within_limits_and_holds() -> None:
    modes, path = standing(), JerkLimited(Q0, Q1, LIMITS)
    modes.follow(path, 2.0)
    before = modes.reference(6.0)
    modes.stop(6.0, LIMITS)
    assert all(np.allclose(x, y, atol=1e-14) for x, y in zip(modes.reference(6.0), before, strict=True))
    assert not modes.finished(6.5)
    q, qd, qdd = modes.reference(30.0)
    assert modes.finished(30.0)
    assert not qd.any()
    assert not qdd.any()
    assert 0.0 < np.abs(q - before[0]).max() < 0.6


def test_efforts_are_clipped_to_the_limits() -> None:
    modes, meas = standing(), measured(np.random.default_rng(2))
    modes.hold(meas["q"] + 3.0)
    assert np.abs(modes.update(0.0, meas)["tau"]).max() == 100.0


def test_the_footing_changes_the_inertia_that_the_efforts_are_for() -> None:
    modes, meas = standing("a"), measured(np.random.default_rng(3))
    modes.hold(Q1)
    on_a = modes.update(0.0, meas)["tau"]
    modes.stand_on("b")
    on_b = modes.update(0.0, meas)["tau"]
    assert np.abs(on_a - on_b).max() > 1.0
    with pytest.raises(InputError, match="unknown footing 'c'"):
        modes.stand_on("c")


def test_a_copy_has_its_own_masses() -> None:
    modes, meas = standing(), measured(np.random.default_rng(4))
    modes.hold(Q1)
    twin = copy.deepcopy(modes)
    assert np.array_equal(modes.update(0.0, meas)["tau"], twin.update(0.0, meas)["tau"])
    twin.footing.set_payload(MODULE)
    assert twin.footing.model is twin.footing.onboard.model
    assert np.abs(modes.update(0.0, meas)["tau"] - twin.update(0.0, meas)["tau"]).max() > 1e-3
