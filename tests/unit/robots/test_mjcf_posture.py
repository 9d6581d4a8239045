from __future__ import annotations

import pytest

from freefloat.robots import load_mjcf

TWO = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><geom size="0.3"/><body name="b" pos="1 0 0">
  <joint name="one" ref="{}" range="-1 1"/><geom size="0.1"/><body name="c" pos="1 0 0">
  <joint name="two" axis="0 1 0" range="0.2 0.9"/><geom size="0.1"/></body></body></body></worldbody>
  <equality>{}</equality></mujoco>"""


def test_joints_start_at_their_refs_where_the_limits_allow_them() -> None:
    graph = load_mjcf(TWO.format(0.3, ""))
    assert dict(graph.start) == {"one": 0.3}
    assert graph.rest() == [0.3, 0.2]
    assert load_mjcf(TWO.format(2.0, "")).rest() == [0.0, 0.2]


def test_a_leader_starts_where_the_joint_that_it_leads_is_within_its_limits() -> None:
    graph = load_mjcf(TWO.format(0.0, '<joint joint1="two" joint2="one" polycoef="0 0.5 0 0 0"/>'))
    one, two = graph.rest()
    assert two == pytest.approx(0.5 * one)
    assert 0.2 <= two < 0.21, "the nearest to the ref"
