"""The Sun lamp: its light in space and in time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.facility.lamp import SunLamp

LAMP = SunLamp((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))


class Alone:
    name = "lab"

    def build(self, b: ff.Builder) -> None:
        LAMP.build(b, -1.5)


def test_all_of_the_flux_passes_a_sphere_around_the_lamp() -> None:
    cap = 2.0 * math.pi * (1.0 - math.cos(0.5 * LAMP.beam)) * 7.0**2
    assert LAMP.illuminance((7.0, 0.0, 0.0)) * cap == pytest.approx(1.15e6)


def test_light_falls_with_the_square_of_the_distance_and_ends_at_the_cone() -> None:
    near, far = LAMP.illuminance((3.0, 0.0, 0.0)), LAMP.illuminance((6.0, 0.0, 0.0))
    assert near == pytest.approx(4.0 * far)
    edge = math.tan(0.5 * LAMP.beam)
    assert LAMP.illuminance((5.0, 5.0 * edge * 0.99, 0.0)) > 0.0
    assert LAMP.illuminance((5.0, 5.0 * edge * 1.01, 0.0)) == 0.0
    assert LAMP.illuminance((-3.0, 0.0, 0.0)) == 0.0


def test_a_tilted_surface_gets_less_and_one_that_looks_away_nothing() -> None:
    facing = LAMP.illuminance((4.0, 0.0, 0.0), normal=(-1.0, 0.0, 0.0))
    assert facing == pytest.approx(LAMP.illuminance((4.0, 0.0, 0.0)))
    assert LAMP.illuminance((4.0, 0.0, 0.0), normal=(-1.0, 1.0, 0.0)) == pytest.approx(facing / math.sqrt(2.0))
    assert LAMP.illuminance((4.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0)) == 0.0
    assert LAMP.illuminance((4.0, 0.0, 0.0), flux=0.25 * LAMP.flux) == pytest.approx(0.25 * facing)


def test_it_warms_up_goes_dark_at_once_and_cools_slowly() -> None:
    s = ff.Mission([Alone()], integrator=ff.RK4(0.1), record_rate=1.0).session()
    assert s.read("lab.flux") == 0.0
    s.write("lab.on", 1.0)
    s.step(120.0)
    assert s.read("lab.flux") == pytest.approx(1.15e6 * (1.0 - math.exp(-3.0)), rel=1e-6)
    s.write("lab.on", 0.0)
    s.step(40.0)
    assert s.read("lab.flux") == 0.0
    assert s.read("lab.warmth") == pytest.approx((1.0 - math.exp(-3.0)) * math.exp(-1.0), rel=1e-6)


def test_bad_lamps_are_refused() -> None:
    with pytest.raises(InputError, match="looks_at"):
        SunLamp((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    with pytest.raises(InputError, match="beam"):
        SunLamp(beam="200 deg")
    assert SunLamp(beam="30 deg").beam == pytest.approx(np.radians(30.0))
