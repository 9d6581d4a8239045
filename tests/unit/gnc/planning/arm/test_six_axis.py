"""Forward and inverse kinematics of industrial arms."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_log
from freefloat.gnc.planning.arm.six_axis import OutOfReachError, SixAxis
from freefloat.six_axis_arms import ARMS

BASE = Pose.from_rpy((0.1, -0.2, 0.7), (0.3, -0.4, 0.2))
TOOL = Pose.from_rpy((-0.4, 0.6, 1.1), (0.05, -0.1, 0.3))


@pytest.fixture(params=sorted(ARMS))
def robot(request: pytest.FixtureRequest) -> SixAxis:
    return SixAxis.of(request.param, BASE, TOOL)


def axes(robot: SixAxis, n: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (n, 6))


@pytest.mark.parametrize(
    ("name", "flange"),
    [("kr16-2", (1.088, 0.0, 1.320)), ("kr240-2", (1.680, 0.0, 1.945)), ("kr100-ha", (1.580, 0.0, 1.945))],
)
def test_the_home_pose_is_where_the_data_sheets_lengths_put_it(name: str, flange: tuple[float, ...]) -> None:
    X = SixAxis.of(name).flange(np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0]))
    assert X.p == pytest.approx(flange, abs=1e-12)
    assert np.allclose(X.R[:, 2], [1.0, 0.0, 0.0], atol=1e-12)  # z outwards


def test_axes_turn_in_kukas_sense() -> None:
    """A1 turns clockwise from above, A2 and A3 downwards, A4 and A6 clockwise as seen from behind the flange."""
    robot = SixAxis.of("kr16-2")
    home = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
    before = robot.flange(home)
    turned = [robot.flange(home + 0.1 * np.eye(6)[j]) for j in range(6)]
    assert turned[0].p[1] < before.p[1]
    assert all(turned[j].p[2] < before.p[2] for j in (1, 2, 4))
    for j in (3, 5):
        assert so3_log(turned[j].R @ before.R.T) == pytest.approx([-0.1, 0.0, 0.0], abs=1e-12)


def test_every_branch_reaches_the_pose_and_the_generating_one_is_among_them(robot: SixAxis) -> None:
    for q in axes(robot, 100):
        X = robot.forward(q)
        found = robot.inverse(X)
        assert min(np.abs(s.q - q).max() for s in found) < 1e-8
        for s in found:
            Y = robot.forward(s.q)
            assert np.abs(Y.p - X.p).max() < 1e-10
            assert np.abs(Y.R - X.R).max() < 1e-10
            assert (s.q >= robot.lower - 1e-9).all()
            assert (s.q <= robot.upper + 1e-9).all()


def test_the_jacobian_is_the_slope_of_the_pose(robot: SixAxis) -> None:
    h = 1e-6
    for q in axes(robot, 5):
        slope = np.zeros((6, 6))
        for j in range(6):
            A, B = (robot.forward(q + s * h * np.eye(6)[j]) for s in (1, -1))
            slope[:, j] = np.concatenate([so3_log(A.R @ B.R.T), A.p - B.p]) / (2.0 * h)
        assert robot.jacobian(q) == pytest.approx(slope, abs=1e-8)


def test_the_drift_is_what_the_jacobian_changes_along_the_motion(robot: SixAxis) -> None:
    h, qd = 1e-5, np.array([0.3, -0.5, 0.4, 1.0, -0.8, 0.6])
    for q in axes(robot, 5):
        slope = (robot.jacobian(q + h * qd) - robot.jacobian(q - h * qd)) @ qd / (2.0 * h)
        assert robot.drift(q, qd) == pytest.approx(slope, abs=1e-8)


def test_the_nearest_way_goes_on_from_the_axes_of_now(robot: SixAxis) -> None:
    for q in axes(robot, 50):
        q = np.clip(q, robot.lower + 0.01, robot.upper - 0.01)
        moved = q + 1e-3 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
        if robot.singularity(q).near():
            continue  # another branch may be nearer there
        assert robot.nearest(robot.forward(moved), q) == pytest.approx(moved, abs=1e-8)


def test_a_pose_has_copies_of_axes_that_turn_more_than_once() -> None:
    robot = SixAxis.of("kr16-2")
    q = np.radians([10.0, -60.0, 70.0, 100.0, 40.0, -120.0])
    found = [s.q for s in robot.inverse(robot.forward(q)) if s.branch == 0]
    turns = {tuple(np.round(np.degrees(s[[3, 5]])).astype(int)) for s in found}
    assert turns == {(100, -120), (-260, -120), (100, 240), (-260, 240)}


def test_an_endless_axis_goes_on_beyond_its_limits() -> None:
    robot = SixAxis.of("kr240-2", endless=("A4", "A6"))
    q = np.array([0.1, -1.2, 1.4, 30.0, 0.7, -25.0])
    assert robot.nearest(robot.forward(q), q - 1e-3) == pytest.approx(q, abs=1e-9)


def test_branches_are_named_as_they_stand() -> None:
    robot = SixAxis.of("kr16-2")
    home = np.radians([0.0, -90.0, 90.0, 0.0, 30.0, 0.0])
    names = {s.name: s.q for s in robot.inverse(robot.forward(home))}
    assert names["front, elbow up, wrist straight"] == pytest.approx(home, abs=1e-12)
    over = np.radians([0.0, -150.0, -60.0, 0.0, 30.0, 0.0])  # reaches back over its head
    found = next(s for s in robot.inverse(robot.forward(over)) if np.abs(s.q - over).max() < 1e-9)
    assert found.name == "back, elbow up, wrist straight"


def test_in_a_singular_wrist_the_fourth_axis_stays() -> None:
    robot = SixAxis.of("kr16-2")
    q = np.radians([5.0, -80.0, 95.0, 33.0, 0.0, -20.0])
    assert robot.nearest(robot.forward(q), q) == pytest.approx(q, abs=1e-9)
    assert robot.singularity(q).near() == ("wrist",)


def test_singularities_are_told_with_how_near_they_are() -> None:
    robot = SixAxis.of("kr16-2")
    bend = np.arctan2(-0.035, 0.67)
    near = robot.singularity([0.0, -1.0, bend + 0.01, 0.0, 0.03, 0.0])
    assert (near.wrist, near.elbow) == pytest.approx((0.03, 0.01), abs=1e-12)
    assert near.near() == ("elbow",)
    up = -0.5 * np.pi - np.arcsin(0.26 / (0.68 + np.hypot(0.67, 0.035)))  # stretched, wrist above A1
    assert robot.singularity([0.0, up, bend, 0.0, 0.5, 0.0]).shoulder < 1e-12
    J = robot.jacobian([0.0, -1.0, 1.0, 0.4, 0.0, 0.3])
    assert np.linalg.svd(J)[1][-1] < 1e-12


def test_a_pose_out_of_reach_is_refused_with_the_distance() -> None:
    robot = SixAxis.of("kr16-2", X_FT=Pose(np.eye(3), [0.0, 0.0, 0.1]))
    out = Pose.from_rpy((0.0, 0.5 * np.pi, 0.0), (3.0, 0.0, 0.675))
    reach = 0.26 + 0.68 + np.hypot(0.67, 0.035) + 0.158 + 0.1
    with pytest.raises(OutOfReachError, match=r"kr16-2: pose at \(3, 0, 0.675\) m is out of reach.* too far") as told:
        robot.nearest(out, np.zeros(6))
    assert told.value.distance == pytest.approx(3.0 - reach, abs=1e-12)
    with pytest.raises(OutOfReachError, match="too far"):
        robot.inverse(out)


def test_a_pose_beyond_the_limits_of_an_axis_is_refused_with_the_axis() -> None:
    robot = SixAxis.of("kr240-2")
    q = np.radians([0.0, 5.0, 60.0, 20.0, 40.0, 0.0])  # A2 ends at 0
    assert robot.inverse(robot.forward(q)) == []
    with pytest.raises(OutOfReachError, match=r"limits of .*A2"):
        robot.nearest(robot.forward(q), q)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="kr16-2"):
        SixAxis.of("kr16")
    with pytest.raises(InputError, match="endless 'A7'"):
        SixAxis.of("kr16-2", endless=("A7",))
    with pytest.raises(InputError, match="6 finite numbers"):
        SixAxis.of("kr16-2").forward([0.0] * 5)
