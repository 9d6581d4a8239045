"""The orbital frame."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import so3_log
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.kepler import Elements
from freefloat.orbit.lvlh import lvlh_axes, lvlh_rate, lvlh_to_eci
from freefloat.orbit.reference import ReferenceOrbit

ORBIT = Elements(7.0e6, 0.05, 0.9, 1.0, 2.0, 0.7)


def test_axes_point_down_against_the_normal_and_along_the_flight() -> None:
    p, v = Elements(7.0e6).state()
    np.testing.assert_allclose(
        lvlh_axes(p, v), np.column_stack([[0, 1, 0], [0, 0, -1], [-1, 0, 0]]), rtol=0.0, atol=1e-15
    )
    assert np.linalg.det(lvlh_axes(*ORBIT.state())) == pytest.approx(1.0)


def test_the_rate_is_the_derivative_of_the_axes_on_a_perturbed_orbit() -> None:
    orbit = ReferenceOrbit.from_elements(Epoch("2026-03-20"), ORBIT, spacing=1.0)
    orbit.extend(20.0)
    before, at, after = (orbit.knots[i] for i in (9, 10, 11))
    turn = so3_log(lvlh_axes(before[:3], before[3:6]).T @ lvlh_axes(after[:3], after[3:6])) / 2.0
    np.testing.assert_allclose(lvlh_rate(at[:3], at[3:6], at[6:9]), turn, rtol=0.0, atol=2e-10)
    assert abs(turn[2]) > 1e-8


def test_a_body_at_rest_ahead_on_a_circular_orbit_flies_the_same_orbit() -> None:
    p, v = Elements(7.0e6, i=0.9).state()
    _, v2 = lvlh_to_eci([0.0, 50.0, 0.0], [0.0, 0.0, 0.0], p, v)
    np.testing.assert_allclose(v2, v, rtol=0.0, atol=1e-9)


def test_a_radial_fall_has_no_orbital_frame() -> None:
    with pytest.raises(InputError, match="across the position"):
        lvlh_axes([7e6, 0.0, 0.0], [-10.0, 0.0, 0.0])
