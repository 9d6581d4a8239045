"""Convex pairs as Python makes them: hulls where their file says, what is refused, bounding radii."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh
from numba import njit

from freefloat.contact.convex_pair import ConvexPair
from freefloat.errors import InputError
from freefloat.geometry.shape import Shape
from freefloat.kernels.convex import convex_gap

BOX, BALL, ROD = Shape("box", (0.1, 0.2, 0.15)), Shape("sphere", (0.1,)), Shape("cylinder", (0.1, 0.2))
GROWN = Shape("box", (0.104, 0.204, 0.154))


@njit
def _gap(pair, R_a, p_a, R_b, p_b, reach):
    return convex_gap(pair, R_a, p_a, R_b, p_b, reach)


def turned(seed: int) -> np.ndarray:
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return (q * np.sign(np.diag(r).prod() * np.linalg.det(q))).ravel()


def brick(folder: Path, offset: Any) -> Shape:
    """A mesh of a box 0.2 x 0.4 x 0.3 m in millimetres, with a dent that its hull does not have, off its frame."""
    mesh = trimesh.creation.box((200.0, 400.0, 300.0)).subdivide()
    dent = np.argmin(np.linalg.norm(mesh.vertices - [100.0, 0.0, 0.0], axis=1))
    mesh.vertices[dent, 0] = 50.0
    mesh.apply_translation(1e3 * np.array(offset))
    mesh.export(folder / "brick.stl")
    return Shape("mesh", (1e-3, 1e-3, 1e-3), mesh=str(folder / "brick.stl"))


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0), (0.5, -0.25, 1.0)])
def test_a_mesh_is_its_hull_where_the_file_says_and_grows_by_the_rounding(tmp_path: Path, offset: Any) -> None:
    rng = np.random.default_rng(1)
    mesh, plain = ConvexPair(brick(tmp_path, offset), BALL, 0.004), ConvexPair(GROWN, BALL, 0.004)
    for k in range(50):
        R_a, R_b, p_a = turned(k), turned(k + 50), rng.normal(size=3)
        middle = p_a + R_a.reshape(3, 3) @ offset
        p_b = middle + rng.choice([-1.0, 1.0], 3) * rng.uniform(0.2, 0.4, 3)
        d, n, p = _gap(mesh.address, R_a, p_a, R_b, p_b, 5.0)
        d2, n2, p2 = _gap(plain.address, R_a, middle, R_b, p_b, 5.0)
        assert d == pytest.approx(d2, abs=1e-7)  # MuJoCo keeps corners in single precision
        assert n == pytest.approx(n2, abs=1e-6)
        assert p == pytest.approx(p2, abs=1e-7)
    corners = [np.add(offset, [0.1 * i, 0.2 * j, 0.15 * k]) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    assert mesh.radius_a == pytest.approx(max(np.linalg.norm(c) for c in corners) + 0.004, rel=1e-6)


def test_a_mesh_face_is_exact_in_its_own_frame(tmp_path: Path) -> None:
    pair = ConvexPair(brick(tmp_path, (0.5, -0.25, 1.0)), BALL, 0.004)
    one = np.eye(3).ravel()
    d, n, p = _gap(pair.address, one, np.zeros(3), one, np.array([0.9, -0.3, 1.05]), 5.0)
    assert (d, *n) == pytest.approx((0.9 - 0.6 - 0.1 - 0.004, 1.0, 0.0, 0.0), abs=1e-7)
    assert p == pytest.approx([0.604 + 0.5 * d, -0.3, 1.05], abs=1e-7)


def test_bounding_radii_hold_the_shapes_and_roundings_are_told() -> None:
    pair = ConvexPair(BOX, Shape("capsule", (0.05, 0.3)), 0.004)
    assert (pair.radius_a, pair.radius_b) == pytest.approx((np.sqrt(0.0725), 0.35), abs=1e-15)
    assert (pair.rounding_a, pair.rounding_b) == (0.004, 0.05)


@pytest.mark.parametrize(
    ("shape", "rounding", "words"),
    [
        (BOX, 0.1, "rounding of a box .* below its half sizes"),
        (ROD, 0.0, "rounding of a cylinder: 0.0 m; allowed: above 0"),
        (BALL, float("nan"), "rounding of a sphere: nan"),
        (Shape("sphere", (0.0,)), 0.01, "size of a sphere .* above 0"),
        (Shape("mesh", (1.0, 1.0, 1.0), mesh="nowhere.stl"), 0.01, "nowhere.stl"),
    ],
)
def test_what_cannot_be_is_refused_by_name(shape: Shape, rounding: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        ConvexPair(shape, BOX if shape is not BOX else BALL, rounding)


def test_a_flat_mesh_is_refused(tmp_path: Path) -> None:
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).export(tmp_path / "flat.stl")
    with pytest.raises(InputError, match=r"flat\.stl' is flat"):
        ConvexPair(BALL, Shape("mesh", (1.0, 1.0, 1.0), mesh=str(tmp_path / "flat.stl")), 0.01)


def test_a_pair_that_mujoco_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco, "mj_geomDistance", lambda m, d, a, b, distmax, fromto: distmax)
    with pytest.raises(InputError, match="contact of box with cylinder: MuJoCo has no distance"):
        ConvexPair(BOX, ROD, 0.01)
