"""Joints of MJCF bodies, against MuJoCo's own accelerations and kinematics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

# A carriage with three joints on one body, a hinge below it, and a table with a lid beside it.
TWO_ROOTS = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="carriage" pos="0.3 0.2 1" euler="0.2 0.3 0.1">
    <joint name="x" type="slide" axis="1 0.2 0" ref="0.1" damping="3"/>
    <joint name="yaw" axis="0 0.1 1" pos="0.1 0.2 0.3" ref="0.5" stiffness="4" springref="0.7" armature="0.2"/>
    <joint name="z" type="slide" axis="0 0 1" pos="0.4 0 0"/>
    <geom type="box" size="0.1 0.2 0.3" mass="2"/>
    <body name="arm" pos="0.2 0 0.4" euler="0 0.4 0"><joint name="elbow" axis="0 1 0" pos="0 0 0.1"/>
      <geom type="capsule" size="0.05 0.3" pos="0.2 0.1 0" mass="1"/></body>
  </body>
  <body name="table" pos="2 0 0"><geom type="box" size="0.5 0.5 0.1" mass="20"/>
    <body name="lid" pos="0.5 0 0.1"><joint name="lid" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="-0.3 0 0.1"/>
    </body></body>
</worldbody></mujoco>"""
BALL = """<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 1" euler="0.1 0.2 0.3">
  <joint name="hinge" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3" mass="2" pos="0.1 0 0"/>
  <body name="b" pos="0.3 0 0" euler="0.5 0 0"><joint name="ball" type="ball" pos="0.1 0 0.2" range="0 1"/>
    <geom type="box" size="0.05 0.1 0.3" mass="1" pos="0 0.1 0.2"/></body></body></worldbody></mujoco>"""


def random_state(names: list[str], seed: int):
    rng = np.random.default_rng(seed)
    return {name: (float(rng.uniform(-1, 1)), float(rng.uniform(-2, 2))) for name in names}, []


def test_joints_of_one_body_are_in_series_and_move_as_in_mujoco(forward_kinematics, in_mujoco, accelerations) -> None:
    graph = load_mjcf(TWO_ROOTS)
    assert graph.root == "world"
    assert [(j.name, j.series) for j in graph.joints if j.child == "carriage"] == [
        ("x", False),
        ("yaw", True),
        ("z", True),
    ]
    for seed in range(3):
        state = random_state(["x", "yaw", "z", "elbow", "lid"], seed)
        _, data = in_mujoco(TWO_ROOTS, state)
        X = forward_kinematics(graph, {name: q for name, (q, _) in state[0].items()})
        for name in ("carriage", "arm", "lid"):
            np.testing.assert_allclose(X[name].p, data.body(name).xpos, atol=1e-12)
            np.testing.assert_allclose(X[name].R, data.body(name).xmat.reshape(3, 3), atol=1e-12)
        for name, value in accelerations(graph, state).items():
            assert value == pytest.approx(data.joint(name).qacc[0], rel=1e-10, abs=1e-10), name


def test_the_start_is_the_files_own_posture() -> None:
    graph = load_mjcf(TWO_ROOTS)
    assert dict(graph.start) == {"x": 0.1, "yaw": 0.5, "z": 0.0, "elbow": 0.0, "lid": 0.0}


