"""Feedforward of two robots on one structure, against the inverse dynamics of one model with both."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link
from freefloat.engine.onboard import OnboardCode
from freefloat.engine.signals import Signal
from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Pose, quat_exp
from freefloat.gnc.control.allocation import WheelAllocation, pyramid_axes
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.attitude import AttitudeController
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import Footing, JointModes
from freefloat.gnc.control.joint_reference import KNOTS
from freefloat.gnc.control.walking_feedforward import WalkingFeedforward
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.missions.attitude_settings import AttitudeSettings, WheelSettings
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm

FEET = {"r": ([0.5, 0.1, 0.3], [1.0, 0.0, 0.0, 0.0]), "s": ([-0.4, -0.6, 0.2], [0.6, 0.0, 0.8, 0.0])}
PAYLOAD = Mass(4.0, np.array([0.9, 0.1, -0.1]), np.diag([0.05, 0.06, 0.07]))
STACK = Mass(140.0, np.array([-0.05, 0.1, 0.15]), np.diag([14.0, 12.0, 9.0]) + 0.3)


def robots(*names: str) -> mujoco.MjModel:
    """A 100 kg bus, its frame away from its centre of mass, with arms of 1 m links."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, 0.0]
    bus = spec.worldbody.add_body(
        name="bus", mass=100.0, ipos=[0.1, -0.05, 0.02], inertia=[12, 10, 8], explicitinertial=True
    )
    bus.add_joint(type=mujoco.mjtJoint.mjJNT_FREE, align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE)
    for name in names:
        at, turned = FEET[name]
        parent = bus.add_body(name=f"{name}.foot", pos=at, quat=turned, mass=1.0, inertia=[0.1] * 3)
        at = [0.1, 0.0, 0.0]
        for k, axis in enumerate(([0, 0, 1], [0, 1, 0], [1, 0, 0.5])):
            parent = parent.add_body(
                name=f"{name}.{k}",
                pos=at,
                mass=8.0 - 2 * k,
                ipos=[0.4, 0.05, 0],
                inertia=[0.1, 0.7, 0.75],
                explicitinertial=True,
            )
            parent.add_joint(name=f"{name}.j{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
            at = [1.0, 0.0, 0.0]
    return spec.compile()


def modes(name: str) -> JointModes:
    def footing() -> Footing:
        return Footing(robots(name), tuple(f"{name}.j{k}" for k in range(3)), "bus", f"{name}.2", f"{name}.foot")

    return JointModes({"a": footing(), "b": footing()}, "a", effort=40.0)


def curve(seed: int, knots: int = 9) -> QuinticPieces:
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 0.6, knots - 1))])
    return QuinticPieces(times, *(0.4 * rng.normal(size=(3, knots, 3))))


def required_torque(model: mujoco.MjModel, q_WB, w, a, joints) -> np.ndarray:
    """Torque on the bus in B that MuJoCo's inverse dynamics asks for with the bus turning at w, a and no net force."""
    d = mujoco.MjData(model)
    d.qpos[3:7], d.qpos[7:] = q_WB, joints[0]
    d.qvel[3:6], d.qvel[6:] = w, joints[1]
    d.qacc[3:6], d.qacc[6:] = a, joints[2]

    def wrench(linear):
        d.qacc[:3] = linear
        mujoco.mj_inverse(model, d)
        return d.qfrc_inverse[:6].copy()

    at_rest = wrench(np.zeros(3))
    slope = np.column_stack([wrench(e)[:3] - at_rest[:3] for e in np.eye(3)])
    return wrench(-np.linalg.solve(slope, at_rest[:3]))[3:]


