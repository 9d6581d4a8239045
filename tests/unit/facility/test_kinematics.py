"""Records to axes and back, and what users are told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.kinematics import Kinematics, UnreachableError
from freefloat.facility.record import Frame, Record
from freefloat.facility.user_tool import UserTools
from freefloat.frames import Pose
from freefloat.verify.facility_rig import HOME, glc

KINEMATICS = Kinematics()


@pytest.mark.parametrize("frame", Frame)
def test_the_record_of_axes_leads_back_to_them(frame: Frame) -> None:
    axes = HOME + np.linspace(-0.3, 0.3, 13)
    record = KINEMATICS.from_axes(frame, axes, (1.0, 2.0, -3.0, 0.5, -0.5, 0.5, 0.5))
    assert KINEMATICS.to_axes(record, HOME) == pytest.approx(axes, abs=1e-12)


def test_a_point_of_view_moves_both_tools() -> None:
    view = Pose.from_rpy((0.3, -0.2, 1.0), (1.0, 2.0, -3.0))
    w, x, y, z = view.q
    record = KINEMATICS.from_axes(Frame.CLW, HOME, (*view.p, x, y, z, w))
    for i, X_GU in enumerate(KINEMATICS.tool_poses(HOME)):
        seen = record.values[7 * i : 7 * i + 7]
        assert (view @ Pose.from_quat(seen[[6, 3, 4, 5]], seen[:3])).is_close(X_GU, 1e-14)
    assert record.values[14:21].tolist() == [*view.p, x, y, z, w]


def test_data_lin_is_the_way_from_base_to_plate() -> None:
    record = KINEMATICS.from_axes(Frame.GLC, HOME)
    plate = LabGeometry().robot(1, HOME[0]).forward(HOME[1:7])
    assert record.values[21] == pytest.approx(HOME[0] - plate.p[0], abs=1e-14)
    assert KINEMATICS.from_axes(Frame.IJT, HOME).values[21] == 6550.0


def test_tools_are_those_given() -> None:
    bare = Kinematics(tools=UserTools(Pose.identity(), Pose.identity()))
    lab = LabGeometry()
    one, two = bare.tool_poses(HOME)
    assert one.is_close(lab.robot(1, HOME[0]).forward(HOME[1:7]), 1e-14)
    assert two.is_close(lab.robot(2).forward(HOME[7:]), 1e-14)


def test_turns_are_counted_to_the_nearest_whole_one() -> None:
    axes = HOME + 0.0
    axes[[10, 12]] = math.radians(72000.0) - 1e-9, math.radians(-3780.0) - 0.1
    assert KINEMATICS.turns(axes) == (200, -11)
    assert KINEMATICS.turns(HOME) == (0, 0)


@pytest.mark.parametrize(
    ("record", "device", "axis", "value", "limit", "told"),
    [
        (glc((30.0, 0.0, 0.0)), "rail", "E1", 31.55, 25.0, "rail: E1 31.55 m; allowed: 0 to 25 m"),
        (
            glc(p2=(1.9, 1.5, 2.5)),
            "rob2",
            None,
            math.hypot(1.42 - 0.23 - 0.35, 4.0 - 0.75) - 1.25 - math.hypot(1.10, 0.055),
            0.0,
            r"rob2 \(kr240-2\): plate at \(1.42, 0, 4\) m in its base: its wrist would be 1.005 m too far; allowed",
        ),
    ],
)
def test_what_is_not_reached_is_told(
    record: Record, device: str, axis: str | None, value: float, limit: float, told: str
) -> None:
    with pytest.raises(UnreachableError, match=told) as caught:
        KINEMATICS.to_axes(record, HOME)
    error = caught.value
    assert (error.device, error.axis, error.limit, error.unit) == (device, axis, limit, "m")
    assert error.value == pytest.approx(value, abs=1e-12)


def test_an_axis_beyond_its_limit_is_told() -> None:
    values = KINEMATICS.from_axes(Frame.IJT, HOME).values.copy()
    values[4] = -130.0
    with pytest.raises(UnreachableError, match="rob1: A5 -130 deg; allowed: -125 to 125 deg") as caught:
        KINEMATICS.to_axes(Record(Frame.IJT, values), HOME)
    error = caught.value
    assert (error.device, error.axis, error.unit) == ("rob1", "A5", "rad")
    assert (error.value, error.limit) == pytest.approx((math.radians(-130.0), math.radians(-125.0)))


def test_numbers_that_are_no_pose_are_told() -> None:
    values = np.array(glc().values)
    with pytest.raises(InputError, match=r"rob1 quaternion \(0, 0, 0, 0\) of length 0; allowed: length 1 within 0.001"):
        KINEMATICS.to_axes(Record(Frame.CLW, values), HOME)
    values[9] = math.nan
    with pytest.raises(InputError, match="GLC record: rob2 z nan m; allowed: a finite number"):
        KINEMATICS.to_axes(Record(Frame.GLC, values), HOME)
    with pytest.raises(InputError, match=r"pov quaternion .* of length 2; allowed: length 1"):
        KINEMATICS.from_axes(Frame.CLW, HOME, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0))
    with pytest.raises(InputError, match=r"axes of the facility .*; allowed: 13 finite numbers"):
        KINEMATICS.to_axes(glc(), HOME[:12])
