"""Gaps of convex pairs: closed forms, normals against differences, exchange, reach, cores that touch."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numba import njit

from freefloat.contact.convex_pair import ConvexPair
from freefloat.geometry.shape import Shape
from freefloat.kernels.convex import convex_gap
from freefloat.kernels.segments import capsule_gap
from freefloat.kernels.surfaces import BOX, CYLINDER, distance

SHAPES = {
    "box": Shape("box", (0.1, 0.2, 0.15)),
    "sphere": Shape("sphere", (0.1,)),
    "cylinder": Shape("cylinder", (0.1, 0.2)),
    "capsule": Shape("capsule", (0.1, 0.2)),
}
ROUNDING = 0.004
ONE = np.eye(3).ravel()


@njit
def _gap(pair, R_a, p_a, R_b, p_b, reach):
    return convex_gap(pair, R_a, p_a, R_b, p_b, reach)


@njit
def _distance(kind, a, b, c, p):
    return distance(kind, a, b, c, p[0], p[1], p[2])


@njit
def _capsules(p_a, u_a, r_a, p_b, u_b, r_b):
    return capsule_gap(p_a, u_a, r_a, p_b, u_b, r_b)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shape]:
    path: Path = tmp_path_factory.mktemp("mesh") / "pebble.stl"
    points = np.random.default_rng(3).normal(size=(30, 3))
    points *= [[0.1, 0.15, 0.2]] / np.linalg.norm(points, axis=1)[:, None]
    trimesh.PointCloud(np.add(points, [0.05, 0.0, 0.1])).convex_hull.export(path)
    return {**SHAPES, "mesh": Shape("mesh", (1.0, 1.0, 1.0), mesh=str(path))}


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.ascontiguousarray(q * np.linalg.det(q)).ravel()


def poses(pair: ConvexPair, n: int, depth: float, seed: int) -> list[Any]:
    """Random poses in which the gap is -depth."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        R_a, R_b, p_a, u = turned(rng), turned(rng), rng.normal(size=3), rng.normal(size=3)
        low, high = 0.0, 2.0
        for _ in range(50):
            s = 0.5 * (low + high)
            low, high = (
                (low, s)
                if _gap(pair.address, R_a, p_a, R_b, p_a + s * u / np.linalg.norm(u), 9.0)[0] > -depth
                else (s, high)
            )
        found.append((R_a, p_a, R_b, p_a + high * u / np.linalg.norm(u)))
    return found


@pytest.mark.parametrize(("a", "b"), list(combinations_with_replacement([*SHAPES, "mesh"], 2)))
def test_the_normal_is_the_gradient_of_the_gap_through_contact(shapes: dict[str, Shape], a: str, b: str) -> None:
    pair, step = ConvexPair(shapes[a], shapes[b], ROUNDING), 1e-6
    allowed = 3e-5 if {a, b} == {"cylinder", "mesh"} else 1e-8  # MuJoCo's own
    for R_a, p_a, R_b, p_b in poses(pair, 40, 0.001, 5):
        _, n, _ = _gap(pair.address, R_a, p_a, R_b, p_b, 9.0)
        moved = [[_gap(pair.address, R_a, p_a, R_b, p_b + s * step * e, 9.0)[0] for s in (1, -1)] for e in np.eye(3)]
        assert n == pytest.approx([(x - y) / (2.0 * step) for x, y in moved], abs=allowed)
        assert float(np.dot(n, n)) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(("a", "b"), list(combinations_with_replacement([*SHAPES, "mesh"], 2)))
def test_exchange_turns_the_normal_and_keeps_the_gap(shapes: dict[str, Shape], a: str, b: str) -> None:
    pair, other = ConvexPair(shapes[a], shapes[b], ROUNDING), ConvexPair(shapes[b], shapes[a], ROUNDING)
    allowed = 3e-5 if {a, b} == {"cylinder", "mesh"} else 1e-8
    for R_a, p_a, R_b, p_b in poses(pair, 20, -0.01, 6):
        d, n, p = _gap(pair.address, R_a, p_a, R_b, p_b, 9.0)
        d2, n2, p2 = _gap(other.address, R_b, p_b, R_a, p_a, 9.0)
        assert d2 == pytest.approx(d, abs=1e-11)
        assert n2 == pytest.approx(-np.array(n), abs=allowed)
        assert p2 == pytest.approx(p, abs=allowed)


