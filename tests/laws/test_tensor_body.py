"""Modules are never lost or doubled, and their mass never changes, whatever is ordered.

The mass properties against composites built body by body are the verification case `tensor-body`, which the truth tests
run; here, that it would notice an error.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.structure import (
    Module,
    TensorBody,
    check_identities,
    cubic,
    load_catalogue,
    total_mass,
    transfer,
)
from freefloat.verify.cases.mass_properties import composite_errors, random_body

MOSAR = load_catalogue("mosar")
BODIES = 3  # a stack, another, and a robot's tip

place = st.integers(-1, 13)  # some are outside every grid
body = st.integers(0, BODIES - 1)
orientation = st.integers(-1, 25)
offset = st.sampled_from([None, (0.0,) * 6, (1e-9, 0.0, -1e-9, 1e-9, 0.0, 0.0), (math.nan,) * 6, (0.0,) * 5])
move = st.tuples(body, place, body, place, orientation, offset)
operation = st.one_of(
    st.tuples(st.just("good_transfer"), st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 23))),
    st.tuples(st.just("transfer"), move),
    st.tuples(st.just("insert"), st.tuples(body, place, st.integers(1, 12), orientation, offset)),
    st.tuples(st.just("remove"), st.tuples(body, place)),
)


def start(rng: np.random.Generator) -> list[TensorBody]:
    bodies = [TensorBody(n, cubic(*s), MOSAR) for n, s in (("a", (3, 2, 2)), ("b", (2, 2, 2)), ("tip", (1, 1, 1)))]
    for identity, spot in enumerate(rng.permutation(12)[:7].tolist(), start=1):
        kind = MOSAR.types[int(rng.integers(len(MOSAR.types)))]
        bodies[0].insert(spot, Module(identity, kind), int(rng.integers(24)))
    return bodies


def bits(bodies: list[TensorBody]) -> list[bytes]:
    return [a.tobytes() for b in bodies for a in (b.shape, b.identity, b.orientation, b.offset)]


def contents(bodies: list[TensorBody]) -> dict[int, str]:
    """Type name by identity, none of them twice."""
    found: dict[int, str] = {}
    for b in bodies:
        assert np.array_equal(b.shape > 0, b.identity > 0)
        for spot in b.occupied.tolist():
            module = b.module(spot)
            assert module.identity not in found
            found[module.identity] = module.type.name
    return found


def exact_mass(kinds: dict[int, str]) -> float:
    """[kg] the sum in rational arithmetic, rounded once."""
    return float(sum((Fraction(MOSAR.type(name).mass) for name in kinds.values()), Fraction(0)))


def good_transfer(bodies: list[TensorBody], which: int, where: int, turn: int) -> None:
    """One of the modules to one of the empty places: never refused."""
    full = [(b, spot) for b in bodies for spot in b.occupied.tolist()]
    empty = [(b, spot) for b in bodies for spot in np.flatnonzero(b.shape == 0).tolist()]
    if full and empty:
        before = full[which % len(full)]
        moved = before[0].module(before[1])
        target, spot = empty[where % len(empty)]
        assert transfer(*before, target, spot, turn) == moved
        assert target.find(moved.identity) == spot


def carry_out(bodies: list[TensorBody], held: dict[int, str], kind: str, arguments: Any) -> dict[int, str]:
    """Do it, and return what should be there afterwards; raises where it is refused."""
    if kind == "good_transfer":
        good_transfer(bodies, *arguments)
        return held
    if kind == "transfer":
        a, place_a, b, place_b, turn, residual = arguments
        transfer(bodies[a], place_a, bodies[b], place_b, turn, residual)
        return held
    if kind == "remove":
        b, spot = arguments
        module = bodies[b].remove(spot)
        return {identity: name for identity, name in held.items() if identity != module.identity}
    b, spot, identity, turn, residual = arguments
    if any(other.find(identity) is not None for other in bodies if other is not bodies[b]):
        raise InputError("elsewhere")  # a body knows only its own modules
    bodies[b].insert(spot, Module(identity, MOSAR.types[identity % len(MOSAR.types)]), turn, residual)
    return held | {identity: MOSAR.types[identity % len(MOSAR.types)].name}


@settings(max_examples=150)
@given(st.integers(0, 2**16), st.lists(operation, min_size=1, max_size=25))
def test_modules_are_never_lost_or_doubled_and_their_mass_is_exact(seed: int, operations: list[Any]) -> None:
    bodies = start(np.random.default_rng(seed))
    held = contents(bodies)
    for kind, arguments in operations:
        before = bits(bodies)
        try:
            held = carry_out(bodies, held, kind, arguments)
        except InputError:
            assert bits(bodies) == before
        assert contents(bodies) == held
        check_identities(bodies)
        assert total_mass(bodies) == exact_mass(held)
        for b in bodies:
            assert b.mass_properties().mass == exact_mass(contents([b]))


def test_a_long_sequence_of_good_and_bad_orders_keeps_every_module() -> None:
    rng = np.random.default_rng(8)
    bodies = start(rng)
    held, refused = contents(bodies), 0
    mass = total_mass(bodies)
    for _ in range(2000):
        good_transfer(bodies, *rng.integers(100, size=2).tolist(), int(rng.integers(24)))
        a, b = rng.integers(BODIES, size=2).tolist()
        before = bits(bodies)
        try:
            transfer(bodies[a], int(rng.integers(12)), bodies[b], int(rng.integers(12)), int(rng.integers(24)))
        except InputError:
            refused += 1
            assert bits(bodies) == before
        assert total_mass(bodies) == mass
    assert refused > 500
    assert contents(bodies) == held


@pytest.mark.parametrize("kind", ["cubic", "hexagonal"])
def test_the_comparison_with_single_bodies_notices_a_wrong_mass_centre_or_inertia(kind: str) -> None:
    rng = np.random.default_rng(6)
    stack = random_body(rng, kind)
    assert composite_errors(stack).max() < 1e-12
    stack._p_MMcm_P = stack._p_MMcm_P + 1e-9
    assert composite_errors(stack)[1] > 1e-12
    stack = random_body(rng, kind)
    stack._I_MMcm_P = stack._I_MMcm_P * (1.0 + 1e-9)
    assert composite_errors(stack)[2] > 1e-12


def test_mass_properties_do_not_depend_on_the_frame_of_the_tensor_body() -> None:
    """Shifting the grid in T shifts the centre of mass and leaves the inertia about it."""
    rng = np.random.default_rng(7)
    shift = np.array([0.3, -1.2, 0.7])
    near, far = (TensorBody("s", cubic(3, 2, 2, 0.4, o), MOSAR) for o in (np.zeros(3), shift))
    for spot in range(9):
        kind, turn = MOSAR.types[spot], int(rng.integers(24))
        for stack in (near, far):
            stack.insert(spot, Module(spot + 1, kind), turn)
    a, b = near.mass_properties(), far.mass_properties()
    assert a.mass == b.mass
    assert np.allclose(b.p_TTcm - a.p_TTcm, shift, rtol=0.0, atol=1e-15)
    assert np.allclose(a.I_TTcm_T, b.I_TTcm_T, rtol=0.0, atol=1e-13)
