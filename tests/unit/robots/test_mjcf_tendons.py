from __future__ import annotations

import pytest

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

BODIES = """<mujoco><worldbody><body name="a"><geom size="0.3"/><body name="b" pos="1 0 0"><joint name="one"/>
  <geom size="0.1"/><body name="c" pos="1 0 0"><joint name="two" axis="0 1 0"/><geom size="0.1"/></body></body></body>
  </worldbody><tendon><fixed name="t" {}><joint joint="one" coef="2"/>{}</fixed></tendon>
  <actuator><motor name="m" tendon="t" gear="3"/></actuator></mujoco>"""
SECOND = '<joint joint="two" coef="-1"/>'
ACTS = {
    "stiffness": 'stiffness="1"',
    "damping": 'damping="1"',
    "frictionloss": 'frictionloss="1"',
    "armature": 'armature="1"',
    "a limited length": 'range="0 1"',
}


def test_a_tendon_of_one_joint_is_that_joint() -> None:
    graph = load_mjcf(BODIES.format("", ""))
    assert [(a.joint, a.gain) for a in graph.actuators] == [("one", 6.0)]
    assert any("1 tendons without forces of their own" in note for note in graph.notes)


def test_an_actuator_of_a_tendon_that_joins_two_free_joints_is_refused_or_left_out() -> None:
    with pytest.raises(ModelError, match="<motor name='m'>: an actuator of a tendon that no single joint sets"):
        load_mjcf(BODIES.format("", SECOND))
    graph = load_mjcf(BODIES.format("", SECOND), unsupported="skip")
    assert (graph.actuators, len(graph.skipped)) == ((), 1)


@pytest.mark.parametrize("what", ACTS)
def test_a_tendon_that_acts_by_itself_is_refused_or_left_out(what: str) -> None:
    text = BODIES.format(ACTS[what], "")
    with pytest.raises(ModelError, match=f"<fixed name='t'>: a tendon with {what} is not supported"):
        load_mjcf(text)
    assert len(load_mjcf(text, unsupported="skip").skipped) == 1
