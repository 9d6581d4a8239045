"""Chains against the kinematics of the lab, the graph of the robots, and their holding torques."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.facility.chain import BARE, Load, chain_of, design_plates, plates, pose, row, stiffness_of
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.part import DockingFacility
from freefloat.frames import Pose
from freefloat.robots.industrial import IndustrialRobot, Mockup
from freefloat.robots.industrial_errors import GeometryErrors

LAB = LabGeometry()
RNG = np.random.default_rng(5)
AXES = np.column_stack([RNG.uniform(0.0, 25.0, 20), RNG.uniform(-2.0, 2.0, (20, 12))])


def test_plates_by_design_are_where_the_labs_kinematics_have_them() -> None:
    for axes, both in zip(AXES, design_plates(LAB, AXES), strict=True):
        for number, q in ((1, axes[1:7]), (2, axes[7:])):
            X = LAB.robot(number, axes[0] if number == 1 else 0.0).forward(q)
            assert np.abs(both[number - 1] - row(X)).max() < 1e-13


@pytest.mark.parametrize("number", [1, 2])
def test_an_erred_chain_that_sags_is_where_the_robots_own_graph_and_torques_have_it(number: int) -> None:
    values, q = RNG.normal(size=48) * 5e-4, AXES[0, 1:7]
    load = Load(70.0, (0.01, -0.02, 0.2))
    tool = Mockup(load.mass, LAB.X_FT.apply(np.array(load.centre)), (1.0, 1.0, 1.0), LAB.X_FT)
    errors = GeometryErrors.of_vector(values)
    robot = IndustrialRobot("arm", LAB.arms[number - 1], LAB.base(number), q.tolist(), tool, "elastic", errors=errors)
    rigid = chain_of(LAB, number, load, values)
    soft = chain_of(LAB, number, load, values, 1.0 / stiffness_of(LAB, number))
    e1, straight = np.zeros(1), np.zeros((1, 6))
    wound = robot.motor_start()
    assert np.abs(wound - q).max() > 1e-4
    assert np.abs(plates(soft, e1, straight, wound[None]) - plates(rigid, e1, straight, q[None])).max() < 1e-10


def test_a_turned_and_shifted_carriage_carries_the_plate_along() -> None:
    rail, e1 = np.array([[2e-3, -1e-3, 3e-3, 1e-3, 2e-3, -3e-3]]), np.array([4.0])
    q = AXES[:1, 1:7]
    base = LAB.base(1, 4.0)
    plain = pose(plates(chain_of(LAB, 1, BARE[0]), e1, np.zeros((1, 6)), q)[0])
    moved = pose(plates(chain_of(LAB, 1, BARE[0]), e1, rail, q)[0])
    carried = Pose(Pose.exp(np.array([*rail[0, :3], 0.0, 0.0, 0.0])).R @ base.R, base.p + rail[0, 3:])
    assert moved.is_close(carried @ base.inverse() @ plain, 1e-13)


def test_the_load_of_a_robot_is_plate_equipment_and_mock_up() -> None:
    part = DockingFacility()
    load = Load.of(part.robot(1), part.geometry.X_FT)
    things = [(47.0, np.array([0.0, 0.0, 0.015]))]
    things += [(t.mass, np.array(t.centre)) for t in (*part.equipment1, part.mockup1)]
    mass = sum(m for m, _ in things)
    assert load.mass == pytest.approx(mass)
    assert np.array(load.centre) == pytest.approx(sum((m * c for m, c in things), np.zeros(3)) / mass)
