"""What no plan can be made of is refused by `freefloat plan`, at its place and before any search: exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freefloat.cli import main

OWN = """schema: 1
interfaces: {active: {active: true}, passive: {active: false}}
modules:
  core: {mass: 9 kg, sides: {all: active}, power: {kind: source, max_power: 100 W}}
  beam: {mass: 6 kg, sides: {all: active}}
  camera: {mass: 4 kg, sides: {all: passive, -z: active}, power: {kind: consumer, demand: 9 W}}
  battery:
    mass: 4 kg
    sides: {all: passive, -z: active}
    power: {kind: battery, capacity: 100 Wh, max_power: 50 W, max_charge_power: 50 W}
"""
BOTH = "interfaces: {active: {active: true}, passive: {active: false}}\n"
FAR = (  # the robot finds interfaces on the core and on the camera, and none along the row
    "  core: {mass: 9 kg, sides: {+x: active, -x: active, +z: active}, power: {kind: source, max_power: 100 W}}\n",
    "  bar: {mass: 6 kg, sides: {+x: active, -x: passive}}\n",
    "  camera: {mass: 4 kg, sides: {+x: passive, -x: passive, +z: passive}, power: {kind: consumer, demand: 9 W}}\n",
)
START = """kind: design
schema: 1
catalogue: own.yaml
grid: {size: [3, 1, 2]}
modules:
  - {id: 1, type: core, cell: [0, 0, 0]}
  - {id: 2, type: beam, cell: [1, 0, 0]}
  - {id: 3, type: camera, cell: [0, 0, 1]}
robots:
  - {name: wm, stands: {module: 2, side: +z}}
