"""The floor's bank: its spline against the map's own, contacts, walls, and maps of several sizes side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import freefloat as ff
from freefloat.kernels.floor import FLOOR, _wall, floor_height
from freefloat.platforms.height_map import HeightMap, flat, synthetic
from freefloat.platforms.platform import Body, FloatingPlatform, Floor
from freefloat.units import G0

SIZE = (4.8, 9.0)  # [m]
BODY = Body(200.0, 12.0, radius=0.35, height=1.0)
WALLS = {"half": (2.4, 4.5), "radius": 0.35, "stiffness": 5.0e4, "damping": 2.0}
MAPS = (synthetic(3, SIZE), HeightMap(1e-3 * np.random.default_rng(4).normal(size=(4, 7)), 1.5), flat(SIZE))


@njit
def _height(f, x, y):
    return floor_height(f, x, y)


@njit
def _force(f, q, v, half):
    return _wall(f, q, v, half)


def row(m: HeightMap, contacts: Any = ((0.0, 0.0),), **walls: Any) -> np.ndarray:
    places = np.zeros((3, 2))
    places[: len(contacts)] = contacts
    return np.array(
        FLOOR.row(
            "floor",
            body="body",
            weight=2000.0 / len(contacts),
            contacts=len(contacts),
            p_BC=places,
            spacing=m.spacing,
            rows=m.coefficients.shape[0],
            columns=m.coefficients.shape[1],
            coefficients=m.coefficients,
            **{**WALLS, **walls},
        ).f
    )


@pytest.mark.parametrize("m", MAPS, ids=["synthetic", "coarse", "flat"])
@given(p=st.tuples(st.floats(-6.0, 6.0), st.floats(-6.0, 6.0)))
def test_the_kernel_reads_the_same_height_and_gradient_as_the_map(m: HeightMap, p: Any) -> None:
    h, slope = m.at(p)
    z, gx, gy = _height(row(m), *p)
    assert z == pytest.approx(h, abs=1e-15)
    assert (gx, gy) == pytest.approx(tuple(slope), abs=1e-15)


def test_the_kernel_is_exact_on_points_and_edges_of_the_map() -> None:
    m = MAPS[1]
    nx, ny = m.heights.shape
    for i in range(nx):
        for j in range(ny):
            z, _, _ = _height(row(m), 1.5 * (i - 0.5 * (nx - 1)), 1.5 * (j - 0.5 * (ny - 1)))
            assert z == pytest.approx(m.heights[i, j], abs=1e-17)


def session(
    ground: Floor, pose: Any = (0.0, 0.0, 0.0), rate: Any = (0.0, 0.0, 0.0), single: bool = False
) -> ff.Session:
    platform = FloatingPlatform("body", BODY, ground, pose, rate, single)
    return ff.Mission([platform], integrator=ff.Dopri5(1e-3)).session()


def potential(ground: Floor, q: np.ndarray, single: bool) -> float:
    s = session(ground, tuple(q), single=single)
    return float(s.read("body.floor")[0])


poses = st.tuples(st.floats(-2.0, 2.0), st.floats(-4.1, 4.1), st.floats(-10.0, 10.0))


@pytest.mark.parametrize("single", [True, False], ids=["single", "three"])
def test_force_and_torque_are_minus_the_derivatives_of_the_potential(single: bool) -> None:
    ground = Floor(SIZE, MAPS[0])
    s = session(ground, single=single)
    rng = np.random.default_rng(8)
    step = 1e-4

    def at(q: np.ndarray) -> np.ndarray:
        for name, value in zip(("x", "y", "theta"), q, strict=True):
            s.set_joint(f"body.glide.{name}", float(value), 0.0)
        return s.read("body.floor")

    for _ in range(40):
        q = rng.uniform((-2.0, -4.1, -10.0), (2.0, 4.1, 10.0))
        slope = [(at(q + step * e)[0] - at(q - step * e)[0]) / (2.0 * step) for e in np.eye(3)]
        assert at(q)[1:] == pytest.approx(-np.array(slope), abs=2e-6)  # against some 0.8 N and 0.1 N m
        assert not single or at(q)[3] == 0.0, "a contact in the middle has no arm"


def test_three_contacts_carry_a_third_of_the_weight_each() -> None:
    ground = Floor(SIZE, MAPS[0])
    pose = (0.4, -1.3, 0.9)
    V, Fx, Fy, T = session(ground, pose).read("body.floor")
    total = np.zeros(4)
    for k in range(3):
        a = pose[2] + 2.0 * math.pi * k / 3.0
        r = 0.25 * np.array([math.cos(a), math.sin(a)])
        h, g = MAPS[0].at(np.array(pose[:2]) + r)
        f = -200.0 * G0 / 3.0 * g
        total += [200.0 * G0 / 3.0 * h, *f, r[0] * f[1] - r[1] * f[0]]
    assert [V, Fx, Fy, T] == pytest.approx(total, abs=1e-13)


def test_on_a_plane_three_contacts_act_as_one_and_without_a_torque() -> None:
    x = 0.1 * (np.arange(99) - 49)
    plane = HeightMap(0.001 * x[:, None] - 0.002 * x[None, :], 0.1)
    ground = Floor((4.0, 4.0), plane)
    pose = (0.3, -0.2, 0.5)
    one, three = (session(ground, pose, single=single).read("body.floor") for single in (True, False))
    assert three == pytest.approx(one, abs=1e-11)
    assert one == pytest.approx(200.0 * G0 * np.array([0.0007, -0.001, 0.002, 0.0]), abs=1e-11)


def test_platforms_with_maps_of_different_sizes_stand_side_by_side() -> None:
    grounds = [Floor(SIZE, m) for m in MAPS]
    pose = (0.4, -1.3, 0.9)
    alone = [session(g, pose).read("body.floor") for g in grounds]
    parts = [FloatingPlatform(f"body{k}", BODY, g, pose) for k, g in enumerate(grounds)]
    together = ff.Mission(parts).session()
    for k, expected in enumerate(alone):
        assert together.read(f"body{k}.floor").tolist() == expected.tolist()


def test_a_bearing_off_its_reference_circle_changes_nothing_in_height() -> None:
    two = Body(200.0, 12.0, 0.35, 1.0, bearings=2, bearing_radius=0.2)
    assert two.contacts(single=False) == pytest.approx(np.array([[0.2, 0.0], [-0.2, 0.0]]), abs=1e-16)
    assert two.contacts(single=True).tolist() == [[0.0, 0.0]]


@given(q=st.floats(-3.0, 3.0), v=st.floats(-3.0, 3.0))
def test_a_wall_pushes_inwards_or_not_at_all(q: float, v: float) -> None:
    force, spring, energy = _force(row(MAPS[2]), q, v, 2.4)
    depth = abs(q) + 0.35 - 2.4
    if depth <= 0.0:
        assert (force, spring, energy) == (0.0, 0.0, 0.0)
        return
    inwards = -math.copysign(1.0, q)
    assert force * inwards >= 0.0
    assert spring * inwards == pytest.approx(5.0e4 * depth, rel=1e-12)
    assert energy == pytest.approx(0.5 * 5.0e4 * depth**2, rel=1e-9, abs=1e-12)
    assert (force - spring) * v <= 0.0, "damping only takes energy"


def test_the_walls_act_on_the_rim_and_show_in_the_floors_reading() -> None:
    s = session(Floor(SIZE, MAPS[2]))
    s.set_joint("body.glide.x", 2.06, 0.0)  # 1 cm into the wall
    s.set_joint("body.glide.y", -4.16, 0.0)
    V, Fx, Fy, T = s.read("body.floor")
    assert (Fx, Fy, T) == pytest.approx((-500.0, 500.0, 0.0), rel=1e-9)
    assert pytest.approx(2.0 * 0.5 * 5.0e4 * 0.01**2, rel=1e-9) == V
