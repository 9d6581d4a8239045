"""Which solids of a robot are compared."""

from __future__ import annotations

from collections.abc import Callable
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


def test_housings_on_the_axis_between_them_are_left_out_whatever_the_robot_does(
    subject: Callable[..., Subject],
) -> None:
    """The fore-arm's housing at the wrist's pitch is 25 mm from the hand in every posture; its tube is not."""
    made = subject(wm="b")
    graph = load_urdf(asset("walking_manipulator"))
    hand = made.robots[0].hands[0]
    names = {link.name: len(link.shapes) for link in graph.links}
    walker: Any = Subject([Reviewed("wm", graph, [_at(hand, "wm.end_b")])], made.bodies)
    found = linked(walker)
    assert found["wm.forearm_b", "wm.hand_b"] == {APART}
    subject_names = names_of(walker)
    moving = moving_solids(walker, subject_names, made.bodies["stack"].grid)
    model = SolidModel([*moving.solids, cell_solid(made.bodies["stack"].grid)])
    ends = [subject_names.links.index(f"wm.{n}") for n in ("forearm_b", "hand_b")]
    links = [{moving.links[p.a], moving.links[p.b]} for p in pairs_of(walker, subject_names, moving, model)]
    assert 0 < links.count(set(ends)) < names["forearm_b"] * names["hand_b"]


def _at(hand: Any, frame: str) -> Any:
    from dataclasses import replace

    return replace(hand, frame=frame)


def test_joints_between_links_are_counted(graph: Any) -> None:
    steps = steps_between(graph)
    assert (steps["rear"]["hand"], steps["rear"]["middle"], steps["hand"]["hand"]) == (2, 1, 0)
