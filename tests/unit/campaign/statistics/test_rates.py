import math

import pytest

from freefloat.campaign.statistics.rates import rate_over_runs, wilson
from freefloat.errors import InputError


def test_all_successes_leave_room_for_failures_not_seen() -> None:
    assert wilson(100, 100) == (1.0, pytest.approx(0.963, abs=5e-4), 1.0)
    assert wilson(0, 10) == (0.0, 0.0, pytest.approx(0.2775, abs=1e-4))


def test_without_runs_nothing_is_known() -> None:
    rate, low, high = wilson(0, 0)
    assert math.isnan(rate)
    assert (low, high) == (0.0, 1.0)


def test_more_successes_than_runs_are_refused() -> None:
    with pytest.raises(InputError, match="allowed: 0 to 3"):
        wilson(4, 3)


def test_the_rate_over_runs_ends_with_the_rate_of_all() -> None:
    found = rate_over_runs([True, False] * 50)
    assert (found.runs[0], found.runs[-1]) == (1, 100)
    assert (found.rate[-1], found.low[-1], found.high[-1]) == wilson(50, 100)
