from dataclasses import replace

import numpy as np
import pytest

from freefloat.gnc.planning.reconfiguration.candidates import steps, transfer_allowed, transfers
from freefloat.gnc.planning.reconfiguration.problem import Excluded, Problem, Stance
from freefloat.gnc.planning.reconfiguration.rules import (
    APART,
    FOOT_UNPOWERED,
    UNPOWERED,
    WHOLE,
    beside_first_piece,
    powered,
    standing,
    unpowered,
)
from freefloat.gnc.planning.reconfiguration.tables import Setting, setting_of
from freefloat.verify.rebuild_jobs import job, place_of

ROW = [("solar", (0, 1, 0)), ("bus", (1, 1, 0)), ("bus", (2, 1, 0)), ("payload", (2, 1, 1))]


def row(**changes: object) -> Problem:
    return replace(job((4, 3, 3), ROW, ROW, [(1, 1, 0)]), **changes)


def at(problem: Problem, i: int, j: int, k: int) -> int:
    return place_of(problem, (i, j, k))


def feet(problem: Problem) -> np.ndarray:
    return np.array([(f.place, f.side) for f in problem.robots])


def all_transfers(problem: Problem, setting: Setting) -> np.ndarray:
    n = problem.places.n
    every = np.ones(n, bool)
    return transfers(setting.tables, setting.start, feet(problem), np.ones(n * 6, bool), every, every)


def test_a_row_of_mating_modules_with_a_source_stands():
    problem = row()
    setting = setting_of(problem)
    assert standing(setting.tables, setting.start, feet(problem)) == WHOLE
    assert not unpowered(setting.tables, setting.start).any()


def test_without_the_module_between_it_is_apart_and_the_piece_beside_is_told():
    problem = row()
    setting = setting_of(problem)
    content = setting.start.copy()
    content[at(problem, 1, 1, 0)] = 0
    assert standing(setting.tables, content, feet(problem)) == APART
    assert set(np.flatnonzero(beside_first_piece(setting.tables, content))) == {
        at(problem, 2, 1, 0),
        at(problem, 2, 1, 1),
    }


def test_a_spacer_holds_but_passes_no_power():
    laid = [("solar", (0, 1, 0)), ("spacer", (0, 1, 1)), ("bus", (0, 1, 2)), ("bus", (1, 1, 0))]
    problem = job((3, 3, 3), laid, laid, [(1, 1, 0)])
    setting = setting_of(problem)
    assert standing(setting.tables, setting.start, feet(problem)) == UNPOWERED
    assert np.flatnonzero(unpowered(setting.tables, setting.start)).tolist() == [at(problem, 0, 1, 2)]
    assert not powered(setting.tables, setting.start)[at(problem, 0, 1, 1)]


def test_two_passive_interfaces_do_not_mate():
    laid = [("solar", (0, 1, 0)), ("bat", (1, 1, 0))]
    problem = job((3, 3, 3), laid, laid, [(0, 1, 0)])
    setting = setting_of(problem)
    assert standing(setting.tables, setting.start, feet(problem)) == APART


def test_a_robot_on_a_dead_module_has_no_power():
    problem = row(excluded=Excluded(dead=frozenset({4})), robots=[Stance(at(row(), 2, 1, 1), 4)])
    setting = setting_of(problem)
    assert standing(setting.tables, setting.start, feet(problem)) == FOOT_UNPOWERED


def test_what_a_dead_module_has_cut_off_is_borne_but_no_more():
    problem = row(excluded=Excluded(dead=frozenset({3})), robots=[Stance(at(row(), 1, 1, 0), 4)])
    setting = setting_of(problem)
    assert setting.tables.dark == 1  # the payload; the dead one needs none
    assert standing(setting.tables, setting.start, feet(problem)) == WHOLE


@pytest.mark.parametrize(
    ("place", "why"),
    [((0, 1, 0), "the only source"), ((1, 1, 0), "under the foot, and between"), ((2, 1, 0), "holds the payload")],
)
def test_modules_that_hold_or_feed_others_stay(place: tuple[int, ...], why: str):
    problem = row()
    setting = setting_of(problem)
    found = all_transfers(problem, setting)
    assert at(problem, *place) not in found[:, 0], why
    assert set(found[:, 0]) == {at(problem, 2, 1, 1)}


def test_a_transfer_never_buries_a_foot_or_ends_without_a_mate():
    problem = row()
    setting = setting_of(problem)
    found = all_transfers(problem, setting)
    targets = set(found[:, 1].tolist())
    assert at(problem, 1, 1, 1) not in targets
    assert at(problem, 0, 1, 1) in targets  # active below, on the source's active top
    assert at(problem, 0, 2, 0) not in targets  # passive sides on both
    assert at(problem, 3, 1, 2) not in targets  # in the air
    for source, target, grip, turn, _ in found.tolist():
        assert transfer_allowed(setting.tables, setting.start, feet(problem), source, target, grip, turn)


def test_the_hand_needs_a_free_face_at_both_ends():
    problem = row()
    setting = setting_of(problem)
    p = at(problem, 2, 1, 1)
    assert (all_transfers(problem, setting)[:, 2] != 5).all()  # its -z face is on the bus
    assert not transfer_allowed(setting.tables, setting.start, feet(problem), p, at(problem, 0, 1, 1), 5, 0)


def test_excluded_faces_close_on_nothing_and_modules_that_do_not_open_stay():
    stuck = setting_of(row(excluded=Excluded(opens=frozenset({4}))))
    assert len(all_transfers(row(), stuck)) == 0
    broken = row(excluded=Excluded(faces=frozenset({(4, 4)})))
    assert (all_transfers(broken, setting_of(broken))[:, 2] != 4).all()
    loose = row(excluded=Excluded(faces=frozenset({(4, 5)})))
    assert beside_first_piece(setting_of(loose).tables, setting_of(loose).start).any()


def test_a_robot_steps_on_free_faces_of_powered_modules_only():
    problem = row()
    setting = setting_of(problem)
    found = steps(setting.tables, setting.start, feet(problem), 0, np.ones(problem.places.n * 6, bool))
    faces = {tuple(f) for f in found.tolist()}
    assert (at(problem, 2, 1, 1), 4) in faces
    assert (at(problem, 2, 1, 0), 4) not in faces  # covered
    assert (at(problem, 1, 1, 0), 4) not in faces  # where it stands
    dead = setting_of(row(excluded=Excluded(dead=frozenset({3}))))
    found = steps(dead.tables, dead.start, feet(problem), 0, np.ones(problem.places.n * 6, bool))
    assert {int(p) for p in found[:, 0]} == {at(problem, 0, 1, 0), at(problem, 1, 1, 0)}