@pytest.mark.parametrize("seed", range(3))
def test_with_the_controllers_own_part_it_is_the_inverse_dynamics_of_all_robots_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    both, walkers = robots("r", "s"), (modes("r"), modes("s"))
    w, a, q_WB = 0.3 * rng.normal(size=3), rng.normal(size=3), quat_exp(rng.normal(size=3))
    heavy = Footing(both, ("r.j0",), "bus", "s.2", "s.foot")
    X_TE = Pose.from_rpy((0.3, 0.2, -0.4), (0.3, -0.5, 0.4))
    for k, robot in enumerate(walkers):
        robot.stand_on("ab"[k])
        robot.footing.set_stack(STACK)
        robot.follow(curve(10 * seed + k), 2.0)
    walkers[1].footing.set_payload(PAYLOAD)
    walkers[1].footing.stand_at(X_TE)
    heavy.set_stack(STACK)
    heavy.set_payload(PAYLOAD)
    heavy.stand_at(X_TE)
    t, lead = 2.0 + rng.uniform(0.1, 1.0), 0.05
    out = WalkingFeedforward(walkers, lead).update(t, {"w_WB_B": w})
    joints = [np.concatenate(x) for x in zip(*(r.reference(t + lead) for r in walkers), strict=True)]
    ours = out["tau_ff"] + out["inertia_B"] @ a + np.cross(w, out["inertia_B"] @ w)
    np.testing.assert_allclose(ours, required_torque(both, q_WB, w, a, joints), atol=1e-10)


def test_for_one_robot_it_is_the_arms_feedforward() -> None:
    robot, path = modes("r"), curve(3, 40)
    robot.follow(path, 0.0)
    ours, arm = WalkingFeedforward((robot,), 0.02), ArmFeedforward(robots("r"), np.arange(6, 9), path, 0.02)
    for t in np.linspace(0.0, path.duration + 0.5, 60):
        w = {"w_WB_B": np.array([0.01, -0.02, 0.03]) * t}
        mine, theirs = ours.update(t, w), arm.update(t, w)
        for name in ("tau_ff", "inertia_B"):
            np.testing.assert_allclose(mine[name], theirs[name], atol=1e-12)


def test_a_curve_with_all_its_knots_is_read_where_the_joint_controller_reads_it() -> None:
    robot, path = modes("s"), curve(4, KNOTS)
    robot.follow(path, 1.0)
    ours, arm = WalkingFeedforward((robot,)), ArmFeedforward(robots("s"), np.arange(6, 9), path)
    for t in [path.duration, *np.random.default_rng(2).uniform(0.0, path.duration, 50)]:
        np.testing.assert_allclose(ours.update(1.0 + t, {})["tau_ff"], arm.update(t, {})["tau_ff"], atol=1e-9)


def test_what_rests_or_gives_way_asks_for_nothing() -> None:
    robot = modes("r")
    forward = WalkingFeedforward((robot,))
    meas = {"w_WB_B": np.array([0.1, 0.2, -0.1])}
    assert not forward.update(0.0, meas)["tau_ff"].any(), "before the first measurement"
    robot.follow(curve(1), 0.0)
    assert np.abs(forward.update(0.5, meas)["tau_ff"]).max() > 0.1
    robot.comply(np.array([0.1, 0.2, 0.3]))
    assert not forward.update(0.5, meas)["tau_ff"].any()


def test_a_mass_that_is_told_too_large_makes_the_torque_so_much_larger() -> None:
    """Up to what it shifts the centre of mass."""
    tau = []
    for scale in (1.0, 1.05):
        foot = Footing(robots("r"), ("r.j0", "r.j1", "r.j2"), "bus", "r.2", mass_scale=scale)
        foot.set_payload(PAYLOAD)
        robot = JointModes({"a": foot}, "a", effort=40.0)
        robot.follow(curve(1), 0.0)
        tau.append(WalkingFeedforward((robot,)).update(0.7, {})["tau_ff"])
    ratio = np.linalg.norm(tau[1]) / np.linalg.norm(tau[0])
    assert 1.03 < ratio < 1.05


