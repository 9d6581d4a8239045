from __future__ import annotations

import pickle

import pytest

from freefloat.campaign.criteria import Criterion
from freefloat.errors import InputError

METRICS = {"captured": 1.0, "force_n": 800.0, "on_time_s.0": 3.0, "none": float("nan")}


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("captured == 1 and force_n < 900", True),
        ("captured == 1 and force_n < 800", False),
        ("0 < on_time_s.0 <= 3", True),
        ("not (force_n > 900) or captured != 1", True),
        ("abs(-force_n) - 2 * 400 == 0", True),
        ("max(1, on_time_s.0, 2) == 3 and sqrt(on_time_s.0 + 1) == 2", True),
        ("force_n / 0 < 1 or captured == 1", False),
        ("captured == 1 or force_n / 0 < 1", False),
        ("not (sqrt(-force_n) < 1)", False),
    ],
)
def test_conditions_mean_what_they_say(text: str, met: bool) -> None:
    assert Criterion.parse(text, METRICS)(METRICS) is met


def test_a_case_without_the_number_is_no_success() -> None:
    criterion = Criterion.parse("not (none < 1) or captured == 1")
    assert not criterion(METRICS)
    assert criterion.lacking(METRICS) == ("none",)
    assert criterion.lacking({"none": 1.0}) == ("captured",)


def test_names_and_bounds_are_told() -> None:
    criterion = Criterion.parse("captured == 1 and not 900 <= force_n")
    assert criterion.names == ("captured", "force_n")
    assert criterion.bounds() == [("captured", "=="), ("force_n", "<")]
    assert pickle.loads(pickle.dumps(criterion)) == criterion


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("force_m < 3", 1, "Did you mean 'force_n'"),
        ("captured and force_n < 3", 1, "captured == 1"),
        ("force_n = 3", 9, "write =="),
        ("force_n < 3 && captured == 1", 13, "write and"),
        ("(force_n < 3", 13, "not closed"),
        ("force_n <", 10, "ends too early"),
        ("min(force_n) < 3", 1, "2 to 20"),
        ("force_n < 900 N", 15, "not expected"),
        ("1 < 2", 1, "no metric"),
        ("force_n < (captured == 1)", 12, "a number is needed"),
        ("(" * 60 + "force_n", 42, "too deeply"),
        ("force_n < 1e999", 11, "too large"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_column(text: str, column: int, told: str) -> None:
    with pytest.raises(InputError, match=f"column {column}: .*{told}"):
        Criterion.parse(text, METRICS)


def test_length_is_bounded() -> None:
    with pytest.raises(InputError, match="allowed: 2000"):
        Criterion.parse("force_n < 3 or " * 200)
