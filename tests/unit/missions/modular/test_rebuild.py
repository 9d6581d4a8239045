"""A design of one's own is rebuilt by a gantry; what cannot be moved is refused with its place in the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.api import run
from freefloat.engine.result import Result
from freefloat.missions.modular.rebuild import Rebuild
from freefloat.scenario.files import load
from freefloat.scenario.problems import ScenarioError
from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import load_design

CATALOGUE = """schema: 1
interfaces:
  claw: {standard: acme, active: true, closing_time: 2 s, opening_time: 1 s}
  eye: {standard: acme, active: false}
modules:
  core:
    mass: 12 kg
    size: [0.3, 0.3, 0.3]
    sides: {all: eye, +x: claw, -z: claw}
    power: {kind: source, voltage: 28 V, max_power: 150 W}
  camera:
    mass: 4 kg
    size: [0.3, 0.3, 0.3]
    centre_of_mass: [0, 0, 20 mm]
    sides: {all: eye, -z: claw}
    power: {kind: consumer, voltage: 28 V, demand: 10 W}
  lid: {mass: 1 kg, size: [0.3, 0.3, 0.3], sides: {-z: claw}}
"""
TABLE = """kind: design
schema: 1
catalogue: acme.yaml
grid: {kind: cubic, size: [3, 1, 2], pitch: 0.3 m}
modules:
  - {id: 1, type: core, cell: [0, 0, 0]}
  - {id: 2, type: core, cell: [1, 0, 0]}
  - {id: 3, type: core, cell: [2, 0, 0]}
  - {id: 4, type: camera, cell: [0, 0, 1]}
  - {id: 5, type: lid, cell: [1, 0, 1]}
"""


def in_folder(folder: Path, moves: str, table: str = TABLE) -> Path:
    """A scenario with its design and catalogue, and the path to the design written out."""
    (folder / "acme.yaml").write_text(CATALOGUE, encoding="utf-8")
    (folder / "table.yaml").write_text(table, encoding="utf-8")
    file = folder / "moves.yaml"
    design = (folder / "table.yaml").as_posix()
    file.write_text(f"kind: rebuild\nschema: 1\ndesign: {design}\nmoves:\n{moves}", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The camera goes to the other end, with a fast gantry."""
    file = in_folder(tmp_path_factory.mktemp("table"), "  - {module: 4, to: [2, 0, 1]}\n")
    return run(str(file), {"speed": 1.0}, duration=42.0, strict=True)


def test_a_module_of_an_own_catalogue_goes_to_its_cell_and_every_balance_holds(moved: Result) -> None:
    assert moved["stack.identity"][-1].tolist() == [1, 0, 2, 5, 3, 4]
    m = moved.metrics
    assert m["picks"] == m["places"] == m["plan_completed"] == 1.0
    assert m["modules_lost"] == m["modules_doubled"] == m["modules_misplaced"] == m["alarms"] == 0.0
    assert m["place_position_error_m"] <= 1e-3
    assert m["heat_balance_error"] <= 1e-8


def test_the_module_has_power_before_and_after_but_not_in_the_hand_of_the_gantry(moved: Result) -> None:
    held = moved["tool.identity"][:, 0] == 4.0
    assert held.any()
    assert not moved["tool.powered"][held, 0].any()
    assert moved["stack.powered"][-1, 5] == 1.0


@pytest.mark.parametrize(
    ("moves", "place", "says"),
    [
        ("  - {module: 9, to: [2, 0, 1]}\n", "5:14: moves.0.module: ", "there is no module 9; allowed: 1, 2, 3, 4, 5"),
        ("  - {module: 4, to: [1, 0, 1]}\n", "5:21: moves.0.to: ", "occupied by module 5 .* allowed: a free cell"),
        ("  - {module: 1, to: [2, 0, 1]}\n", "5:14: moves.0.module: ", "locked in, module 4 .* allowed: one with noth"),
        (
            "  - {module: 4, to: [2, 0, 1]}\n  - {module: 1, to: [0, 0, 1]}\n",
            "6:21: moves.1.to: ",
            r"cell \(0, 0, 1\): no neighbour with an interface that mates; allowed: a cell beside",
        ),
        ("  - {module: 5, to: [2, 0, 1]}\n", "5:14: moves.0.module: ", r"no interface on top \(\+z\); allowed: one"),
        ("  - {module: 4, to: [0, 0, 1]}\n", "5:21: moves.0.to: ", "is where it is already; allowed: a free cell"),
        ("  - {module: 4, to: [9, 99, 99]}\n", "5:21: moves.0.to: ", "far from every module; allowed: near"),
        ("  - {module: 4, to: [2, 0]}\n", "5:21: moves.0.to: ", "has 2 values; allowed: a list of 3"),
    ],
)
def test_a_move_that_cannot_be_made_is_refused_with_its_place(
    tmp_path: Path, moves: str, place: str, says: str
) -> None:
    file = in_folder(tmp_path, moves)
    with pytest.raises(ScenarioError, match=says) as error:
        load(file)
    assert str(error.value).startswith(f"{file}:{place}")


