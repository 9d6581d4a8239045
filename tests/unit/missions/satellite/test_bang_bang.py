"""The least propellant of a slew, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.missions.satellite.bang_bang import BangBang
from freefloat.units import G0

F, ISP = 0.1, 65.0  # [N], [s]
INERTIA = np.diag([12.0, 10.0, 8.0])
ARMS = np.array([0.4, 0.3, 0.35])  # [m] of the couples about x, y, z
SHIFT = np.array([0.02, -0.01, 0.03])  # [m] of the centre of mass, which no couple feels


def couples() -> np.ndarray:
    """Wrenches (6, 12) of twelve thrusters that turn forwards and backwards about each axis."""
    found = []
    for axis in range(3):
        push, arm = (np.roll(np.eye(3)[0], axis + k) for k in (1, 2))
        for sign in (1.0, -1.0):
            for end in (1.0, -1.0):
                p, d = end * ARMS[axis] * arm - SHIFT, -sign * end * push
                found.append(F * np.concatenate([np.cross(p, d), d]))
    return np.array(found).T


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.6, -0.64, 0.48)])
def test_acceleration_and_flow_are_those_of_the_couples_by_hand(axis: tuple[float, float, float]) -> None:
    n = np.array(axis)
    need = np.abs(np.diag(INERTIA) * n)  # [N m s^2/rad] about each axis
    a = np.min(2.0 * F * ARMS[need > 0.0] / need[need > 0.0])
    ideal = BangBang.of(INERTIA, n, couples(), ISP)
    assert ideal.acceleration == pytest.approx(a, rel=1e-9)
    assert ideal.flow == pytest.approx(float(np.sum(a * need / ARMS)) / (ISP * G0), rel=1e-9)


def test_propellant_is_that_of_the_momentum_that_the_coast_needs() -> None:
    """2 I w / (l Isp g0), with the coast's rate w of a turn a t (T - t)."""
    ideal = BangBang.of(INERTIA, np.array([0.0, 0.0, 1.0]), couples(), ISP)
    angle, T = np.pi / 3.0, 60.0
    bang = 0.5 * (T - np.sqrt(T * T - 4.0 * angle / ideal.acceleration))
    rate = angle / (T - bang)
    assert ideal.propellant(angle, T) == pytest.approx(2.0 * 8.0 * rate / (0.35 * ISP * G0), rel=1e-9)
    assert ideal.propellant(angle, 2.0 * T) < 0.5 * ideal.propellant(angle, T)


def test_thrusters_that_cannot_turn_without_pushing_are_refused() -> None:
    one_sided = couples()[:, [0, 4, 8]]
    with pytest.raises(InputError, match="no thrusters turn the body"):
        BangBang.of(INERTIA, np.array([0.0, 0.0, 1.0]), one_sided, ISP)
