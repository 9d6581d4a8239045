from itertools import pairwise

import pytest
from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.attempt import after_all
from freefloat.gnc.planning.reconfiguration.constructive import Constructive
from freefloat.gnc.planning.reconfiguration.next_cell import pace_of
from freefloat.gnc.planning.reconfiguration.space import Space
from freefloat.verify.rebuild_jobs import slab_to_tower_20, slab_to_tower_60


@pytest.mark.parametrize("refuted", [0.0, 0.6])
def test_the_measure_falls_with_every_window_until_the_goal(refuted: float):
    problem = slab_to_tower_20()
    space = Space(problem, ReachTable(problem.places, refuted))
    built = Constructive(space, pace_of(space, 120.0, 60.0)).run(space.start)
    assert all(after < before for before, after in pairwise(built.measures))
    assert built.measures[-1] == (0, 0)
    assert space.reached(after_all(space.start, built.way))


@pytest.mark.slow
def test_sixty_mixed_modules_need_less_than_twice_the_bound():
    problem = slab_to_tower_60()
    space = Space(problem, ReachTable(problem.places))
    built = Constructive(space, pace_of(space, 120.0, 60.0)).run(space.start)
    assert space.reached(after_all(space.start, built.way))
    assert sum(s.act.target >= 0 for s in built.way) <= 1.5 * space.least_transfers(space.start)
