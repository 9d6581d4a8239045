"""Motors refuse what no motor is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from freefloat.drives import Motor
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inertia": 0.0}, "motor: inertia 0.0.*; allowed: > 0"),
        ({"inertia": -1e-4}, "motor: inertia -0.0001.*; allowed"),
        ({"torque_constant": math.nan}, "motor: torque_constant nan.*; allowed: > 0"),
        ({"resistance": math.inf}, "motor: resistance inf.*; allowed"),
        ({"inductance": "1 mm"}, "motor: inductance: '1 mm' has the wrong dimension"),
        ({"cogging": -1.0}, "motor: cogging -1.0.*; allowed: >= 0"),
        ({"cogging_count": 0}, "motor: cogging_count 0; allowed: a whole number >= 1"),
        ({"cogging_count": 8.5}, "motor: cogging_count 8.5; allowed: a whole number"),
        ({"pole_pairs": 0}, "motor: pole_pairs 0; allowed: a whole number >= 1"),
        ({"unbalance": 1.0}, "motor: unbalance 1.0; allowed: > -1 and < 1"),
        ({"third_harmonic": math.nan}, "motor: third_harmonic nan; allowed: > -1 and < 1"),
        ({"kind": "dc", "unbalance": 0.1}, "motor: unbalance 0.1; allowed: 0 of kind dc"),
        ({"ambient": True}, "motor: ambient True.*; allowed"),
        (
            {"kind": "brushles"},
            r"unknown motor kind 'brushles'\. Did you mean 'brushless'\? Valid: brushless, dc, ideal",
        ),
    ],
)
def test_a_bad_number_is_refused_with_its_field_and_what_is_allowed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Motor(**given)


def test_a_kind_has_nothing_that_it_cannot_have() -> None:
    assert (Motor(kind="dc").pole_pairs, Motor(kind="dc").cogging) == (0, 5e-3)
    assert (Motor(kind="ideal").pole_pairs, Motor(kind="ideal").cogging) == (0, 0.0)


def test_the_resistance_rises_with_the_temperature_of_copper() -> None:
    assert Motor().resistance_at(293.15) == 1.0
    assert Motor(resistance=2.0).resistance_at(393.15) == pytest.approx(2.786, rel=1e-12)
