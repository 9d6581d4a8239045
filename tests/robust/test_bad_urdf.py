"""Every element and attribute of a URDF, damaged by kind: a valid robot or one clear message, never anything else.

The message of each kind is kept in golden_urdf/ and reviewed when it changes.
"""

from __future__ import annotations

import copy
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freefloat.engine.graph import WORLD, LinkGraph
from freefloat.errors import ModelError
from freefloat.inertia import check_inertia
from freefloat.robots import asset, load_urdf

GOLDEN = Path(__file__).parent / "golden_urdf"
REVIEW = False  # True: write the messages anew, to be reviewed as a difference

# one of each element that the reader knows
EVERYTHING = """<robot name="everything" version="1.0">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/>
      <mass value="10"/>
      <inertia ixx="1" ixy="0.1" ixz="0.01" iyy="1.2" iyz="0.02" izz="1.4"/>
    </inertial>
    <visual name="body">
      <origin xyz="0 0 0.1" rpy="0 0 1"/>
      <geometry><box size="1 1 1"/></geometry>
      <material name="red"/>
    </visual>
    <collision name="c"><origin xyz="0 0 2" rpy="0 0 2"/><geometry><box size="1 1 2"/></geometry><verbose/></collision>
  </link>
  <link name="upper">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><capsule radius="0.1" length="1"/></geometry></visual>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
  </link>
  <link name="lower">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual>
      <geometry><mesh filename="hull.stl" scale="1 1 1"/></geometry>
      <material name="blue"><color rgba="0 0 1 1"/><texture filename="a.png"/></material>
    </visual>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
    <dynamics damping="0.1" friction="0"/>
    <calibration rising="0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/>
    <child link="lower"/>
    <limit lower="0" upper="1" effort="10" velocity="1"/>
  </joint>
  <joint name="tool_mount" type="fixed">
    <parent link="lower"/>
    <child link="tool"/>
    <origin xyz="0 0 1"/>
  </joint>
  <transmission name="t"><type>simple</type></transmission>
  <gazebo reference="base"/>
</robot>
"""

VALUES = {
    "empty": "",
    "blank": "\n \t",
    "wrong_type": "abc",
    "nan": "nan",
    "nan_in_vector": "0 nan 0",
    "infinite": "inf",
    "minus_infinite": "-1 -inf 0",
    "negative": "-1",
    "zero": "0",
    "zero_vector": "0 0 0",
    "huge": "1e300",
    "overflow": "1e999",
    "tiny": "1e-300",
    "comma": "1,5",
    "hexadecimal": "0x10",
    "underscore": "1_0",
    "unit": "25 mm",
    "too_many": "1 2 3 4 5",
    "unicode": "Gelenk-ß☃",
    "unicode_digits": "١٢٣",
    "control": "a\u0085\u2028\u202eb",
    "long": "7" * 20_000,
    "long_name": "n" * 20_000,
    "dotted": "a.b",
    "wrong_name": "uper",
    "other_link": "base",
    "path": "../../etc/passwd",
    "zero_byte_path": "a%00b",
    "scheme": "https://example.org/hull.stl",
}


def _attribute_kinds() -> dict[str, Callable[[ET.Element, str], None]]:
    def assign(value: str) -> Callable[[ET.Element, str], None]:
        return lambda e, name: e.set(name, value)

    def misspell(e: ET.Element, name: str) -> None:
        e.set(name[:-1] + "q", e.attrib.pop(name))

    def remove(e: ET.Element, name: str) -> None:
        del e.attrib[name]

    return {"removed": remove, "misspelt": misspell} | {kind: assign(value) for kind, value in VALUES.items()}


ATTRIBUTE_KINDS = _attribute_kinds()


def _duplicate(parent: ET.Element, i: int) -> None:
    parent.insert(i, copy.deepcopy(parent[i]))


def _rename(parent: ET.Element, i: int) -> None:
    parent[i].tag += "x"


def _clear(parent: ET.Element, i: int) -> None:
    parent[i].clear()


def _stray_text(parent: ET.Element, i: int) -> None:
    parent[i].tail = "stray\ntext"


def _unknown_child(parent: ET.Element, i: int) -> None:
    parent[i].append(ET.Element("zzz", {"name": "x" * 500}))


def _remove(parent: ET.Element, i: int) -> None:
    del parent[i]


def _reverse(parent: ET.Element, i: int) -> None:
    parent[:] = reversed(parent)


ELEMENT_KINDS: dict[str, Callable[[ET.Element, int], None]] = {
    "removed": _remove,
    "duplicated": _duplicate,
    "renamed": _rename,
    "emptied": _clear,
    "stray_text": _stray_text,
    "unknown_child": _unknown_child,
    "reversed": _reverse,
}