def test_in_the_attitude_system_it_runs_in_machine_code_on_what_the_joint_controllers_fly() -> None:
    """Copied together, the robots of the copies are the ones that it reads."""
    pair = modes("r"), modes("s")
    wheels = WheelAllocation(pyramid_axes(), 0.02, 4.0, 420.0, np.zeros(4), horizon=0.1)
    system = AttitudeSystem(AttitudeController(np.eye(3)), wheels, feedforward=WalkingFeedforward(pair, 0.05))
    pair, system = copy.deepcopy((pair, system))
    meas = {"q_WB": np.array([1.0, 0, 0, 0]), "w_WB_B": np.array([0.0, 0.01, 0.0]), "speed": np.zeros(4)}
    code = OnboardCode("test", system, meas, compiled=True)
    for k in range(40):
        if k % 10 == 0:
            pair[k // 10 % 2].follow(curve(k), 0.1 * k)
            pair[0].footing.set_payload(PAYLOAD if k == 20 else Mass.none())
        code.run(0.1 * k)
        compiled = system.out.tau_ff.copy()
        fresh = WalkingFeedforward(pair, 0.05).update(0.1 * k, meas)["tau_ff"]
        np.testing.assert_array_equal(compiled, fresh)
    assert np.abs(compiled).max() > 0.0


WALKERS = {
    "r": (Pose.from_rpy((0.0, 0.0, 0.4), (0.6, 0.1, 0.4)), np.array([0.2, 0.7, -0.3, -1.5, 0.4, 0.6, 0.1])),
    "s": (Pose.from_rpy((0.0, 0.0, -1.0), (-0.6, -0.2, 0.4)), np.array([-1.5, -0.4, 0.8, 1.2, -0.7, -0.5, 2.4])),
}


def two_walkers(tell: bool) -> ff.Mission:
    """Two walking manipulators on a bus of 250 kg with wheels, each on its way to the other's posture."""
    graph, robots, tasks = load_robot("walking_manipulator"), [], []
    bus = Link("bus", 250.0, np.zeros(3), np.diag([30.0, 35.0, 40.0]), variable=True)
    limits, names = MotionLimits.uniform(7, 0.2, 0.05, 0.05), tuple(j.name for j in graph.joints)
    goals = {"r": WALKERS["s"][1], "s": WALKERS["r"][1]}
    arms = [Arm(name, graph, on=f"bus.{name}", q=q) for name, (_, q) in WALKERS.items()]
    for name, (X_TE, q) in WALKERS.items():
        edge = Joint("mount", "fixed", "bus", graph.root, X_TE)
        tree = compile_tree([bus, *graph.links], [*graph.joints, edge], (), ["bus"])
        robots.append(JointModes({"a": Footing(tree.model, names, "bus", "hand_b")}, "a", effort=100.0))
        robots[-1].follow(JerkLimited(q, goals[name], limits), 0.0)
        reads = {"q": f"{name}.q", "qd": f"{name}.qd", "q_WB": "bus.q_WB", "v_WB": "bus.v_WB", "w_WB_B": "bus.w_WB_B"}
        error = Signal(f"{name}.error", "rad", (7,), "", "joint error")
        tasks.append(ff.Task(robots[-1], 4e-3, reads, {"tau": f"{name}.tau"}, records={"error": error}, name=name))
    wheels = WheelSettings(max_torque=4.0)
    forward = WalkingFeedforward(tuple(robots) if tell else tuple(copy.deepcopy(robots)), 0.05)
    tasks.append(AttitudeSettings().task("bus", np.array([1.0, 0, 0, 0]), np.eye(3), wheels, forward))
    part = ff.RigidBody("bus", 250.0, (30.0, 35.0, 40.0), frames={n: X for n, (X, _) in WALKERS.items()})
    return ff.Mission([part, *arms, wheels.part("wheels", "bus")], tasks, integrator=ff.RK4(4e-3), record_rate=10.0)


def test_robots_that_move_at_once_follow_their_curves_and_leave_the_structure_where_it_is() -> None:
    told, untold = (two_walkers(tell).run(12.0) for tell in (True, False))
    off = [max(np.abs(run[f"{name}.error"]).max() for name in WALKERS) for run in (told, untold)]
    turn = np.rad2deg(2.0 * np.linalg.norm(told["bus.q_WB"][:, 1:], axis=1).max())
    assert off[0] < 2e-4
    assert off[1] > 5.0 * off[0], "they need to be told of wheels and of each other"
    assert turn < 0.005
    assert np.abs(told["r.qd"]).max() > 0.15
    assert np.abs(told["s.qd"]).max() > 0.15


def test_no_robot_is_refused() -> None:
    with pytest.raises(InputError, match="no robot"):
        WalkingFeedforward(())
