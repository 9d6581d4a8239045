"""Gears refuse what no gear is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from freefloat.drives import Gear
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stiffness": -1.0}, "gear: stiffness -1.0.*; allowed: > 0"),
        ({"ratio": 0.0}, "gear: ratio 0.0.*; allowed: > 0"),
        ({"ratio": -160.0}, "gear: ratio -160.0.*; allowed"),
        ({"damping": -1.0}, "gear: damping -1.0.*; allowed: >= 0"),
        ({"backlash": math.nan}, "gear: backlash nan.*; allowed"),
        ({"hysteresis_stiffness": 0.0}, "gear: hysteresis_stiffness 0.0.*; allowed"),
        ({"kinematic_phase": math.inf}, "gear: kinematic_phase inf rad; allowed: any number in rad"),
        ({"kinematic_error": 0.0032}, r"kinematic_error 0.0032; allowed: below 1 / \(2 ratio\) = 0.003125 rad"),
    ],
)
def test_a_bad_number_is_refused_with_its_field_and_what_is_allowed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Gear(**given)
