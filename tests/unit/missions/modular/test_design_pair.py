"""Two designs as one problem: the same cells, the same frame; what does not fit is refused where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.scenario.yamltext import parse
from freefloat.structure.design.file import design_from, load_design

START = """kind: design
schema: 1
catalogue: mosar
grid: {size: [3, 1, 2]}
modules:
  - {id: 1, type: solar, cell: [0, 0, 0]}
  - {id: 2, type: bus, cell: [1, 0, 0]}
  - {id: 4, type: payload, cell: [0, 0, 1]}
robots:
  - {name: wm, stands: {module: 2, side: +z}}
"""
GOAL = START.replace("id: 4, type: payload, cell: [0, 0, 1]", "id: 9, type: payload, cell: [1, 0, 1]")
HERE = "stands: {module: 2, side: +z}"


def paired(start: str = START, goal: str = GOAL, **options: object) -> DesignPair:
    return pair_of(design_from(parse(start, "s.yaml")), design_from(parse(goal, "g.yaml")), **options)  # pyright: ignore


def test_the_case_of_20_is_the_one_of_the_facts() -> None:
    pair = pair_of(load_design("slab-20"), load_design("tower-20"))
    problem, grid = pair.problem, pair.grid
    assert grid.size == (5, 4, 6)
    assert problem.robots == [Stance(grid.index((2, 1, 1)), 4)]
    names = np.array(problem.kinds.names)
    wanted = ["bus"] * 10 + ["solar"] * 2 + ["bat"] * 2 + ["dms"] * 2 + ["payload"] * 4
    order = [grid.index((i, j, k)) for k in (0, 1) for i in range(5) for j in (1, 2)]
    assert names[problem.start.type[order]].tolist() == wanted
    order = [grid.index((i, j, k)) for k in range(5) for i in (0, 1) for j in (1, 2)]
    wanted = ["bus"] * 10 + ["bat"] * 2 + ["dms"] * 2 + ["solar"] * 2 + ["payload"] * 4
    assert names[problem.goal.type[order]].tolist() == wanted


def test_only_sources_feed_and_all_that_draw_power_need_it() -> None:
    kinds = pair_of(load_design("slab-20"), load_design("tower-20")).problem.kinds
    assert [n for n, feeds in zip(kinds.names, kinds.feeds, strict=True) if feeds] == ["solar"]
    without = [n for n, needs in zip(kinds.names, kinds.needs, strict=True) if not needs]
    assert without == ["", "solar", "pws", "spacer"]
    assert kinds.grip.tolist() == [False, True, True, True, True]  # the robot's end brings the drive


def test_places_are_the_cells_of_both_in_the_frame_of_the_start() -> None:
    pair = paired(goal=GOAL.replace("[3, 1, 2]", "[1, 2, 5]").replace("[1, 0, 0]", "[0, 0, 4]").replace(
        "[1, 0, 1]", "[0, 0, 3]").replace("type: bus", "type: bus").replace("[0, 0, 0]", "[0, 0, 2]")
    )  # fmt: skip
    assert pair.grid.size == (3, 2, 5)
    for cell in pair.start.grid.cells.tolist():
        ours, theirs = pair.grid.index(cell), pair.start.grid.index(cell)
        np.testing.assert_allclose(pair.grid.p_TP[ours], pair.start.grid.p_TP[theirs], atol=1e-15)


def test_hexagonal_cells_of_the_goal_are_added() -> None:
    start = """kind: design
schema: 1
catalogue: mirror
grid: {kind: hexagonal, rings: 1}
modules: [{id: 1, type: hub, cell: [0, 0]}, {id: 2, type: tile, cell: [1, 0]}]
robots: [{name: wm, stands: {module: 1, side: top}}]
"""
    pair = paired(start, start.replace("rings: 1", "rings: 2").replace("cell: [1, 0]", "cell: [0, 1]"))
    assert pair.grid.n == 19
    assert pair.problem.places.n == 19
    assert pair.body().find(2) == pair.grid.index((1, 0))


def test_interfaces_that_are_open_or_failed_are_left_out_by_the_modules_own_sides() -> None:
    turned = START.replace("cell: [1, 0, 0]}", "cell: [1, 0, 0], axes: {x: +y, z: +z}}")
    pair = paired(turned + "interfaces: [{module: 2, side: +y, state: failed}]\n")
    assert pair.problem.excluded.faces == {(2, 0)}


def test_the_first_robots_are_taken() -> None:
    two = START.replace(HERE + "}", HERE + "}\n  - {name: two, stands: {module: 2, side: +x}}")
    assert [r.name for r in paired(two).robots] == ["wm", "two"]
    assert [r.name for r in paired(two, robots=1).robots] == ["wm"]


@pytest.mark.parametrize(
    ("start", "goal", "options", "told"),
    [
        (START, GOAL.replace("payload", "dms"), {}, "g.yaml:8:5: module 9 (dms) in cell (1, 0, 1): the start lacks it"),
        (START, GOAL, {"match": "identity"}, "g.yaml:8:5: module 9 (payload) in cell (1, 0, 1): not in the start"),
        (START, GOAL.replace("[1, 0, 1]", "[2, 0, 1]"), {}, "g.yaml:8:5: module 9 (payload) in cell (2, 0, 1): not c"),
        (START, GOAL.replace("solar", "spacer"), {}, "no power path"),
        (START, GOAL.replace("[3, 1, 2]}", "[3, 1, 2], pitch: 0.35}"), {}, "g.yaml:4:7: pitch 0.35 m; allowed: 0.4 m"),
        (START.replace("module: 2, side: +z", "module: 1, side: +z"), GOAL, {}, "s.yaml:10:5: robot wm: stands on"),
        (START[: START.index("robots")], GOAL, {}, "s.yaml:1:1: no robot stands on the start"),
        (START, GOAL, {"robots": 2}, "s.yaml:10:3: 2 robots wanted; allowed: 1 to 1"),
    ],
)  # fmt: skip
def test_pairs_that_do_not_fit_are_refused_at_their_place(
    start: str, goal: str, options: dict[str, object], told: str
) -> None:
    with pytest.raises(InputError) as caught:
        paired(start, goal, **options)
    assert told in str(caught.value)


def test_another_catalogue_is_refused_with_what_differs() -> None:
    mirror = """kind: design
schema: 1
catalogue: mirror
grid: {kind: hexagonal, rings: 1}
modules: [{id: 1, type: hub, cell: [0, 0]}]
"""
    with pytest.raises(InputError, match=r"g.yaml:3:12: another catalogue than the start's: it has a type 'tile'"):
        paired(goal=mirror)
