"""Tensor bodies: contents, poses, connectors, contacts and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp
from freefloat.inertia import parallel_axis
from freefloat.structure import (
    Catalogue,
    Module,
    ModuleType,
    TensorBody,
    check_identities,
    cubic,
    hexagon_rings,
    hexagonal,
    load_catalogue,
    total_mass,
    transfer,
)
from freefloat.structure.mass_properties import rotations

MOSAR = load_catalogue("mosar")
OFFSET = np.array([1e-3, -2e-3, 5e-4, 1e-4, 2e-4, -3e-4])


def stack(name: str = "stack") -> TensorBody:
    return TensorBody(name, cubic(3, 3, 3), MOSAR)


def some(identity: int, kind: str = "dms") -> Module:
    return Module(identity, MOSAR.type(kind))


def state(body: TensorBody) -> bytes:
    return b"".join(a.tobytes() for a in (body.shape, body.identity, body.orientation, body.offset))


def test_an_empty_tensor_body_has_exactly_no_mass() -> None:
    found = stack().mass_properties()
    assert found.mass == 0.0
    assert not found.p_TTcm.any()
    assert not found.I_TTcm_T.any()


def test_an_inserted_module_is_found_with_its_pose() -> None:
    body = stack()
    body.insert(5, some(7, "bat"), 3, OFFSET)
    assert body.find(7) == 5
    assert body.find(8) is None
    assert body.find(0) is None
    assert body.module(5) == some(7, "bat")
    assert body.occupied.tolist() == [5]
    X = body.X_TM(5)
    assert np.allclose(X.R, so3_exp(OFFSET[:3]) @ body.grid.R_PM[3], atol=1e-15)
    assert np.allclose(X.p, body.grid.p_TP[5] + OFFSET[3:], atol=1e-15)


def test_a_module_at_a_pose_is_stored_as_orientation_and_residual() -> None:
    body = stack()
    R = so3_exp(OFFSET[:3]) @ body.grid.R_PM[17]
    orientation, offset = body.offset_of(4, Pose(R, body.grid.p_TP[4] + OFFSET[3:]))
    assert orientation == 17
    assert np.allclose(offset, OFFSET, atol=1e-15)


def test_one_module_has_its_own_mass_properties_turned() -> None:
    inertia = np.array([[0.5, 0.02, -0.03], [0.02, 0.6, 0.01], [-0.03, 0.01, 0.7]])
    odd = ModuleType("odd", 7.0, inertia, (None,) * 6, p_MMcm=(0.03, -0.02, 0.05))
    body = TensorBody("one", cubic(1, 1, 1, origin=(0.0, 0.0, 0.2)), Catalogue([odd]))
    for o, R in enumerate(body.grid.R_PM):
        body.insert(0, Module(1, odd), o)
        found = body.mass_properties()
        assert found.mass == 7.0
        assert np.allclose(found.p_TTcm, R @ odd.p_MMcm + (0.0, 0.0, 0.2), atol=1e-15)
        assert np.allclose(found.I_TTcm_T, R @ inertia @ R.T, atol=1e-14)
        body.remove(0)


def test_two_equal_modules_follow_the_parallel_axes() -> None:
    body = TensorBody("two", cubic(2, 1, 1), MOSAR)
    body.insert(0, some(1))
    body.insert(1, some(2))
    kind = MOSAR.type("dms")
    single = parallel_axis(np.array(kind.I_MMcm_M), kind.mass, np.array([0.2, 0.0, 0.0]))
    found = body.mass_properties()
    assert np.allclose(found.p_TTcm, 0.0, atol=1e-16)
    assert np.allclose(found.I_TTcm_T, 2.0 * single, rtol=1e-15)


def test_rotations_of_many_vectors_are_those_of_each() -> None:
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-12, 0.3, (50, 1))
    vectors[0] = 0.0
    expected = np.array([so3_exp(v) for v in vectors])
    assert np.allclose(rotations(vectors), expected, rtol=0.0, atol=5e-16)


def test_equal_contents_give_equal_bits_whatever_happened_before() -> None:
    rng = np.random.default_rng(3)
    straight, moved, hand = stack(), stack(), TensorBody("hand", cubic(1, 1, 1), MOSAR)
    for place in range(20):
        kind, turn = MOSAR.types[place % 9].name, int(rng.integers(24))
        straight.insert(place, some(place + 1, kind), turn, OFFSET)
        moved.insert(26 - place if place < 6 else place, some(place + 1, kind), 0)
        source = moved.find(place + 1)
        assert source is not None
        transfer(moved, source, hand, 0, 5)
        transfer(hand, 0, moved, place, turn, OFFSET)
    a, b = straight.mass_properties(), moved.mass_properties()
    assert a.mass == b.mass
    assert a.p_TTcm.tobytes() == b.p_TTcm.tobytes()
    assert a.I_TTcm_T.tobytes() == b.I_TTcm_T.tobytes()


def test_a_connector_that_shows_at_a_side_is_the_modules_own() -> None:
    body = stack()
    body.insert(13, some(1), 9)
    for side in range(6):
        own = int(np.flatnonzero(body.grid.side_at[9] == side)[0])
        X = body.X_TF(13, side)
        assert body.X_TM(13) @ body.grid.X_PF[own] == X
        assert np.allclose(X.p, body.X_TF(0, side).p + body.grid.p_TP[13] - body.grid.p_TP[0], atol=1e-15)
        assert np.allclose(X.R[:, 2], body.X_TF(0, side).R[:, 2], atol=1e-15)


def test_interfaces_turn_with_their_module() -> None:
    body = stack()
    for o in range(24):
        body.insert(0, some(1, "osp"), o)
        shown = body.interfaces()
        for own, side in enumerate(MOSAR.type("osp").sides):
            number = shown[0, body.grid.side_at[o, own]]
            assert (None if number == 0 else MOSAR.interface(int(number))) == side
        assert not shown[1:].any()
        body.remove(0)


def test_contacts_are_the_pairs_of_occupied_neighbours_once_each() -> None:
    rng = np.random.default_rng(5)
    for grid, catalogue in ((cubic(3, 2, 4), MOSAR), (hexagonal(hexagon_rings(2)), load_catalogue("mirror"))):
        body = TensorBody("b", grid, catalogue)
        for i, place in enumerate(rng.permutation(grid.n)[: grid.n * 2 // 3].tolist(), start=1):
            body.insert(place, Module(i, catalogue.types[0]))
        expected = set()
        for a in body.occupied.tolist():
            for side, b in enumerate(grid.neighbours[a].tolist()):
                if b > a and b in body.occupied:
                    expected.add((a, side, b, int(grid.facing[side])))
        assert set(map(tuple, body.contacts().tolist())) == expected
        assert len(body.contacts()) == len(expected) > 5


def test_a_transfer_takes_the_module_and_drops_its_old_offset() -> None:
    a, b = stack("a"), TensorBody("b", cubic(1, 1, 1), MOSAR)
    a.insert(3, some(4), 2, OFFSET)
    assert transfer(a, 3, b, 0, 11) == some(4)
    assert len(a.occupied) == 0
    assert not a.offset.any()
    assert (b.find(4), int(b.orientation[0])) == (0, 11)
    assert not b.offset.any()


def test_a_module_may_move_within_its_body() -> None:
    body = stack()
    body.insert(3, some(4))
    transfer(body, 3, body, 8, 1)
    assert body.find(4) == 8
    assert body.occupied.tolist() == [8]


def filled() -> tuple[TensorBody, TensorBody, TensorBody]:
    a, b, hexagons = stack("a"), stack("b"), TensorBody("h", hexagonal(hexagon_rings(1)), MOSAR)
    a.insert(0, some(1), 4, OFFSET)
    a.insert(1, some(2))
    b.insert(0, some(3))
    b.insert(5, some(2))  # a second module 2: such sets are refused by check_identities
    return a, b, hexagons


FOREIGN = ModuleType("foreign", 1.0, np.eye(3), (None,) * 6)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda a, b, h: a.insert(0, some(9)), "a: place 0 is occupied by module 1; allowed: an empty place"),
        (lambda a, b, h: a.insert(27, some(9)), "place 27 is not in the grid; allowed: 0 to 26"),
        (lambda a, b, h: a.insert(2.0, some(9)), "place 2.0 is not in the grid"),
        (lambda a, b, h: a.insert(2, some(1)), "a: place 2: identity 1 is already at place 0"),
        (lambda a, b, h: a.insert(2, some(9), 24), "orientation 24; allowed: 0 to 23"),
        (lambda a, b, h: a.insert(2, some(9), -1), "orientation -1"),
        (lambda a, b, h: a.insert(2, some(9), 0, [0.0] * 5), "allowed: 6 finite numbers"),
        (lambda a, b, h: a.insert(2, some(9), 0, [np.nan] * 6), "allowed: 6 finite numbers"),
        (lambda a, b, h: a.insert(2, some(9), 0, "no"), "offset 'no'; allowed: 6 finite numbers"),
        (lambda a, b, h: a.insert(2, Module(9, FOREIGN)), "unknown module type 'foreign'"),
        (lambda a, b, h: h.insert(0, some(9)), "a dms has 6 sides; allowed: 7 on a hexagonal grid"),
        (lambda a, b, h: a.remove(2), "a: place 2 is empty; occupied: 0, 1"),
        (lambda a, b, h: h.remove(2), r"h: place 2 is empty; occupied: \(none\)"),
        (lambda a, b, h: a.X_TM(2), "place 2 is empty"),
        (lambda a, b, h: a.X_TF(0, 6), "side 6; allowed: 0 to 5"),
        (lambda a, b, h: transfer(a, 9, b, 1), "a: place 9 is empty"),
        (lambda a, b, h: transfer(a, 0, b, 0), "b: place 0 is occupied by module 3"),
        (lambda a, b, h: transfer(a, 0, b, 99), "place 99"),
        (lambda a, b, h: transfer(a, 1, b, 1), "b: place 1: identity 2 is already at place 5"),
        (lambda a, b, h: transfer(a, 0, b, 1, 30), "orientation 30"),
        (lambda a, b, h: transfer(a, 0, a, 0), "a: place 0 is occupied by module 1"),
        (lambda a, b, h: transfer(a, 0, h, 0), "allowed: 7 on a hexagonal grid"),
        (lambda a, b, h: check_identities([a, b]), "module 2 is at a place 1 and at b place 5; allowed: one of each"),
    ],
)
def test_what_is_refused_says_why_and_changes_no_bit(act: Callable[..., object], words: str) -> None:
    bodies = filled()
    views = [body.shape for body in bodies]
    before = [state(body) for body in bodies]
    with pytest.raises(InputError, match=words):
        act(*bodies)
    assert [state(body) for body in bodies] == before
    assert [view.tobytes() for view in views] == [body.shape.tobytes() for body in bodies]


def test_a_transfer_may_use_a_place_that_an_earlier_one_left() -> None:
    a, hand = stack("a"), TensorBody("hand", cubic(1, 1, 1), MOSAR)
    a.insert(0, some(1))
    a.insert(1, some(2))
    transfer(a, 0, hand, 0)
    transfer(a, 1, a, 0, 3)
    transfer(hand, 0, a, 1)
    assert (a.find(1), a.find(2)) == (1, 0)
    check_identities([a, hand])
    assert total_mass([a, hand]) == 2 * MOSAR.type("dms").mass


def test_a_copy_is_independent() -> None:
    body = stack()
    body.insert(0, some(1))
    other = body.copy("other")
    other.remove(0)
    assert (other.name, body.name) == ("other", "stack")
    assert body.find(1) == 0
    assert other.find(1) is None


def test_arrays_and_mass_properties_cannot_be_written() -> None:
    body = stack()
    body.insert(0, some(1))
    found = body.mass_properties()
    for array in (body.shape, body.identity, body.orientation, body.offset, found.p_TTcm, found.I_TTcm_T):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
