from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots import load_urdf

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    if kind in ("revolute", "prismatic") and "<limit" not in inside:
        inside += '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def visual(geometry: str, extra: str = "") -> str:
    return link("a", f"{INERTIAL}<visual><geometry>{geometry}</geometry>{extra}</visual>")


def collision(geometry: str, attributes: str = "", extra: str = "") -> str:
    return f"<collision {attributes}>{extra}<geometry>{geometry}</geometry></collision>"


def test_a_joint_keeps_its_axis_limits_damping_and_friction() -> None:
    text = robot(
        link("a"),
        link("b"),
        joint(
            "j", "prismatic", "a", "b", '<origin xyz="1 2 3"/><axis xyz="0 3 4"/><dynamics damping="5" friction="6"/>'
        ),
    )
    j = load_urdf(text).joints[0]
    assert (j.name, j.kind, j.parent, j.child) == ("j", "prismatic", "a", "b")
    np.testing.assert_allclose(j.axis, [0.0, 0.6, 0.8])
    assert (j.lower, j.upper, j.effort, j.velocity, j.damping, j.friction) == (-1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert j.X_PJ.is_close(Pose(np.eye(3), [1.0, 2.0, 3.0]))


def test_a_continuous_joint_is_revolute_without_limits_and_x_is_the_default_axis() -> None:
    j = load_urdf(robot(link("a"), link("b"), joint("j", "continuous", "a", "b"))).joints[0]
    assert (j.kind, j.lower, j.upper, j.effort, j.velocity) == ("revolute", -math.inf, math.inf, math.inf, math.inf)
    assert j.axis.tolist() == [1.0, 0.0, 0.0]


def test_the_inertial_origin_turns_the_inertia_into_the_links_axes() -> None:
    turned = INERTIAL.replace("<mass", '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass')
    body = load_urdf(robot(link("a", turned))).links[0]
    np.testing.assert_allclose(body.I_LLcm_L, np.diag([2.0, 1.0, 2.5]), atol=1e-15)
    assert body.p_LLcm.tolist() == [1.0, 0.0, 0.0]


def test_arrays_of_the_graph_are_read_only() -> None:
    graph = load_urdf(robot(link("a"), link("b"), joint("j", "continuous", "a", "b")))
    for array in (graph.links[0].p_LLcm, graph.links[0].I_LLcm_L, graph.joints[0].axis):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    ("geometry", "kind", "size"),
    [
        ('<box size="2 4 6"/>', "box", (1.0, 2.0, 3.0)),
        ('<sphere radius="2"/>', "sphere", (2.0,)),
        ('<cylinder radius="2" length="6"/>', "cylinder", (2.0, 3.0)),
        ('<capsule radius="2" length="6"/>', "capsule", (2.0, 3.0)),
    ],
)
def test_lengths_become_half_lengths(geometry: str, kind: str, size: tuple[float, ...]) -> None:
    shape = load_urdf(robot(visual(geometry))).links[0].shapes[0]
    assert (shape.kind, shape.size) == (kind, size)


def test_a_material_is_found_by_name_wherever_it_is_defined() -> None:
    sphere = '<sphere radius="1"/>'
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    used = visual(sphere, '<material name="red"/>')
    inside = link("b", f"{INERTIAL}<visual><geometry>{sphere}</geometry>{red}</visual>")
    assert load_urdf(robot(red, used)).links[0].shapes[0].rgba == (1.0, 0.0, 0.0, 1.0)
    later = load_urdf(robot(used, inside, joint("j", "fixed", "a", "b")))
    assert later.links[0].shapes[0].rgba == (1.0, 0.0, 0.0, 1.0)


