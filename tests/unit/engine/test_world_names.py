"""Names that a world does not have are told, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda w: w.load("latch"), "connection 'latch' is open; only a closed one carries a load"),
        (lambda w: w.load("lach"), "unknown connection or link 'lach'. Did you mean 'latch'"),
        (lambda w: w.joint("nobody"), "unknown joint 'nobody'"),
        (lambda w: w.set_joint("nobody", 0.0, 0.0), "unknown joint 'nobody'"),
        (lambda w: w.set_shapes("nobody", ()), "unknown link 'nobody'"),
        (lambda w: w.declared("nobody"), "unknown link 'nobody'"),
        (lambda w: w.motion("nobody"), "unknown link 'nobody'"),
        (lambda w: w.pose("nobody"), "unknown frame 'nobody'"),
        (lambda w: w.read("a.p"), "unknown signal 'a.p'"),
        (lambda w: w.write("a.wrenc", [0.0]), "unknown command 'a.wrenc'. Did you mean 'a.wrench'"),
        (lambda w: w.held("other.wrench"), "'other.wrench' is in world 'there', not in 'here'; a task can read"),
        (lambda w: w.read("other.p_WB"), "'other.p_WB' is in world 'there', not in 'here'; a task can read"),
        (lambda w: w.attach("nothing"), "unknown connection 'nothing'"),
    ],
)
def test_a_name_that_is_not_there_is_one_line(ask: Callable[[ff.World], Any], message: str) -> None:
    away = ff.Motion(ff.Pose.from_rpy((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)))
    parts = [ff.RigidBody("a"), ff.RigidBody("b", motion=away)]
    here = ff.WorldSetup("here", parts, connections=[ff.Connection("latch", "a", "b")])
    session = ff.Mission(worlds=[here, ff.WorldSetup("there", [ff.RigidBody("other")])]).session()
    with pytest.raises(InputError) as told:
        ask(session.worlds["here"])
    assert str(told.value).startswith(message)
