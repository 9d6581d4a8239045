import math

import numpy as np
from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.next_cell import NextCell, pace_of, worth
from freefloat.gnc.planning.reconfiguration.space import Space
from freefloat.verify.rebuild_jobs import Laid, job, place_of


def row(length: int) -> Laid:
    """One of them a source."""
    return [("solar" if i == 1 else "bus", (i, 1, 0)) for i in range(length)]


ROW = row(4)
SPREAD: Laid = [*ROW, ("bus", (3, 1, 1))]
RAISED: Laid = [*ROW, ("bus", (0, 1, 1))]


class ByTop(ReachTable):
    """Modules leave by their tops alone, and one cell only by its side +x."""

    def __init__(self, problem, shut: int) -> None:
        super().__init__(problem.places)
        self.shut = shut

    def leaves(self, occupied: np.ndarray, place: int, side: int) -> bool:
        return side == (0 if place == self.shut else 4)


def test_a_module_passes_by_one_and_the_same_of_its_sides() -> None:
    problem = job((5, 3, 3), SPREAD, RAISED, [(1, 1, 0)])
    source, cell = place_of(problem, (3, 1, 1)), place_of(problem, (0, 1, 1))
    free = Space(problem, ReachTable(problem.places))
    assert free.passes(free.start, source, cell)
    shut = Space(problem, ByTop(problem, cell))
    assert not shut.passes(shut.start, source, cell)


def test_what_cannot_pass_counts_a_transfer_more_and_no_transfer_is_offered() -> None:
    problem = job((5, 3, 3), SPREAD, RAISED, [(1, 1, 0)])
    cell = place_of(problem, (0, 1, 1))
    ready = np.arange(problem.places.n) == cell
    free, shut = (Space(problem, m) for m in (ReachTable(problem.places), ByTop(problem, cell)))
    pace = pace_of(free, 100.0, 50.0)
    easy, hard = (NextCell(s, s.start, 0, ready, pace).at(s.start) for s in (free, shut))
    assert math.isfinite(easy)
    assert easy + 100.0 == hard
    assert len(free.transfers(free.start, 0)[0]) > len(shut.transfers(shut.start, 0)[0])


def test_pairs_come_by_what_they_promise_and_name_the_ready_cell() -> None:
    problem = job((5, 3, 3), SPREAD, RAISED, [(1, 1, 0)])
    space = Space(problem, ReachTable(problem.places))
    cell, source = place_of(problem, (0, 1, 1)), place_of(problem, (3, 1, 1))
    ready = np.arange(problem.places.n) == cell
    assert NextCell(space, space.start, 0, ready, pace_of(space, 100.0, 50.0)).pairs(space.start, 3)[0] == (
        cell,
        source,
    )


def test_parking_is_near_and_relays_are_nearer_to_the_cell() -> None:
    problem = job((8, 3, 3), row(8), RAISED, [(4, 1, 0)])
    space = Space(problem, ReachTable(problem.places))
    t, apart = space.tables, np.linalg.norm(problem.places.p_TP[:, None] - problem.places.p_TP[None], axis=2)
    source, cell = place_of(problem, (7, 1, 0)), place_of(problem, (0, 1, 1))
    only = np.arange(problem.places.n) == source
    rows, _ = space.transfers(space.start, 0, only)
    parked = rows[worth(t, rows, apart)]
    both = rows[worth(t, rows, apart, np.arange(problem.places.n) == cell)]
    assert apart[parked[:, 1], cell].min() > apart[both[:, 1], cell].min()
    assert len(set(parked[:, 1].tolist())) <= 4
