"""Laws and frictions that a scenario's file names."""

from __future__ import annotations

import pytest

from freefloat.contact import HuntCrossley, Impulse, LankaraniNikravesh, RegularisedFriction, SpringDamper
from freefloat.missions.contact import settings as S


def test_a_stiffness_is_told_by_the_force_at_one_millimetre() -> None:
    for law in (
        S.HuntCrossleySettings(force_at_1_mm=7.0, exponent=1.3),
        S.LankaraniNikraveshSettings(force_at_1_mm=7.0),
    ):
        made = law.make()
        assert isinstance(made, HuntCrossley | LankaraniNikravesh)
        assert made.stiffness * 1e-3**made.exponent == pytest.approx(7.0)


def test_other_settings_are_handed_on() -> None:
    assert S.SpringDamperSettings(stiffness=3.0, damping=2.0).make() == SpringDamper(3.0, 2.0)
    assert S.ImpulseSettings(restitution=0.3, rest_speed=0.2).make() == Impulse(0.3, 2e4, 100.0, 0.2)
    assert S.RegularisedSettings(mu=0.2, slip_speed=0.3).make() == RegularisedFriction(0.2, 0.3)
    assert S.SmoothSettings().make() is None
