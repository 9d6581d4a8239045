"""Industrial robots as parts: where they stand, what their wrist feels, and what their gears give."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.rows import body_wrench
from freefloat.errors import InputError
from freefloat.frames import so3_log
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.robots import IndustrialRobot, Mockup
from freefloat.robots.industrial import Joints
from freefloat.six_axis_arms import ARMS

G = np.array([0.0, 0.0, -9.81])
STAND = ff.Pose.from_rpy((0.0, 0.0, 0.4), (0.3, -0.2, 0.1))
TOOL = Mockup(8.0, (0.01, -0.02, 0.12), (0.2, 0.25, 0.3), ff.Pose.from_rpy((0.1, 0.2, 0.3), (0.0, 0.02, 0.3)))
Q = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])


def robot(joints: Joints = "rigid", model: str = "kr16-2", **given: object) -> IndustrialRobot:
    return IndustrialRobot("robot", model, STAND, Q, TOOL, joints, **given)  # pyright: ignore[reportArgumentType]


def session(part: IndustrialRobot, *more: object, step: float = 1e-3) -> ff.Session:
    rows = [ff.uniform_gravity(G.tolist())]
    return ff.Mission([part, *more], rows=rows, integrator=ff.Dopri5(step), record_rate=100.0).session()  # type: ignore[list-item]


class Push:
    """A force on the mock-up at the tool frame, in W."""

    name = "push"

    def build(self, b: ff.Builder) -> None:
        command = b.command("wrench", (6,), "N m, N")
        b.add(body_wrench("robot.mockup", command, TOOL.X_FT, "world"))


@pytest.mark.parametrize("model", sorted(ARMS))
def test_flange_and_tool_are_where_the_kinematics_say(model: str) -> None:
    s, known = session(robot(model=model)), SixAxis.of(model, STAND, TOOL.X_FT)
    for frame, X in (("flange", known.flange(Q)), ("tool", known.forward(Q))):
        assert s.read(f"robot.{frame}.p_WF") == pytest.approx(X.p, abs=1e-12)
        assert pytest.approx(X.R, abs=1e-12) == ff.Pose.from_quat(s.read(f"robot.{frame}.q_WF")).R


def test_the_shipped_file_has_the_lengths_limits_and_speeds_of_the_type() -> None:
    graph, arm = ff.load_robot("kr16_2"), ARMS["kr16-2"]
    assert [j.lower for j in graph.moving] == pytest.approx(arm.lower, abs=1e-15)
    assert [j.upper for j in graph.moving] == pytest.approx(arm.upper, abs=1e-15)
    assert [j.velocity for j in graph.moving] == pytest.approx(arm.speed, abs=1e-15)
    assert sum(link.mass for link in graph.links) == pytest.approx(235.0)


def test_the_wrist_at_rest_carries_the_mockups_weight_in_axes_of_the_flange() -> None:
    s = session(robot())
    lift = SixAxis.of("kr16-2", STAND).flange(Q).R.T @ (-8.0 * G)
    assert s.read("robot.wrist") == pytest.approx(np.concatenate([lift, np.cross(TOOL.p_FFcm, lift)]), abs=1e-9)


def test_rigid_axes_follow_their_courses_and_tell_them() -> None:
    s = session(robot())
    c = np.zeros((6, 7))
    c[:, 1], c[:, 3], c[:, 4] = Q, 0.2, np.linspace(-1.0, 1.0, 6)
    s.write("robot.course", c)
    s.step(0.1)
    q = [sum(row[1 + k] * 0.1**k for k in range(6)) for row in c]
    assert s.read("robot.q") == pytest.approx(q, abs=1e-9)
    assert s.read("robot.motor_q") == pytest.approx(q, abs=1e-14)
    assert s.read("robot.motor_qd") == pytest.approx(0.4 * 0.1 + 3.0 * c[:, 4] * 0.01, abs=1e-13)
    assert s.read("robot.motor_qdd") == pytest.approx(0.4 + 6.0 * c[:, 4] * 0.1, abs=1e-12)


@pytest.mark.parametrize("model", ["kr16-2", "kr240-2"])
def test_an_elastic_robot_starts_at_rest_with_its_gears_wound_up(model: str) -> None:
    part = robot("elastic", model)
    s = session(part, step=5e-4)
    s.step(0.05)
    assert s.read("robot.q") == pytest.approx(Q, abs=1e-12)
    assert s.read("robot.motor_q") == pytest.approx(part.motor_start(), abs=1e-12)
    assert s.read("robot.torque_gear") == pytest.approx(part.holding_torques(), abs=1e-6)
    assert np.abs(part.motor_start() - Q).max() > 1e-4


def test_holding_torques_are_those_of_the_rigid_robot() -> None:
    assert session(robot()).read("robot.effort") == pytest.approx(robot().holding_torques(), abs=1e-9)


def test_an_elastic_tool_gives_way_by_j_k_jt() -> None:
    """A force that rises slowly and stays; the linear law holds to the square of the deflection."""
    part = robot("elastic", damping=(4e3, 4e3, 4e3, 400.0, 400.0, 400.0))
    known = SixAxis.of("kr16-2", STAND, TOOL.X_FT)
    s = session(part, Push(), step=5e-4)
    force = np.array([30.0, -20.0, 10.0])
    s.write("push.wrench", [0.0, 0.0, 0.0, *force])
    s.step(0.8)
    J = known.jacobian(Q)[3:]
    expected = J @ np.diag(1.0 / np.array(part.stiffness)) @ J.T @ force
    moved = s.read("robot.tool.p_WF") - known.forward(Q).p
    assert np.linalg.norm(expected) > 2e-5
    assert moved == pytest.approx(expected, abs=2e-3 * float(np.linalg.norm(expected)))


def test_an_elastic_robot_keeps_its_energy_balance_while_it_moves() -> None:
    part = robot("elastic")
    mission = ff.Mission([part], rows=[ff.uniform_gravity(G.tolist())], integrator=ff.Dopri5(5e-4), record_rate=100.0)
    s = mission.session()
    c = np.zeros((6, 7))
    c[:, 1], c[:, 4] = part.motor_start(), 2.0
    s.write("robot.course", c)
    result = mission.complete(s, 0.2)
    assert result.audit.drifts["energy_drift"] < 1e-6
    assert np.abs(result["robot.q"][-1] - result["robot.motor_q"][-1]).max() > 1e-4


def test_a_robot_may_start_in_motion() -> None:
    qd = (0.1, -0.05, 0.02, 0.3, -0.1, 0.2)
    for joints in ("rigid", "elastic"):
        s = session(robot(joints, qd=qd))
        assert s.read("robot.qd") == pytest.approx(qd, abs=1e-12)
        assert s.read("robot.motor_qd") == pytest.approx(qd, abs=1e-12)


def test_endless_axes_have_no_limits() -> None:
    q = Q + np.array([0.0, 0.0, 0.0, 20.0, 0.0, -20.0])
    with pytest.raises(InputError, match="A4"):
        session(IndustrialRobot("robot", "kr240-2", q=q))
    s = session(IndustrialRobot("robot", "kr240-2", q=q, endless=("A4", "A6")))
    turned = ff.Pose.from_quat(s.read("robot.flange.q_WF")).R.T @ SixAxis.of("kr240-2").flange(q).R
    assert so3_log(turned) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "kr17"}, "industrial robot 'kr17'"),
        ({"joints": "soft"}, "joints 'soft'; allowed: rigid, elastic"),
        ({"q": (0.0,) * 5}, "6 numbers"),
        ({"endless": ("A9",)}, "endless 'A9'"),
        ({"stiffness": (0.0,) * 6}, "stiffness"),
    ],
)
def test_bad_robots_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        IndustrialRobot("robot", **given)  # pyright: ignore[reportArgumentType]


def test_a_bad_mockup_is_refused() -> None:
    with pytest.raises(InputError, match="mock-up: mass"):
        Mockup(0.0)
    with pytest.raises(InputError, match="mock-up"):
        Mockup(inertia=(1.0, 1.0, 5.0))