@pytest.fixture(autouse=True)
def _beside_the_mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hull.stl").write_bytes(b"solid hull\nendsolid hull\n")
    monkeypatch.chdir(tmp_path)


def check_graph(graph: LinkGraph) -> None:
    names = [link.name for link in graph.links]
    assert len(set(names)) == len(names) >= 1
    assert graph.root in (*names, WORLD)
    first = [joint for joint in graph.joints if not joint.series]
    assert sorted({graph.root, *graph.floating} - {WORLD} | {j.child for j in first}) == sorted(names)
    assert len(first) + len(graph.floating) + (graph.root != WORLD) == len(names)
    for link in graph.links:
        assert 0.0 < link.mass < np.inf
        assert np.isfinite(link.p_LLcm).all()
        check_inertia(link.I_LLcm_L)
        assert all(np.isfinite(X.matrix()).all() for X in link.frames.values())
        assert all(
            np.isfinite(s.X_LG.matrix()).all() and all(np.isfinite(s.size))
            for s in (*link.shapes, *link.contact_shapes)
        )
    for joint in graph.joints:
        assert joint.parent in (*names, WORLD)
        assert abs(float(np.linalg.norm(joint.axis)) - 1.0) < 1e-12
        assert joint.lower <= joint.upper
        assert joint.effort >= 0.0
        assert joint.velocity >= 0.0
        assert 0.0 <= joint.damping < np.inf
        assert np.isfinite(joint.X_PJ.matrix()).all()


def graph_or_message(data: bytes | str, place: str = r"bad\.urdf:\d+: ") -> LinkGraph | str:
    """The error's message, a line for each problem, checked for its form; or the robot, checked too."""
    Path("bad.urdf").write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    try:
        graph = load_urdf(Path("bad.urdf"))
    except ModelError as e:
        for line in str(e).split("\n"):
            assert re.match(place, line), line
            assert line.isprintable(), line
            assert len(line) < 600, line
        return str(e)
    check_graph(graph)
    for note in graph.notes:
        assert note.isprintable(), note
        assert re.match(place, note), note
    return graph


def message_of(data: bytes | str) -> str | None:
    """The error's message; None where the robot is valid."""
    found = graph_or_message(data)
    return found if isinstance(found, str) else None


def _damaged_attributes(text: str, kind: str) -> Iterator[str]:
    tree = ET.fromstring(text)
    for e in tree.iter():
        for name in list(e.attrib):
            before = dict(e.attrib)
            ATTRIBUTE_KINDS[kind](e, name)
            yield ET.tostring(tree, encoding="unicode")
            e.attrib.clear()
            e.attrib.update(before)


def _damaged_elements(text: str, kind: str) -> Iterator[str]:
    places = [(p, i) for p, parent in enumerate(ET.fromstring(text).iter()) for i in range(len(parent))]
    for p, i in places:
        tree = ET.fromstring(text)
        ELEMENT_KINDS[kind](list(tree.iter())[p], i)
        yield ET.tostring(tree, encoding="unicode")


ROBOTS = {"everything": EVERYTHING, "planar_two_link": asset("planar_two_link").read_text(encoding="utf-8")}


def test_the_undamaged_robots_are_valid() -> None:
    for text in (*ROBOTS.values(), asset("arm7").read_text(encoding="utf-8")):
        assert message_of(text) is None


