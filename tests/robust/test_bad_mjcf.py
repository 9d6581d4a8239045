"""Every element and attribute of an MJCF model, damaged by kind: a robot or clear messages."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import numpy as np

from freefloat.errors import ModelError
from freefloat.inertia import check_inertia
from freefloat.robots import load_mjcf

MODEL = """<mujoco model="m">
  <compiler angle="radian" boundmass="0"/>
  <default><geom density="500"/></default>
  <worldbody>
    <body name="base" pos="1 2 3" quat="1 0 0 0">
      <freejoint name="f"/>
      <inertial mass="10" pos="0 0 0" fullinertia="1 1 1 0 0 0"/>
      <site name="mount" pos="0 0 0.3" euler="0 0.5 0"/>
      <body name="arm" pos="0 0 0.4">
        <joint name="j" axis="0 1 1" pos="0 0 1" range="-1 2" ref="0.4" damping="0.5" stiffness="7" armature="0.01"/>
        <geom name="g" type="capsule" size="0.05 0.2" pos="0 0 0.25" rgba="1 0 0 1"/>
        <geom name="hull" type="box" size="0.1 0.1 0.2" group="3" contype="1" conaffinity="0" mass="0"/>
      </body>
    </body>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="door"><joint name="x" type="slide"/><joint name="k" axis="0 1 0"/><geom size="0.1"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="x" coef="2"/></fixed></tendon>
  <equality>
    <joint joint1="x" joint2="k" polycoef="0 1 0 0 0"/>
    <weld body1="base" body2="door" relpose="0 0 1 1 0 0 0" anchor="1 0 0"/>
  </equality>
  <actuator>
    <position name="p" joint="j" kp="20" kv="3" gear="2" ctrlrange="-1 1" forcerange="-5 5"/>
    <motor tendon="t"/>
  </actuator>
</mujoco>"""

VALUES = [
    "",
    "abc",
    "nan",
    "inf",
    "-1",
    "0",
    "0 0 0",
    "1e300",
    "1e999",
    "1,5",
    "1 2 3 4 5 6 7",
    "ß☃",
    "\u202eb",
    "7" * 9999,
]


def _damaged() -> Iterator[str]:
    tree = ET.fromstring(MODEL)
    for e in tree.iter():
        for name in list(e.attrib):
            before = dict(e.attrib)
            for value in VALUES:
                e.set(name, value)
                yield ET.tostring(tree, encoding="unicode")
            e.set(name[:-1] + "q", e.attrib.pop(name))
            yield ET.tostring(tree, encoding="unicode")
            e.attrib.clear()
            e.attrib.update(before)
        for child in list(e):
            i = list(e).index(child)
            e.remove(child)
            yield ET.tostring(tree, encoding="unicode")
            e.insert(i, child)
            e.insert(i, child)
            yield ET.tostring(tree, encoding="unicode")
            e.remove(child)
    for end in range(1, len(MODEL), 11):
        yield MODEL[:end]


def test_a_damaged_model_gives_a_robot_or_clear_messages(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    messages = []
    for text in _damaged():
        try:
            graph = load_mjcf(text)
        except ModelError as e:
            messages.append(str(e))
            continue
        for link in graph.links:
            assert 0.0 < link.mass < np.inf
            check_inertia(link.I_LLcm_L)
            assert all(np.isfinite([*s.size, *s.X_LG.p]).all() for s in (*link.shapes, *link.contact_shapes))
        for joint in graph.joints:
            assert joint.lower <= joint.upper
            assert np.isfinite([joint.damping, joint.stiffness, joint.springref, joint.armature, joint.friction]).all()
        for actuator in graph.actuators:
            assert np.isfinite([actuator.gain, actuator.constant, actuator.position, actuator.rate]).all()
            assert actuator.effort[0] <= actuator.effort[1]
        assert all(np.isfinite(coupling.coefficients).all() for coupling in graph.couplings)
    assert len(messages) > 300
    lines = [line for message in messages for line in message.splitlines()]
    assert all(line.isprintable() and len(line) < 600 for line in lines)
    assert list(tmp_path.iterdir()) == []
