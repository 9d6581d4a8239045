"""Robots stand on free faces that their ends close on; everything else is an error at the robot's line."""

from __future__ import annotations

import pytest

from freefloat.scenario.problems import ScenarioError
from freefloat.scenario.yamltext import parse
from freefloat.structure.catalogue.catalogue import Catalogue, load_catalogue
from freefloat.structure.design.check import check_design
from freefloat.structure.design.design import Design, Finding, PlacedModule, StandingRobot
from freefloat.structure.design.file import design_from, load_design
from freefloat.structure.design.tables import design_tables, report_data
from freefloat.structure.grid import cubic

TEXT = """kind: design
schema: 1
catalogue: mosar
grid: {size: [1, 1, 3]}
modules:
  - {id: 1, type: bus, cell: [0, 0, 0]}
  - {id: 2, type: solar, cell: [0, 0, 1]}
  - {id: 3, type: osp, cell: [0, 0, 2]}
robots:
"""


def errors(*robots: str, more: str = "") -> list[Finding]:
    text = TEXT + "".join(f"  - {{{robot}}}\n" for robot in robots) + more
    return [f for f in check_design(design_from(parse(text, "d.yaml"))).errors if f.subject == "robot"]


def problems(robot: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        errors(robot)
    return [str(problem) for problem in caught.value.errors]


def test_a_robot_on_a_free_face_with_an_interface_is_no_error() -> None:
    assert errors("name: wm, stands: {module: 1, side: -z}", "name: two, stands: {module: 1, side: +x}") == []


@pytest.mark.parametrize(
    ("stands", "more", "told"),
    [
        ("{module: 1, side: +z}", "", "stands on a face that module 2 (solar) in cell (0, 0, 1) covers"),
        ("{module: 3, side: +z}", "", "stands on a face without an interface"),
        ("{module: 1, side: +x}", "interfaces: [{module: 1, side: +x, state: failed}]\n", "a failed interface"),
    ],
)
def test_a_robot_that_cannot_stand_there_is_an_error_at_its_line(stands: str, more: str, told: str) -> None:
    (found,) = errors(f"name: wm, stands: {stands}", more=more)
    assert str(found).startswith("d.yaml:10:5: robot wm: ")
    assert told in found.message


def test_two_robots_on_one_face_are_an_error_of_the_second() -> None:
    (found,) = errors("name: a, stands: {module: 1, side: +x}", "name: b, stands: {module: 1, side: +x}")
    assert str(found).startswith("d.yaml:11:5: robot b: stands where robot a stands: module 1, side +x")


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        ("name: wm, stands: {module: 7, side: +x}", "d.yaml:10:33: robots.0.stands.module: there is no module 7"),
        ("name: wm, stands: {module: 1, side: top}", "d.yaml:10:42: robots.0.stands.side: unknown side 'top'"),
        ("name: 'w m', stands: {module: 1, side: +x}", "d.yaml:10:12: robots.0.name: 'w m' is no name"),
        (
            "name: wm, kind: walking_manipulater, stands: {module: 1, side: +x}",
            "d.yaml:10:22: robots.0.kind: 'walking_manipulater' is not known; did you mean 'walking_manipulator'?",
        ),
        (
            "name: wm, stands: {module: 1, side: +x}, q: [1 deg, 0]",
            "d.yaml:10:50: robots.0.q: wrong number of joint angles, 2; allowed: 7",
        ),
        (
            "name: wm, stands: {module: 1, side: +x}, q: [0, 121 deg, 0, 0, 0, 0, 0]",
            "d.yaml:10:50: robots.0.q: joint 2 beyond its limits, 121 deg; allowed: -120 to 120 deg",
        ),
    ],
)
def test_what_a_file_cannot_mean_is_refused_with_its_place(robot: str, told: str) -> None:
    (line,) = problems(robot)
    assert line.startswith(told)


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"d.yaml:11:12: robots.1.name: 'a' is given twice"):
        errors("name: a, stands: {module: 1, side: +x}", "name: a, stands: {module: 1, side: -x}")


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        (StandingRobot("wm", "crane", 1, "+x"), "unknown kind of robot"),
        (StandingRobot("wm", "walking_manipulator", 9, "+x"), "stands on a module that is not in the design"),
        (StandingRobot("wm", "walking_manipulator", 1, "up"), "stands on an unknown side"),
        (StandingRobot("wm", "walking_manipulator", 1, "+x", (0.0,)), "wrong number of joint angles"),
    ],
)
def test_a_design_made_in_python_is_checked_as_well(robot: StandingRobot, told: str) -> None:
    design = Design("d", _mosar(), cubic(1, 1, 1), (PlacedModule(1, "solar", (0, 0, 0)),), robots=(robot,))
    assert [f.message for f in check_design(design).errors] == [told]


def test_an_end_does_not_close_on_another_standard() -> None:
    types = [t for t in _mosar().types if t.name == "solar"]
    other = [type(s)(**{**vars(s), "standard": "sirom"}) if s else None for s in types[0].sides]
    kind = type(types[0])(**{**vars(types[0]), "sides": tuple(other)})
    robot = StandingRobot("wm", "walking_manipulator", 1, "+x")
    design = Design("d", Catalogue([kind]), cubic(1, 1, 1), (PlacedModule(1, "solar", (0, 0, 0)),), robots=(robot,))
    (found,) = check_design(design).errors
    assert found.message == "its end does not close on the interface"


def test_tables_and_data_tell_where_robots_stand() -> None:
    report = check_design(load_design("slab-10x2"))
    table = next(t for t in design_tables(report) if t.title == "robots")
    assert table.rows[0] == ("left", "walking_manipulator", "3", "bus", "2 1 0", "+z", "home")
    stands = {"module": 8, "side": "+z"}
    told = {"name": "right", "kind": "walking_manipulator", "stands": stands, "q_rad": None}
    assert report_data(report)["robots"][1] == told


def _mosar() -> Catalogue:
    return load_catalogue("mosar")