@pytest.mark.parametrize("robot", ["everything", pytest.param("planar_two_link", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ATTRIBUTE_KINDS)
def test_each_attribute_damaged_gives_a_robot_or_one_message(kind: str, robot: str) -> None:
    messages = [message_of(text) for text in _damaged_attributes(ROBOTS[robot], kind)]
    assert any(messages)


@pytest.mark.parametrize("robot", ["everything", pytest.param("planar_two_link", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ELEMENT_KINDS)
def test_each_element_damaged_gives_a_robot_or_one_message(kind: str, robot: str) -> None:
    messages = [message_of(text) for text in _damaged_elements(ROBOTS[robot], kind)]
    assert any(messages) or kind in ("reversed", "stray_text")


def _tags(tree: ET.Element, path: str = "") -> Iterator[str]:
    """Paths of the elements in document order, without the root."""
    for e in tree:
        yield f"{path}{e.tag}"
        yield from _tags(e, f"{path}{e.tag}/")


def test_only_these_may_not_be_missing() -> None:
    tree = ET.fromstring(EVERYTHING)
    elements = sorted(_tags(tree), key=lambda path: path.count("/"))
    paths = [p for p in elements if p.split("/")[0] in ("material", "link", "joint")]
    optional = {path for path in paths if _may_be_missing(path)}
    assert set(paths) - optional == {
        "link",  # joints name it
        "link/inertial/mass",
        "link/inertial/inertia",
        "link/collision/geometry",
        "link/collision/geometry/box",
        "joint",  # its links would be roots
        "joint/parent",
        "joint/child",
    }


def _may_be_missing(path: str) -> bool:
    """Whether the first element at this path can be taken out."""
    parent, _, tag = path.rpartition("/")
    tree = ET.fromstring(EVERYTHING)
    above = next(e for e in ([tree] if not parent else tree.findall(parent)) if e.find(tag) is not None)
    found = above.find(tag)
    assert found is not None
    above.remove(found)
    return message_of(ET.tostring(tree, encoding="unicode")) is None


def test_a_file_cut_anywhere_gives_one_message() -> None:
    data = EVERYTHING.encode()
    for end in range(0, len(data) - len("</robot>\n"), 13):
        assert message_of(data[:end])


@settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, len(EVERYTHING) - 1), st.binary(min_size=1, max_size=6))
def test_random_bytes_anywhere_give_a_robot_or_one_message(at: int, noise: bytes) -> None:
    data = EVERYTHING.encode()
    message_of(data[:at] + noise + data[at + len(noise) :])


@settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10_000), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12))
def test_random_text_in_any_attribute_gives_a_robot_or_one_message(which: int, value: str) -> None:
    tree = ET.fromstring(EVERYTHING)
    attributes = [(e, name) for e in tree.iter() for name in e.attrib]
    e, name = attributes[which % len(attributes)]
    e.set(name, value)
    message_of(ET.tostring(tree, encoding="unicode"))


LAUGHS = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))


def swap(old: str, new: str) -> str:
    assert EVERYTHING.count(old) >= 1
    return EVERYTHING.replace(old, new, 1)


UNIT_INERTIA = 'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'
WITHOUT_BASE = re.sub(r'<link name="base">.*?</link>', "", EVERYTHING, flags=re.S)
MASSLESS_BASE = re.sub(r"<inertial>.*?</inertial>", "", EVERYTHING, count=1, flags=re.S)

