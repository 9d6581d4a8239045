"""Frames on plain numbers: which branch is taken, and what is told of others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.facility import frames_step as step
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.record import LABELS, Frame
from freefloat.verify.facility_rig import HOME, glc

NOMINAL = Kinematics().nominal
VALUES = np.array(glc().values)


def told(values: np.ndarray, now: np.ndarray = HOME, frame: int = step.GLC) -> tuple[int, np.ndarray]:
    out = np.empty(13)
    return step.to_axes(NOMINAL, frame, values, np.array(now), out), out


def test_numbers_of_frames_are_those_of_records() -> None:
    assert {f.name: int(f) for f in Frame} == {name: getattr(step, name) for name in ("CLW", "GLC", "IJT", "IDC")}


@pytest.mark.parametrize("frame", Frame)
def test_only_numbers_that_are_used_must_be_finite(frame: Frame) -> None:
    row = np.empty(22)
    assert step.from_axes(NOMINAL, int(frame), np.array(HOME), np.eye(7)[6], row) == step.OK
    for i, label in enumerate(LABELS[frame]):
        given = row.copy()
        given[i] = math.nan
        assert told(given, frame=int(frame))[0] == (step.NOT_FINITE * step.KIND + i if label else step.OK)


@pytest.mark.parametrize(("place", "index"), [(3, 0), (10, 1), (17, 2)])
@pytest.mark.parametrize("scale", [0.0, 0.998, 1.002])
def test_a_quaternion_far_from_length_one_is_refused(place: int, index: int, scale: float) -> None:
    row = np.empty(22)
    step.from_axes(NOMINAL, step.CLW, np.array(HOME), np.eye(7)[6], row)
    row[place : place + 4] *= scale
    assert told(row, frame=step.CLW)[0] == step.QUATERNION * step.KIND + index


def test_a_quaternion_with_few_decimals_is_normalised() -> None:
    """Scaling is no turn: the same axes."""
    row = np.empty(22)
    step.from_axes(NOMINAL, step.CLW, HOME + 0.1, np.array([1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5]), row)
    scaled = row.copy()
    scaled[3:7] *= 1.0009
    scaled[17:21] *= -0.9995
    assert told(scaled, HOME + 0.1, step.CLW)[1] == pytest.approx(told(row, HOME + 0.1, step.CLW)[1], abs=1e-14)


@pytest.mark.parametrize("frame", [0, 5, -1])
def test_a_frame_that_is_none_is_told(frame: int) -> None:
    assert told(VALUES, frame=frame)[0] == step.FRAME * step.KIND
    assert step.from_axes(NOMINAL, frame, np.array(HOME), np.eye(7)[6], np.empty(22)) == step.FRAME * step.KIND


def test_out_of_reach_is_told_with_the_robot() -> None:
    for robot, first in ((0, 0), (1, 7)):
        far = VALUES.copy()
        far[first + 2] = 5.0
        assert told(far)[0] == step.TOO_FAR * step.KIND + robot


def test_where_an_arm_cannot_fold_it_is_an_axis_that_is_told() -> None:
    """U2 with the wrist at A2 itself: reached backwards only, beyond A2's or A3's limits."""
    near = VALUES.copy()
    near[7:10] = 0.35 + 0.23 + 0.48, 1.5, -0.75
    status, out = told(near)
    assert status // step.KIND == step.AXIS
    assert 7 <= status % step.KIND < 13
    assert np.isfinite(out).all()


def test_the_rail_is_told_before_the_robots() -> None:
    past = VALUES.copy()
    past[0], past[9] = 24.0, 5.0
    status, out = told(past)
    assert status == step.AXIS * step.KIND
    assert out[0] == pytest.approx(25.55)


def test_a_command_that_goes_on_does_not_jump_back_from_a_limit() -> None:
    """A6 of robot 1 rolled on to 350 deg: refused there, though -10 deg would be the same attitude."""
    values, before, now, status = VALUES.copy(), HOME, HOME, step.OK
    while status == step.OK:
        values[5] += 1.0
        before = now
        status, now = told(values, before)
    assert status == step.AXIS * step.KIND + 6
    assert math.degrees(before[6]) < 350.0 < math.degrees(now[6]) < 352.0
    far = before.copy()
    far[6] = 0.0
    status, now = told(values, far)  # from far away it is a way like any other
    assert status == step.OK
    assert math.degrees(now[6]) < 0.0


def test_endless_axes_go_to_the_nearest_turn_in_every_frame() -> None:
    for frame in Frame:
        row, now = np.empty(22), HOME + 0.0
        now[[10, 12]] += 2.0 * math.pi * np.array([7.0, -300.0])
        step.from_axes(NOMINAL, int(frame), np.array(HOME), np.eye(7)[6], row)
        status, out = told(row, now, int(frame))
        assert status == step.OK
        assert out == pytest.approx(now, abs=1e-9)


def test_axes_straight_through_the_wrists_singularity_stay_what_they_are() -> None:
    """A4 at 30 deg, A5 from 0.2 to -0.2 rad through 0: neither A4 nor A6 moves."""
    now = HOME + 0.0
    now[10:13] = math.radians(30.0), 0.2, 0.5
    row = np.empty(22)
    for bend in np.linspace(0.2, -0.2, 101):
        asked = now.copy()
        asked[11] = bend
        step.from_axes(NOMINAL, step.IDC, asked, np.eye(7)[6], row)
        status, now = told(row, now, step.IDC)
        assert status == step.OK
        assert now == pytest.approx(asked, abs=1e-11)


@pytest.mark.parametrize("axis", [3, 5, 9, 11])
def test_with_axes_extrapolated_a_path_goes_on_through_singular_postures(axis: int) -> None:
    """A3 through stretched, or A5 through straight, while all others move: the axes that made the path come back."""
    swing = 0.01 * np.sin(np.linspace(0.0, 4.0, 13) + np.linspace(0.0, 3.0, 200)[:, None])
    path = HOME + swing
    path[:, axis] = np.linspace(0.3, -0.3, 200)
    row, before, now = np.empty(22), path[0], path[1]
    for asked in path[2:]:
        step.from_axes(NOMINAL, step.GLC, asked, np.eye(7)[6], row)
        (status, found), before = told(row, 2.0 * now - before), now
        now = found
        assert status == step.OK
        assert now == pytest.approx(asked, abs=1e-8)


def test_the_tools_pose_is_the_chain_of_frames() -> None:
    rng, kinematics = np.random.default_rng(2), Kinematics()
    R, p = np.empty((3, 3)), np.empty(3)
    for axes in HOME + rng.uniform(-1.0, 1.0, (5, 13)):
        for robot, X_TU in enumerate((kinematics.tools.rob1, kinematics.tools.rob2)):
            X = LabGeometry().robot(robot + 1, axes[0]).forward(axes[1 + 6 * robot : 7 + 6 * robot]) @ X_TU
            step.tool_pose(kinematics.nominal, robot, axes, R, p)
            assert np.allclose(R, X.R, atol=1e-14)
            assert np.allclose(p, X.p, atol=1e-14)
