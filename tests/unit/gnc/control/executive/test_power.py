"""Which module is to blame when modules say that they have no power."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.control.executive.power import blame, dark_goal
from freefloat.gnc.planning.reconfiguration.problem import Excluded, Flags, Problem
from freefloat.verify.rebuild_jobs import job, place_of

ROW = [("solar", (0, 0, 0)), *(("bus", (i, 0, 0)) for i in range(1, 5))]  # modules 1 to 5
PROBLEM = job((5, 1, 1), ROW, ROW, [(1, 0, 0)])


def fed(*dark: int, problem: Problem = PROBLEM) -> Flags:
    return (problem.start.identity > 0) & ~np.isin(problem.start.identity, dark)


def told(*dark: int, known: tuple[int, ...] = ()) -> tuple[list[int], str]:
    return blame(PROBLEM, PROBLEM.start, fed(*dark), known)


def test_nobody_is_blamed_where_all_have_power() -> None:
    assert told() == ([], "")


def test_the_module_beside_one_with_power_is_to_blame_and_not_those_behind_it() -> None:
    assert told(3, 4, 5) == ([3], "")
    assert told(5) == ([5], "")


def test_one_that_is_known_is_not_blamed_again() -> None:
    assert told(3, 4, 5, known=(3,)) == ([], "")


def test_a_source_that_gives_nothing_is_named() -> None:
    assert told(1, 2, 3, 4, 5)[1] == "no module has power: source 1 gives none"


def test_a_source_that_is_dark_itself_counts_though_it_needs_nothing() -> None:
    two = job((5, 1, 1), [*ROW[:4], ("solar", (4, 0, 0))], ROW[:4], [(1, 0, 0)])
    assert blame(two, two.start, fed(5, problem=two), ()) == ([5], "")


def test_many_that_are_dark_at_once_beside_neighbours_with_power_lack_what_sources_give() -> None:
    cells = [("bus", (i, j, 0)) for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    around = job((3, 3, 1), [("solar", (1, 1, 0)), *cells], cells, [(1, 1, 0)])
    everyone = fed(*range(2, 10), problem=around)
    assert everyone[place_of(around, (1, 1, 0))]
    new, why = blame(around, around.start, everyone, ())
    assert new == []
    assert "module 2, 3, 4, 5, 6, 7, 8, 9: no power" in why
    assert "does not suffice" in why


LAID = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("bus", (2, 0, 0)), ("dms", (3, 0, 0))]  # modules 1 to 4
INWARDS = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("dms", (2, 0, 0)), ("bus", (3, 0, 0))]


def forecast(goal: list[tuple[str, tuple[int, int, int]]], *broken: int) -> str:
    problem = job((5, 1, 1), LAID, goal, [(1, 0, 0)])
    return dark_goal(problem, problem.start, Excluded(dead=frozenset(broken)))


def test_a_goal_that_has_the_dead_module_at_its_end_can_be() -> None:
    assert forecast(LAID, 4) == ""
    assert forecast(INWARDS) == ""
    assert forecast(INWARDS, 3) == ""  # of two alike, either of which may be the last


def test_a_goal_in_which_others_are_behind_the_dead_module_wherever_it_stands_cannot_be() -> None:
    told = forecast(INWARDS, 4)
    assert told.startswith("module 4 (dms): passes no power")
    assert told.endswith("at best bus at (3, 0, 0)")


def test_modules_that_the_goal_has_no_place_for_are_not_looked_at() -> None:
    assert forecast(INWARDS[:3], 4) == ""
