import numpy as np
import pytest
from scipy.stats import spearmanr

from freefloat.campaign.statistics.ranks import spearman


def test_ranks_correlate_as_scipy_has_it_and_the_interval_holds_them() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    y = np.exp(x) + rng.normal(size=200)
    found = spearman(x, y)
    assert found is not None
    assert found.r == pytest.approx(spearmanr(x, y)[0])
    assert found.low < found.r < found.high
    assert found.sure


def test_missing_values_are_left_out_and_constants_have_none() -> None:
    found = spearman([1, 2, 3, 4, np.nan], [1, 4, 9, 16, 0])
    assert found is not None
    assert (found.r, found.n) == (1.0, 4)
    assert spearman([1, 1, 1, 1], [1, 2, 3, 4]) is None
