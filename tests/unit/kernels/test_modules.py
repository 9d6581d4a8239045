"""Modules among others: who owns a border, what does not push, and that plain ones are as `surfaces` has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.modules import MOVED, feature_along, to_module
from freefloat.kernels.surfaces import BOX, PRISM, distance
from freefloat.structure import TensorBody, load_catalogue
from freefloat.structure.grid import cubic, hexagonal
from freefloat.structure.module import Module
from freefloat.structure.outside import hidden_features

SIZES = {BOX: (0.2, 0.2, 0.2), PRISM: (0.5, 0.05, 0.0)}


@njit
def _to_module(kind, a, b, c, hidden, x, y, z):
    return to_module(kind, a, b, c, hidden, x, y, z)


@njit
def _distance(kind, a, b, c, x, y, z):
    return distance(kind, a, b, c, x, y, z)


@njit
def _feature_along(x, y, z):
    return feature_along(x, y, z)


def three(kind: int) -> TensorBody:
    """Modules in an L, with one place over that is empty."""
    if kind == BOX:
        body = TensorBody("stack", cubic(2, 2, 1, 0.4, (0.2, 0.2, 0.0)), load_catalogue("mosar"))
        places = [body.grid.index(c) for c in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
    else:
        body = TensorBody("tiles", hexagonal([(0, 0), (1, 0), (0, 1), (1, 1)]), load_catalogue("mirror"))
        places = [body.grid.index(c) for c in ((0, 0), (1, 0), (0, 1))]
    names = [t.name for t in body.catalogue.types]
    for n, place in enumerate(places):
        body.insert(place, Module(n + 1, body.catalogue.type(names[0])))
    return body


def found(body: TensorBody, kind: int, p: Any) -> list[tuple[float, np.ndarray]]:
    """Distance and normal of each module that pushes at p."""
    told = [
        _to_module(kind, *SIZES[kind], int(hidden), *(p - body.grid.p_TP[n]))
        for n, hidden in enumerate(hidden_features(body))
        if hidden >= 0.0
    ]
    return [(t[0], np.array(t[1:4])) for t in told if not t[4]]


@pytest.mark.parametrize("kind", [BOX, PRISM])
def test_a_module_alone_is_a_plain_solid(kind: int) -> None:
    rng = np.random.default_rng(4)
    for p in rng.uniform(-0.7, 0.7, (500, 3)):
        *told, off = _to_module(kind, *SIZES[kind], 0, *p)
        assert told == pytest.approx(_distance(kind, *SIZES[kind], *p), abs=1e-15)
        assert not off


@pytest.mark.parametrize("kind", [BOX, PRISM])
def test_over_a_flat_top_one_module_pushes_straight_up_wherever_the_point_is(kind: int) -> None:
    body, top = three(kind), SIZES[kind][2 if kind == BOX else 1]
    rng = np.random.default_rng(5)
    pitch = body.grid.spacing
    border = np.array([0.5 * pitch, 0.0])  # of the first two, along y
    near = [border + np.array([dx, y]) for dx in (0.0, 1e-15, -1e-15, 1e-9, -1e-9) for y in rng.uniform(-0.15, 0.1, 20)]
    corner = [[0.5 * pitch, 0.2 if kind == BOX else 0.5 / math.sqrt(3.0)]]
    corner = [np.array(corner[0]) - [e, 2.0 * e] for e in (0.0, 1e-16, 1e-15, 1e-9)]
    for x, y in [*near, *corner]:
        for height in (0.03, -0.01):  # of a ball's centre, and of a point that is inside
            pushing = [f for f in found(body, kind, np.array([x, y, top + height])) if f[0] < 0.05]
            assert len(pushing) == 1, (x, y, height)
            d, n = pushing[0]
            assert d == pytest.approx(height, abs=1e-15)
            assert n == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)


def test_all_of_a_box_pushes_that_is_nearest_to_a_point_outside_the_whole() -> None:
    """The nearest of three boxes always pushes, and nothing that pushes is nearer than the whole."""
    body = three(BOX)
    rng = np.random.default_rng(6)
    for p in rng.uniform(-0.6, 1.0, (2000, 3)):
        plain = [_distance(BOX, *SIZES[BOX], *(p - body.grid.p_TP[n]))[0] for n in body.occupied]
        if min(plain) <= 0.0:
            continue
        assert min(d for d, _ in found(body, BOX, p)) == pytest.approx(min(plain), abs=2.0 * MOVED)


def test_a_module_in_the_middle_of_others_does_not_push() -> None:
    everything = (1 << 27) - 1 - (1 << 13)
    assert _to_module(BOX, 0.2, 0.2, 0.2, everything, 0.0, 0.0, 0.19)[4]
    assert _to_module(BOX, 0.2, 0.2, 0.2, everything, 0.0, 0.0, 0.21)[4]
    top_free = everything - (1 << 14)
    assert _to_module(BOX, 0.2, 0.2, 0.2, top_free, 0.199, 0.0, 0.15) == pytest.approx((-0.05, 0, 0, 1, False))


def test_the_feature_of_a_normal_is_that_of_its_signs() -> None:
    assert _feature_along(0.0, 0.0, 1.0) == 14
    assert _feature_along(1e-9, -1.0, 1e-9) == 10
    assert _feature_along(0.6, 0.0, -0.8) == 18 + 3
