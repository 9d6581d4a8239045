from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

ROBOT = """<mujoco model="r">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <default><geom density="500"/></default>
  <asset><material name="steel" rgba="0.1 0.2 0.3 1"/></asset>
  <worldbody>
    <light pos="0 0 5"/>
    <body name="base" pos="1 2 3">
      <freejoint align="true"/>
      <geom type="box" pos="0.1 0 0" size="0.1 0.2 0.3" euler="0.1 0.2 0.3" material="steel"/>
      <geom type="box" size="1 1 1" group="3" mass="0"/>
      <site name="mount" pos="0 0 0.3" euler="0 0.5 0"/>
      <body name="upper" pos="0 0 0.4" euler="0.3 0 0.2">
        <joint name="shoulder" axis="0 1 1" pos="0 0.1 0.05" range="-1 2" ref="0.4" damping="0.5" stiffness="7"
               springref="0.2" armature="0.01" frictionloss="0.3" actuatorfrcrange="-30 30"/>
        <geom type="capsule" size="0.05 0.2" pos="0 0 0.25" rgba="1 0 0 1"/>
        <body name="slider" pos="0.1 0 0.5" euler="0 0.7 0">
          <joint name="slide" type="slide" axis="1 0 1" ref="-0.1" pos="0.2 0.1 0"/>
          <geom type="cylinder" size="0.03 0.1"/>
          <body name="weight" pos="0 0.1 0" euler="0 0 1">
            <geom type="sphere" size="0.05"/>
            <body name="eye" pos="0 0 0.1"/>
          </body>
        </body>
        <body name="fin" pos="0 0.3 0"><geom type="box" size="0.1 0.01 0.1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def mujoco_model() -> mujoco.MjModel:
    """MuJoCo's model with the root's frame where the file puts it."""
    return mujoco.MjSpec.from_string(ROBOT.replace('align="true"', 'align="false"')).compile()


def one_body(inside: str, outside: str = "", attributes: str = "") -> str:
    return (
        f'<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/><body name="b" {attributes}>{inside}'
        f'<geom name="g" size="1"/></body></body></worldbody>{outside}</mujoco>'
    )


def test_forward_kinematics_agree_with_mujoco_with_ref_and_offset_joints(forward_kinematics) -> None:
    model, graph = mujoco_model(), load_mjcf(ROBOT)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = {"shoulder": float(rng.uniform(-3, 3)), "slide": float(rng.uniform(-1, 1))}
        data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
        for name, value in q.items():
            data.joint(name).qpos = value
        mujoco.mj_kinematics(model, data)
        X = forward_kinematics(graph, q)
        for name in ("base", "upper", "slider", "weight", "eye", "fin"):
            np.testing.assert_allclose(X[name].p, data.body(name).xpos, atol=1e-12)
            np.testing.assert_allclose(X[name].R, data.body(name).xmat.reshape(3, 3), atol=1e-12)
        np.testing.assert_allclose(X["mount"].p, data.site("mount").xpos, atol=1e-12)
        np.testing.assert_allclose(X["mount"].R, data.site("mount").xmat.reshape(3, 3), atol=1e-12)


def test_inertias_are_the_compiled_ones() -> None:
    model = mujoco_model()
    data = mujoco.MjData(model)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    mujoco.mj_kinematics(model, data)
    for link in load_mjcf(ROBOT).links:
        body = data.body(link.name)
        R_LI = body.xmat.reshape(3, 3).T @ body.ximat.reshape(3, 3)
        I_theirs = R_LI @ np.diag(model.body(link.name).inertia) @ R_LI.T
        assert link.mass == float(model.body(link.name).mass[0])
        np.testing.assert_allclose(link.I_LLcm_L, I_theirs, atol=1e-12)


def test_passive_parameters_of_a_joint_become_ours() -> None:
    shoulder, slide, weight, _ = load_mjcf(ROBOT).joints
    assert (shoulder.lower, shoulder.upper, shoulder.effort) == (-1.0, 2.0, 30.0)
    assert (shoulder.damping, shoulder.stiffness, shoulder.springref, shoulder.armature) == (0.5, 7.0, 0.2, 0.01)
    assert (shoulder.friction, slide.friction) == (0.3, 0.0)
    assert (slide.kind, slide.lower, slide.effort) == ("prismatic", -math.inf, math.inf)
    assert (weight.kind, weight.name) == ("fixed", "weight_joint")


def test_visible_geoms_become_shapes_and_massless_bodies_frames() -> None:
    base, upper, _, weight, _ = load_mjcf(ROBOT).links
    assert [(s.kind, s.size) for s in base.shapes] == [("box", (0.1, 0.2, 0.3))]
    np.testing.assert_allclose(base.shapes[0].rgba, [0.1, 0.2, 0.3, 1.0], atol=1e-7)
    assert (upper.shapes[0].kind, upper.shapes[0].rgba) == ("capsule", (1.0, 0.0, 0.0, 1.0))
    assert set(base.frames) == {"mount"}
    assert set(weight.frames) == {"eye"}


def test_lengths_in_degrees_and_included_files_are_mujocos_business(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        '<mujocoinclude><body name="b"><joint range="-90 90"/><geom size="1"/></body></mujocoinclude>', encoding="utf-8"
    )
    (tmp_path / "r.xml").write_text(
        '<mujoco><worldbody><body name="a"><geom size="1"/><include file="arm.xml"/></body></worldbody></mujoco>',
        encoding="utf-8",
    )
    assert load_mjcf(tmp_path / "r.xml").joints[0].upper == pytest.approx(math.pi / 2)


J = '<joint name="j"/>'
WRONG = {
    "huge": (one_body('<joint name="j" ref="1e300"/>'), "<text>: qpos0 holds"),
    "no root": ("<mujoco/>", "<text>: the world holds no bodies"),
    "no mass": ("<mujoco><worldbody><body name='a'/></worldbody></mujoco>", "no link has a mass"),
    "moving without mass": (one_body(J).replace('name="g" size="1"', 'size="1" mass="0"'), "MuJoCo refuses the model"),
    "schema": ("<mujoco><worldbody><bdy/></worldbody></mujoco>", "MuJoCo refuses the model: XML Error: Schema"),
    "inertia": (
        '<mujoco><worldbody><body><inertial mass="1" pos="0 0 0" diaginertia="1 1 3"/></body></worldbody></mujoco>',
        "MuJoCo refuses the model",
    ),
    "nan": (one_body('<joint damping="nan"/>'), "<text>:1: <worldbody>/body/body/joint: damping = 'nan' is not finite"),
    "malformed": ("<mujoco><worldbody></mujoco>", "<text>:1: not well-formed XML: mismatched tag"),
    "doctype": ("<!DOCTYPE a><mujoco/>", "<text>:1: has a DTD"),
    "urdf": ('<robot name="r"/>', "outermost element is <robot>; allowed: <mujoco>"),
    "missing file": ("nowhere.xml", "nowhere.xml: cannot be read"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_refused_even_where_much_is_left_out(kind: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, message = WRONG[kind]
    with pytest.raises(ModelError) as caught:
        load_mjcf(text, unsupported="skip")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


CANNOT = {
    "gravity compensation": (one_body(J, attributes='gravcomp="1"'), "<body name='b'>: gravcomp = 1"),
    "flex": (
        one_body(J).replace(
            "<worldbody>",
            '<worldbody><flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1" radius="0.1" dim="2" mass="1"/>',
        ),
        "name='f'>: a flexible body",
    ),
}


@pytest.mark.parametrize("kind", CANNOT)
def test_what_the_graph_cannot_hold_is_refused_or_left_out_by_name(kind: str) -> None:
    text, message = CANNOT[kind]
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    assert message in str(caught.value)
    assert any(message in one for one in load_mjcf(text, unsupported="skip").skipped)


def test_a_plugin_is_refused_by_name() -> None:
    text = one_body(J, '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"/></plugin></extension>')
    with pytest.raises(ModelError, match="<text>:1: <extension>/plugin: a plugin is not supported"):
        load_mjcf(text)


def test_all_problems_come_at_once_each_with_its_line() -> None:
    text = one_body(
        '<joint name="j" damping="-1"/>\n<joint name="k" axis="1 0 0" springyield="1" stiffness="1"/>',
        '\n<actuator>\n<muscle name="m" joint="j" lengthrange="0 1"/>\n</actuator>',
        'gravcomp="1"',
    )
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    for start in ("<text>:1: <body name='b'>", "<text>:1: <joint name='j'>", "<text>:2: <joint name='k'>"):
        assert any(line.startswith(start) for line in lines), start
    assert any(line.startswith("<text>:4: <muscle name='m'>: ") for line in lines)


SCENE = """<mujoco><compiler angle="radian"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/><geom name="sign" size="0.1" contype="0" conaffinity="0"/>
  <site name="goal"/>
  <body name="base" pos="1 0 0"><geom size="0.2" mass="3"/><body name="arm" pos="0 0 0.3">
    <joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0" mass="1"/></body></body>
  <body name="post" pos="0 1 0"><geom name="post" type="box" size="0.1 0.1 1" mass="0"/></body>
  <body name="cube" pos="0 2 0.5" euler="0.1 0.2 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
  <body name="ghost" mocap="true" pos="5 5 5"><geom size="0.1" mass="0" contype="0" conaffinity="0"/></body>
