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


BALL, BOX = ff.Shape("sphere", (0.1,)), ff.Shape("box", (0.1, 0.2, 0.3), name="hull")


@pytest.mark.parametrize("again", [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize(("touching", "found"), [(None, [""]), ((), []), ([BOX], ["hull"])])
def test_a_link_touches_with_what_is_seen_unless_it_is_told(again: Callable, touching: Any, found: list[str]) -> None:
    body = again(ff.Link("bus", 1.0, np.zeros(3), np.eye(3), (BALL,), touching=touching))
    assert [s.name for s in body.contact_shapes] == found
    assert isinstance(body.contact_shapes, tuple)
    assert len(body.shapes) == 1


def test_shapes_that_touch_are_the_links_own() -> None:
    given = [BOX]
    body = ff.Link("bus", 1.0, np.zeros(3), np.eye(3), touching=given)  # type: ignore[arg-type]
    given.append(BALL)
    assert body.contact_shapes == (BOX,)


@pytest.mark.parametrize("bad", ["box", BOX, [BOX, None], 3])
def test_what_is_no_shape_cannot_touch(bad: Any) -> None:
    with pytest.raises(InputError, match=r"(?s)link 'bus': touching is .*; allowed: shapes, or None"):
        ff.Link("bus", 1.0, np.zeros(3), np.eye(3), touching=bad)


@pytest.mark.parametrize("bad", [None, [1.0, 2.0], [[1.0], [2.0, 3.0]]])
def test_arrays_of_another_shape_are_refused_by_name(bad: Any) -> None:
    with pytest.raises(InputError, match=r"link 'bus': p_LLcm is .*allowed: numbers of shape \(3,\)"):
        ff.Link("bus", 1.0, bad, np.eye(3))
    with pytest.raises(InputError, match="joint 'hinge': axis"):
        ff.Joint("hinge", "revolute", "a", "b", ff.Pose.identity(), bad)
