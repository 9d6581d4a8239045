"""Drivers refuse what no amplifier is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from freefloat.drives import Driver
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"supply": 0.0}, "driver: supply 0.0.*; allowed: > 0"),
        ({"supply": -48.0}, "driver: supply -48.0.*; allowed"),
        ({"kp": 0.0}, "driver: kp 0.0.*; allowed: > 0"),
        ({"ki": -1.0}, "driver: ki -1.0.*; allowed: >= 0"),
        ({"max_current": math.inf}, "driver: max_current inf.*; allowed"),
        ({"offset": (0.1,)}, r"driver: offset \(0.1,\); allowed: 2 numbers, each any number in A"),
        ({"offset": 0.1}, "driver: offset 0.1; allowed: 2 numbers"),
        ({"offset": (0.1, math.nan)}, "driver: offset.* nan; allowed: any number in A"),
        ({"gain": (0.0, -1.0)}, "driver: gain.*; allowed: > -1"),
        ({"kind": "curent"}, r"unknown driver kind 'curent'\. Did you mean 'current'\?"),
    ],
)
def test_a_bad_number_is_refused_with_its_field_and_what_is_allowed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Driver(**given)


def test_pairs_are_kept_as_tuples_of_floats() -> None:
    offset: Any = [1, 2]
    assert Driver(offset=offset).offset == (1.0, 2.0)
    assert hash(Driver(offset=offset)) == hash(Driver(offset=(1.0, 2.0)))
