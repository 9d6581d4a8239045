"""Which solids of a robot are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from freefloat.geometry.nearest import APART, BETWEEN
from freefloat.geometry.solids import SolidModel
from freefloat.missions.modular.review.motion import names_of
from freefloat.missions.modular.review.moving import cell_solid, moving_solids
from freefloat.missions.modular.review.pairs import pairs_of, steps_between
from freefloat.missions.modular.review.subject import Reviewed, Subject
from freefloat.robots import asset, load_urdf


def linked(subject: Subject) -> dict[tuple[str, str], set[int]]:
    """How pairs of links count, by their names."""
    names = names_of(subject)
    grid = subject.bodies[subject.structure].grid
    moving = moving_solids(subject, names, grid)
    model = SolidModel([*moving.solids, cell_solid(grid)])
    every = [*names.links, *names.frames, *names.tools]
    found: dict[tuple[str, str], set[int]] = {}
    for pair in pairs_of(subject, names, moving, model):
        a, b = sorted(every[moving.links[k]] for k in (pair.a, pair.b))
        found.setdefault((a, b), set()).add(pair.counts)
    return found


def test_neighbours_and_a_hand_with_its_module_are_left_out(subject: Callable[..., Subject]) -> None:
    found = linked(subject(one="b", two="d"))
    assert ("one.hand", "one.middle") not in found
    assert ("load_b", "one.hand") not in found
    assert found["one.hand", "two.hand"] == found["load_b", "two.middle"] == found["load_b", "load_d"] == {BETWEEN}


def test_what_cannot_meet_is_left_out_and_what_can_is_not(subject: Callable[..., Subject]) -> None:
    """The hand of the walking manipulator never meets the fore-arm; a module in it does, and so do both arms."""
    made = subject(wm="b")
    hand = replace(made.robots[0].hands[0], frame="wm.end_b")
    graph = load_urdf(asset("walking_manipulator"))
    found = linked(Subject([Reviewed("wm", graph, [hand])], made.bodies))
    assert ("wm.forearm_b", "wm.hand_b") not in found
    assert ("load_b", "wm.wrist_b") not in found
    assert found["load_b", "wm.forearm_b"] == found["wm.forearm_a", "wm.forearm_b"] == {APART}
    assert found["wm.hand_a", "wm.hand_b"] == {APART}


def test_joints_between_links_are_counted(graph: Any) -> None:
    steps = steps_between(graph)
    assert (steps["rear"]["hand"], steps["rear"]["middle"], steps["hand"]["hand"]) == (2, 1, 0)
