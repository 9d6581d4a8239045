"""Inertia tensors of `freefloat.inertia`, on drawn inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from freefloat.errors import InputError
from freefloat.frames import Array, skew, so3_exp
from freefloat.inertia import check_inertia, parallel_axis


def vectors(n: int, bound: float) -> st.SearchStrategy[Array]:
    return arrays(np.float64, n, elements=st.floats(-bound, bound, allow_subnormal=False))


def test_a_box_is_accepted_and_a_thin_plate_is_its_limit():
    check_inertia(np.diag([2.0, 3.0, 4.0]))
    check_inertia(np.diag([0.1, 0.2, 0.1 + 0.2]))


@given(vectors(3, 3.0))
def test_the_check_does_not_depend_on_the_axes(rotvec: Array):
    R = so3_exp(rotvec)
    check_inertia(R @ np.diag([1.0, 2.0, 2.5]) @ R.T)
    with pytest.raises(InputError, match="sum of the other two"):
        check_inertia(R @ np.diag([1.0, 2.0, 3.01]) @ R.T)


@pytest.mark.parametrize(
    ("inertia", "reason"),
    [
        (np.diag([1.0, 1.0, 3.0]), "sum of the other two"),
        (np.diag([1.0, 1.0, -1.0]), "positive definite"),
        (np.zeros((3, 3)), "positive definite"),
        ([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "symmetric"),
        (np.full((3, 3), np.nan), "finite"),
        (np.eye(2), "shape"),
    ],
)
def test_impossible_inertias_are_refused_with_the_reason(inertia: Array, reason: str):
    with pytest.raises(InputError, match=reason):
        check_inertia(inertia)


@given(arrays(np.float64, (4, 3), elements=st.floats(-2.0, 2.0)), vectors(3, 5.0))
def test_parallel_axis_matches_a_sum_over_point_masses(points: Array, p: Array):
    def about(centre: Array) -> Array:
        return sum((-skew(r) @ skew(r) for r in points - centre), np.zeros((3, 3)))

    centre = points.mean(axis=0)
    assert_allclose(parallel_axis(about(centre), 4.0, p), about(centre + p), atol=1e-11)
