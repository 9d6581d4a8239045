"""The oracle for composite bodies, itself tried on bodies with known answers."""

from __future__ import annotations

import itertools

import numpy as np

from freefloat.frames import Pose
from freefloat.inertia import parallel_axis
from freefloat.verify.oracles.pseudo_inertia import assembled, pseudo_inertia, read_out


def box(mass: float, a: float, b: float, c: float) -> np.ndarray:
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


def test_a_box_put_together_from_eight_is_the_whole_box() -> None:
    shift = np.array([1.0, 2.0, 3.0])
    small = pseudo_inertia(1.5, np.zeros(3), box(1.5, 0.2, 0.3, 0.4))
    corners = [0.5 * np.array(signs) * (0.2, 0.3, 0.4) for signs in itertools.product((-1, 1), repeat=3)]
    mass, centre, inertia = read_out(assembled([(Pose(np.eye(3), p + shift), small) for p in corners]))
    assert mass == 12.0
    assert np.allclose(centre.astype(float), shift, atol=1e-15)
    assert np.allclose(inertia.astype(float), box(12.0, 0.4, 0.6, 0.8), atol=1e-13)


def test_a_turned_body_has_a_turned_inertia_and_two_follow_the_parallel_axes() -> None:
    X = Pose.from_rpy((0.3, -0.7, 1.9), (0.5, -0.2, 0.8))
    I_1, I_2, c_2 = np.diag([1.0, 2.0, 2.5]), np.diag([0.3, 0.4, 0.5]), np.array([0.1, 0.2, -0.3])
    pieces = [(X, pseudo_inertia(4.0, np.zeros(3), I_1)), (Pose.identity(), pseudo_inertia(2.0, c_2, I_2))]
    mass, centre, inertia = read_out(assembled(pieces))
    middle = (4.0 * X.p + 2.0 * c_2) / 6.0
    expected = parallel_axis(X.R @ I_1 @ X.R.T, 4.0, X.p - middle) + parallel_axis(I_2, 2.0, c_2 - middle)
    assert mass == 6.0
    assert np.allclose(centre.astype(float), middle, atol=1e-15)
    assert np.allclose(inertia.astype(float), expected, atol=1e-14)
