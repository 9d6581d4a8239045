"""Rotations for compiled steps agree with `freefloat.frames`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat import frames
from freefloat.errors import InputError
from freefloat.gnc import rotations as r

vectors = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
HALF_TURNS = [np.pi * np.eye(3)[i] for i in range(3)] + [np.pi * np.array([0.6, 0.0, -0.8]), np.zeros(3)]


def agree(ours, theirs) -> None:
    np.testing.assert_allclose(np.array(ours), theirs, rtol=0.0, atol=1e-14)


@given(a=vectors, b=vectors)
def test_products_matrices_and_maps_are_those_of_frames(a, b):
    p, q = frames.quat_exp(a), frames.quat_exp(b)
    agree(r.quat_of(a), p)
    agree(r.quat_product(p, q), frames.quat_mul(p, q))
    agree(r.quat_product(p, r.quat_inverse(p)), [1.0, 0.0, 0.0, 0.0])
    agree(r.rotation_vector(p), frames.quat_log(p))
    agree(r.matrix_of(p), frames.quat_to_matrix(p))
    agree(r.right_jacobian(a), frames.so3_right_jacobian(a))
    agree(r.cross(a, b), np.cross(a, b))
    agree(r.times(r.transposed(r.matrix_of(p)), b), frames.quat_to_matrix(p).T @ b)


@pytest.mark.parametrize("turn", HALF_TURNS, ids=str)
def test_axes_give_their_quaternion_for_half_turns_too(turn):
    for small in (0.0, 1e-9, 0.3):
        R = frames.so3_exp(turn) @ frames.so3_exp([small, -small, 0.5 * small])
        found = r.quat_of_axes(*R.T)
        agree(frames.quat_to_matrix(found), R)
        assert found[0] >= 0.0


@pytest.mark.parametrize("q", [(0.0, 0.0, 0.0, 0.0), (np.nan, 0.0, 0.0, 1.0), (np.inf, 0.0, 0.0, 0.0)])
def test_what_is_no_rotation_is_refused(q):
    with pytest.raises(InputError, match="quaternion"):
        r.quat_unit(q)