KINDS: dict[str, bytes | str] = {
    # name
    "name_missing": swap('<link name="upper">', "<link>"),
    "name_with_a_dot": swap('"shoulder"', '"shoulder.q"'),
    "name_twice": swap('<link name="lower">', '<link name="upper">'),
    "joint_name_twice": swap('"slide"', '"shoulder"'),
    "link_unknown": swap('<parent link="upper"/>', '<parent link="uper"/>'),
    "material_unknown": swap('<material name="red"/>', '<material name="reed"/>'),
    "element_unknown": swap("<dynamics", "<dynamcs"),
    "element_twice": swap('<mass value="10"/>', '<mass value="10"/><mass value="11"/>'),
    "element_missing": swap('<mass value="10"/>', ""),
    "attribute_unknown": swap("velocity=", "velocty="),
    "attribute_missing": swap('effort="10"', ""),
    "text_between_elements": swap('<mass value="10"/>', "10"),
    # type and range of numbers
    "number_wrong_type": swap('value="10"', 'value="ten"'),
    "number_with_unit": swap('value="10"', 'value="10 kg"'),
    "number_nan": swap('ixx="1"', 'ixx="nan"'),
    "number_infinite": swap('upper="1"', 'upper="inf"'),
    "number_huge": swap('value="10"', 'value="1e300"'),
    "number_long": swap('value="10"', f'value="{"1" * 5000}"'),
    "mass_negative": swap('value="10"', 'value="-10"'),
    "mass_zero": swap('value="10"', 'value="0"'),
    "vector_short": swap('xyz="0 0 0.1"', 'xyz="0 0"'),
    "vector_wrong_type": swap('rpy="0.1 0.2 0.3"', 'rpy="0.1 0,2 0.3"'),
    "colour_out_of_range": swap('rgba="1 0 0 1"', 'rgba="255 0 0 1"'),
    "size_negative": swap('radius="0.1"', 'radius="-0.1"'),
    "axis_zero": swap('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'),
    "limits_crossed": swap('lower="-1"', 'lower="2"'),
    "limits_missing": swap('<limit lower="-1" upper="1" effort="10" velocity="1"/>', ""),
    "limits_of_continuous": swap('type="revolute"', 'type="continuous"'),
    "inertia_not_positive": swap('ixy="0.1"', 'ixy="3"'),
    "inertia_triangle": swap('izz="1.4"', 'izz="4"'),
    "inertia_too_small": EVERYTHING.replace(UNIT_INERTIA, UNIT_INERTIA.replace('"1"', '"1e-20"'), 1),
    # structure
    "no_links": '<robot name="r"/>',
    "two_roots": swap('<link name="tool"/>', '<link name="tool"/><link name="other"/>'),
    "two_parents": swap('<child link="tool"/>', '<child link="upper"/>'),
    "loop": swap('<parent link="base"/>', '<parent link="tool"/>'),
    "loop_without_root": WITHOUT_BASE.replace('"base"', '"tool"'),
    "massless_moves": re.sub(r'<inertial><mass value="2"/>.*?</inertial>', "", EVERYTHING),
    "massless_root": MASSLESS_BASE.replace("revolute", "fixed").replace(
        '<parent link="upper"/>', '<parent link="base"/>'
    ),
    "massless_root_moves": MASSLESS_BASE,
    "no_mass_at_all": '<robot name="r"><link name="a"/></robot>',
    # not supported
    "joint_type_unknown": swap('type="revolute"', 'type="revolut"'),
    "joint_floating": swap('type="revolute"', 'type="floating"'),
    "friction_negative": swap('friction="0"', 'friction="-0.5"'),
    "mimic": swap("<dynamics", '<mimic joint="slide"/><dynamics'),
    "safety_controller": swap("<dynamics", '<safety_controller k_velocity="1"/><dynamics'),
    "sensor": swap("<gazebo", '<sensor name="camera"/><gazebo'),
    "xacro": swap("<gazebo", '<xacro:include filename="a"/><gazebo'),
    "shape_unknown": swap('<box size="1 1 1"/>', '<cone radius="1"/>'),
    "shapes_two": swap('<box size="1 1 1"/>', '<box size="1 1 1"/><sphere radius="1"/>'),
    "mesh_missing": swap("hull.stl", "hall.stl"),
    "mesh_package_missing": swap("hull.stl", "package://nowhere/hull.stl"),
    "mesh_scheme": swap("hull.stl", "https://example.org/hull.stl"),
    "collision_empty": swap('<collision name="c">', '<collision/><collision name="c">'),
    "collision_shape_unknown": swap('<box size="1 1 2"/>', '<cone radius="1"/>'),
    "collision_size_negative": swap('size="1 1 2"', 'size="1 1 -2"'),
    "collision_number_nan": swap('xyz="0 0 2"', 'xyz="0 nan 2"'),
    "collision_mesh_scheme": swap('<box size="1 1 2"/>', '<mesh filename="https://example.org/hull.stl"/>'),
    "mesh_flat": swap('scale="1 1 1"', 'scale="1 0 1"'),
    # file
    "empty_file": b"",
    "truncated": EVERYTHING[:760],
    "not_xml": "link: base\n",
    "wrong_root": "<mujoco/>",
    "doctype": f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>',
    "entity": swap('value="10"', 'value="&ten;"'),
    "deep": "<robot name='r'>" + "<a>" * 5000,
    "latin_1": EVERYTHING.replace("shoulder", "Gelenk-ß").encode("latin-1"),
    "latin_1_declared": '<?xml version="1.0" encoding="iso-8859-1"?>\n' + EVERYTHING,
    "utf_16": EVERYTHING.encode("utf-16"),
    "zero_byte": EVERYTHING.replace("shoulder", "shoul\0der"),
    "too_large": EVERYTHING + "<!--" + "x" * 5_000_000 + "-->",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_message_or_the_notes_of_each_kind_are_the_reviewed_ones(kind: str) -> None:
    found = graph_or_message(KINDS[kind], place=r"bad\.urdf(:\d+)?: ")
    text = found if isinstance(found, str) else "\n".join(["accepted", *found.notes])
    if REVIEW:
        (GOLDEN / f"{kind}.txt").write_text(f"{text}\n", encoding="utf-8")
    assert text == (GOLDEN / f"{kind}.txt").read_text(encoding="utf-8").rstrip("\n")


def test_skip_leaves_out_by_name_what_cannot_be_modelled() -> None:
    kinds = ("element_unknown", "attribute_unknown", "limits_crossed", "inertia_triangle", "collision_size_negative")
    for kind in kinds:
        Path("bad.urdf").write_text(str(KINDS[kind]), encoding="utf-8")
        graph = load_urdf(Path("bad.urdf"), unsupported="skip")
        check_graph(graph)
        (refused,) = (GOLDEN / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
        (skipped,) = graph.skipped
        assert skipped.split(": ")[:2] == refused.split(": ")[:2]


def test_no_reviewed_message_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == KINDS.keys()


@pytest.mark.parametrize("path", ["nowhere.urdf", ".", "", "a\0b", "n" * 5000, "line\nbreak.urdf"])
def test_a_path_that_cannot_be_read_gives_one_message(path: str) -> None:
    with pytest.raises(ModelError, match="cannot be read") as caught:
        load_urdf(path)
    assert str(caught.value).isprintable()
