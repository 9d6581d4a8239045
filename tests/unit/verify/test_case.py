import json
import math

import pytest

from freefloat.verify.case import Comparison, at_least, at_most, compare, within

KEYS = ["case", "quantity", "unit", "published", "ours", "tolerance", "pass", "source"]


@pytest.mark.parametrize(("ours", "passed"), [(0.9, True), (1.1, True), (0.89, False), (1.11, False)])
def test_within_limits_both_sides(ours, passed):
    assert within("x", "m", published=1.0, ours=ours, tolerance=0.1 + 1e-12).passed is passed


@pytest.mark.parametrize(("ours", "passed"), [(3.8, True), (7.0, True), (3.79, False)])
def test_at_least_limits_the_lower_side_only(ours, passed):
    assert at_least("slope", "-", published=4.0, ours=ours, tolerance=0.2).passed is passed


@pytest.mark.parametrize(("ours", "passed"), [(1e-7, True), (0.0, True), (1.1e-7, False)])
def test_at_most_limits_the_upper_side_only(ours, passed):
    assert at_most("error", "rad", ours=ours, tolerance=1e-7).passed is passed


@pytest.mark.parametrize("build", [within, at_most, at_least])
def test_nan_never_passes_and_is_null_in_json(build):
    row = build("x", "m", published=0.0, ours=math.nan, tolerance=1.0)
    assert row.passed is False
    assert row.to_json()["ours"] is None


def test_a_comparison_has_neither_tolerance_nor_verdict():
    out = compare("x", "m", published=1.0, ours=2.0).to_json()
    assert out["tolerance"] is None
    assert out["pass"] is None


def test_json_has_the_agreed_keys_and_a_reason_only_where_a_failure_is_explained():
    assert list(within("x", "m", published=1, ours=1, tolerance=0, reason="stale").to_json()) == KEYS
    assert list(within("x", "m", published=1, ours=2, tolerance=0).to_json()) == KEYS
    explained = within("x", "m", published=1, ours=2, tolerance=0, reason="the paper's table is rounded").to_json()
    assert list(explained) == [*KEYS, "reason"]
    json.dumps(explained, allow_nan=False)


def test_only_a_false_without_reason_is_unexplained():
    assert Comparison("x", "m", 1, 2, 0, False).unexplained
    assert not Comparison("x", "m", 1, 2, 0, False, reason="known").unexplained
    assert not Comparison("x", "m", 1, 2, None, None).unexplained
    assert not Comparison("x", "m", 1, 1, 0, True).unexplained
