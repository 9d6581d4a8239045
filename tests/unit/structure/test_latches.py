"""Interfaces between the modules of a structure: which are closed, and how a module's open and close together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freefloat.structure import Catalogue, InterfaceType, Module, ModuleType, TensorBody, cubic
from freefloat.structure.faults import Faults
from freefloat.structure.interface import Misalignment
from freefloat.structure.latches import Latches
from freefloat.verify.handling_rig import CATALOGUE, CLOSING, OPENING, QUICK, stack

NEAR, FAR = Misalignment(1e-3, 1e-3), Misalignment(0.05, 0.0)
BOX = Module(9, CATALOGUE.type("box"))
DRAWN = Misalignment(1e-12, 1e-12)


@pytest.fixture
def latched() -> tuple[TensorBody, Latches]:
    """The small stack with everything closed."""
    body, latches = stack(), Latches()
    latches.close_all(body)
    return body, latches


def row(n: int, kind: str = "box") -> tuple[TensorBody, Latches]:
    """Modules in a row."""
    body = TensorBody("row", cubic(n, 1, 1), CATALOGUE)
    for i in range(n):
        body.insert(i, Module(i + 1, CATALOGUE.type(kind)))
    latches = Latches()
    latches.close_all(body)
    return body, latches


def test_at_the_start_every_pair_of_neighbours_is_closed_on_both_halves(latched: tuple[TensorBody, Latches]) -> None:
    body, latches = latched
    flags, grid = latches.closed["stack"], body.grid
    assert len(latches.edges(body)) == len(body.contacts()) == 5
    for place, side in np.argwhere(flags).tolist():
        other = grid.neighbours[place, side]
        assert flags[other, grid.facing[side]]
    assert flags.sum() == 2 * 5


def test_halves_that_do_not_mate_stay_open() -> None:
    socket = replace(QUICK, name="socket", active=False)
    kinds = [ModuleType(k, 5.0, np.eye(3), (i,) * 6) for k, i in (("plug", QUICK), ("socket", socket))]
    body = TensorBody("row", cubic(3, 1, 1), Catalogue(kinds))
    for i, k in enumerate((0, 1, 1)):
        body.insert(i, Module(i + 1, kinds[k]))
    latches = Latches()
    latches.close_all(body)
    assert latches.edges(body)[:, [0, 2]].tolist() == [[0, 1]], "two passive halves cannot close"


@pytest.mark.parametrize(("n", "place", "pieces"), [(3, 1, 2), (3, 0, 1), (3, 2, 1), (1, 0, 0), (5, 2, 2)])
def test_without_a_module_the_rest_falls_into_pieces(n: int, place: int, pieces: int) -> None:
    body, latches = row(n)
    assert latches.without(body, place) == pieces


def test_without_counts_closed_interfaces_and_not_neighbours(latched: tuple[TensorBody, Latches]) -> None:
    body, latches = latched
    middle = body.grid.index((1, 0, 0))
    assert latches.without(body, middle) == 2, "the box at the end hangs on the middle one alone"
    battery = body.grid.index((0, 0, 1))
    assert latches.without(body, battery) == 1
    latches.closed["stack"][:] = False
    assert latches.without(body, battery) == 4


def test_all_interfaces_of_a_module_open_together_after_the_opening_time(latched: tuple[TensorBody, Latches]) -> None:
    body, latches = latched
    place = body.grid.index((1, 0, 1))
    assert latches.begin_opening(body, place, 0.0) == ""
    (move,) = latches.under_way.values()
    assert {p for p, _ in move.interfaces} == {place}
    assert len(move.interfaces) == 2
    assert latches.progress(body, 0.9 * OPENING, None) == (False, "")
    assert latches.progress(body, OPENING, None) == (True, "")
    assert latches.closed["stack"][place].sum() == 2, "flags follow when the module has left"
    latches.cleared(body, place)
    assert not latches.closed["stack"][place].any()
    assert latches.under_way == {}
    assert len(latches.edges(body)) == 3


def test_a_module_closes_on_every_neighbour_that_mates(latched: tuple[TensorBody, Latches]) -> None:
    body, latches = latched
    place = body.grid.index((2, 0, 1))  # a box below and one beside
    assert latches.begin_closing(body, place, BOX, 0, 0.0, NEAR) == ""
    assert len(latches.under_way[""].interfaces) == 2
    assert latches.progress(body, CLOSING, NEAR) == (False, ""), "not drawn in yet"
    assert latches.progress(body, CLOSING, DRAWN) == (True, "")
    body.insert(place, BOX)
    latches.settled(body, place)
    assert len(latches.edges(body)) == 7
    assert latches.under_way == {}


@pytest.mark.parametrize(
    ("cell", "off", "says"),
    [
        ((2, 0, 2), NEAR, "no neighbour with an interface that mates"),
        ((2, 0, 1), FAR, "misaligned by 0.05 m and 0 rad; allowed: 0.01 m"),
    ],
)
def test_what_cannot_close_is_refused_with_its_reason(
    latched: tuple[TensorBody, Latches], cell: tuple[int, int, int], off: Misalignment, says: str
) -> None:
    body, latches = latched
    before = latches.closed["stack"].copy()
    reason = latches.begin_closing(body, body.grid.index(cell), BOX, 0, 0.0, off)
    assert reason.startswith(says)
    assert latches.under_way == {}
    assert np.array_equal(latches.closed["stack"], before)


def test_what_is_kept_apart_closes_later_and_what_is_broken_never_does() -> None:
    body, _ = row(3)
    plus_x, minus_x = 0, 1
    latches = Latches(apart=frozenset({(1, plus_x)}), broken=frozenset({(3, minus_x)}))
    latches.close_all(body)
    assert len(latches.edges(body)) == 0
    module = body.remove(1)
    assert latches.begin_closing(body, 1, module, 0, 0.0, NEAR) == ""
    assert list(latches.under_way[""].interfaces) == [(1, minus_x)], "it closes on the first, and not on the third"
    latches.give_up()
    body.remove(0)
    assert latches.begin_closing(body, 1, module, 0, 0.0, NEAR) == "the interface to module 3 has failed"


def test_a_broken_interface_goes_with_its_module_when_that_is_turned() -> None:
    body, _ = row(2)
    module = body.remove(1)
    half_turn = next(o for o, R in enumerate(body.grid.R_PM) if np.array_equal(R, np.diag([-1.0, -1.0, 1.0])))
    latches = Latches(broken=frozenset({(2, 0)}))  # its own side +x
    latches.close_all(body)
    assert latches.begin_closing(body, 1, module, half_turn, 0.0, NEAR).endswith("has failed")
    assert latches.begin_closing(body, 1, module, 0, 0.0, NEAR) == ""


@pytest.mark.parametrize("fault", ["open", "close"])
def test_a_fault_of_one_interface_fails_the_whole_with_its_place(fault: str) -> None:
    body, latches = row(2)
    latches.faults = Faults.of({1: fault})
    if fault == "open":
        assert latches.begin_opening(body, 0, 0.0) == ""
        done, failure = latches.progress(body, OPENING, None)
    else:
        free = body.copy()
        free.remove(1)
        assert latches.begin_closing(free, 1, BOX, 0, 0.0, NEAR) == ""
        done, failure = latches.progress(body, CLOSING, DRAWN)
    assert not done
    assert failure.startswith("interface at cell (")
    assert failure.endswith(f"it did not {fault} (injected fault)")
    assert latches.under_way == {}, "nothing goes on after a failure"
    assert latches.closed["row"][0].sum() == 1


def slab() -> tuple[TensorBody, Latches]:
    """Modules 1 to 6 on the lower floor of 3 x 2 x 2 places, everything closed."""
    body = TensorBody("slab", cubic(3, 2, 2), CATALOGUE)
    for identity, (i, j) in enumerate(np.ndindex(3, 2), 1):
        body.insert(body.grid.index((i, j, 0)), Module(identity, CATALOGUE.type("box")))
    latches = Latches()
    latches.close_all(body)
    return body, latches


def test_modules_leave_at_once_where_the_rest_stays_whole_whichever_goes_first() -> None:
    body, latches = slab()
    first, second = body.grid.index((0, 0, 0)), body.grid.index((2, 1, 0))
    assert latches.opening_refused(body, first) == latches.begin_opening(body, first, 0.0, "left") == ""
    assert latches.opening_refused(body, second) == latches.begin_opening(body, second, 0.1, "right") == ""
    assert latches.leaving() == [first, second]
    assert latches.progress(body, OPENING, None, "left") == (True, "")
    assert latches.progress(body, OPENING, None, "right") == (False, ""), "it began later"
    body.remove(first)
    latches.cleared(body, first, "left")
    assert list(latches.under_way) == ["right"]
    assert latches.progress(body, 0.1 + OPENING, None, "right") == (True, "")
    body.remove(second)
    latches.cleared(body, second, "right")
    assert latches.without(body) == 1
    assert len(latches.edges(body)) == 3


def test_modules_do_not_leave_together_where_that_would_split_the_rest() -> None:
    body, latches = slab()
    cells = (0, 1, 0), (1, 0, 0)  # the middle of the slab hangs on the other side then, but the corner does not
    corner, middle = (body.grid.index(c) for c in cells)
    assert latches.without(body, corner) == latches.without(body, middle) == 1
    assert latches.begin_opening(body, corner, 0.0, "left") == ""
    assert latches.opening_refused(body, middle) == "without module 3 and 2 the rest is 2 pieces"
    assert latches.opening_refused(body, corner) == "module 2 is being picked by another hand"
    latches.give_up("left")
    assert latches.opening_refused(body, middle) == ""


def test_neighbours_do_not_leave_together_and_nothing_arrives_beside_one_that_leaves() -> None:
    body, latches = slab()
    assert latches.begin_opening(body, body.grid.index((0, 0, 0)), 0.0, "left") == ""
    reason = latches.opening_refused(body, body.grid.index((1, 0, 0)))
    assert reason == "module 3 shares an interface with module 1, which is being picked"
    above = body.grid.index((0, 0, 1))
    reason = latches.begin_closing(body, above, BOX, 0, 0.0, NEAR, "right")
    assert reason == "module 1 beside it is being picked"
    assert list(latches.under_way) == ["left"]


def test_two_modules_are_not_placed_into_one_place_nor_beside_each_other_at_once() -> None:
    body, latches = slab()
    here, beside, apart = (body.grid.index(c) for c in ((0, 0, 1), (1, 0, 1), (2, 0, 1)))
    other = Module(10, CATALOGUE.type("box"))
    assert latches.begin_closing(body, here, BOX, 0, 0.0, NEAR, "left") == ""
    assert latches.begin_closing(body, here, other, 0, 0.0, NEAR, "right") == "another hand is placing a module there"
    reason = latches.begin_closing(body, beside, other, 0, 0.0, NEAR, "right")
    assert reason == "a module is being placed beside it, at cell (0, 0, 1)"
    reason = latches.opening_refused(body, body.grid.index((0, 0, 0)))
    assert reason == "a module is being placed beside module 1, at cell (0, 0, 1)"
    assert latches.begin_closing(body, apart, other, 0, 0.25, NEAR, "right") == ""
    assert latches.progress(body, CLOSING, DRAWN, "left") == (True, "")
    body.insert(here, BOX)
    latches.settled(body, here, "left")
    assert latches.arriving() == [apart]
    assert latches.progress(body, 0.25 + CLOSING, DRAWN, "right") == (True, "")
    body.insert(apart, other)
    latches.settled(body, apart, "right")
    assert latches.without(body) == 1
    assert len(latches.edges(body)) == 9


def test_the_half_with_the_drive_sets_the_time() -> None:
    slow = InterfaceType("slow", opening_time=3.0)
    socket = InterfaceType("socket", active=False, opening_time=0.1)
    kinds = [ModuleType(k, 5.0, np.eye(3), (i,) * 6) for k, i in (("a", slow), ("b", socket))]
    body = TensorBody("row", cubic(2, 1, 1), Catalogue(kinds))
    for i in range(2):
        body.insert(i, Module(i + 1, kinds[i]))
    for place in range(2):
        latches = Latches()
        latches.close_all(body)
        assert latches.begin_opening(body, place, 0.0) == ""
        assert latches.progress(body, 2.9, None) == (False, "")
        assert latches.progress(body, 3.0, None) == (True, "")
