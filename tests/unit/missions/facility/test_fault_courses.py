import numpy as np
import pytest

from freefloat.facility.axes import CYCLE, RAIL, ROBOT2
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.kinematics import Kinematics, UnreachableError
from freefloat.facility.part import START
from freefloat.missions.facility.fault_courses import SPEEDING, StretchedArm, Stretching, course_of, settling, speeding

KINEMATICS, AXES, LIMITS = Kinematics(), np.array(START), axis_limits()


def axes_of(course, seconds):
    """Until then, or until they are not reached."""
    rows, now = [], AXES
    while len(rows) * CYCLE < seconds:
        try:
            now = KINEMATICS.to_axes(course.command(len(rows) * CYCLE), now)
        except UnreachableError:
            break
        rows.append(now)
    return np.array(rows)


@pytest.mark.parametrize("kind", ["silent", "range", "clearance", "reach"])
def test_motions_begin_at_the_start_at_rest_and_keep_the_axes_limits(kind):
    rows = axes_of(course_of(kind, 0.1, 0.3, KINEMATICS, AXES), 1.2)
    np.testing.assert_allclose(rows[0], AXES, rtol=0, atol=1e-12)
    assert np.abs(np.diff(rows, axis=0)).max() > 0.0
    assert (np.abs(np.diff(rows, axis=0)) <= LIMITS.speed * CYCLE).all()
    assert (np.abs(np.diff(rows, 2, axis=0)) <= LIMITS.acceleration * CYCLE**2).all()


def test_the_rail_is_steady_once_it_has_settled():
    rows = axes_of(course_of("door", 0.6, 0.3, KINEMATICS, AXES), 1.0)
    late = rows[round(settling(0.3) / CYCLE) + 1 :, RAIL]
    np.testing.assert_allclose(np.diff(late) / CYCLE, 0.3, rtol=1e-9)


def test_speeding_ends_with_a_steady_acceleration_beyond_the_limit():
    way = np.array([speeding(n * CYCLE, *SPEEDING[1:]) for n in range(200)])
    np.testing.assert_allclose(np.diff(way, 2)[50:] / CYCLE**2, SPEEDING[1], rtol=1e-6)
    assert np.abs(np.diff(way)[-1]) / CYCLE > LIMITS.speed[SPEEDING[0]]


def test_the_arm_stretches_at_a_steady_rate_until_its_wrist_is_out_of_reach():
    course, arm = Stretching(KINEMATICS, AXES, 0.0), StretchedArm(KINEMATICS)
    rows = axes_of(course, np.inf)
    with pytest.raises(UnreachableError, match="too far"):
        KINEMATICS.to_axes(course.command(len(rows) * CYCLE), rows[-1])
    elbow = np.diff(rows[200:, ROBOT2][:, 2]) / CYCLE
    np.testing.assert_allclose(elbow, -1.0, rtol=1e-6)
    wrist = arm.wrist(KINEMATICS.tool_poses(rows[-1])[1])
    short = arm.reach - float(np.linalg.norm(wrist - arm.shoulder_towards(wrist)))
    assert 0.0 <= short < 1e-4
    assert len(elbow) > 100
