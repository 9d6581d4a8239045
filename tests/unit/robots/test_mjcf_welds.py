"""Welds, against the poses that MuJoCo's own welds ask for."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots import load_mjcf

BODIES = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="base" pos="0 0 1" euler="0 0.2 0"><geom size="0.2" mass="5"/>
    <body name="one" pos="0.3 0 0"><joint name="p" axis="0 1 0" ref="0.1"/><geom size="0.1" mass="1" pos="0.1 0 0"/>
      <site name="s" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"/>
      <body name="tip" pos="0.2 0 0" euler="0 0 0.4"/></body></body>
  <body name="two" pos="0.9 0.4 1.2" euler="0.3 0.2 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="1"/>
    <site name="t" pos="0.3 0.1 0.2" euler="0.4 0 0"/></body>
  <body name="ghost" mocap="true" pos="0.4 0.5 0.6" euler="0.7 0 0"/>
</worldbody><equality>{}</equality></mujoco>"""
WELDS = {
    "poses of the start": '<weld name="w" body1="one" body2="two"/>',
    "relpose": '<weld name="w" body1="two" body2="one" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>',
    "relpose and anchor": (
        '<weld name="w" body1="one" body2="two" anchor="0.3 0.1 0" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>'
    ),
    "massless body": '<weld name="w" body1="tip" body2="two" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>',
    "sites": '<weld name="w" site1="s" site2="t"/>',
    "mocap body": '<weld name="w" body1="ghost" body2="two" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>',
    "world": '<weld name="w" body1="two" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"/>',
}


@pytest.mark.parametrize("kind", WELDS)
def test_a_welded_body_is_where_mujocos_weld_is_content(kind: str, forward_kinematics) -> None:
    text = BODIES.format(WELDS[kind])
    graph = load_mjcf(text)
    assert dict(graph.floating) == {}, "what is welded no longer floats"
    weld = graph.joints[-1]
    assert (weld.name, weld.kind) == ("w", "fixed")
    assert any("held exactly" in note for note in graph.notes)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    q = 0.6
    apart = replace(graph, joints=graph.joints[:-1], floating={"two": Pose.identity()})
    on_world = forward_kinematics(apart, {"p": q})
    ends = {name: on_world[name] for name in ("world", "one")}
    two = (
        ends[weld.parent] @ weld.X_PJ @ weld.X_JC
        if weld.child == "two"
        else ends[weld.child] @ (weld.X_PJ @ weld.X_JC).inverse()
    )
    data.joint("p").qpos = q
    start = model.body("two").jntadr[0]
    data.qpos[model.jnt_qposadr[start] : model.jnt_qposadr[start] + 7] = np.concatenate([two.p, two.q])
    mujoco.mj_forward(model, data)
    rows = data.efc_pos[: data.ne]
    assert rows.size == 6
    np.testing.assert_allclose(rows, 0.0, atol=1e-9)


def test_a_loop_that_a_weld_closes_starts_closed_and_stays_so() -> None:
    text = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
      <body name="a"><joint name="a" axis="0 0 1" range="0.2 3"/><geom size="0.1" pos="0.5 0 0" mass="1"/>
      <body name="b" pos="1 0 0"><joint name="b" axis="0 0 1"/><geom size="0.1" pos="0.5 0 0" mass="1"/>
      <body name="c" pos="1 0 0"><joint name="c" axis="0 0 1"/><geom size="0.1" pos="0.2 0 0" mass="1"/></body></body>
      </body></worldbody><equality><weld body1="c" relpose="-1.2 -0.8 0 1 0 0 0"/></equality></mujoco>"""
    graph = load_mjcf(text)
    assert any("start off their refs, so that the welds close" in note for note in graph.notes)
    session = ff.Mission([ff.Arm("r", graph)]).session()
    np.testing.assert_allclose(session.read("r.c.p_WB"), [1.2, 0.8, 0.0], atol=1e-9)
    session.step(0.1)
    np.testing.assert_allclose(session.read("r.c.p_WB"), [1.2, 0.8, 0.0], atol=1e-9)


def test_a_weld_that_leaves_turning_free_is_refused_or_left_out() -> None:
    text = BODIES.format('<weld name="w" body1="one" body2="two" torquescale="0"/>')
    with pytest.raises(ModelError, match="<weld name='w'>: a weld with torquescale = 0"):
        load_mjcf(text)
    graph = load_mjcf(text, unsupported="skip")
    assert list(graph.floating) == ["two"]


def test_a_weld_of_what_is_fixed_together_is_noted() -> None:
    graph = load_mjcf(BODIES.format('<weld name="w" body1="one" body2="tip"/>'))
    assert [j.name for j in graph.joints] == ["base_joint", "p"]
    assert any("<weld name='w'>: ties what is fixed together already" in note for note in graph.notes)


def test_a_weld_to_a_massless_body_of_a_lone_root_is_in_the_roots_axes() -> None:
    graph = load_mjcf("""<mujoco><worldbody><body name="base" pos="0 0 1"><body name="post"/>
      <body name="l" pos="0 0 0.2"><joint/><geom size="0.1"/></body></body></worldbody>
      <equality><weld body1="post" body2="l"/></equality></mujoco>""")
    weld = graph.joints[-1]
    assert (weld.parent, weld.child) == ("world", "l")
    np.testing.assert_allclose(weld.X_PJ.p, [0.0, 0.0, 0.2], atol=1e-12)
    assert not any("welds do not close" in note for note in graph.notes)