def test_a_ball_joint_is_three_hinges_that_move_as_in_mujoco(forward_kinematics, accelerations) -> None:
    graph = load_mjcf(BALL)
    names = ["hinge", "ball_x", "ball_y", "ball_z"]
    assert [j.name for j in graph.joints] == names
    assert any("three hinges" in note for note in graph.notes)
    assert any("range of a ball joint is not kept" in note for note in graph.notes)
    state = random_state(names, 3)
    q = {name: one for name, (one, _) in state[0].items()}
    X = forward_kinematics(graph, q)
    (_, qd_x), (_, qd_y), (_, qd_z) = (state[0][name] for name in names[1:])
    spec = mujoco.MjSpec.from_string(BALL)
    spec.option.gravity, spec.option.disableflags = [0, 0, 0], int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model = spec.compile()
    data = mujoco.MjData(model)
    turns = [np.zeros(4) for _ in range(3)]
    for turn, axis, name in zip(turns, np.eye(3), names[1:], strict=True):
        mujoco.mju_axisAngle2Quat(turn, axis, q[name])
    yz, quat = np.zeros(4), np.zeros(4)
    mujoco.mju_mulQuat(yz, turns[1], turns[2])
    mujoco.mju_mulQuat(quat, turns[0], yz)
    w, part = np.array([0.0, 0.0, qd_z]), np.zeros(3)
    for turn, rate in ((turns[2], [0.0, qd_y, 0.0]), (yz, [qd_x, 0.0, 0.0])):
        mujoco.mju_rotVecQuat(part, np.array(rate), np.array([turn[0], *(-turn[1:])]))
        w = w + part
    data.joint("hinge").qpos, data.joint("hinge").qvel = state[0]["hinge"]
    data.joint("ball").qpos, data.joint("ball").qvel = quat, w
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(X["b"].p, data.body("b").xpos, atol=1e-12)
    np.testing.assert_allclose(X["b"].R, data.body("b").xmat.reshape(3, 3), atol=1e-12)
    assert accelerations(graph, state)["hinge"] == pytest.approx(data.joint("hinge").qacc[0], rel=1e-10)


def test_springs_given_by_time_and_damping_ratio_are_what_mujoco_makes_of_them() -> None:
    text = TWO_ROOTS.replace('name="elbow"', 'name="elbow" springdamper="0.5 0.7"')
    elbow = next(j for j in load_mjcf(text).joints if j.name == "elbow")
    model = mujoco.MjModel.from_xml_string(text)
    assert elbow.stiffness == float(model.joint("elbow").stiffness[0]) > 0.0
    assert elbow.damping == float(model.joint("elbow").damping[0]) > 0.0


FREE = (
    '<mujoco><worldbody><body name="a"><joint name="f" type="free" {}/><geom size="1"/>{}</body></worldbody></mujoco>'
)
ONE = '<body name="b" pos="0 0 2"><joint name="j" {}/><geom size="1"/></body>'
CANNOT = {
    "damped free joint": (FREE.format('damping="1"', ""), "<joint name='f'>: damping = 1 of a free joint"),
    "free joint with friction": (FREE.format('frictionloss="2"', ""), "frictionloss = 2 of a free joint"),
    "free joint with armature": (FREE.format('armature="0.1"', ""), "armature = 0.1 of a free joint"),
    "damped ball": (FREE.format("", ONE.format('type="ball" damping="1"')), "damping = 1 of a ball joint"),
    "polynomial spring": (FREE.format("", ONE.format('stiffness="1 2 3"')), "stiffness of second or third order = 3"),
    "polynomial damping": (FREE.format("", ONE.format('damping="1 2"')), "damping of second or third order = 2"),
    "plastic spring": (FREE.format("", ONE.format('stiffness="1" springyield="1"')), "springyield = 0.0174533"),
    "one-sided effort": (FREE.format("", ONE.format('actuatorfrcrange="-1 2"')), "actuatorfrcrange = -1 2"),
}


@pytest.mark.parametrize("kind", CANNOT)
def test_what_joints_cannot_do_is_refused_or_left_out_by_name(kind: str) -> None:
    text, message = CANNOT[kind]
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    assert message in str(caught.value)
    assert "or leave it out with unsupported=skip" in str(caught.value)
    assert any(message in one for one in load_mjcf(text, unsupported="skip").skipped)


@pytest.mark.parametrize("what", ["damping", "armature", "frictionloss"])
def test_negative_numbers_are_wrong_even_where_much_is_left_out(what: str) -> None:
    with pytest.raises(ModelError, match=f"<joint name='j'>: {what} = -1; allowed: numbers >= 0"):
        load_mjcf(FREE.format("", ONE.format(f'{what}="-1"')), unsupported="skip")
