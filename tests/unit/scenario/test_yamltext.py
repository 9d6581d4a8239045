from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freefloat.scenario import yamltext
from freefloat.scenario.problems import Problem, ScenarioError

plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab _:#'\"-", min_size=1), inner, max_size=4),
    max_leaves=12,
)


def problems_of(read: Callable[[], object]) -> tuple[Problem, ...]:
    try:
        read()
    except ScenarioError as error:
        return error.errors
    return ()


@settings(deadline=None)
@given(plain_values)
def test_what_is_written_reads_back_equal(value: Any):
    assert yamltext.parse(f"x: {yamltext.write_scalar(value)}", "text").value == {"x": value}


@settings(max_examples=300, deadline=None)
@given(st.text("ab1:-[]{},&*!#|>'\"%@`?\\ \n\tUux0\ufeff", max_size=60) | st.text(max_size=40))
def test_any_text_parses_or_is_refused_with_one_sort_of_error(text: str):
    assert all("\n" not in str(problem) for problem in problems_of(lambda: yamltext.parse(text, "text")))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(data)
    assert all("\n" not in str(problem) for problem in problems_of(lambda: yamltext.read_file(file)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("0x1F", 31),
        ("0o17", 15),
        ("yes", "yes"),
        ("true", True),
        ("~", None),
        ("-.inf", -math.inf),
        ("25 mm", "25 mm"),
        ("2026-01-01", "2026-01-01"),
        ("'12'", "12"),
        ("12:30", "12:30"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(text: str, value: Any):
    assert yamltext.parse(text, "text").value == value


def test_places_of_keys_and_values_are_known():
    document = yamltext.parse("a: 1\nb:\n  - x\n  - {c: 2}\n", "f.yaml")
    assert document.place(("b", 1, "c"), "key") == "f.yaml:4:6"
    assert document.place(("b", 1, "c"), "value") == "f.yaml:4:9"
    assert document.place(("b", 1, "missing"), "group") == "f.yaml:4:5"


def test_a_byte_order_mark_is_no_error(tmp_path: Path):
    file = tmp_path / "bom.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert yamltext.read_file(file).value == {"a": 1}


def test_deep_nesting_and_alias_bombs_end_at_once():
    for text in ("[" * 100_000, "- " * 100_000, "{a: " * 5000, "? " * 5000):
        with pytest.raises(ScenarioError):
            yamltext.parse(text, "text")
    bomb = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdef", "bcdefg", strict=True))
    with pytest.raises(ScenarioError, match="alias"):
        yamltext.parse(bomb, "text")