def test_a_mesh_is_found_beside_its_file_or_in_a_package_above_it(tmp_path: Path) -> None:
    (tmp_path / "my_robot" / "urdf").mkdir(parents=True)
    (tmp_path / "my_robot" / "a.stl").write_bytes(b"solid")
    file = tmp_path / "my_robot" / "urdf" / "r.urdf"
    for name in ("../a.stl", "package://my_robot/a.stl", f"file://{tmp_path}/my_robot/a.stl"):
        file.write_text(robot(visual(f'<mesh filename="{name}" scale="1 1 -2"/>')), encoding="utf-8")
        shape = load_urdf(file).links[0].shapes[0]
        assert shape.size == (1.0, 1.0, -2.0)
        assert Path(shape.mesh).samefile(tmp_path / "my_robot" / "a.stl")


@pytest.mark.parametrize(
    ("geometry", "kind", "size"),
    [
        ('<box size="2 4 6"/>', "box", (1.0, 2.0, 3.0)),
        ('<sphere radius="2"/>', "sphere", (2.0,)),
        ('<cylinder radius="2" length="6"/>', "cylinder", (2.0, 3.0)),
        ('<capsule radius="2" length="6"/>', "capsule", (2.0, 3.0)),
    ],
)
def test_collisions_touch_and_visuals_are_seen(geometry: str, kind: str, size: tuple[float, ...]) -> None:
    ball = '<visual name="skin"><geometry><sphere radius="1"/></geometry></visual>'
    text = link("a", INERTIAL + ball + collision(geometry, 'name="hull"', '<origin xyz="1 2 3" rpy="0 0 1"/>'))
    body = load_urdf(robot(text)).links[0]
    assert [(s.kind, s.size, s.name) for s in body.shapes] == [("sphere", (1.0,), "skin")]
    (shape,) = body.contact_shapes
    assert (shape.kind, shape.size, shape.name) == (kind, size, "hull")
    assert shape.X_LG.is_close(Pose.from_rpy((0.0, 0.0, 1.0), (1.0, 2.0, 3.0)))


def test_a_link_without_collision_touches_nothing_unless_the_robot_has_none_at_all() -> None:
    seen = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    rest = (link("b", INERTIAL + seen), joint("j", "continuous", "a", "b"))
    a, b = load_urdf(robot(link("a", INERTIAL + collision('<sphere radius="2"/>')), *rest)).links
    assert (a.shapes, len(a.contact_shapes)) == ((), 1)
    assert (len(b.shapes), b.contact_shapes) == (1, ())
    a, b = load_urdf(robot(link("a"), *rest)).links
    assert (a.touching, b.touching) == (None, None)
    assert b.contact_shapes == b.shapes != ()


def test_collisions_of_a_massless_link_move_along() -> None:
    shift = '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
    tip = link("tip", collision('<sphere radius="0.1"/>', 'name="finger"', shift))
    body = load_urdf(robot(link("a"), tip, joint("f", "fixed", "a", "tip", shift))).links[0]
    (shape,) = body.contact_shapes
    assert (body.shapes, shape.name) == ((), "finger")
    np.testing.assert_allclose(shape.X_LG.p, [1.0, 1.0, 0.0], atol=1e-15)


