"""Links and joints are what they were made from, whoever holds the arrays."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError


def joint() -> ff.Joint:
    return ff.Joint("hinge", "revolute", "bus", "arm", ff.Pose.identity(), np.array([0.0, 1.0, 0.0]))


def link() -> ff.Link:
    return ff.Link("bus", 2.0, np.array([0.1, 0.0, 0.0]), np.diag([1.0, 2.0, 2.5]), frames={"top": ff.Pose.identity()})


@pytest.mark.parametrize("again", [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_nobody_writes_into_a_link_or_a_joint(again: Callable[[Any], Any]) -> None:
    body, hinge = again(link()), again(joint())
    for array in (body.p_LLcm, body.I_LLcm_L, hinge.axis):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0
    with pytest.raises(TypeError):
        body.frames["top"] = ff.Pose.identity()


def test_arrays_and_frames_that_were_given_stay_the_callers() -> None:
    centre, inertia, frames = np.zeros(3), np.eye(3), {"top": ff.Pose.identity()}
    body = ff.Link("bus", 1.0, centre, inertia, frames=frames)
    centre[0], inertia[0, 0] = 5.0, 9.0
    frames["side"] = ff.Pose.identity()
    assert body.p_LLcm.tolist() == [0.0, 0.0, 0.0]
    assert body.I_LLcm_L.tolist() == np.eye(3).tolist()
    assert list(body.frames) == ["top"]


@pytest.mark.parametrize("bad", ["abc", None, [1.0, 2.0], [[1.0], [2.0, 3.0]]])
def test_arrays_of_another_shape_are_refused_by_name(bad: Any) -> None:
    with pytest.raises(InputError, match=r"link 'bus': p_LLcm is .*allowed: numbers of shape \(3,\)"):
        ff.Link("bus", 1.0, bad, np.eye(3))
    with pytest.raises(InputError, match="joint 'hinge': axis"):
        ff.Joint("hinge", "revolute", "a", "b", ff.Pose.identity(), bad)
