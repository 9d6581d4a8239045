from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from freefloat.campaign.distributions import Choice, Grid, Loguniform, Normal, Truncated, Uniform
from freefloat.errors import InputError

SHARES = np.linspace(0.001, 0.999, 97)


@pytest.mark.parametrize(
    ("ours", "oracle"),
    [
        (Uniform(-1.0, 3.0), stats.uniform(-1.0, 4.0)),
        (Normal(2.0, 0.5), stats.norm(2.0, 0.5)),
        (Truncated(1.0, 2.0, 0.0, 5.0), stats.truncnorm(-0.5, 2.0, 1.0, 2.0)),
        (Truncated(0.0, 1.0, 8.0, 9.0), stats.truncnorm(8.0, 9.0)),
        (Loguniform(0.01, 100.0), stats.loguniform(0.01, 100.0)),
    ],
)
def test_quantiles_are_those_of_scipy(ours: Uniform, oracle: stats.rv_continuous) -> None:
    np.testing.assert_allclose(ours.ppf(SHARES), oracle.ppf(SHARES), rtol=1e-9, atol=1e-9)


def test_truncated_values_keep_their_bounds_far_from_the_mean() -> None:
    values = Truncated(0.0, 1.0, 30.0, 31.0).ppf(np.array([1e-12, 0.5, 1.0 - 1e-12]))
    assert 30.0 <= values.min() < values[1] < values.max() <= 31.0


def test_a_choice_keeps_kinds_and_lists() -> None:
    values = [Choice((1, "auto", [2, 3])).ppf(u).item() for u in (0.1, 0.5, 0.9)]
    assert values == [1, "auto", [2, 3]]


def test_a_grid_between_whole_numbers_has_whole_numbers() -> None:
    assert Grid.between(1, 5, 5).values == (1, 2, 3, 4, 5)
    assert Grid.between(0, 1, 3).values == (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Uniform(2.0, 2.0),
        lambda: Uniform(0.0, float("inf")),
        lambda: Normal(0.0, 0.0),
        lambda: Truncated(0.0, 1.0, 2.0, 1.0),
        lambda: Loguniform(0.0, 1.0),
        lambda: Choice(()),
        lambda: Grid.between(0, 1, 1),
    ],
)
def test_impossible_distributions_are_refused(make: object) -> None:
    with pytest.raises(InputError, match="allowed"):
        make()  # pyright: ignore
