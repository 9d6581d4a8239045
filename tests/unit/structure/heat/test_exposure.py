"""Exposed faces and sunlight on them: areas, covered faces, shadows of other modules and bodies."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.grid import Grid, cubic, hexagonal
from freefloat.structure.heat.exposure import absorbed, exposed_faces
from freefloat.structure.module import InterfaceType, Module, ModuleType
from freefloat.structure.tensor_body import TensorBody

SI = InterfaceType("si")
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
CUBE = ModuleType("cube", 8.0, UNIT, (SI,) * 6, absorptivity=0.3, emissivity=0.8)
DARK = ModuleType("dark", 8.0, UNIT, (SI,) * 6, absorptivity=0.95, emissivity=0.87)
TILE = ModuleType("tile", 10.0, UNIT, (SI,) * 7, size=(1.0, 1.0, 0.1))
HERE = Pose.identity()


def filled(grid: Grid, places: list[int], kind: ModuleType = CUBE, first: int = 1) -> TensorBody:
    body = TensorBody("body", grid, Catalogue((CUBE, DARK, TILE), (SI,)))
    for identity, place in enumerate(places, start=first):
        body.insert(place, Module(identity, kind))
    return body


def projected(faces: object, sun: np.ndarray) -> float:
    """Lit area seen from the Sun."""
    return float(faces.lit(sun) @ (faces.area * np.maximum(faces.normal @ sun, 0.0)))


def test_one_cube_shows_six_faces_and_the_sun_lights_those_that_look_at_it() -> None:
    faces = exposed_faces([(filled(cubic(3, 3, 3), [13]), HERE)])
    assert faces.area.tolist() == pytest.approx([0.16] * 6)
    assert np.allclose(faces.centre, 0.2 * faces.normal)
    assert faces.node.tolist() == [13] * 6
    sun = np.array([1.0, 2.0, -3.0])
    assert faces.lit(sun).tolist() == (faces.normal @ sun > 0.0).astype(float).tolist()


def test_faces_between_neighbours_are_covered() -> None:
    grid = cubic(4, 4, 4)
    faces = exposed_faces([(filled(grid, list(range(64))), HERE)])
    assert len(faces.node) == 6 * 16
    assert faces.area.sum() == pytest.approx(6 * 1.6**2)
    assert faces.radiating.sum() == pytest.approx(0.8 * 6 * 1.6**2)
    inner = grid.index((1, 1, 1))
    assert faces.radiating[inner] == 0.0


def test_a_hexagonal_tile_has_sides_a_top_and_a_bottom() -> None:
    faces = exposed_faces([(filled(hexagonal([(0, 0), (1, 0)]), [0], TILE), HERE)])
    hexagon, side = 0.75**0.5, 0.1 / 3.0**0.5
    assert sorted(faces.area.tolist()) == pytest.approx([side] * 6 + [hexagon] * 2)
    assert np.allclose((faces.area[:, None] * faces.normal).sum(axis=0), 0.0, atol=1e-12)
    assert faces.lit([0.0, 0.0, -1.0])[7] == 1.0
    pair = exposed_faces([(filled(hexagonal([(0, 0), (1, 0)]), [0, 1], TILE), HERE)])
    assert len(pair.node) == 14


@pytest.mark.parametrize("kind", ["cubic", "hexagonal"])
def test_the_lit_area_of_a_convex_block_is_its_shadow(kind: str) -> None:
    rng = np.random.default_rng(1)
    block = filled(cubic(2, 3, 2), list(range(12))) if kind == "cubic" else filled(hexagonal([(0, 0)]), [0], TILE)
    faces = exposed_faces([(block, Pose(so3_exp([0.3, -0.4, 1.0]), [5.0, 1.0, -2.0]))])
    for sun in rng.standard_normal((10, 3)):
        sun /= np.linalg.norm(sun)
        shadow = 0.5 * (faces.area * np.abs(faces.normal @ sun)).sum()
        assert projected(faces, sun) == pytest.approx(shadow, rel=1e-9)


def test_a_module_above_shadows_what_is_below_it() -> None:
    grid = cubic(1, 1, 3)
    faces = exposed_faces([(filled(grid, [0, 2]), HERE)])
    lit = faces.lit([0.0, 0.0, 1.0])
    top = faces.side == 4
    assert lit[top & (faces.node == 0)] == 0.0
    assert lit[top & (faces.node == 2)] == 1.0
    assert lit[~top].tolist() == [0.0] * 10


def test_a_shadow_that_ends_on_a_face_leaves_the_rest_lit() -> None:
    """A cube 0.4 m higher and 0.65 m aside: with the Sun at 45 deg its shadow ends 0.15 m before the top's edge."""
    lower, upper = filled(cubic(1, 1, 1), [0]), filled(cubic(1, 1, 1), [0], first=2)
    faces = exposed_faces([(lower, HERE), (upper, Pose(np.eye(3), [0.65, 0.0, 0.4]))], splits=16)
    lit = faces.lit([1.0, 0.0, 1.0])
    assert lit[(faces.body == 0) & (faces.side == 4)] == pytest.approx(0.25 / 0.4, abs=0.02)
    assert lit[(faces.body == 1) & (faces.side == 4)] == 1.0


