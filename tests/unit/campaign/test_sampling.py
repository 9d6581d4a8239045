from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freefloat.campaign.sampling import Cases
from freefloat.campaign.variation import parse_variation
from freefloat.errors import InputError

FIELDS = tuple(
    map(
        parse_variation,
        ("a=uniform(0, 1)", "b=truncated(0, 1, -1, 3)", "c=loguniform(1, 9)", "d=choice(x, y)", "e=normal(0, 1)"),
    )
)
LINKED = {("a", "b"): 0.5, ("c", "e"): -0.7}


def rows(cases: Cases) -> list[Any]:
    return [(cases.values(n), cases.seed_of(n)) for n in range(len(cases))]


@pytest.mark.parametrize("sampling", ["random", "sobol"])
@pytest.mark.parametrize("correlations", [{}, LINKED])
def test_a_case_is_the_same_to_the_last_bit_when_runs_are_raised(sampling: Any, correlations: Any) -> None:
    few, many = (Cases(FIELDS, sampling, 3, runs, correlations) for runs in (37, 101))
    assert rows(few) == rows(many)[:37]
    assert few.extendable


def test_a_case_of_sensitivity_is_the_same_when_runs_are_raised() -> None:
    assert rows(Cases(FIELDS, "sensitivity", 3, 5)) == rows(Cases(FIELDS, "sensitivity", 3, 9))[: 5 * 7]


def test_another_campaign_seed_gives_other_values_and_seeds() -> None:
    one, other = (rows(Cases(FIELDS, "random", seed, 20)) for seed in (1, 2))
    assert not any(a[0] == b[0] or a[1] == b[1] for a, b in zip(one, other, strict=True))


def test_varying_one_more_field_leaves_random_values_of_the_others() -> None:
    few, many = Cases(FIELDS[:2], "random", 1, 10), Cases(FIELDS, "random", 1, 10)
    assert all(few.values(n).items() <= many.values(n).items() for n in range(10))


def test_a_latin_hypercube_has_one_case_in_each_slice_also_with_correlations() -> None:
    cases = Cases((FIELDS[0], parse_variation("z=uniform(0, 1)")), "latin", 1, 50, {("a", "z"): 0.8})
    for path in ("a", "z"):
        slices = np.floor([50 * cases.values(n)[path] for n in range(50)])
        assert sorted(slices) == list(range(50))
    assert not cases.extendable


def test_a_grid_has_every_combination_once() -> None:
    cases = Cases(tuple(map(parse_variation, ("a=grid(1, 2, 3)", "b=choice(x, y)"))), "grid", runs=None)
    found = [tuple(cases.values(n).values()) for n in range(len(cases))]
    assert found == [(a, b) for a in (1, 2, 3) for b in "xy"]


def test_sensitivity_changes_one_field_at_a_time_and_keeps_one_seed() -> None:
    cases = Cases(FIELDS[:3], "sensitivity", 1, 4)
    assert len(cases) == 4 * 5
    assert len({cases.seed_of(n) for n in range(20)}) == 1
    for base in range(0, 20, 5):
        a, *mixed, b = (cases.values(base + k) for k in range(5))
        for path, case in zip(cases.paths, mixed, strict=True):
            assert case == {**a, path: b[path]}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"runs": 0}, "runs 0"),
        ({"runs": None}, "runs None"),
        ({"runs": 10**9}, "cases"),
        ({"seed": -1}, "seed"),
        ({"sampling": "halton"}, "unknown sampling"),
        ({"sampling": "grid"}, "no listed values"),
        ({"sampling": "sensitivity", "correlations": {("a", "b"): 0.1}}, "independent"),
        ({"correlations": {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}}, "not positive definite"),
        ({"correlations": {("a", "q"): 0.9}}, "unknown varied field"),
        ({"correlations": {("a", "b"): 1.0}}, "< 1"),
        ({"variations": (FIELDS[0], FIELDS[0])}, "varied twice"),
        ({"variations": (), "sampling": "sobol"}, "no field is varied"),
    ],
)
def test_impossible_campaigns_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Cases(**{"variations": FIELDS, "runs": 10, **given})
