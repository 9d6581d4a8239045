from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

J = '<joint name="j"/>'


def one_body(inside: str, outside: str = "") -> str:
    return (
        f'<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/><body name="b">{inside}'
        f'<geom name="g" size="1"/></body></body></worldbody>{outside}</mujoco>'
    )


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


@pytest.mark.parametrize("extra", ["", 'refpos="0.5 0.2 0.1"', 'refpos="1 2 3" refquat="1 0.2 0.3 0.4"'])
def test_a_mesh_stands_where_mujoco_draws_it(extra: str, tmp_path: Path) -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.apply_transform(trimesh.transformations.euler_matrix(0.3, 0.2, 0.1))
    box.apply_translation((5.0, 6.0, 7.0))
    (tmp_path / "meshes").mkdir()
    box.export(tmp_path / "meshes" / "box.stl")
    scale = 'scale="0.2 0.2 0.2"' if "refquat" in extra else 'scale="0.1 0.2 0.1"'
    file = tmp_path / "r.xml"
    file.write_text(
        f'<mujoco><compiler meshdir="meshes"/><asset><mesh file="box.stl" {scale} {extra}/></asset><worldbody>'
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


@pytest.mark.parametrize(
    ("size", "kind", "axis"),
    [
        ("0.1 0.1 0.1", "sphere", None),
        ("0.1 0.5 0.12", "capsule", 1),
        ("0.5 0.1 0.2", "capsule", 0),
        ("0.4 0.5 0.05", "cylinder", 2),
        ("0.05 0.4 0.5", "cylinder", 0),
    ],
)
def test_an_ellipsoid_is_the_sphere_capsule_or_disc_nearest_to_it(size: str, kind: str, axis: int | None) -> None:
    graph = load_mjcf(one_body(J + f'<geom name="e" type="ellipsoid" size="{size}"/>'))
    shape, half = graph.links[1].shapes[0], [float(s) for s in size.split()]
    assert (shape.kind, shape.name) == (kind, "e")
    assert any("ellipsoids are seen and touched as" in note for note in graph.notes)
    if axis is not None:
        np.testing.assert_array_equal(shape.X_LG.R[:, 2], np.eye(3)[axis])
        extent = shape.size[1] + (shape.size[0] if kind == "capsule" else 0.0)
        assert extent == pytest.approx(half[axis])


def test_shapes_that_cannot_be_had_are_left_out_with_a_note() -> None:
    text = one_body(
        J + '<geom name="h" type="mesh" mesh="m" mass="1"/>',
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
    )
    graph = load_mjcf(text)
    assert [s.name for s in graph.links[1].shapes] == ["g"]
    assert any("<geom name='h'>: mesh 'm': is not from a file: neither seen nor touched" in n for n in graph.notes)


def test_moving_surfaces_are_refused_or_left_out() -> None:
    text = one_body(J + '<geom name="belt" size="1" surfacevel="0 0 0 0 0 1"/>')
    with pytest.raises(ModelError, match="<geom name='belt'>: adhesion or a moving surface is not supported"):
        load_mjcf(text)
    assert len(load_mjcf(text, unsupported="skip").skipped) == 1
