import numpy as np
import pytest

from freefloat.campaign.sampling import Cases
from freefloat.campaign.statistics.sobol import sobol_indices
from freefloat.campaign.variation import parse_variation
from freefloat.errors import InputError


def columns(runs: int = 512) -> np.ndarray:
    cases = Cases(tuple(parse_variation(f"x{k}=uniform(0, 1)") for k in range(3)), "sensitivity", 1, runs)
    return np.array([list(cases.values(n).values()) for n in range(len(cases))]).T


def test_a_sum_has_its_shares_and_an_input_without_effect_has_zero() -> None:
    x, y, _ = columns()
    found = sobol_indices(x + 2.0 * y, "xyz")
    assert found is not None
    assert found.first["x"].value == pytest.approx(0.2, abs=0.01)
    assert found.total["y"].value == pytest.approx(0.8, abs=0.01)
    assert (found.first["z"].value, found.total["z"].value) == (0.0, 0.0)


def test_a_product_about_zero_acts_only_together() -> None:
    x, y, _ = columns(2048)
    found = sobol_indices((x - 0.5) * (y - 0.5), "xyz")
    assert found is not None
    assert abs(found.first["x"].value) < 0.03
    assert found.total["x"].value == pytest.approx(1.0, abs=0.03)


def test_base_points_with_a_missing_case_are_dropped_whole() -> None:
    x, y, _ = columns()
    f = x + 2.0 * y
    f[[3, 4, 100]] = np.nan
    found = sobol_indices(f, "xyz")
    assert found is not None
    assert (found.points, found.dropped) == (510, 2)


def test_what_does_not_vary_has_no_indices_and_odd_counts_are_refused() -> None:
    assert sobol_indices(np.ones(100), "xyz") is None
    with pytest.raises(InputError, match="multiple of 5"):
        sobol_indices(np.ones(7), "xyz")
