"""Euler angles of the facility, also where two of them are one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.facility.euler import euler_angles, euler_matrix
from freefloat.frames import rpy_to_matrix


def test_angles_are_turns_about_z_then_y_then_x() -> None:
    assert np.allclose(euler_matrix(0.3, -0.7, 2.0), rpy_to_matrix(2.0, -0.7, 0.3), rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("pitch", [0.0, 1.0, -1.5, 0.5 * math.pi, -0.5 * math.pi])
@pytest.mark.parametrize("off", [0.0, 1e-7, 1e-11, 1e-13, 1e-16])
def test_the_angles_of_a_rotation_give_it_back_also_upright(pitch: float, off: float) -> None:
    for a, c in ((0.4, 1.1), (-2.9, 3.0), (3.1, -0.2)):
        R = euler_matrix(a, pitch - math.copysign(off, pitch), c)
        assert np.allclose(euler_matrix(*euler_angles(R)), R, rtol=0.0, atol=2e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_upright_the_first_angle_is_zero(sign: float) -> None:
    a, b, c = euler_angles(euler_matrix(0.4, sign * 0.5 * math.pi, 1.1))
    assert (a, b) == (0.0, pytest.approx(sign * 0.5 * math.pi, abs=1e-15))
    assert c == pytest.approx(1.1 - sign * 0.4, abs=1e-12)