def test_the_mesh_of_a_collision_may_be_missing_until_it_touches(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    for name in ("hull.stl", "package://r/hull.stl", "n" * 5000):
        file.write_text(robot(link("a", INERTIAL + collision(f'<mesh filename="{name}"/>'))), encoding="utf-8")
        (shape,) = load_urdf(file).links[0].contact_shapes
        assert Path(shape.mesh) == tmp_path / name.removeprefix("package://")
    (tmp_path / "hull.stl").write_bytes(b"solid")
    file.write_text(robot(link("a", INERTIAL + collision('<mesh filename="hull.stl"/>'))), encoding="utf-8")
    assert Path(load_urdf(file).links[0].contact_shapes[0].mesh).samefile(tmp_path / "hull.stl")


def test_laws_and_colours_of_a_collision_are_passed_over() -> None:
    extra = '<contact_coefficients mu="0" kp="1000.0" kd="1.0"/><material name="nowhere"/><verbose value="x"/>'
    body = load_urdf(robot(link("a", INERTIAL + collision('<sphere radius="2"/>', "", extra)))).links[0]
    assert len(body.contact_shapes) == 1


@given(st.floats().filter(lambda x: not 1e-9 <= x <= 1e12))
def test_a_collision_of_no_size_is_refused_with_its_place_or_skipped(radius: float) -> None:
    text = robot(link("a", INERTIAL + collision(f'<sphere radius="{radius!r}"/>')))
    with pytest.raises(ModelError, match=r"^<text>:1: <link name='a'>/collision/geometry/sphere: radius = .*allowed: "):
        load_urdf(text)
    graph = load_urdf(text, unsupported="skip")
    assert graph.links[0].contact_shapes == ()
    assert graph.skipped[0].startswith("<text>:1: <link name='a'>/collision/geometry/sphere: radius = ")


def test_elements_for_other_programs_are_passed_over() -> None:
    body = link("a")
    others = '<transmission name="t"><type>x</type></transmission><gazebo/><gazebo reference="a"><b/></gazebo><mujoco/>'
    assert len(load_urdf(robot(body, others)).links) == 1


def test_massless_links_become_frames_of_the_link_that_carries_them(forward_kinematics) -> None:
    shift = '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
    ball = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
    graph = load_urdf(
        robot(
            link("a"),
            link("flange", ""),
            link("tip", ball),
            link("tool_body"),
            joint("f", "fixed", "a", "flange", shift),
            joint("t", "fixed", "flange", "tip", shift),
            joint("b", "fixed", "flange", "tool_body", shift),
        )
    )
    assert [body.name for body in graph.links] == ["a", "tool_body"]
    assert set(graph.links[0].frames) == {"flange", "tip"}
    assert [(j.name, j.parent, j.child) for j in graph.joints] == [("b", "a", "tool_body")]
    X = forward_kinematics(graph, {})
    np.testing.assert_allclose(X["tip"].p, [1.0, 1.0, 0.0], atol=1e-15)
    assert X["tip"].is_close(X["tool_body"])
    assert graph.links[0].shapes[0].X_LG.is_close(X["tip"])


def test_a_massless_root_gives_way_to_the_massive_link_fixed_to_it() -> None:
    graph = load_urdf(
        robot(
            link("world", ""),
            link("mount", ""),
            link("a"),
            joint("w", "fixed", "world", "mount", '<origin xyz="1 0 0"/>'),
            joint("m", "fixed", "mount", "a", '<origin xyz="0 2 0"/>'),
        )
    )
    assert (graph.root, graph.joints) == ("a", ())
    np.testing.assert_allclose(graph.links[0].frames["world"].p, [-1.0, -2.0, 0.0])
    np.testing.assert_allclose(graph.links[0].frames["mount"].p, [0.0, -2.0, 0.0])


def test_a_fixed_joint_between_massive_links_stays() -> None:
    graph = load_urdf(robot(link("a"), link("b"), joint("j", "fixed", "a", "b", '<axis xyz="1 0 0"/>')))
    assert [(j.name, j.kind) for j in graph.joints] == [("j", "fixed")]


def test_a_thin_plate_on_the_edge_of_the_triangle_inequality_is_accepted() -> None:
    plate = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial>'
    assert load_urdf(robot(link("a", plate))).links[0].mass == 1.0


def test_three_thousand_links_in_a_chain_are_read() -> None:
    n = 3000  # three times as deep as Python's stack
    links = [link(f"l{i}") for i in range(n)]
    joints = [joint(f"j{i}", "continuous", f"l{i}", f"l{i + 1}") for i in range(n - 1)]
    assert len(load_urdf(robot(*links, *joints)).joints) == n - 1


@pytest.mark.parametrize("version", ["\ufeff", "\n  ", '<?xml version="1.0" encoding="UTF-8"?>'])
def test_text_may_start_with_a_mark_white_space_or_a_declaration(version: str) -> None:
    assert load_urdf(version + robot(link("a"))).root == "a"


def test_errors_of_text_name_the_line() -> None:
    with pytest.raises(ModelError, match=r"^<text>:2: <link name='a'>/inertial/mass: value = '-2' is out of range"):
        load_urdf(robot("\n", link("a", INERTIAL.replace('"2"', '"-2"', 1))))


def test_all_problems_of_a_file_are_told_at_once_with_their_lines() -> None:
    text = robot(
        link("a", INERTIAL.replace('value="2"', 'value="two"')),
        "\n",
        link("b"),
        "\n",
        joint("j", "revolut", "a", "b"),
        joint("k", "revolute", "a", "c", '<axis xyz="0 0 0"/>'),
    )
    with pytest.raises(ModelError) as caught:
        load_urdf(text)
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == ["<text>:1", "<text>:3", "<text>:3"]


def test_names_with_dots_and_spaces_become_names_of_their_own_that_joints_still_find() -> None:
    parts = (link("a.b"), link("a_b"), link("a b"), joint("j.1", "continuous", "a.b", "a_b"))
    graph = load_urdf(robot(*parts, joint("j 1", "continuous", "a_b", "a b")))
    assert [body.name for body in graph.links] == ["a_b_2", "a_b", "a_b_3"]
    assert [(j.name, j.parent, j.child) for j in graph.joints] == [
        ("j_1", "a_b_2", "a_b"),
        ("j_1_2", "a_b", "a_b_3"),
    ]
    assert "<text>:1: <link name='a.b'>: called 'a_b_2'" in graph.notes


def test_a_massive_link_called_world_gets_another_name() -> None:
    graph = load_urdf(robot(link("world"), link("b"), joint("j", "continuous", "world", "b")))
    assert (graph.root, graph.joints[0].parent) == ("world_link", "world_link")


def test_extensions_of_other_programs_are_read_past_with_one_note_for_each_kind() -> None:
    extra = "<contact><lateral_friction value='1'/></contact>"
    parts = [link(n, INERTIAL + extra) for n in "ab"]
    others = "<ros2_control name='x' type='y'/><sensor name='s'/>"
    safe = '<safety_controller k_velocity="1"/><dynamics K="7000" damping="1"/>'
    graph = load_urdf(robot(*parts, joint("j", "continuous", "a", "b", safe), others))
    assert graph.joints[0].damping == 1.0
    assert [note.rpartition(": ")[2] for note in graph.notes] == [
        "<ros2_control> is read past",
        "<sensor> is read past",
        "<contact> is read past (and 1 more)",
        "<safety_controller> is read past",
        "attribute 'K' of <dynamics> is read past",
    ]


def test_package_paths_are_looked_for_in_search_then_in_ros_package_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("one/pack", "two/pack"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.stl").write_bytes(b"solid")
    text = robot(visual('<mesh filename="package://pack/a.stl"/>'))
    assert load_urdf(text).links[0].shapes == ()
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path / 'nowhere'}:{tmp_path / 'two'}")
    assert Path(load_urdf(text).links[0].shapes[0].mesh) == tmp_path / "two" / "pack" / "a.stl"
    for search in (tmp_path / "one", tmp_path / "one" / "pack"):
        assert Path(load_urdf(text, search=[search]).links[0].shapes[0].mesh) == tmp_path / "one" / "pack" / "a.stl"


def test_white_space_before_the_declaration_and_latin_1_are_read_with_the_right_lines(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    text = "\n\n<?xml version='1.0' encoding='ISO-8859-1'?>\n" + robot(link("Fuß"), "<axis/>")
    file.write_bytes(text.encode("latin-1") + b"\r\n\0")
    with pytest.raises(ModelError, match=r"r.urdf:4: <axis>: unknown element"):
        load_urdf(file)
    assert load_urdf(file, unsupported="skip").root == "Fuß"
