import numpy as np
import pytest

from freefloat.gnc.planning.reconfiguration.assembly_order import LINE, SHUT, grown, hardships, leaving
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.gnc.planning.reconfiguration.ways_out import directions, within_cones
from freefloat.structure.grid import Grid, cubic
from freefloat.verify.rebuild_jobs import Laid, job

GRID = cubic(5, 5, 4)
LEAVES = leaving(GRID)


def flags(grid: Grid, cells: list[tuple[int, int, int]]) -> np.ndarray:
    found = np.zeros(grid.n, np.bool_)
    found[[grid.index(cell) for cell in cells]] = True
    return found


def test_a_module_leaves_a_corner_away_from_all_neighbours_and_no_gap() -> None:
    normals, ways = np.array([X.R[:, 2] for X in GRID.X_PF]), directions(GRID.X_PF)
    assert len(ways) == 26
    corner = within_cones(ways, normals[[0, 2, 4]])
    assert np.abs(corner - normals[[0, 2, 4]].sum(axis=0) / np.sqrt(3.0)).max() < 1e-12
    assert len(within_cones(ways, normals[[0, 1]])) == 0


def test_filling_both_ends_of_a_row_leaves_a_gap_that_counts() -> None:
    row = [(i, 2, 0) for i in range(3)]
    goal = flags(GRID, row)
    first = hardships(GRID.neighbours, LEAVES, goal, flags(GRID, row[:1]))
    assert first[GRID.index(row[1])] == 0
    assert first[GRID.index(row[2])] == LINE
    last = hardships(GRID.neighbours, LEAVES, goal, flags(GRID, [row[0], row[2]]))
    assert last[GRID.index(row[1])] == LINE


def test_a_cell_that_is_shut_in_by_others_counts_most() -> None:
    cells = [(i, j, k) for i in range(1, 4) for j in range(1, 4) for k in range(3)]
    grid = cubic(5, 5, 3)
    goal = flags(grid, cells)
    right = goal.copy()
    right[grid.index((2, 2, 1))] = False
    found = hardships(grid.neighbours, leaving(grid), goal, right)
    assert found[grid.index((2, 2, 1))] == SHUT
    assert (found[goal & right] == -1).all()


@pytest.mark.parametrize("seed", range(5))
def test_any_goal_box_is_filled_without_hardship_by_cells_that_count_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, 3)
    goal = flags(GRID, [tuple(c) for c in np.ndindex(*np.minimum(size, (5, 5, 4)))])
    right = np.zeros(GRID.n, np.bool_)
    while (goal & ~right).any():
        found = hardships(GRID.neighbours, LEAVES, goal, right)
        easy = np.flatnonzero(found == 0)
        assert len(easy)
        right[rng.choice(easy)] = True


def test_a_goal_grows_from_the_side_to_which_it_shall() -> None:
    row: Laid = [("bus", (i, 1, 0)) for i in range(4)]
    problem = job((5, 3, 3), row, row, [(0, 1, 0)])
    t = setting_of(problem).tables
    right = np.zeros(problem.places.n, np.bool_)
    cells = problem.places.cells
    assert cells[grown(t, problem.places, right, np.array([-1.0, 0.0, 0.0]))].tolist() == [[0, 1, 0]]
    right[problem.places.index((0, 1, 0))] = True
    assert cells[grown(t, problem.places, right, np.array([-1.0, 0.0, 0.0]))].tolist() == [[1, 1, 0]]
