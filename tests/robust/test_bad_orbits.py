"""Orbits that cannot be flown: each one clear error, from the parts to a running mission."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Thruster, Thrusters
from freefloat.errors import InputError
from freefloat.orbit.atmosphere import air
from freefloat.orbit.epoch import Epoch, data_range
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import Elements, preset
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit

EPOCH = Epoch("2026-03-20T12:00:00Z")
PLUME = Thruster((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "epoch before the data": (
        lambda: Epoch("1950-01-01"),
        r"epoch 1950-01-01.* outside the packaged Earth-orientation",
    ),
    "epoch after the data": (lambda: Epoch("2090-01-01T00:00:00Z"), "outside the packaged Earth-orientation data"),
    "no date": (lambda: Epoch("yesterday"), "'yesterday' is not an ISO 8601 date"),
    "no such day": (lambda: Epoch("2026-02-30"), "2026-02-30"),
    "perigee in the ground": (
        lambda: ReferenceOrbit.from_elements(EPOCH, Elements(7.0e6, 0.2)),
        r"dips below the surface: perigee 5600\.0 km",
    ),
    "state in the ground": (lambda: ReferenceOrbit(EPOCH, [6.0e6, 0, 0], [0, 7.5e3, 0]), "below the surface"),
    "falling straight": (lambda: ReferenceOrbit(EPOCH, [7.0e6, 0, 0], [0.0, 0.0, 0.0]), "not on a bound orbit"),
    "leaving": (lambda: ReferenceOrbit(EPOCH, [7.0e6, 0, 0], [0, 12e3, 0]), "not on a bound orbit"),
    "not a number": (lambda: ReferenceOrbit(EPOCH, [np.nan, 0, 0], [0, 7.5e3, 0]), r"p_I\[0\] nan; allowed"),
    "parabola": (lambda: Elements(7.0e6, 1.0), r"e 1.0; allowed: >= 0 and < 1"),
    "unknown preset": (lambda: preset("leo-40"), "leo-400"),
    "degree": (lambda: GravityField(degree=500), "gravity degree 500 is outside 0 to 120"),
    "third body": (lambda: GravityOnly(bodies=("jupiter",)), "third body"),
    "plume": (
        lambda: ff.Mission([ff.RigidBody("bus"), Thrusters("jets", "bus", [PLUME])]),
        r"thrusters 'jets', number 0: its plume runs 2 m through its own body 'bus'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_orbit_is_one_clear_error(name: str) -> None:
    make, says = CASES[name]
    with pytest.raises(InputError, match=says) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_mission_that_outlives_the_earth_orientation_data_says_so() -> None:
    last = data_range("Earth-orientation")[1]
    frame = FallingFrame(ReferenceOrbit.from_preset(Epoch(f"{last}T00:00:00Z"), "leo-400", t0=-1800.0), ahead=600.0)
    with pytest.raises(InputError, match=f"Earth-orientation data, which cover .* to {last}"):
        ff.Mission([frame, ff.RigidBody("bus")], integrator=ff.RK4(1.0)).session().step(3600.0)


def test_an_instant_without_space_weather_says_so() -> None:
    last = data_range("space-weather")[1]
    after = 2.0 * 86400.0
    epoch = Epoch(min(f"{last}T00:00:00Z", f"{data_range('Earth-orientation')[1]}T00:00:00Z"))
    with pytest.raises(InputError, match="outside the packaged"):
        air(epoch, after, np.array([6778e3, 0.0, 0.0]))


def test_a_reference_that_comes_down_during_the_run_says_when() -> None:
    low = ReferenceOrbit.from_elements(EPOCH, Elements(6378137.0 + 200.0))
    frame = FallingFrame(low, ahead=60.0)
    mission = ff.Mission([frame, ff.RigidBody("bus")], integrator=ff.RK4(1.0))
    with pytest.raises(InputError, match=r"the orbit is .* km below the surface at t = \d+ s"):
        mission.session().step(6000.0)
