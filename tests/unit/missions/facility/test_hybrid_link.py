import numpy as np
import pytest

from freefloat.facility.kinematics import Kinematics
from freefloat.facility.part import START
from freefloat.facility.record import LIN, Record
from freefloat.frames import Pose
from freefloat.missions.facility.courses import MEETING
from freefloat.missions.facility.hybrid_link import Shown, record_of
from freefloat.missions.facility.hybrid_space import BACK

TOOLS = Kinematics().tools
PORTS = (
    Pose.from_rpy((0.02, -0.03, np.pi + 0.05), (-2.0, 0.1, 0.05)),
    Pose.from_rpy((0.3, 0.05, np.pi), (0.0, 0.05, 0.0)),
)


def test_the_robots_tools_have_the_relative_pose_of_the_docking_frames() -> None:
    kinematics = Kinematics()
    first, second = kinematics.tool_poses(kinematics.to_axes(record_of(PORTS, TOOLS.rob1, None), START))
    ought = PORTS[1].inverse() @ PORTS[0]
    was = second.inverse() @ first
    assert was.p == pytest.approx(ought.p, abs=1e-12)
    assert pytest.approx(ought.R, abs=1e-12) == was.R


def test_docking_frames_that_meet_are_at_the_meeting_and_unturned() -> None:
    meeting = Pose(BACK, np.zeros(3))
    _, second = Kinematics().tool_poses(Kinematics().to_axes(record_of((PORTS[0], meeting), TOOLS.rob1, None), START))
    assert second.p == pytest.approx(np.array(MEETING), abs=1e-12)
    assert pytest.approx(np.eye(3), abs=1e-12) == second.R


@pytest.mark.parametrize("moved", [0.0, 0.1, -0.2])
def test_a_rail_that_is_to_stand_stands(moved: float) -> None:
    ports = Pose(PORTS[0].R, PORTS[0].p + np.array([moved, 0.0, 0.0])), PORTS[1]
    axes = Kinematics().to_axes(record_of(ports, TOOLS.rob1, 5.4), START)
    assert axes[0] == pytest.approx(5.4, abs=1e-12)
    free = Kinematics().to_axes(record_of(ports, TOOLS.rob1, None), START)
    assert record_of(ports, TOOLS.rob1, None).values[LIN] == 1.5
    assert free[0] != pytest.approx(5.4, abs=1e-3)


def test_the_answer_echoes_the_cycle_and_shows_the_satellites() -> None:
    bodies = [X @ Pose(BACK, [0.4, 0.0, 0.0]).inverse() for X in PORTS]
    state = np.zeros(24)
    state[0] = 77.0
    meas = {"state": state}
    for k, X in enumerate(bodies, 1):
        meas |= {f"p{k}": X.p, f"q{k}": X.q}
    port = Pose(BACK, [0.4, 0.0, 0.0])
    row = Shown((port, port), TOOLS.rob1).update(0.0, meas)["record"]
    assert row[0] == 77.0
    assert Record.from_row(row).values == pytest.approx(record_of(PORTS, TOOLS.rob1, None).values, abs=1e-12)
