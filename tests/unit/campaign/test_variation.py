from __future__ import annotations

import pytest

from freefloat.campaign.distributions import Choice, Grid, Truncated, Uniform
from freefloat.campaign.variation import parse_variation
from freefloat.errors import InputError


def test_numbers_with_units_are_kept_in_si_with_the_users_unit() -> None:
    variation = parse_variation("arrival.offset.0=truncated(0, 50 mm, -100 mm, 100 mm)")
    assert variation.path == "arrival.offset.0"
    assert variation.distribution == Truncated(0.0, 0.05, -0.1, 0.1)
    assert variation.unit == "mm"


def test_numbers_without_units_stay_as_they_are() -> None:
    variation = parse_variation("gain=uniform(3, 5)")
    assert (variation.distribution, variation.unit) == (Uniform(3.0, 5.0), "")


def test_values_of_a_choice_are_yaml_and_quantities() -> None:
    assert parse_variation("a=choice(auto, 2 ms)").distribution == Choice(("auto", 0.002))
    assert parse_variation("a=choice([0, 1], '5 m', true)").distribution == Choice(([0, 1], "5 m", True))
    assert parse_variation("a=grid(0 mm to 20 mm, 3)").distribution == Grid((0.0, 0.01, 0.02))


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("x=unifrom(1, 2)", 3, "Did you mean 'uniform'"),
        ("x=uniform(1)", 3, "uniform\\(low, high\\)"),
        ("x=uniform(1, 2", 15, "not closed"),
        ("x=uniform(1, 2) 3", 17, "nothing may follow"),
        ("x=uniform(1, 3 mm)", 11, "has no unit"),
        ("x=uniform(1 kg, 3 mm)", 17, "another kind"),
        ("x=uniform(1 kgg, 2)", 11, "unknown unit"),
        ("x=uniform(nan, 2)", 11, "no number"),
        ("x=choice(a,,b)", 12, "missing"),
        ("x=normal(1, -1)", 3, "allowed: > 0"),
        ("x=3", 3, "no distribution"),
        ("=uniform(1, 2)", 1, "not a variation"),
        ("x=choice(a, !!b c)", 13, "not allowed"),
        ("x=grid(1 to 2, many)", 16, "how many"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_column(text: str, column: int, told: str) -> None:
    with pytest.raises(InputError, match=f"column {column}: .*{told}"):
        parse_variation(text)
