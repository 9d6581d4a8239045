import numpy as np

from freefloat.compiled import onboard
from freefloat.gnc.planning.reconfiguration.hanging import come_off
from freefloat.gnc.planning.reconfiguration.rules import pieces_reached
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.verify.rebuild_jobs import job, place_of


@onboard
def off(t, content, root):
    return come_off(t, content, root)


@onboard
def outside(t, content):
    mark, heap = np.zeros(content.shape[0], np.bool_), np.empty(content.shape[0], np.int64)
    return pieces_reached(t, content, mark, heap)


def test_what_comes_off_is_what_a_flood_from_the_root_misses():
    rng = np.random.default_rng(8)
    for _ in range(30):
        cells = {(0, 0, 0)}
        while len(cells) < 12:  # a random connected heap
            i, j, k = sorted(cells)[rng.integers(len(cells))]
            axis, way = int(rng.integers(3)), int(rng.integers(2)) * 2 - 1
            new = (i + way * (axis == 0), j + way * (axis == 1), k + way * (axis == 2))
            if all(0 <= c < 4 for c in new):
                cells.add(new)
        laid = [("bus", cell) for cell in sorted(cells)]
        problem = job((4, 4, 4), laid, laid, [(0, 0, 0)])
        setting = setting_of(problem)
        root = place_of(problem, (0, 0, 0))
        found = off(setting.tables, setting.start, root)
        for place in np.flatnonzero(setting.start).tolist():
            content = setting.start.copy()
            content[place] = 0
            expected = outside(setting.tables, content) if place != root else 0  # the root is the first place
            assert found[place] == expected
