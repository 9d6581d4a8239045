"""Modules, and what pairs of interfaces can do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.structure import (
    Heater,
    InterfaceType,
    Module,
    ModuleType,
    PowerRole,
    carries_power,
    compatible,
    pair_conductance,
    pair_resistance,
)
from freefloat.structure.module import prism_inertia

ACTIVE = InterfaceType("active", resistance=0.01)
PASSIVE = InterfaceType("passive", active=False, resistance=0.03)
MECHANICAL = InterfaceType("mechanical", active=False, power=False)
FLUID = InterfaceType("fluid", thermal=True)
PLUG = InterfaceType("plug", androgynous=False)
SOCKET = InterfaceType("socket", active=False, androgynous=False)


@pytest.mark.parametrize(
    ("a", "b", "mates", "power"),
    [
        (ACTIVE, ACTIVE, True, True),
        (ACTIVE, PASSIVE, True, True),
        (PASSIVE, PASSIVE, False, False),
        (ACTIVE, MECHANICAL, True, False),
        (MECHANICAL, MECHANICAL, False, False),
        (FLUID, ACTIVE, True, True),
        (PLUG, SOCKET, True, True),
        (PLUG, PLUG, False, False),
        (SOCKET, SOCKET, False, False),
        (PLUG, PASSIVE, True, True),
        (ACTIVE, replace(ACTIVE, standard="other"), False, False),
        (ACTIVE, replace(ACTIVE, symmetry=6), False, False),
    ],
)
def test_a_pair_needs_a_drive_or_different_genders(
    a: InterfaceType, b: InterfaceType, mates: bool, power: bool
) -> None:
    for one, other in ((a, b), (b, a)):
        assert compatible(one, other) is mates
        assert carries_power(one, other) is power
        assert math.isfinite(pair_resistance(one, other)) is power


def test_only_an_interface_that_holds_and_nothing_else_is_mechanical() -> None:
    assert [t.mechanical for t in (ACTIVE, PASSIVE, MECHANICAL, FLUID)] == [False, False, True, False]


def test_the_resistance_of_a_pair_is_the_mean_of_its_halves() -> None:
    assert pair_resistance(ACTIVE, PASSIVE) == pytest.approx(0.02, rel=1e-15)


def test_equal_halves_conduct_exactly_as_their_type_says() -> None:
    for g in (0.5, 1e-4, 0.3, 7.77):
        t = InterfaceType("t", closed_conductance=g, open_conductance=0.1 * g)
        assert pair_conductance(t, t, closed=True) == g
        assert pair_conductance(t, t, closed=False) == 0.1 * g


def test_unequal_halves_conduct_in_series() -> None:
    a, b = InterfaceType("a", closed_conductance=0.5), InterfaceType("b", closed_conductance=2.0)
    expected = 1.0 / (1.0 / (2.0 * 0.5) + 1.0 / (2.0 * 2.0))  # each half has twice its type's value
    assert pair_conductance(a, b, closed=True) == pytest.approx(expected, rel=1e-15)
    assert pair_conductance(b, a, closed=True) == pair_conductance(a, b, closed=True)


def test_fluid_flows_only_between_two_closed_thermal_interfaces() -> None:
    assert pair_conductance(FLUID, FLUID, closed=True) == 125.0
    assert pair_conductance(FLUID, ACTIVE, closed=True) == 0.5
    assert pair_conductance(FLUID, FLUID, closed=False) == 1e-4


def test_an_insulating_half_stops_the_heat() -> None:
    none = InterfaceType("none", closed_conductance=0.0, open_conductance=0.0)
    assert pair_conductance(none, ACTIVE, closed=True) == 0.0
    assert pair_conductance(none, none, closed=False) == 0.0


def test_a_pair_that_cannot_mate_conducts_as_if_open() -> None:
    assert pair_conductance(PASSIVE, PASSIVE, closed=True) == 1e-4


def test_the_inertia_of_a_hexagonal_prism_is_that_of_its_points() -> None:
    rng = np.random.default_rng(1)
    wide, high, mass = 1.0, 0.1, 10.0
    p = rng.uniform(-1.0, 1.0, (200_000, 3)) * (wide / math.sqrt(3.0), wide / math.sqrt(3.0), 0.5 * high)
    normals = np.array([[math.cos(a), math.sin(a), 0.0] for a in np.radians([0.0, 60.0, 120.0])])
    p = p[(np.abs(p @ normals.T) <= 0.5 * wide).all(axis=1)]
    second = p.T @ p * mass / len(p)
    assert np.allclose(prism_inertia(mass, wide, high), np.trace(second) * np.eye(3) - second, atol=0.01)


def test_a_module_type_compares_by_value_and_keeps_no_array_of_the_caller() -> None:
    inertia = np.diag([1.0, 1.0, 1.5])
    one = ModuleType("m", 5.0, inertia, (ACTIVE,) * 6, p_MMcm=np.zeros(3))
    two = ModuleType("m", 5.0, inertia.tolist(), (ACTIVE,) * 6)
    assert one == two
    assert hash(one) == hash(two)
    inertia[0, 0] = 9.0
    assert one == two


I = np.eye(3)  # noqa: E741


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: InterfaceType("i", closing_time=0.0), r"interface 'i': closing_time 0.0 s; allowed: > 0 s"),
        (lambda: InterfaceType("i", resistance=math.nan), "resistance nan; allowed: >= 0"),
        (lambda: InterfaceType("i", symmetry=0), "symmetry 0; allowed: a whole number from 1 to 360"),
        (lambda: PowerRole("generator"), "'generator' is not known; allowed: source"),  # pyright: ignore
        (lambda: PowerRole("battery", charge=1.5), "charge 1.5; allowed: >= 0 and <= 1"),
        (lambda: PowerRole("source", voltage=-48.0), "voltage -48.0 V; allowed: > 0 V"),
        (lambda: Heater(10.0, 300.0, 280.0), "off_above 280.0; allowed: >= on_below, 300 K"),
        (lambda: ModuleType("m", 0.0, I, (None,) * 6), "module type 'm': mass 0.0 kg; allowed: > 0 kg"),
        (lambda: ModuleType("m", 1.0, I, (None,) * 5), "5 sides; allowed: 6 .cubic. or 7 .hexagonal."),
        (lambda: ModuleType("m", 1.0, np.diag([1.0, 1.0, 3.0]), (None,) * 6), "'m': largest principal moment"),
        (lambda: ModuleType("m", 1.0, np.eye(2), (None,) * 6), "I_MMcm_M .*; allowed: 3 x 3 numbers"),
        (
            lambda: ModuleType("m", 1.0, I, (None,) * 6, p_MMcm=(0.0, math.nan, 0.0)),
            r"p_MMcm\[1\] nan; allowed",
        ),
        (lambda: Module(0, ModuleType("m", 1.0, I, (None,) * 6)), "identity 0 of a m; allowed: a whole number from 1"),
        (lambda: Module(2**63, ModuleType("m", 1.0, I, (None,) * 6)), "identity 9223372036854775808"),
    ],
)
def test_bad_values_are_refused_with_what_is_allowed(make, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()
