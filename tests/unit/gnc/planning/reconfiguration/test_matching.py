import numpy as np
from scipy.optimize import linear_sum_assignment

from freefloat.gnc.planning.reconfiguration.matching import prices


def test_prices_are_feasible_and_add_up_to_the_least_cost():
    rng = np.random.default_rng(5)
    for rows, columns in ((1, 1), (3, 3), (5, 9), (12, 12), (20, 31)):
        cost = rng.integers(0, 50, (rows, columns)).astype(float)
        to, of = prices(cost)
        assert (cost - to[:, None] - of[None, :] > -1e-9).all()
        assert (of < 1e-9).all()
        best = cost[linear_sum_assignment(cost)].sum()
        np.testing.assert_allclose(to.sum() + of.sum(), best, atol=1e-9)