def test_a_move_that_splits_the_structure_is_refused(tmp_path: Path) -> None:
    open_top = TABLE.replace("  - {id: 5, type: lid, cell: [1, 0, 1]}\n", "")
    file = in_folder(tmp_path, "  - {module: 2, to: [2, 0, 1]}\n", open_top)
    with pytest.raises(
        ScenarioError, match=r"moves.0.module: module 2 .* fall into 2 pieces; allowed: one that leaves"
    ):
        load(file)


def test_a_goal_below_another_module_is_covered(tmp_path: Path) -> None:
    bridge = TABLE.replace("size: [3, 1, 2]", "size: [4, 1, 3]") + (
        "  - {id: 6, type: core, cell: [2, 0, 1]}\n"
        "  - {id: 7, type: core, cell: [2, 0, 2]}\n"
        "  - {id: 8, type: core, cell: [3, 0, 2]}\n"
    )
    file = in_folder(tmp_path, "  - {module: 4, to: [3, 0, 0]}\n", bridge)
    with pytest.raises(ScenarioError, match=r"moves.0.to: cell \(3, 0, 0\) is covered, module 8 .* open to \+z"):
        load(file)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("type: camera", "type: camra"), "table.yaml:9:19: modules.3.type: unknown module type"),
        (("cell: [0, 0, 1]", "cell: [0, 0, 0]"), "table.yaml:9:5: module 4 .* overlaps module 1"),
        (("pitch: 0.3 m", "pitch: 0.35 m"), "smaller than the cell along x, a gap of 0.025 m"),
    ],
)
def test_a_design_with_errors_is_refused_with_the_place_in_both_files(
    tmp_path: Path, change: tuple[str, str], says: str
) -> None:
    file = in_folder(tmp_path, "  - {module: 4, to: [2, 0, 1]}\n", TABLE.replace(*change))
    with pytest.raises(ScenarioError, match=says) as error:
        load(file)
    assert str(error.value).startswith(f"{file}:3:9: design: ")
    assert len(error.value.errors) == 1


def test_a_grid_of_hexagons_an_unknown_design_and_an_unknown_hand_are_refused() -> None:
    for changes, says in (
        ({"design": "mirror-tiles", "moves": []}, "design: mirror-tiles has a hexagonal grid; allowed: cubic"),
        ({"design": "mosar-stak"}, "design: unknown design 'mosar-stak'"),
        ({"hand": "passive"}, "hand: unknown interface with a drive 'passive'"),
        ({"hand": "", "moves": [{"module": 27, "to": [2, 2, 3]}]}, "moves.0.module: module 27 .* no interface on top"),
    ):
        with pytest.raises(ScenarioError, match=says):
            load("rebuild", changes)


def test_the_grid_grows_where_moves_lead_beyond_it_and_the_modules_stay_in_place() -> None:
    job = Rebuild().job()
    before = check_design(load_design("mosar-stack")).body
    assert job.start.grid.size == (3, 3, 4)
    for place in before.occupied.tolist():
        there = job.start.find(int(before.identity[place]))
        assert there is not None
        assert np.allclose(job.start.grid.p_TP[there], before.grid.p_TP[place], atol=1e-15)
    top = job.start.grid.p_TP[:, 2].max() + 0.2
    assert job.size.height > top + 0.4, "the bridge is above a module that is carried over all others"
    assert job.size.ram > job.size.height - job.over(job.start, job.moves[2][0])[2], "the ram gets down to the battery"


def test_interfaces_that_the_design_keeps_open_or_calls_failed_are_so_in_the_run(tmp_path: Path) -> None:
    cores = TABLE.replace("type: lid", "type: core")
    held = "interfaces: [{module: 5, side: -x, state: open}, {module: 3, side: +z, state: failed}]\n"
    scenario = load(in_folder(tmp_path, "  []\n", cores + held))
    assert isinstance(scenario, Rebuild)
    job = scenario.job()
    assert (job.apart, job.broken) == ({(5, 1)}, {(3, 4)})
    failed = TABLE + "interfaces: [{module: 3, side: +z, state: failed}]\n"
    file = in_folder(tmp_path, "  - {module: 4, to: [2, 0, 1]}\n", failed)
    with pytest.raises(ScenarioError, match=r"moves.0.to: .*the interface to module 3 has failed; allowed"):
        load(file)
