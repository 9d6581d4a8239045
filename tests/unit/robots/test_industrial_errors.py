"""Errors of a robot's geometry: where its flange then is, and which robots may have them."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.robots.industrial import IndustrialRobot
from freefloat.robots.industrial_errors import GeometryErrors
from freefloat.robots.posture import Posture
from freefloat.robots.shipped import load_robot
from freefloat.six_axis_arms import AXES

Q = np.array([0.3, -1.2, 1.7, 0.6, -0.8, 2.1])


def flange(robot: IndustrialRobot, q: Array) -> Pose:
    graph = robot.graph()
    at = Posture.of(graph, dict(zip(AXES, q.tolist(), strict=True)))
    last = next(link for link in graph.links if link.name == "link_6")
    return at.links["link_6"] @ last.frames["flange"]


@pytest.mark.parametrize("model", ["kr16-2", "kr240-2"])
def test_a_zero_offset_is_the_same_as_an_axis_turned_further(model: str) -> None:
    zeros = (0.01, -0.02, 0.03, -0.04, 0.05, -0.06)
    erred = IndustrialRobot("arm", model, errors=GeometryErrors(zeros=zeros))
    assert flange(erred, Q).is_close(flange(IndustrialRobot("arm", model), Q + zeros), 1e-14)


def test_the_first_and_the_last_step_displace_the_whole_arm_and_the_flange() -> None:
    turn, shift = (1e-3, -2e-3, 5e-4), (3e-4, 4e-4, -2e-4)
    nil = ((0.0, 0.0, 0.0),) * 6
    X = flange(IndustrialRobot("arm", "kr240-2"), Q)
    error = Pose.exp(np.array([*turn, *shift]))
    last = IndustrialRobot("arm", "kr240-2", errors=GeometryErrors((*nil, shift), (*nil, turn)))
    assert flange(last, Q).is_close(X @ error, 1e-14)
    first = IndustrialRobot("arm", "kr240-2", errors=GeometryErrors((shift, *nil), (turn, *nil)))
    up = Pose(np.eye(3), (0.0, 0.0, 0.75))  # base to A1
    assert flange(first, Q).is_close(up @ error @ up.inverse() @ X, 1e-14)


def test_numbers_there_and_back() -> None:
    values = np.arange(48) * 1e-5
    assert np.array_equal(GeometryErrors.of_vector(values).vector, values)


def test_units_and_wrong_robots_are_refused_with_what_is_allowed() -> None:
    assert GeometryErrors(zeros=("1 mrad", *(0.0,) * 5)).zeros[0] == pytest.approx(1e-3)
    with pytest.raises(InputError, match="zeros"):
        GeometryErrors(zeros=(0.0,) * 5)
    with pytest.raises(InputError, match="allowed: A1, A2"):
        GeometryErrors().applied(load_robot("arm7"))
