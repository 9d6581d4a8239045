"""Sun and Moon against DE440."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.orbit.ephemeris import EphemerisTable, Source, moon_position, sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.verify.oracles.de440 import TRUTH


def degrees_between(a: Array, b: Array) -> float:
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))


@pytest.mark.parametrize(("utc", "sun", "moon"), TRUTH)
def test_sun_and_moon_agree_with_de440(utc: str, sun: Array, moon: Array) -> None:
    e = Epoch(utc)
    s, m = sun_position(e), moon_position(e)
    assert degrees_between(s, np.array(sun)) < 1e-5  # bar 1e-3
    assert degrees_between(m, np.array(moon)) < 4e-3  # bar 1e-2
    assert np.linalg.norm(s) == pytest.approx(np.linalg.norm(sun) * 1e3, rel=1e-7)
    assert np.linalg.norm(m) == pytest.approx(np.linalg.norm(moon) * 1e3, rel=5e-5)


def test_the_largest_errors_against_de440_are_those_that_the_pages_name() -> None:
    """23.7 km of the Moon and 10.7 km of the Sun, at the worst instants of a grid of 2 h that `TRUTH` holds."""
    off = {"sun": 0.0, "moon": 0.0}  # [km]
    for utc, sun, moon in TRUTH:
        for name, ours, truth in (("sun", sun_position(Epoch(utc)), sun), ("moon", moon_position(Epoch(utc)), moon)):
            off[name] = max(off[name], float(np.linalg.norm(ours / 1e3 - np.array(truth))))
    assert off == pytest.approx({"sun": 10.66, "moon": 23.71}, abs=0.01)


def test_the_low_precision_source_is_a_tenth_of_a_degree_off_and_says_so() -> None:
    e, sun = Epoch(TRUTH[-1][0]), np.array(TRUTH[-1][1])
    assert 0.01 < degrees_between(sun_position(e, 0.0, "brahe"), sun) < 0.5


def test_arrays_of_instants_give_the_same_positions_as_single_ones() -> None:
    e, t = Epoch("2026-03-20"), np.array([0.0, 1e4, 1e6])
    for place in (sun_position, moon_position):
        np.testing.assert_array_equal(place(e, t), [place(e, x) for x in t])


@pytest.mark.parametrize("source", ["erfa", "brahe"])
def test_the_hourly_table_stays_within_a_metre_of_its_source(source: Source) -> None:
    e, t = Epoch("2026-03-20T12:00:00Z"), np.linspace(-3000.0, 90000.0, 301)
    table = EphemerisTable(e, source)
    table.cover(-3000.0, 90000.0)
    sun, moon = table.positions(t)
    assert np.abs(sun - sun_position(e, t, source)).max() < 2.0
    assert np.abs(moon - moon_position(e, t, source)).max() < 2.0


def test_an_unknown_source_is_refused_with_the_list() -> None:
    with pytest.raises(InputError, match="brahe, erfa"):
        sun_position(Epoch("2026-03-20"), 0.0, "de440")  # pyright: ignore[reportArgumentType]