def test_the_lit_area_of_scattered_modules_is_the_area_of_their_shadow() -> None:
    """Against counting on a fine screen across the Sun's direction: no part of a shadow is lit twice."""
    rng = np.random.default_rng(3)
    grid = cubic(4, 4, 4)
    places = np.flatnonzero(rng.random(64) < 0.3).tolist()
    faces = exposed_faces([(filled(grid, places), HERE)], splits=10)
    sun = np.array([0.5, 0.3, 0.8]) / np.linalg.norm([0.5, 0.3, 0.8])
    across = np.linalg.svd(sun[None])[2][1:]
    step = 0.01
    u, v = np.meshgrid(np.arange(-1.6, 1.6, step), np.arange(-1.6, 1.6, step))
    start = u[..., None] * across[0] + v[..., None] * across[1]
    hit = np.zeros(u.shape, dtype=bool)
    for place in places:
        a = (grid.p_TP[place] - 0.2 - start) / sun
        b = (grid.p_TP[place] + 0.2 - start) / sun
        hit |= np.minimum(a, b).max(axis=-1) < np.maximum(a, b).min(axis=-1)
    assert projected(faces, sun) == pytest.approx(hit.sum() * step**2, rel=0.02)


def test_light_does_not_depend_on_the_frame_even_far_from_its_origin() -> None:
    rng = np.random.default_rng(4)
    body = filled(cubic(3, 3, 3), [0, 4, 9, 13, 22, 26])
    X_WB = Pose(so3_exp(rng.standard_normal(3)), [7e6, -2e5, 3e4])
    here, there = exposed_faces([(body, HERE)]), exposed_faces([(body, X_WB)])
    sun = np.array([0.2, 0.9, 0.4])
    assert np.abs(here.lit(sun) - there.lit(X_WB.R @ sun)).max() <= 1.0 / 16.0 + 1e-12


def test_nodes_of_later_bodies_follow_those_of_earlier_ones() -> None:
    first, second = filled(cubic(1, 1, 2), [1]), filled(cubic(1, 1, 3), [2], first=5)
    faces = exposed_faces([(first, HERE), (second, Pose(np.eye(3), [5.0, 0.0, 0.0]))])
    assert faces.nodes == 5
    assert faces.node.tolist() == [1] * 6 + [4] * 6
    assert faces.body.tolist() == [0] * 6 + [1] * 6


def test_absorbed_power_is_the_sum_over_faces_of_each_surface() -> None:
    body = filled(cubic(1, 1, 3), [0])
    body.insert(2, Module(9, DARK))
    faces = exposed_faces([(body, HERE)])
    sun = np.array([0.0, 0.0, 1.0])
    albedo, infrared = np.full(len(faces.node), 100.0), np.full(len(faces.node), 200.0)
    q = absorbed(faces, faces.lit(sun), sun, 1361.0, albedo, infrared)
    assert q[0] == pytest.approx(6 * 0.16 * (0.3 * 100.0 + 0.8 * 200.0))
    assert q[1] == 0.0
    assert q[2] == pytest.approx(0.16 * 0.95 * 1361.0 + 6 * 0.16 * (0.95 * 100.0 + 0.87 * 200.0))


def test_empty_bodies_have_no_faces() -> None:
    faces = exposed_faces([(filled(cubic(2, 2, 2), []), HERE)])
    assert len(faces.node) == 0
    assert faces.radiating.tolist() == [0.0] * 8
    assert faces.lit([1.0, 0.0, 0.0]).shape == (0,)
    assert exposed_faces([]).nodes == 0


def test_a_direction_of_zero_length_is_refused() -> None:
    with pytest.raises(InputError, match="direction"):
        exposed_faces([(filled(cubic(1, 1, 1), [0]), HERE)]).lit([0.0, 0.0, 0.0])
