"""The specific force: acceleration less gravity, in the frame's own axes."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.robots import asset

ROTATED = ff.Pose.from_rpy((0.3, -0.5, 0.8), (0.4, -0.2, 0.1))


def body(**options: object) -> ff.RigidBody:
    return ff.RigidBody("b", 50.0, (4.0, 5.0, 6.0), frames={"imu": ROTATED}, **options)  # pyright: ignore[reportArgumentType]


def test_a_spinning_point_feels_the_centripetal_and_the_eulerian_acceleration() -> None:
    w = np.array([0.3, -0.2, 0.5])
    session = ff.Mission([body(motion=ff.Motion(w_WL_L=(0.3, -0.2, 0.5), v_WL=(7e3, 1e3, 0.0)))]).session()
    inertia = np.array([4.0, 5.0, 6.0])
    wd = -np.cross(w, inertia * w) / inertia
    expected = ROTATED.R.T @ (np.cross(wd, ROTATED.p) + np.cross(w, np.cross(w, ROTATED.p)))
    assert session.read("b.imu.f_WF_F") == pytest.approx(expected, abs=1e-12)


def test_a_force_is_felt_and_gravity_is_not() -> None:
    mission = ff.Mission(
        [body()], rows=[ff.uniform_gravity((0.0, 0.0, -9.8)), ff.point_mass_gravity(4e14, (7e6, 0, 0))]
    )
    session = mission.session()
    assert session.read("b.f_WB_B") == pytest.approx(np.zeros(3), abs=1e-14)
    session.write("b.wrench", [0, 0, 0, 5.0, -10.0, 20.0])
    assert session.read("b.f_WB_B") == pytest.approx([0.1, -0.2, 0.4], abs=1e-12)


def test_on_a_robot_it_is_the_second_derivative_of_the_position() -> None:
    arm = ff.Arm("arm", ff.load_urdf(asset("arm7")), q=[0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0], motion=ff.Motion())
    session = ff.Mission([arm]).session()
    session.write("arm.tau", [2.0, -3.0, 1.0, 2.0, 0.5, 0.3, 0.02])
    session.step(0.3)
    f = session.read("arm.tool.f_WF_F")
    q = session.read("arm.tool.q_WF")
    v = []
    for dt in (0.0, 1e-3, 1e-3, 1e-3, 1e-3):
        session.step(dt)
        v.append(session.read("arm.tool.v_WF"))
    derivative = (-25 * v[0] + 48 * v[1] - 36 * v[2] + 16 * v[3] - 3 * v[4]) / 12e-3
    from freefloat.frames import quat_rotate

    assert quat_rotate(q, f) == pytest.approx(derivative, rel=1e-6, abs=1e-7)
