import numpy as np
import pytest

from freefloat.facility.axes import ROBOTS
from freefloat.frames import quat_to_matrix
from freefloat.missions.facility.hybrid import EposHybrid
from freefloat.missions.facility.hybrid_contact import LENGTH, Held, plate_mockup, tip_mockup
from freefloat.missions.facility.hybrid_space import X_GP

SCENARIO = EposHybrid(contact="on")


def held(number: int, **more: str) -> Held:
    lab = SCENARIO.lab(mockup1=tip_mockup(0.01), mockup2=plate_mockup(), **more)
    return Held(lab, number, SCENARIO.pairing.ports[number - 1])


@pytest.mark.parametrize("number", [1, 2])
def test_a_carrier_knows_where_its_satellite_is(number: int) -> None:
    first = SCENARIO.first(SCENARIO.rail())
    axes = SCENARIO.kinematics().to_axes(first, SCENARIO.begin())[ROBOTS[number - 1]]
    X_WB = held(number).carrier().pose(axes)
    ought = X_GP @ SCENARIO.pairing.at_rest(SCENARIO.flown().distance)[number - 1].X_W
    assert X_WB.p == pytest.approx(ought.p, abs=1e-12)
    assert pytest.approx(ought.R, abs=1e-12) == X_WB.R


@pytest.mark.parametrize("number", [1, 2])
def test_a_wrist_that_feels_only_the_mock_up_tells_of_no_contact(number: int) -> None:
    robot = held(number)
    carrier, tool = robot.carrier(), robot.lab.robot(1 if number == 1 else 2).tool
    axes = np.array(SCENARIO.begin())[ROBOTS[number - 1]]
    up = carrier.kinematics.flange(axes).R.T @ np.array([0.0, 0.0, 9.81 * tool.mass])
    wrist = np.concatenate([up, np.cross(np.array(tool.p_FFcm), up)])
    none = carrier.contact_wrench(axes, np.zeros(6), np.zeros(6), wrist)
    assert np.abs(none).max() < 1e-10
    pushed = carrier.contact_wrench(axes, np.zeros(6), np.zeros(6), wrist + np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0]))
    assert np.linalg.norm(pushed[3:]) == pytest.approx(20.0)


@pytest.mark.parametrize("number", [1, 2])
def test_statics_of_elastic_gears_hold_plate_and_mock_up(number: int) -> None:
    robot = held(number, joints="elastic")
    motors = np.array(robot.lab.start)[ROBOTS[number - 1]]
    links = np.array(robot.lab.robot(1 if number == 1 else 2).q)
    assert np.abs(motors - links).max() > 1e-5
    assert robot.carrier().links(motors) == pytest.approx(links, abs=1e-7)


def test_tools_are_straight_before_the_plates() -> None:
    for number, sign in ((1, -1.0), (2, 1.0)):
        robot = held(number)
        tool = robot.X_FT @ robot.X_BU
        assert tool.p == pytest.approx(np.array([0.0, 0.0, LENGTH]), abs=1e-15)
        assert tool.R[:, 0] == pytest.approx(np.array([0.0, 0.0, sign]), abs=1e-15)
    assert quat_to_matrix(X_GP.q) == pytest.approx(X_GP.R)
