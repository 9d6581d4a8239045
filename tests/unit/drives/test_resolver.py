from __future__ import annotations

import math
from typing import Any

import pytest

from freefloat.drives import Resolver
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"error": -1e-4}, "resolver: error -0.0001.*; allowed: >= 0"),
        ({"bits": -1}, "resolver: bits -1; allowed: a whole number from 0 to 32"),
        ({"bits": 16.0}, "resolver: bits 16.0; allowed: a whole number from 0 to 32"),
    ],
)
def test_a_bad_number_is_refused_with_its_field_and_what_is_allowed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Resolver(**given)


def test_the_quantum_is_a_turn_over_two_to_the_bits() -> None:
    assert Resolver(bits=16).quantum == 2.0 * math.pi / 65536
    assert Resolver(bits=0).quantum == 0.0
