"""Where frames stand at the start, and robots that stand on them."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import WORLD, Joint, Link
from freefloat.errors import InputError
from freefloat.robots import IndustrialRobot
from freefloat.robots.industrial import Joints
from freefloat.robots.mounting import start_pose

G = (0.0, 0.0, -9.81)
PLACE = ff.Pose.from_rpy((0.3, -0.2, 2.0), (0.5, 1.0, -0.4))
MOUNT = ff.Pose.from_rpy((0.1, 0.2, -0.7), (0.0, 0.1, 0.2))
SLIDE, TURN = 1.3, 0.6
AXIS = np.array([1.0, 0.0, 0.0])
X_WM = PLACE @ ff.Pose(np.eye(3), SLIDE * AXIS) @ ff.Pose.from_rpy((TURN, 0.0, 0.0), (0.0, 0.0, 0.3)) @ MOUNT


class Table:
    """A slide on the world with a turntable on it, both held where they start."""

    name = "table"

    def build(self, b: ff.Builder) -> None:
        b.body(Link("sled", 50.0, np.zeros(3), np.eye(3)))
        top = b.body(Link("top", 20.0, np.zeros(3), np.eye(3)))
        joints = [
            b.joint(Joint("slide", "prismatic", WORLD, "sled", PLACE, AXIS), SLIDE),
            b.joint(Joint("turn", "revolute", "sled", "top", ff.Pose(np.eye(3), (0.0, 0.0, 0.3)), AXIS), TURN),
        ]
        b.frame("mount", top, MOUNT)
        start = [0.0, SLIDE, *(0.0,) * 5, 0.0, TURN, *(0.0,) * 5]
        b.impose(joints, b.command("course", (2, 7), "-", start=start))


def robots(joints: Joints) -> tuple[ff.Session, ff.Session, IndustrialRobot]:
    rows = [ff.uniform_gravity(G)]
    fixed = IndustrialRobot("robot", "kr240-2", X_WM, joints=joints, gears="springs")
    on = IndustrialRobot("robot", "kr240-2", joints=joints, gears="springs", on="table.mount")
    missions = [
        ff.Mission(parts, rows=rows, integrator=ff.RK4(1e-4), record_rate=100.0) for parts in ([Table(), on], [fixed])
    ]
    return missions[0].session(), missions[1].session(), on


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_a_robot_on_a_tilted_mount_stands_and_holds_as_one_that_the_world_carries_there(joints: Joints) -> None:
    mounted, fixed, part = robots(joints)
    for name in ("tool.p_WF", "tool.q_WF", "motor_q", "wrist"):
        assert mounted.read(f"robot.{name}") == pytest.approx(fixed.read(f"robot.{name}"), abs=1e-10)
    assert mounted.read("robot.motor_q") == pytest.approx(part.motor_start(X_WM), abs=1e-14)
    mounted.step(0.02)
    assert mounted.read("robot.qd") == pytest.approx(np.zeros(6), abs=1e-9)
    with pytest.raises(InputError, match=r"stands on 'table.mount': its torques need X_WB"):
        part.holding_torques()


def test_a_robot_stands_on_a_frame_or_where_it_is_told_not_both() -> None:
    with pytest.raises(InputError, match="allowed: one of both"):
        IndustrialRobot("robot", X_WB=PLACE, on="table.mount")


class Disc:
    name = "disc"

    def build(self, b: ff.Builder) -> None:
        b.body(Link("body", 5.0, np.zeros(3), np.eye(3)))
        b.glide("body", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        with pytest.raises(InputError, match=r"its link 'disc.body' glides on disc.glide"):
            start_pose(b.blueprint, "disc.body")


def test_what_glides_is_refused() -> None:
    ff.Mission([Disc()])