</worldbody><sensor><jointpos joint="j"/></sensor><keyframe><key qpos="0 0 0 0 1 0 0 0"/></keyframe></mujoco>"""


def test_several_roots_stand_on_the_world_or_float_in_it(forward_kinematics) -> None:
    graph = load_mjcf(SCENE)
    assert (graph.root, [link.name for link in graph.links]) == ("world", ["base", "arm", "cube"])
    assert [(j.name, j.kind, j.parent) for j in graph.joints] == [
        ("base_joint", "fixed", "world"),
        ("j", "revolute", "base"),
    ]
    assert list(graph.floating) == ["cube"]
    data = mujoco.MjData(mujoco.MjModel.from_xml_string(SCENE))
    mujoco.mj_kinematics(mujoco.MjModel.from_xml_string(SCENE), data)
    X = forward_kinematics(graph, {})
    for name in ("base", "arm", "cube"):
        np.testing.assert_allclose(X[name].p, data.body(name).xpos, atol=1e-12)
        np.testing.assert_allclose(X[name].R, data.body(name).xmat.reshape(3, 3), atol=1e-12)


def test_geoms_of_the_world_and_of_massless_bodies_in_it_are_the_ground() -> None:
    floor, post = load_mjcf(SCENE).ground
    assert (floor.name, floor.kind, floor.size) == ("floor", "box", (10.0, 10.0, 0.05))
    np.testing.assert_allclose(floor.X_LG.p, [0.0, 0.0, -0.05])
    assert (post.name, post.size) == ("post", (0.1, 0.1, 1.0))
    np.testing.assert_allclose(post.X_LG.p, [0.0, 1.0, 0.0])


def test_what_is_read_past_is_noted() -> None:
    notes = "\n".join(load_mjcf(SCENE).notes)
    for what in ("1 sensors", "1 keyframes", "'sign'", "sites of the world are left out: 'goal'", "planes are boxes"):
        assert what in notes, what
    assert "<body name='ghost'>: a mocap body stands still" in notes


def test_a_lone_root_stays_a_link_and_the_worlds_geoms_wait_for_what_it_stands_on() -> None:
    text = '<mujoco><worldbody><geom name="floor" type="plane" size="1 2 1"/><body name="a"><geom size="1"/></body>'
    graph = load_mjcf(text + "</worldbody></mujoco>")
    assert (graph.root, [s.size for s in graph.ground]) == ("a", [(1.0, 2.0, 0.05)])


def test_a_root_that_joints_tie_to_the_world_hangs_from_it() -> None:
    graph = load_mjcf('<mujoco><worldbody><body name="a"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>')
    assert (graph.root, graph.joints[0].parent, graph.joints[0].name) == ("world", "world", "j")


def test_a_massless_base_from_which_joints_hang_is_part_of_the_ground() -> None:
    text = """<mujoco><worldbody><body name="base" pos="1 2 3"><body name="a" pos="0 0 1"><joint name="j"/>
    <geom size="1"/></body></body></worldbody></mujoco>"""
    graph = load_mjcf(text)
    assert (graph.root, [link.name for link in graph.links]) == ("world", ["a"])


def test_a_robot_on_the_world_runs() -> None:
    session = ff.Mission([ff.Arm("r", load_mjcf(SCENE))]).session()
    session.write("r.tau", [0.1])
    session.step(0.1)
    assert session.read("r.q")[0] > 0.0
    np.testing.assert_allclose(session.read("r.cube.p_WB"), [0.0, 2.0, 0.5], atol=1e-9)


@pytest.mark.parametrize("inside", ['<geom size="0.1"/>', '<freejoint/><geom size="0.1"/>'])
def test_the_ground_below_a_lone_root_is_in_the_roots_axes(inside: str) -> None:
    text = """<mujoco><worldbody><geom type="plane" size="1 2 1"/><body name="base" pos="0 0 1" quat="{}">{}</body>
    </worldbody></mujoco>"""
    (floor,) = load_mjcf(text.format("1 0 0 0", inside)).ground
    np.testing.assert_allclose(floor.X_LG.p, [0.0, 0.0, -1.05], atol=1e-12)
    (floor,) = load_mjcf(text.format("1 1 0 0", inside)).ground
    np.testing.assert_allclose(floor.X_LG.p, [0.0, -1.05, 0.0], atol=1e-12)
