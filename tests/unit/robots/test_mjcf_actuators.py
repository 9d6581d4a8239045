"""Actuators of MJCF models, against MuJoCo's own forces and accelerations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

BODIES = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><geom size="0.3" mass="1"/>
  <joint name="turn" axis="0 0 1"/><body name="b" pos="0.5 0 0"><joint name="slide" type="slide" axis="1 0.5 0"/>
  <geom size="0.1" mass="1" pos="0 0.2 0"/></body></body></worldbody>{}</mujoco>"""
ROBOT = BODIES.format("""<actuator>
  <motor name="motor" joint="turn" ctrlrange="-1 1" ctrllimited="true"/>
  <motor name="geared" joint="turn" gear="-3" forcerange="-0.5 0.2"/>
  <position name="servo" joint="slide" kp="20" kv="3"/>
  <velocity name="speed" joint="turn" kv="2" gear="2" forcerange="-5 5"/>
  <general name="mixed" joint="slide" gear="1.5" gainprm="4" biastype="affine" biasprm="0.3 -2 -0.7"/>
</actuator>""")


def test_actuators_act_as_in_mujoco(in_mujoco, accelerations) -> None:
    graph, rng = load_mjcf(ROBOT), np.random.default_rng(5)
    for _ in range(4):
        joints = {name: tuple(rng.uniform(-1, 1, 2).tolist()) for name in ("turn", "slide")}
        state = joints, rng.uniform(-1, 1, 5).tolist()
        _, data = in_mujoco(ROBOT, state)
        for name, value in accelerations(graph, state).items():
            assert value == pytest.approx(data.joint(name).qacc[0], rel=1e-10, abs=1e-12), name


def test_gears_are_folded_in_and_units_are_told() -> None:
    motor, geared, servo, speed, mixed = load_mjcf(ROBOT).actuators
    assert (motor.joint, motor.gain, motor.control, motor.unit) == ("turn", 1.0, (-1.0, 1.0), "N m")
    assert (geared.gain, geared.effort, geared.unit) == (-3.0, pytest.approx((-0.6, 1.5)), "-")
    assert (servo.gain, servo.position, servo.rate, servo.unit) == (20.0, -20.0, -3.0, "m")
    assert servo.control == (-math.inf, math.inf)
    assert (speed.gain, speed.rate, speed.effort, speed.unit) == (4.0, -8.0, (-10.0, 10.0), "-")
    assert (mixed.constant, mixed.position, mixed.unit) == (pytest.approx(0.45), -4.5, "-")


OTHERS = {
    "muscle": ('<muscle name="m" joint="turn" lengthrange="0 1"/>', "dynamics of its own (muscle)"),
    "integrator": ('<intvelocity name="m" joint="turn" actrange="-1 1"/>', "dynamics of its own (integrator)"),
    "filter": ('<position name="m" joint="turn" timeconst="0.1"/>', "dynamics of its own (filterexact)"),
    "gain that changes": (
        '<general name="m" joint="turn" gaintype="affine" gainprm="1 2 0"/>',
        "an actuator whose gain changes (affine)",
    ),
    "damper": ('<damper name="m" joint="turn" kv="1" ctrlrange="0 1"/>', "an actuator whose gain changes (affine)"),
    "adhesion": ('<adhesion name="m" body="b" ctrlrange="0 1"/>', "an actuator of a body"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_actuators_of_other_kinds_are_refused_or_left_out_by_name(kind: str) -> None:
    own, message = OTHERS[kind]
    text = BODIES.format(f'<actuator>{own}<motor name="n" joint="slide"/></actuator>')
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    assert "name='m'>: an actuator" in str(caught.value)
    assert message in str(caught.value)
    graph = load_mjcf(text, unsupported="skip")
    assert [a.name for a in graph.actuators] == ["n"]
    assert len(graph.skipped) == 1
    assert message in graph.skipped[0]


def test_actuators_without_a_name_are_numbered() -> None:
    graph = load_mjcf(BODIES.format('<actuator><motor joint="turn"/><motor joint="turn" gear="2"/></actuator>'))
    assert [a.name for a in graph.actuators] == ["actuator0", "actuator1"]


LIMITED = BODIES.replace('name="turn"', 'name="turn" actuatorfrcrange="-2 2"')


@pytest.mark.parametrize(("forces", "effort"), [("-5 1", (-2.0, 1.0)), ("3 4", (2.0, 2.0)), ("", (-2.0, 2.0))])
def test_the_joints_limit_holds_for_its_actuator(forces: str, effort: tuple[float, float], in_mujoco) -> None:
    forcerange = f'forcerange="{forces}"' if forces else ""
    text = LIMITED.format(f'<actuator><motor name="m" joint="turn" {forcerange}/></actuator>')
    (motor,) = load_mjcf(text).actuators
    assert motor.effort == effort
    _, data = in_mujoco(text, ({"turn": (0.0, 0.0), "slide": (0.0, 0.0)}, [9.0]))
    assert data.joint("turn").qfrc_actuator[0] == effort[1]


def test_a_joints_limit_that_the_sum_of_its_actuators_may_exceed_is_not_supported() -> None:
    two = '<actuator><motor joint="turn" forcerange="-{0} 1"/><motor joint="turn" forcerange="-1 {0}"/></actuator>'
    assert [a.effort for a in load_mjcf(LIMITED.format(two.format(1))).actuators] == [(-1.0, 1.0)] * 2
    with pytest.raises(ModelError, match=r"<joint name='turn'>: actuatorfrcrange = -2 2 of a joint with 2 actuators"):
        load_mjcf(LIMITED.format(two.format(2)))
    graph = load_mjcf(LIMITED.format(two.format(2)), unsupported="skip")
    assert [a.effort for a in graph.actuators] == [(-2.0, 1.0), (-1.0, 2.0)]
    assert "with 2 actuators: no limit" in graph.skipped[0]


def test_a_joints_limit_is_not_supported_where_a_tendon_of_several_joints_drives_it() -> None:
    text = LIMITED.format("""<tendon><fixed name="t">
      <joint joint="turn" coef="1"/><joint joint="slide" coef="1"/></fixed></tendon>
      <equality><joint joint1="slide" joint2="turn"/></equality>
      <actuator><motor tendon="t"/></actuator>""")
    with pytest.raises(ModelError, match="of a joint that a tendon of several drives is not supported"):
        load_mjcf(text)
