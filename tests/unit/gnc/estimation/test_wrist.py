"""What touches a mock-up, from the wrist's sensor, against forces that are known."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.rows import body_wrench
from freefloat.errors import InputError
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.robots.industrial import IndustrialRobot, Mockup

STAND = ff.Pose.from_rpy((0.1, -0.2, 0.4), (0.3, -0.2, 0.1))
INERTIA = ((0.2, 0.01, 0.0), (0.01, 0.25, -0.02), (0.0, -0.02, 0.3))
TOOL = Mockup(8.0, (0.01, -0.02, 0.12), INERTIA, ff.Pose.from_rpy((0.1, 0.2, 0.3), (0.0, 0.02, 0.3)))
Q = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])
PUSH = np.array([1.0, -2.0, 0.5, 30.0, -20.0, 10.0])  # [torque; force] at the tool, in W


class Push:
    """A wrench on the mock-up at the tool frame, in W."""

    name = "push"

    def build(self, b: ff.Builder) -> None:
        b.add(body_wrench("robot.mockup", b.command("wrench", (6,), "N m, N", start=PUSH), TOOL.X_FT, "world"))


@pytest.fixture(scope="module")
def reading() -> dict[str, np.ndarray]:
    """A robot in fast motion, pushed by a known wrench."""
    rows = [ff.uniform_gravity((0.0, 0.0, -9.81))]
    robot = IndustrialRobot("robot", "kr16-2", STAND, Q, TOOL)
    s = ff.Mission([robot, Push()], rows=rows, integrator=ff.Dopri5(1e-3)).session()
    course = np.zeros((6, 7))
    course[:, 1], course[:, 3], course[:, 4] = Q, [0.5, -0.8, 1.0, 3.0, -2.0, 4.0], [1.0, 2.0, -3.0, -5.0, 4.0, 8.0]
    s.write("robot.course", course)
    s.step(0.2)
    return {name: s.read(f"robot.{name}") for name in ("motor_q", "motor_qd", "motor_qdd", "wrist")}


def compensation(**given: object) -> WristCompensation:
    known = SixAxis.of("kr16-2", STAND, TOOL.X_FT)
    return WristCompensation(known, TOOL.mass, TOOL.p_FFcm, TOOL.inertia, **given)  # pyright: ignore[reportArgumentType]


def off(found: np.ndarray) -> np.ndarray:
    """[N, N m] of force and torque from what pushed."""
    wrong = found - np.concatenate([PUSH[3:], PUSH[:3]])
    return np.array([np.linalg.norm(wrong[:3]), np.linalg.norm(wrong[3:])])


def test_a_known_push_is_found_while_the_robot_moves(reading: dict[str, np.ndarray]) -> None:
    r = reading
    assert (off(compensation().contact(r["motor_q"], r["motor_qd"], r["motor_qdd"], r["wrist"])) < 1e-6).all()


def test_without_the_inertial_part_force_and_torque_are_wrong(reading: dict[str, np.ndarray]) -> None:
    wrong = off(compensation().contact(reading["motor_q"], np.zeros(6), np.zeros(6), reading["wrist"]))
    assert wrong[0] > 5.0
    assert wrong[1] > 1.0


def test_a_known_bias_is_taken_out(reading: dict[str, np.ndarray]) -> None:
    r, bias = reading, np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    found = compensation(bias=bias).contact(r["motor_q"], r["motor_qd"], r["motor_qdd"], r["wrist"] + bias)
    assert (off(found) < 1e-6).all()


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="wrist: bias"):
        compensation(bias=(0.0,) * 5)