"""
GOAL = START[: START.index("robots")].replace("[0, 0, 1]", "[2, 0, 0]")
CASES = {
    "a type the start lacks": (
        START,
        GOAL.replace("camera", "battery"),
        "goal.yaml:8:5: module 3 (battery) in cell (2, 0, 0): the start lacks it, "
        "the goal has 1 of type battery; allowed: 0",
    ),
    "more of a type than the start has": (
        START,
        GOAL + "  - {id: 4, type: camera, cell: [1, 0, 1]}\n",
        "goal.yaml:9:5: module 4 (camera) in cell (1, 0, 1): the start lacks it, "
        "the goal has 2 of type camera; allowed: 1",
    ),
    "a goal in two pieces": (
        START,
        GOAL.replace("[2, 0, 0]", "[2, 0, 1]"),
        "goal.yaml:8:5: module 3 (camera) in cell (2, 0, 1): not connected to the rest",
    ),
    "a goal without power": (
        START.replace("type: beam", "type: core"),
        GOAL.replace("type: core", "type: beam"),
        "goal.yaml:8:5: module 3 (camera) in cell (2, 0, 0): no power path",
    ),
    "another pitch": (
        START,
        GOAL.replace("[3, 1, 2]}", "[3, 1, 2], pitch: 300 mm}"),
        "goal.yaml:4:7: pitch 0.3 m; allowed: 0.4 m, as the start's",
    ),
    "another kind of grid": (
        START,
        GOAL.replace("{size: [3, 1, 2]}", "{kind: hexagonal, rings: 3}")
        .replace(", 0]}", "]}")
        .replace("[0, 0, 1]", "[0, 1]"),
        "goal.yaml:4:7: a hexagonal grid; allowed: cubic, as the start's",
    ),
    "another catalogue": (
        START,
        GOAL.replace("own.yaml", "mosar").replace("core", "solar").replace("beam", "bus").replace("camera", "payload"),
        "goal.yaml:3:12: another catalogue than the start's: it has a type 'bus'",
    ),
    "a catalogue of other values": (
        START,
        GOAL.replace("own.yaml", "heavy.yaml"),
        "goal.yaml:3:12: another catalogue than the start's: its type 'core' has other values",
    ),
    "a robot on a covered face": (
        START.replace("module: 2", "module: 1"),
        GOAL,
        "start.yaml:10:5: robot wm: stands on a face that module 3 (camera) in cell (0, 0, 1) covers",
    ),
    "no robot": (START[: START.index("robots")], GOAL, "start.yaml:1:1: no robot stands on the start; allowed: a sec"),
    "a file that is none": (START, None, "goal.yaml: no such file"),
    "a source that is only a battery": (
        START.replace("core", "battery"),
        GOAL.replace("core", "battery"),
        "start.yaml:8:5: the start leaves modules without a path to a source of power",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_at_its_place_before_anything_moves(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start, goal, told = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("own.yaml").write_text(OWN, "utf-8")
    Path("heavy.yaml").write_text(OWN.replace("9 kg", "90 kg"), "utf-8")
    Path("start.yaml").write_text(start, "utf-8")
    if goal is not None:
        Path("goal.yaml").write_text(goal, "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["plan", "start.yaml", "goal.yaml", "--out", "plan.json"])
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert printed.err.startswith(f"error: {told}")
    assert all(line.startswith("error: ") for line in printed.err.splitlines())
    assert printed.out == ""
    assert not Path("plan.json").exists()


def test_a_goal_out_of_reach_is_refused_after_a_bounded_search_with_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [1, 2, 3, 4, 5, 6, 0]
    types = ["core", *["bar"] * 5, "camera"]
    rows = enumerate(zip(types, cells, strict=True), start=1)
    modules = [f"  - {{id: {n}, type: {kind}, cell: [{i}, 0, 0]}}" for n, (kind, i) in rows]
    head = "kind: design\nschema: 1\ncatalogue: far.yaml\ngrid: {size: [8, 1, 2]}\n"
    start = head + "\n".join(["modules:", *modules, "robots:", "  - {name: wm, stands: {module: 1, side: +z}}\n"])
    Path("far.yaml").write_text(f"schema: 1\n{BOTH}modules:\n{''.join(FAR)}", "utf-8")
    Path("start.yaml").write_text(start, "utf-8")
    Path("goal.yaml").write_text(start.replace("camera, cell: [0", "camera, cell: [7"), "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["plan", "start.yaml", "goal.yaml"])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert told.startswith("error: goal.yaml:12:5: no operations were found that fill (7, 0, 0)")
    assert not list(Path("runs").iterdir())


def test_a_plan_file_that_does_not_fit_its_design_is_refused_before_anything_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    face = {"module": 15, "side": "+z"}
    lift = {"n": 1, "robot": "wm", "kind": "transfer", "after": [], "module": 5, "grip": "+z"}
    way = {"from": [2, 1, 0], "to": [0, 1, 2], "orientation": 0}
    sums = {"transfers": 1, "steps": 0, "transfers_bound": 1, "cost_s": 9.0, "bound_s": 1.0, "motion_checks": 1}
    plan = {"schema": 1, "robots": [{"name": "wm", "stands": face}], "operations": [{**lift, **way}], **sums}
    Path("plan.json").write_text(json.dumps(plan), "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["run", "reconfiguration", "--set", "plan=plan.json", "--out", "flown"])
    told = "operation 1 cannot be done: side +z of module 5 (bus) in cell (2, 1, 0) is covered by module 15 (dms)"
    assert end.value.code == 2
    assert f"error: plan.json:1:176: operations.0.grip: {told}" in capsys.readouterr().err
    assert not Path("flown").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--robots", "3"], "--robots 3; allowed: 1 or 2"),
        (["--robots", "2"], "start.yaml:10:3: 2 robots wanted; allowed: 1 to 1"),
        (["--match", "name"], "'name' is not one of 'type', 'identity'."),
        (["--out", "plan.yaml"], "--out plan.yaml: kind '.yaml'; allowed: .json"),
        (["--out", "away/plan.json"], "--out away/plan.json: there is no folder away"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    options: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("own", OWN), ("start", START), ("goal", GOAL)):
        Path(f"{name}.yaml").write_text(text, "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["plan", "start.yaml", "goal.yaml", *options])
    assert end.value.code == 2
    assert told in capsys.readouterr().err
