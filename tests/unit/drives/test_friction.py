"""Friction refuses what is no friction, and is viscous alone without its Coulomb part."""

from __future__ import annotations

import math
from typing import Any

import pytest

from freefloat.drives import Friction
from freefloat.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stiction": 3.0}, "friction: stiction 3.0; allowed: >= coulomb, 4 N m"),
        ({"coulomb": -1.0}, "friction: coulomb -1.0.*; allowed: >= 0"),
        ({"stribeck": 0.0}, "friction: stribeck 0.0.*; allowed: > 0"),
        ({"bristle_stiffness": 0.0}, "friction: bristle_stiffness 0.0.*; allowed: > 0"),
        ({"viscous": math.nan}, "friction: viscous nan.*; allowed"),
    ],
)
def test_a_bad_number_is_refused_with_its_field_and_what_is_allowed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Friction(**given)


def test_without_coulomb_friction_only_the_viscous_part_is_left() -> None:
    friction = Friction(coulomb=0.0, viscous=3.0)
    assert (friction.stiction, friction.bristle_stiffness, friction.bristle_damping) == (0.0, 0.0, 0.0)
    assert friction.viscous == 3.0


def test_dry_friction_gives_way_by_a_tenth_of_a_milliradian_and_is_passive() -> None:
    friction = Friction.dry(2.0)
    assert (friction.coulomb, friction.stiction, friction.viscous) == (2.0, 2.0, 0.0)
    assert friction.bristle_stiffness == pytest.approx(2.0 / 1e-4)
    assert friction.bristle_damping == pytest.approx(1e-3 * friction.bristle_stiffness)
    assert Friction.dry(0.0).bristle_stiffness == 0.0
    with pytest.raises(InputError, match=r"friction: coulomb -2.0.*; allowed: >= 0"):
        Friction.dry(-2.0)