@pytest.mark.parametrize(("kind", "number"), [("box", BOX), ("cylinder", CYLINDER)])
def test_a_sphere_is_as_far_as_its_centre_from_the_rounded_solid(kind: str, number: int) -> None:
    pair, rng = ConvexPair(SHAPES[kind], SHAPES["sphere"], ROUNDING), np.random.default_rng(7)
    core = [*(np.array(SHAPES[kind].size) - ROUNDING), 0.0][:3]
    for _ in range(200):
        R, x = turned(rng), rng.uniform(-0.4, 0.4, 3)
        d, *g = _distance(number, *core, x)
        if d < 1e-6:
            continue
        found, n, p = _gap(pair.address, R, np.array([3.0, 2.0, 1.0]), ONE, R.reshape(3, 3) @ x + [3.0, 2.0, 1.0], 9.0)
        assert found == pytest.approx(d - ROUNDING - 0.1, abs=1e-9)
        assert n == pytest.approx(R.reshape(3, 3) @ g, abs=1e-9)
        middle = x - (0.1 + 0.5 * found) * np.array(g)
        assert p == pytest.approx(R.reshape(3, 3) @ middle + [3.0, 2.0, 1.0], abs=1e-9)


def test_capsules_are_as_far_as_in_closed_form() -> None:
    pair, rng = ConvexPair(SHAPES["capsule"], SHAPES["capsule"], ROUNDING), np.random.default_rng(8)
    for _ in range(200):
        R_a, R_b, p_a, p_b = turned(rng), turned(rng), rng.normal(0.0, 0.2, 3), rng.normal(0.0, 0.2, 3)
        d, n, p = _capsules(p_a, 0.2 * R_a[2::3], 0.1, p_b, 0.2 * R_b[2::3], 0.1)
        if d > -0.2 + 1e-4:
            found = _gap(pair.address, R_a, p_a, R_b, p_b, 9.0)
            assert found[0] == pytest.approx(d, abs=1e-9)
            assert found[1] == pytest.approx(n, abs=1e-9)
            assert found[2] == pytest.approx(p, abs=1e-9)


def test_faces_of_boxes_meet_as_far_as_they_are() -> None:
    pair = ConvexPair(SHAPES["box"], SHAPES["box"], ROUNDING)
    for gap in (0.05, 0.0, -0.003):
        d, n, _ = _gap(pair.address, ONE, np.zeros(3), ONE, np.array([0.2 + gap, 0.03, -0.02]), 9.0)
        assert (d, *n) == pytest.approx((gap, 1.0, 0.0, 0.0), abs=1e-12)


def test_beyond_reach_the_gap_is_reach() -> None:
    pair = ConvexPair(SHAPES["box"], SHAPES["cylinder"], ROUNDING)
    for x in (0.26, 0.4, 5.0):  # by MuJoCo, and by the balls round them
        d, n, p = _gap(pair.address, ONE, np.zeros(3), ONE, np.array([x, 0.0, 0.0]), 0.05)
        assert d == pytest.approx(min(x - 0.2, 0.05), abs=1e-12)
        assert n == (1.0, 0.0, 0.0)
        assert np.isfinite(p).all()


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("b", SHAPES)
def test_cores_that_touch_or_coincide_have_a_normal(a: str, b: str) -> None:
    pair = ConvexPair(SHAPES[a], SHAPES[b], ROUNDING)
    halves = {"box": 0.1 - ROUNDING, "cylinder": 0.1 - ROUNDING, "sphere": 0.0, "capsule": 0.0}
    touching = halves[a] + halves[b]
    for x in (0.0, touching):
        d, n, p = _gap(pair.address, ONE, np.zeros(3), ONE, np.array([x, 0.0, 0.0]), 0.05)
        assert d <= 1e-9 - pair.rounding_a - pair.rounding_b
        assert float(np.dot(n, n)) == pytest.approx(1.0, abs=1e-14)
        assert np.isfinite(p).all()
    if touching > 0.0:
        assert n == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize(("a", "b"), list(combinations_with_replacement(["box", "cylinder", "mesh"], 2)))
def test_the_normal_does_not_turn_where_cores_begin_to_overlap(shapes: dict[str, Shape], a: str, b: str) -> None:
    pair = ConvexPair(shapes[a], shapes[b], ROUNDING)
    depth, counted = 2.0 * ROUNDING - 1e-4, 0
    for R_a, p_a, R_b, p_b in poses(pair, 20, depth, 9):
        before, n, _ = _gap(pair.address, R_a, p_a, R_b, p_b, 9.0)
        if abs(before + depth) > 1e-9:
            continue  # the mesh's origin is outside its hull, and this line misses it
        counted += 1
        for more in (1e-6, 1e-8, 0.0, -1e-8, -1e-6, -1e-5):
            d, m, _ = _gap(pair.address, R_a, p_a, R_b, p_b + (more - 1e-4) * np.array(n), 9.0)
            assert d == pytest.approx(more - 2.0 * ROUNDING, abs=1e-8)
            assert m == pytest.approx(n, abs=2e-3)
    assert counted > 10


def test_a_capsule_whose_axis_is_in_a_box_is_inside() -> None:
    pair, rng = ConvexPair(SHAPES["box"], SHAPES["capsule"], ROUNDING), np.random.default_rng(10)
    for _ in range(200):
        d, _, _ = _gap(pair.address, ONE, np.zeros(3), turned(rng), rng.uniform(-0.09, 0.09, 3), 9.0)
        assert d < -0.104
