"""A rigid body refuses what no body has, by its name."""

from __future__ import annotations

import math
from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"mass": 0.0}, r"mass 0.0 kg; allowed: > 0 kg"),
        ({"mass": math.nan}, r"mass nan; allowed: > 0 kg"),
        ({"mass": "10 m"}, r"mass: '10 m' has the wrong dimension; allowed: kg, g, mg"),
        ({"size": (-1, 1, 1)}, r"size\[0\] -1 m; allowed: > 0 m"),
        ({"size": (1, 1)}, r"size \(1, 1\); allowed: 3 numbers, each > 0 m"),
        ({"size": 1.0}, r"size 1.0; allowed: 3 numbers"),
        ({"p_BBcm": (0, 0, math.inf)}, r"p_BBcm\[2\] inf m; allowed"),
        ({"inertia": (1, 1)}, r"inertia \(1, 1\); allowed: 3 numbers"),
        ({"inertia": (1, 1, math.nan)}, r"inertia\[2\] nan; allowed"),
        ({"inertia": (1, 1, 9)}, r"largest principal moment must not exceed"),
        ({"motion": (1, 0, 0)}, r"motion \(1, 0, 0\); allowed: a Motion"),
        ({"colour": (0, 0, 0)}, r"colour \(0, 0, 0\); allowed: 4 numbers"),
    ],
)
def test_what_no_body_has_is_refused_by_part_field_and_value(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=f"^body 'bus': {told}"):
        ff.Mission([ff.RigidBody("bus", **given)])


@pytest.mark.parametrize("given", [{"w_WL_L": (0, 0)}, {"v_WL": (0, 0, math.nan)}, {"X_WL": (0, 0, 0)}])
def test_a_start_that_cannot_be_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=rf"^motion: {next(iter(given))}.*; allowed"):
        ff.Motion(**given)
