from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

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


def test_geoms_touch_by_contype_and_conaffinity_and_are_seen_by_group() -> None:
    text = one_body(
        """<joint/><geom name="both" type="box" size="1 2 3"/>
        <geom name="seen" type="sphere" size="0.1" contype="0" conaffinity="0" group="2"/>
        <geom name="felt" type="capsule" size="0.1 0.2" pos="0 0 1" conaffinity="0" group="3"/>
        <geom name="met" type="cylinder" size="0.1 0.2" contype="0" conaffinity="4" group="4"/>
        <geom name="neither" type="ellipsoid" size="1 2 3" contype="0" conaffinity="0" group="3"/>"""
    )
    body = load_mjcf(text).links[1]
    assert [s.name for s in body.shapes] == ["both", "seen", "g"]
    assert [(s.kind, s.name) for s in body.contact_shapes] == [
        ("box", "both"),
        ("capsule", "felt"),
        ("cylinder", "met"),
        ("sphere", "g"),
    ]
    np.testing.assert_allclose(body.contact_shapes[1].X_LG.p, [0.0, 0.0, 1.0])


def test_geoms_of_a_massless_body_touch_as_part_of_the_body_that_carries_it() -> None:
    tip = '<body pos="0 0 1"><geom name="tip" size="0.1" pos="0 1 0" mass="0" group="3"/></body>'
    body = load_mjcf(one_body('<joint/><geom contype="0" conaffinity="0" size="1"/>' + tip)).links[1]
    assert (len(body.shapes), [s.name for s in body.contact_shapes]) == (2, ["g", "tip"])
    np.testing.assert_allclose(body.contact_shapes[1].X_LG.p, [0.0, 1.0, 1.0])


def test_a_model_whose_geoms_are_only_seen_touches_nothing() -> None:
    text = one_body(J, '<default><geom contype="0" conaffinity="0"/></default>')
    for body in load_mjcf(text).links:
        assert (len(body.shapes), body.contact_shapes) == (1, ())


def test_a_mesh_stands_where_mujoco_draws_it(tmp_path: Path) -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.apply_transform(trimesh.transformations.euler_matrix(0.3, 0.2, 0.1))
    box.apply_translation((5.0, 6.0, 7.0))
    (tmp_path / "meshes").mkdir()
    box.export(tmp_path / "meshes" / "box.stl")
    file = tmp_path / "r.xml"
    file.write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="box.stl" scale="0.1 0.2 0.1"/></asset><worldbody>'
        '<body><geom type="mesh" mesh="box" pos="1 0 0" euler="20 30 40"/></body></worldbody></mujoco>',
        encoding="utf-8",
    )
    link = load_mjcf(file).links[0]
    model = mujoco.MjSpec.from_file(str(file)).compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    shape = link.shapes[0]
    assert link.contact_shapes == (shape,)
    ours = shape.X_LG.apply(trimesh.load_mesh(shape.mesh).vertices * shape.size)
    np.testing.assert_allclose(np.sort(ours, axis=0), np.sort(theirs, axis=0), atol=1e-5)


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
EXCLUDED = {
    "actuator": (
        one_body(J, '<actuator><motor name="m" joint="j"/></actuator>'),
        "<text>:1: <actuator name='m'>: not supported",
    ),
    "equality": (one_body(J, '<equality><weld body1="a" body2="b"/></equality>'), "<equality"),
    "tendon": (
        one_body(J, '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'),
        "<tendon name='t'>: not supported",
    ),
    "contact pair": (
        one_body(J + '<geom name="h" size="1"/>', '<contact><pair geom1="g" geom2="h"/></contact>'),
        "<pair name=''>: not supported",
    ),
    "ball joint": (one_body('<joint name="j" type="ball"/>'), "<joint name='j'>: ball joint; allowed: hinge, slide"),
    "two joints": (
        one_body(J + '<joint name="k" axis="1 0 0"/>'),
        "one of 2 joints of body 'b'; allowed: one per body",
    ),
    "polynomial spring": (one_body('<joint name="j" stiffness="1 2 3"/>'), "stiffness of second or third order = 3"),
    "polynomial damping": (one_body('<joint name="j" damping="1 2"/>'), "damping of second or third order = 2"),
    "plastic spring": (one_body('<joint name="j" stiffness="1" springyield="1"/>'), "springyield"),
    "one-sided effort": (one_body('<joint name="j" actuatorfrcrange="-1 2"/>'), "actuatorfrcrange = -1 2; allowed"),
    "gravity compensation": (one_body(J, attributes='gravcomp="1"'), "<body name='b'>: gravcomp = 1; allowed: 0"),
    "moving surface": (one_body(J + '<geom size="1" surfacevel="0 0 0 0 0 1"/>'), "surfacevel"),
    "ellipsoid": (one_body(J + '<geom type="ellipsoid" size="1 2 3"/>'), "type = 'ellipsoid'; allowed: box"),
    "hidden ellipsoid": (
        one_body(J + '<geom name="e" type="ellipsoid" size="1 2 3" group="3"/>'),
        "<geom name='e'>: type = 'ellipsoid'; allowed: box, sphere, cylinder, capsule, mesh, or, to leave it out,",
    ),
    "flex": (
        one_body('<flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1" radius="0.1" dim="2" mass="1"/>' + J),
        "<flex name='f'>: not supported",
    ),
    "plugin": (
        one_body(J, '<extension><plugin plugin="mujoco.elasticity.cable"><instance name="i"/></plugin></extension>'),
        "<extension>/plugin: plugin: not supported",
    ),
    "negative friction": (one_body('<joint name="j" frictionloss="-1"/>'), "frictionloss = -1; allowed: numbers >= 0"),
    "negative damping": (one_body('<joint name="j" damping="-1"/>'), "<joint name='j'>: damping = -1; allowed"),
    "negative armature": (one_body('<joint name="j" armature="-1"/>'), "<joint name='j'>: armature = -1; allowed"),
    "huge": (one_body('<joint name="j" ref="1e300"/>'), "<text>: qpos0 holds"),
    "bad name": (one_body('<joint name="my joint"/>'), "<joint name='my joint'>: not a name; allowed: 1 to 100"),
    "two roots": ("<mujoco><worldbody><body/><body/></worldbody></mujoco>", "holds 2 bodies ('body1', 'body2')"),
    "no root": ("<mujoco/>", "holds 0 bodies"),
    "tied root": (
        '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody></mujoco>',
        "<joint name='j'>: ties the root to the world",
    ),
    "damped root": (
        '<mujoco><worldbody><body><joint type="free" damping="1"/><geom size="1"/></body></worldbody></mujoco>',
        "damping or armature of a free joint",
    ),
    "root with friction": (
        '<mujoco><worldbody><body><joint type="free" frictionloss="1"/><geom size="1"/></body></worldbody></mujoco>',
        "frictionloss of a free joint; allowed: 0",
    ),
    "floor": (
        '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body/></worldbody></mujoco>',
        "<geom name='floor'>: stands in the world",
    ),
    "mocap": (
        '<mujoco><worldbody><body name="m" mocap="true"><geom size="1"/></body></worldbody></mujoco>',
        "<body name='m'>: mocap body",
    ),
    "no mass": ("<mujoco><worldbody><body name='a'/></worldbody></mujoco>", "<body name='a'>: the root has no mass"),
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


@pytest.mark.parametrize("kind", EXCLUDED)
def test_what_the_graph_cannot_hold_is_refused_by_name(kind: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, message = EXCLUDED[kind]
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
