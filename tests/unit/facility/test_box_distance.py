"""Distances of boxes and capsules against MuJoCo's, and where they are known in closed form."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from freefloat.compiled import onboard
from freefloat.facility.box_distance import box_distance
from freefloat.frames import Array, Pose

compiled_distance = onboard(box_distance)
EYE = np.eye(3)


def _random_pose(rng: np.random.Generator) -> Pose:
    q = rng.normal(size=4)
    return Pose.from_quat(q / np.linalg.norm(q), rng.uniform(-1.2, 1.2, 3))


def _solid(rng: np.random.Generator, kind: str) -> tuple[Array, float]:
    h = rng.uniform(0.05, 0.6, 3)
    return {
        "box": (h, 0.0),
        "capsule": (np.array([0.0, 0.0, h[2]]), 0.5 * h[0]),
        "sphere": (np.zeros(3), 0.5 * h[0]),
    }[kind]


def _by_mujoco(kinds: tuple[str, str], solids: list[tuple[Array, float]], poses: list[Pose]) -> float:
    spec = mujoco.MjSpec()
    spec.option.ccd_tolerance = 1e-10
    spec.option.ccd_iterations = 200
    for kind, (half, r), X in zip(kinds, solids, poses, strict=True):
        size = {"box": half, "capsule": [r, half[2], 0.0], "sphere": [r, 0.0, 0.0]}[kind]
        geom = getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")
        spec.worldbody.add_geom(type=geom, size=size, pos=X.p, quat=X.q)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None)


@pytest.mark.parametrize("kinds", [("box", "box"), ("box", "capsule"), ("capsule", "capsule"), ("sphere", "box")])
def test_distance_and_depth_are_those_of_mujoco(kinds: tuple[str, str]) -> None:
    rng = np.random.default_rng(3)
    apart = 0
    for _ in range(150):
        solids, poses = [_solid(rng, kind) for kind in kinds], [_random_pose(rng) for _ in kinds]
        (a, r_a), (b, r_b) = solids
        X, Y = poses
        own = compiled_distance(X.p, X.R, a, r_a, Y.p, Y.R, b, r_b, math.inf)
        back = compiled_distance(Y.p, Y.R, b, r_b, X.p, X.R, a, r_a, math.inf)
        other = _by_mujoco(kinds, solids, poses)
        assert own == pytest.approx(back, abs=1e-12)
        if own > -(r_a + r_b) or kinds == ("box", "box"):  # deeper, MuJoCo's depth of round shapes is not the least
            assert own == pytest.approx(other, abs=1e-6)
        apart += own > 0.0
    assert 20 < apart < 150


def test_edges_that_cross_are_as_far_as_their_common_normal() -> None:
    half = np.array([0.1, 0.2, 0.3])
    turned = Pose.from_rpy((0.25 * np.pi, 0.0, 0.0)).R  # an edge along x up
    across = Pose.from_rpy((0.0, 0.25 * np.pi, 0.0)).R  # an edge along y down
    cube = np.full(3, 0.2)
    gap = 0.07
    height = 2.0 * 0.2 * math.sqrt(2.0) + gap
    d = compiled_distance(np.zeros(3), turned, cube, 0.0, np.array([0.0, 0.0, height]), across, cube, 0.0, math.inf)
    assert d == pytest.approx(gap, abs=1e-15)
    side = compiled_distance(np.zeros(3), EYE, half, 0.0, np.array([0.5, 0.0, 0.0]), EYE, half, 0.0, math.inf)
    assert side == pytest.approx(0.3, abs=1e-15)


def test_what_is_farther_than_asked_is_told_as_at_least_that() -> None:
    cube = np.full(3, 0.1)
    at = np.array([1.0, 1.0, 1.0])
    exact = compiled_distance(np.zeros(3), EYE, cube, 0.0, at, EYE, cube, 0.0, math.inf)
    assert exact == pytest.approx(0.8 * math.sqrt(3.0), abs=1e-15)
    assert 0.5 <= compiled_distance(np.zeros(3), EYE, cube, 0.0, at, EYE, cube, 0.0, 0.5) <= exact
