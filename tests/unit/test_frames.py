"""Group laws, Jacobians and spatial algebra of `freefloat.frames`, on drawn inputs."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from freefloat import frames as ff
from freefloat.errors import InputError
from freefloat.frames import Array, Pose


def vectors(n: int, bound: float) -> st.SearchStrategy[Array]:
    return arrays(np.float64, n, elements=st.floats(-bound, bound, allow_subnormal=False))


def of_length(direction: Array, length: float) -> Array:
    norm = float(np.linalg.norm(direction))
    return direction * (length / norm) if norm > 1e-3 else np.array([0.0, 0.0, length])


def rotvecs(longest: float = math.pi) -> st.SearchStrategy[Array]:
    """Rotation vectors of every size, with the hard ones (tiny, near pi) drawn often."""
    sizes = (
        st.floats(0.0, longest)
        | st.floats(-16.0, 0.0).map(lambda e: 10.0**e)
        | st.floats(-15.0, -1.0).map(lambda e: longest - 10.0**e)
    )
    return st.builds(of_length, vectors(3, 1.0), sizes)


quats = vectors(4, 1.0).filter(lambda q: float(np.linalg.norm(q)) > 1e-3).map(lambda q: q / np.linalg.norm(q))
poses = st.builds(Pose.from_quat, quats, vectors(3, 10.0))
twists = vectors(6, 5.0)
wrenches = vectors(6, 100.0)


def distance(X: Pose, Y: Pose) -> float:
    return float(np.abs(X.matrix() - Y.matrix()).max())


class TestQuaternions:
    @given(quats, quats, quats)
    def test_product_is_associative(self, a: Array, b: Array, c: Array):
        assert_allclose(ff.quat_mul(ff.quat_mul(a, b), c), ff.quat_mul(a, ff.quat_mul(b, c)), atol=1e-15)

    @given(quats)
    def test_conjugate_is_the_inverse(self, q: Array):
        assert_allclose(ff.quat_mul(q, ff.quat_conj(q)), [1.0, 0.0, 0.0, 0.0], atol=1e-15)

    @given(quats, quats)
    def test_product_agrees_with_the_matrix_product(self, a: Array, b: Array):
        R = ff.quat_to_matrix(a) @ ff.quat_to_matrix(b)
        assert_allclose(ff.quat_to_matrix(ff.quat_mul(a, b)), R, atol=4e-15)

    @given(quats, vectors(3, 10.0))
    def test_rotation_agrees_with_the_sandwich_product(self, q: Array, v: Array):
        sandwich = ff.quat_mul(ff.quat_mul(q, [0.0, *v.tolist()]), ff.quat_conj(q))
        assert_allclose(ff.quat_rotate(q, v), sandwich[1:], atol=1e-13)

    @given(quats)
    @example(np.array([0.0, 1.0, 0.0, 0.0]))
    @example(np.array([0.0, 0.0, -1.0, 0.0]))
    @example(np.array([-1e-17, 0.6, 0.0, 0.8]))
    def test_matrix_and_back_gives_the_canonical_quaternion(self, q: Array):
        back = ff.matrix_to_quat(ff.quat_to_matrix(q))
        assert back[0] >= 0.0
        assert_allclose(abs(float(back @ q)), 1.0, atol=1e-15)
        assert_allclose(ff.quat_to_matrix(back), ff.quat_to_matrix(q), atol=4e-15)

    @given(quats)
    def test_q_and_minus_q_are_one_rotation(self, q: Array):
        assert_allclose(ff.quat_canonical(q), ff.quat_canonical(-q), atol=0.0)
        assert_allclose(ff.quat_log(q), ff.quat_log(-q), atol=0.0)
        assert_allclose(ff.mrp_from_quat(q), ff.mrp_from_quat(-q), atol=0.0)
        assert_allclose(ff.quat_to_matrix(q), ff.quat_to_matrix(-q), atol=0.0)

    def test_half_turns_have_one_canonical_sign(self):
        assert_allclose(ff.quat_canonical([0.0, 0.0, -2.0, 0.0]), [0.0, 0.0, 1.0, 0.0])
        assert_allclose(ff.quat_canonical([-0.0, -1.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 0.0])

    @given(rotvecs())
    def test_log_inverts_exp_up_to_pi_to_machine_precision(self, r: Array):
        back = ff.quat_log(ff.quat_exp(r))
        near_pi = np.linalg.norm(r) > math.pi - 1e-14  # there r and -r are the same rotation
        error = min(np.linalg.norm(back - r), np.linalg.norm(back + r)) if near_pi else np.linalg.norm(back - r)
        assert error <= 4e-16 * np.linalg.norm(r) + (2e-15 if np.linalg.norm(r) > 1.0 else 0.0)

    @given(quats)
    def test_mrp_round_trip_stays_inside_the_unit_ball(self, q: Array):
        sigma = ff.mrp_from_quat(q)
        assert np.linalg.norm(sigma) <= 1.0 + 1e-15
        assert_allclose(ff.quat_to_matrix(ff.quat_from_mrp(sigma)), ff.quat_to_matrix(q), atol=4e-15)

    def test_mrp_is_the_tangent_of_a_quarter_angle_and_its_shadow_is_the_same_rotation(self):
        sigma = ff.mrp_from_quat(ff.quat_exp([0.0, 0.0, 2.0]))
        assert_allclose(sigma, [0.0, 0.0, math.tan(0.5)], atol=1e-15)
        assert_allclose(ff.quat_from_mrp(-sigma / (sigma @ sigma)), ff.quat_from_mrp(sigma), atol=1e-15)

    def test_scalar_comes_first_and_a_quarter_turn_about_z_takes_x_to_y(self):
        q_AB = ff.quat_exp([0.0, 0.0, math.pi / 2])
        assert_allclose(q_AB, [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
        assert_allclose(ff.quat_rotate(q_AB, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), [[0, 1, 0], [-1, 0, 0]], atol=1e-15)


class TestRotations:
    @given(rotvecs())
    def test_log_inverts_exp_on_matrices(self, r: Array):
        R = ff.so3_exp(r)
        assert_allclose(R.T @ R, np.eye(3), atol=2e-15)
        assert_allclose(ff.so3_exp(ff.so3_log(R)), R, atol=4e-15)

    @given(vectors(3, 1e-5))
    def test_log_of_a_small_rotation_has_full_relative_accuracy(self, r: Array):
        assert np.linalg.norm(ff.so3_log(ff.so3_exp(r)) - r) <= 1e-15 * np.linalg.norm(r)

    @given(rotvecs(5.0))
    def test_left_jacobian_maps_a_change_of_the_vector_to_a_rotation_on_the_left(self, r: Array):
        assert_allclose(ff.so3_left_jacobian(r), derivative(lambda d: ff.so3_exp(r + d) @ ff.so3_exp(r).T), atol=1e-9)

    @given(rotvecs(5.0))
    def test_right_jacobian_maps_a_change_of_the_vector_to_a_rotation_on_the_right(self, r: Array):
        assert_allclose(ff.so3_right_jacobian(r), derivative(lambda d: ff.so3_exp(r).T @ ff.so3_exp(r + d)), atol=1e-9)

    @given(rotvecs(5.0))
    def test_inverse_jacobians_are_inverses(self, r: Array):
        assert_allclose(ff.so3_left_jacobian(r) @ ff.so3_left_jacobian_inv(r), np.eye(3), atol=3e-14)
        assert_allclose(ff.so3_right_jacobian_inv(r) @ ff.so3_right_jacobian(r), np.eye(3), atol=3e-14)

    @given(rotvecs())
    def test_left_and_right_jacobians_differ_by_the_rotation(self, r: Array):
        assert_allclose(ff.so3_left_jacobian(r), ff.so3_exp(r) @ ff.so3_right_jacobian(r), atol=1e-14)

    @pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.3, 0.999, 1.0, 1.5, 3.1, 3.2])
    def test_jacobian_coefficients_match_fifty_digit_arithmetic(self, angle: float):
        J = ff.so3_left_jacobian([0.0, 0.0, angle])
        J_inv = ff.so3_left_jacobian_inv([0.0, 0.0, angle])
        with mpmath.workdps(50):
            x = mpmath.mpf(angle)
            sine, versine = (mpmath.sin(x) / x, (1 - mpmath.cos(x)) / x) if angle else (1, 0)
            cotangent = x / 2 * mpmath.cot(x / 2) if angle else 1
        assert_allclose([J[0, 0], J[1, 0]], [float(sine), float(versine)], rtol=1e-15, atol=2e-16)
        assert_allclose(J_inv[0, 0], float(cotangent), rtol=1e-15, atol=4e-16)

    @pytest.mark.parametrize("angle", [1e-160, 1e-9, 1e-5, 1e-3, 0.1, 0.7, 0.9999, 1.0001, 2.0, 3.1])
    def test_cubic_ratio_has_no_cancellation(self, angle: float):
        with mpmath.workdps(600):
            x = mpmath.mpf(angle)
            exact = float((x - mpmath.sin(x)) / x**3)
        assert_allclose(ff.cubic_ratio(angle), exact, rtol=2e-15)

    @given(vectors(3, 3.0))
    def test_rpy_is_yaw_after_pitch_after_roll_about_fixed_axes(self, rpy: Array):
        roll, pitch, yaw = rpy.tolist()
        R = ff.so3_exp([0, 0, yaw]) @ ff.so3_exp([0, pitch, 0]) @ ff.so3_exp([roll, 0, 0])
        assert_allclose(ff.rpy_to_matrix(roll, pitch, yaw), R, atol=2e-15)

    @given(vectors(3, 10.0), vectors(3, 10.0))
    def test_skew_is_the_cross_product(self, a: Array, b: Array):
        assert_allclose(ff.skew(a) @ b, np.cross(a, b), atol=1e-13)


def derivative(relative: Callable[[Array], Array], h: float = 1e-4) -> Array:
    """Central differences of the rotation vector of `relative(d)` at d = 0, Richardson-extrapolated (order 4)."""
    columns: list[Array] = []
    for axis in np.eye(3):
        wide, narrow = (
            (ff.so3_log(relative(s * axis)) - ff.so3_log(relative(-s * axis))) / (2 * s) for s in (2 * h, h)
        )
        columns.append((4 * narrow - wide) / 3)
    return np.column_stack(columns)


class TestPose:
    @given(poses, poses, poses)
    def test_composition_is_associative(self, X_AB: Pose, X_BC: Pose, X_CD: Pose):
        assert distance((X_AB @ X_BC) @ X_CD, X_AB @ (X_BC @ X_CD)) < 1e-13

    @given(poses)
    def test_inverse_cancels_on_both_sides(self, X_AB: Pose):
        assert distance(X_AB @ X_AB.inverse(), Pose.identity()) < 1e-13
        assert distance(X_AB.inverse() @ X_AB, Pose.identity()) < 1e-13

    @given(poses, poses)
    def test_composition_is_the_product_of_homogeneous_matrices(self, X_AB: Pose, X_BC: Pose):
        assert distance(X_AB @ X_BC, Pose.from_matrix(X_AB.matrix() @ X_BC.matrix())) < 1e-13

    @given(poses, poses, arrays(np.float64, (5, 3), elements=st.floats(-10.0, 10.0)))
    def test_applying_a_product_is_applying_its_factors(self, X_AB: Pose, X_BC: Pose, p_C: Array):
        p_A = (X_AB @ X_BC).apply(p_C)
        assert_allclose(p_A, X_AB.apply(X_BC.apply(p_C)), atol=1e-13)
        assert_allclose(p_A[2], (X_AB @ X_BC).apply(p_C[2]), atol=1e-13)

    @given(rotvecs(math.pi - 1e-3), vectors(3, 10.0))
    def test_log_inverts_exp(self, r: Array, v: Array):
        twist = np.concatenate([r, v])
        assert_allclose(Pose.exp(twist).log(), twist, atol=2e-13)

    @given(poses)
    def test_exp_inverts_log(self, X: Pose):
        assert distance(Pose.exp(X.log()), X) < 1e-13

    @given(vectors(6, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
    def test_exp_along_one_twist_adds_up(self, V: Array, s: float, t: float):
        assert distance(Pose.exp(s * V) @ Pose.exp(t * V), Pose.exp((s + t) * V)) < 1e-14

    @given(poses)
    def test_quaternion_and_matrix_agree(self, X: Pose):
        assert distance(Pose.from_quat(X.q, X.p), X) < 1e-14
        assert distance(Pose.from_quat(-3.0 * X.q, X.p), X) < 1e-14

    def test_from_rpy_reads_as_urdf(self):
        X = Pose.from_rpy([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
        assert_allclose(X.R, ff.rpy_to_matrix(0.1, 0.2, 0.3))
        assert_allclose(X.p, [1.0, 2.0, 3.0])

    @given(poses)
    def test_arrays_are_read_only_also_after_composing_copying_and_pickling(self, X: Pose):
        for Y in (X, X @ X, X.inverse(), Pose.identity(), copy.deepcopy(X), pickle.loads(pickle.dumps(X))):
            for array in (Y.R, Y.p):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1.0
        with pytest.raises(dataclasses.FrozenInstanceError):
            X.R = np.eye(3)  # pyright: ignore[reportAttributeAccessIssue]

    def test_a_pose_does_not_share_memory_with_its_input(self):
        R, p = np.eye(3), np.zeros(3)
        X = Pose(R, p)
        R[0, 0], p[0] = 5.0, 5.0
        assert Pose.identity() == X
        assert R.flags.writeable

    @given(poses)
    def test_equal_poses_have_equal_hashes(self, X: Pose):
        Y = pickle.loads(pickle.dumps(X))
        assert X == Y
        assert hash(X) == hash(Y)
        assert Pose(np.eye(3), [0.0, 0.0, -0.0]) == Pose.identity()
        assert hash(Pose(np.eye(3), [0.0, 0.0, -0.0])) == hash(Pose.identity())
        assert Pose(X.R, X.p + 1.0) != X
        assert X != "a pose"

    def test_is_close_bounds_angle_and_distance(self):
        X = Pose.from_rpy([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
        assert X.is_close(X @ Pose.exp([1e-10, 0, 0, 0, 0, 0]))
        assert not X.is_close(X @ Pose.exp([1e-8, 0, 0, 0, 0, 0]))
        assert not X.is_close(X @ Pose.exp([0, 0, 0, 1e-8, 0, 0]))


class TestSpatialVectors:
    @given(poses, twists)
    def test_adjoint_and_transform_twist_agree(self, X: Pose, V: Array):
        assert_allclose(X.adjoint() @ V, ff.transform_twist(X, V), atol=1e-12)

    @given(poses, wrenches)
    def test_wrenches_transform_with_the_inverse_transposed_adjoint(self, X: Pose, F: Array):
        assert_allclose(X.inverse().adjoint().T @ F, ff.transform_wrench(X, F), atol=1e-11)

    @given(poses, poses)
    def test_adjoint_of_a_product_is_the_product_of_adjoints(self, X: Pose, Y: Pose):
        assert_allclose((X @ Y).adjoint(), X.adjoint() @ Y.adjoint(), atol=1e-12)

    @given(poses, vectors(6, 1.0))
    def test_conjugation_by_a_pose_transforms_the_twist(self, X: Pose, V: Array):
        assert distance(X @ Pose.exp(V) @ X.inverse(), Pose.exp(ff.transform_twist(X, V))) < 2e-13

    @given(poses, twists, wrenches)
    def test_power_does_not_depend_on_the_frame(self, X: Pose, V: Array, F: Array):
        power = float(ff.transform_wrench(X, F) @ ff.transform_twist(X, V))
        assert_allclose(power, float(F @ V), atol=1e-9)

    @given(twists, twists, wrenches)
    def test_cross_products_are_dual(self, V: Array, U: Array, F: Array):
        assert_allclose(float(ff.cross_motion(V, U) @ F), -float(U @ ff.cross_force(V, F)), atol=1e-9)

    @given(twists, twists, twists)
    def test_motion_cross_product_satisfies_the_jacobi_identity(self, U: Array, V: Array, W: Array):
        x = ff.cross_motion
        assert_allclose(x(U, x(V, W)) + x(V, x(W, U)) + x(W, x(U, V)), np.zeros(6), atol=1e-11)

    @given(poses, twists, twists)
    def test_cross_product_commutes_with_a_change_of_frame(self, X: Pose, V: Array, U: Array):
        def to(A: Array) -> Array:
            return ff.transform_twist(X, A)

        assert_allclose(to(ff.cross_motion(V, U)), ff.cross_motion(to(V), to(U)), atol=1e-9)

    @given(vectors(6, 1.0), vectors(6, 1.0))
    def test_motion_cross_product_is_the_rate_of_the_transform(self, V: Array, U: Array):
        h = 1e-4
        rate = (ff.transform_twist(Pose.exp(h * V), U) - ff.transform_twist(Pose.exp(-h * V), U)) / (2 * h)
        assert_allclose(rate, ff.cross_motion(V, U), atol=2e-7)


class TestBadInput:
    @pytest.mark.parametrize(
        ("R", "p", "reason"),
        [
            (2.0 * np.eye(3), np.zeros(3), "orthonormal"),
            (np.diag([1.0, 1.0, -1.0]), np.zeros(3), "reflection"),
            (np.full((3, 3), np.nan), np.zeros(3), "orthonormal"),
            (np.eye(3), [0.0, np.inf, 0.0], "position must be finite"),
            (np.eye(4), np.zeros(3), r"shape \(3, 3\), got \(4, 4\)"),
            (np.eye(3), [1.0, 2.0], r"shape \(3,\), got \(2,\)"),
            ("rotation", np.zeros(3), "array of numbers, got 'rotation'"),
            (np.eye(3), [[1.0], [2.0, 3.0]], "array of numbers"),
            (np.eye(3), [10**400, 0, 0], "too large"),
        ],
    )
    def test_a_pose_refuses_what_is_not_a_rotation_or_a_point(self, R: Array, p: Array, reason: str):
        with pytest.raises(InputError, match=reason):
            Pose(R, p)

    def test_a_matrix_rounded_to_seven_digits_is_accepted(self):
        assert Pose(ff.so3_exp([0.3, -0.2, 0.9]).round(7)).is_close(Pose(ff.so3_exp([0.3, -0.2, 0.9])), 1e-6)

    @pytest.mark.parametrize(
        "call",
        [
            lambda: ff.quat_canonical([0.0, 0.0, 0.0, 0.0]),
            lambda: ff.quat_canonical([1.0, math.nan, 0.0, 0.0]),
            lambda: ff.quat_exp([math.inf, 0.0, 0.0]),
            lambda: ff.so3_left_jacobian([math.nan, 0.0, 0.0]),
            lambda: ff.quat_mul([1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
            lambda: ff.rpy_to_matrix(math.inf, 0.0, 0.0),
            lambda: Pose.from_rpy([0.0, math.nan, 0.0]),
            lambda: Pose.from_matrix(2.0 * np.eye(4)),
            lambda: Pose.identity().apply(np.zeros((3, 2))),
            lambda: Pose.identity() @ np.zeros(3),  # pyright: ignore[reportOperatorIssue]
            lambda: ff.transform_twist(Pose.identity(), np.zeros(3)),
        ],
    )
    def test_bad_values_are_refused_by_name(self, call: Callable[[], object]):
        with pytest.raises(InputError):
            call()
