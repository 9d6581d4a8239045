from __future__ import annotations

import numpy as np
import pytest

from freefloat.campaign.statistics.quantiles import quantile, ranks_between, runs_needed
from freefloat.errors import InputError


@pytest.mark.parametrize(("p", "runs"), [(0.95, 59), (0.5, 6), (0.99, 299), (0.05, 59)])
def test_the_fewest_runs_for_an_interval_are_those_of_wilks(p: float, runs: int) -> None:
    assert runs_needed(p) == runs
    assert ranks_between(runs - 1, p) is None
    assert ranks_between(runs, p) is not None


def test_an_interval_lies_between_two_of_the_values() -> None:
    values = np.arange(100.0)[::-1]
    found = quantile(values, 0.5)
    assert (found.value, found.low, found.high) == (49.5, 39.0, 59.0)


def test_too_few_runs_say_how_many_are_needed() -> None:
    found = quantile([1.0, 2.0, 3.0], 0.95)
    assert (found.low, found.high, found.runs_needed) == (None, None, 59)


def test_intervals_hold_the_quantile_of_a_known_distribution() -> None:
    rng = np.random.default_rng(1)
    found = [quantile(rng.exponential(size=80), 0.95) for _ in range(400)]
    assert np.mean([q.low <= -np.log(0.05) <= q.high for q in found if q.low and q.high]) > 0.92


def test_no_values_or_nan_are_refused() -> None:
    for values in ([], [1.0, float("nan")]):
        with pytest.raises(InputError, match="allowed"):
            quantile(values, 0.5)
