"""Clearances of made-up motions against what the sizes say; a collision must be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from freefloat.hand_words import HandState
from freefloat.missions.modular.review.clearance import FAR, TRAVEL, clearances_of
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.module import Module

Make = Callable[..., Subject]


def test_a_hand_over_a_module_is_as_far_as_the_sizes_say(recorded: Any, subject: Make) -> None:
    recorded.robot("wm", "b", recorded.top((0, 0, 0)) + np.array([0.0, 0.0, 0.123]))
    seen = clearances_of(recorded.result(), subject(wm="b"))
    assert seen.least("apart")[0] == pytest.approx(0.123, abs=1e-6)
    assert seen.who[0] == ("wm.hand", "module 1 in cell 0 0 0")
    assert seen.least("along")[0] == seen.least("between")[0] == FAR


def test_a_hand_that_goes_through_a_module_is_a_collision(recorded: Any, subject: Make) -> None:
    """Beside the centre of its top, half-way, 30 mm deep."""
    dip = 0.1 * np.cos(np.linspace(0.0, 2.0 * np.pi, recorded.rows)) + 0.07
    recorded.robot("wm", "b", recorded.top((2, 0, 0)) + np.outer(dip, [0, 0, 1.0]) + np.array([0.1, 0.0, 0.0]))
    value, t = clearances_of(recorded.result(), subject(wm="b")).least("apart")
    assert value == pytest.approx(-0.03, abs=1e-5)
    assert t == pytest.approx(2.5, abs=0.1)


def test_what_happens_between_two_rows_is_seen(recorded: Any, subject: Make) -> None:
    """The hand passes over the edge of a module so fast that no row is within 70 mm of it, sideways."""
    recorded.rows = 21
    recorded.__post_init__()
    edge, x = recorded.top((2, 0, 0)) + np.array([-0.2, 0.0, 0.03]), np.linspace(-1.55, 1.45, 21) - 0.07
    recorded.robot("wm", "b", edge + np.outer(x, [0.0, 1.0, 0.0]))
    rows = recorded.top((2, 0, 0))[1] + x
    assert (np.abs(np.abs(rows) - 0.2 - 0.05) > 0.01).all()
    value, _ = clearances_of(recorded.result(), subject(wm="b")).least("apart")
    assert value == pytest.approx(0.03, abs=TRAVEL)


def test_a_hand_at_its_face_and_on_the_straight_way_there_is_excepted_but_not_beside_it(
    recorded: Any, subject: Make
) -> None:
    height = np.clip(np.linspace(0.4, -0.2, recorded.rows), 0.0, None)
    state = np.where(height > 0.0, HandState.OPEN, HandState.CLOSED).astype(float)
    for aside, least in ((0.0, 0.25), (0.06, 0.0)):
        top = recorded.top((0, 0, 0)) + np.array([aside, 0.0, 0.0])
        recorded.robot("wm", "b", top + np.outer(height, [0, 0, 1.0]))
        recorded.set(**{"modules.b.state": state[:, None]})
        assert clearances_of(recorded.result(), subject(wm="b")).least("apart")[0] == pytest.approx(least, abs=5e-3)


def carry(recorded: Any, aside: float) -> None:
    """Module 1 is picked from (0, 0, 0), lifted by 0.8 m, moved over to (1, 0, 0) and put down beside module 2."""
    n = 20
    up, over, rest = np.linspace(0.0, 0.8, n), np.linspace(0.0, 0.4, n), np.ones(n)
    x = np.concatenate([0.0 * rest, 0.0 * up, over, 0.4 * rest, 0.4 * rest])
    z = np.concatenate([0.0 * rest, up, 0.8 * rest, up[::-1], 0.0 * rest])
    x += np.where(np.arange(5 * n) < 4 * n, aside * (x > 0.39), 0.0)
    recorded.rows = 5 * n
    recorded.__post_init__()
    held = (np.arange(5 * n) >= n) & (np.arange(5 * n) < 4 * n)
    state = np.where(held, HandState.CARRYING, HandState.CLOSED).astype(float)
    recorded.robot("wm", "b", recorded.top((0, 0, 0)) + np.column_stack([x, 0.0 * x, z]), held * 1.0)
    recorded.set(**{"modules.b.state": state[:, None]})
    identity = np.tile(recorded.body.identity.astype(float), (5 * n, 1))
    source, target = (recorded.body.grid.index(c) for c in ((0, 0, 0), (1, 0, 0)))
    identity[n:, source] = 0.0
    identity[4 * n :, target] = 1.0
    recorded.set(**{"stack.identity": identity})


def test_a_module_on_its_way_out_and_in_is_told_apart(recorded: Any, subject: Make) -> None:
    carry(recorded, 0.0)
    seen = clearances_of(recorded.result(), subject(wm="b"))
    assert seen.least("along")[0] == pytest.approx(0.002, abs=1e-6), "the gap to module 2"
    assert seen.who[2] == ("the module in load_b", "module 2 in cell 2 0 0")
    assert seen.least("apart")[0] == pytest.approx(0.1, abs=5e-3), "beyond its way, which is 0.5 m long"


def test_a_module_that_is_pushed_into_another_on_its_way_in_is_a_collision(recorded: Any, subject: Make) -> None:
    carry(recorded, 0.005)
    assert clearances_of(recorded.result(), subject(wm="b")).least("apart")[0] == pytest.approx(-0.003, abs=5e-4)


def test_a_module_that_is_picked_at_rest_does_not_turn_from_how_the_last_one_was_held(
    recorded: Any, subject: Make
) -> None:
    """The hand held another module in another orientation before, high up; module 1 stands beside 3 in (1, 0, 0).

    Another robot moves meanwhile, far away, so that distances are taken between rows too.
    """
    recorded.body.insert(recorded.body.grid.index((1, 0, 0)), Module(3, recorded.body.catalogue.type("bus")))
    rows = np.arange(recorded.rows)
    height = 2.0 * np.clip(1.0 - (rows - 15) / 20.0, 0.0, 1.0)
    held = np.select([rows < 10, rows >= 60], [9.0, 1.0])
    state = np.select([rows < 10, rows < 45, rows >= 60], [HandState.CARRYING, HandState.OPEN, HandState.CARRYING], 2)
    recorded.robot("wm", "b", recorded.top((0, 0, 0)) + np.outer(height, [0, 0, 1.0]), held)
    recorded.robot("far", "d", np.outer(0.01 * rows, [1.0, 0.0, 0.0]) + np.array([0.0, 0.0, 9.0]))
    identity = np.tile(recorded.body.identity.astype(float), (recorded.rows, 1))
    identity[60:, recorded.body.grid.index((0, 0, 0))] = 0.0
    turn = np.select([rows < 10, rows >= 60], [2.0, 15.0])
    recorded.set(**{"modules.b.state": state[:, None], "stack.identity": identity, "load_b.orientation": turn[:, None]})
    seen = clearances_of(recorded.result(), subject(wm="b", far="d"))
    assert seen.least("along")[0] == pytest.approx(0.002, abs=1e-6)
    assert seen.least("apart")[0] == pytest.approx(0.15, abs=1e-6), "the hand beside module 3"


def test_two_robots_are_compared_with_each_other_and_with_what_they_carry(recorded: Any, subject: Make) -> None:
    high = recorded.top((0, 0, 0)) + np.array([0.0, 0.0, 3.0])
    recorded.robot("one", "b", high)
    recorded.robot("two", "d", high + np.array([0.33, 0.0, 0.0]))
    seen = clearances_of(recorded.result(), subject(one="b", two="d"))
    assert seen.least("between")[0] == seen.least("apart")[0] == pytest.approx(0.33 - 0.1, abs=1e-6)
    recorded.robot("two", "d", high + np.array([0.33, 0.0, 0.0]), load=7.0, state=HandState.CARRYING)
    seen = clearances_of(recorded.result(), subject(one="b", two="d"))
    assert seen.least("between")[0] == pytest.approx(np.hypot(0.33 - 0.05 - 0.198, 0.002), abs=1e-6)
    assert set(seen.who[1]) == {"the module in load_d", "one.hand"}


def test_the_instant_and_the_distance_do_not_depend_on_how_the_whole_spacecraft_moves(
    recorded: Any, subject: Make
) -> None:
    recorded.robot("wm", "b", recorded.top((0, 0, 0)) + np.array([0.0, 0.0, 0.1]))
    shift = np.outer(np.linspace(0.0, 50.0, recorded.rows), [1.0, 2.0, -1.0])
    for name, values in recorded.signals.items():
        if name.endswith((".p_WB", ".p_WF")):
            recorded.signals[name] = values + shift
    assert clearances_of(recorded.result(), subject(wm="b")).least("apart")[0] == pytest.approx(0.1, abs=1e-6)
