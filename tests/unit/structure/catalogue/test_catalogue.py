"""Catalogues and their files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.structure import Catalogue, InterfaceType, ModuleType, load_catalogue
from freefloat.structure.catalogue.file import shipped_catalogues

STRUCTURE_MASS = 3.38  # [kg] of a MOSAR module without equipment

FILE = """
schema: 1
grid: cubic
interfaces:
  active: {mass: 1.54 kg, position_tolerance: 25 mm, angle_tolerance: 3 deg}
  plain: {active: false, power: false}
modules:
  battery:
    mass: 9.51 kg
    centre_of_mass: [10 mm, 0, 0]
    inertia: [0.2, 0.3, 0.4, 0.01, 0.02, 0.03]
    sides: {all: active, -z: plain, +z: null}
    power: {kind: battery, capacity: 500 Wh, max_power: 0.4 kW, max_charge_power: 200}
    heater: {power: 20 W, on_below: 278.15, off_above: 283.15}
  box:
    mass: 6
    size: [0.4, 0.5, 0.6]
"""


def load(tmp_path: Path, text: str) -> Catalogue:
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    return load_catalogue(file)


@pytest.mark.parametrize("name", shipped_catalogues())
def test_a_shipped_catalogue_has_a_source_of_power(name: str) -> None:
    catalogue = load_catalogue(name)
    assert any(t.power.kind == "source" for t in catalogue.types)


def test_mosar_modules_have_the_published_masses() -> None:
    catalogue = load_catalogue("mosar")
    masses = {name: catalogue.type(name).mass for name in ("dms", "pws", "bat", "ths")}
    assert masses == {"dms": 9.39, "pws": 13.1, "bat": 9.51, "ths": 13.94}
    assert all(8.0 <= catalogue.type(name).mass <= 9.0 for name in ("osp", "payload", "solar"))
    assert all(t.size == (0.4, 0.4, 0.4) for t in catalogue.types)
    assert [catalogue.interface(n).mass for n in ("active", "passive", "mechanical")] == [1.54, 0.52, 0.39]


def test_mosar_modules_are_heavy_enough_for_their_structure_and_interfaces() -> None:
    for t in load_catalogue("mosar").types:
        assert t.mass >= STRUCTURE_MASS + sum(side.mass for side in t.sides if side is not None) - 1e-12, t.name


def test_mosar_columns_connect_and_carry_power_between_all_but_spacers() -> None:
    catalogue = load_catalogue("mosar")
    pairs, sides = catalogue.pairs, catalogue.interface_numbers(6)
    for upper in catalogue.types:
        for lower in catalogue.types:
            if "spacer" in (upper.name, lower.name) or lower.sides[4] is None:
                continue
            below, above = sides[catalogue.number(upper), 5], sides[catalogue.number(lower), 4]
            assert pairs.compatible[below, above], (upper.name, lower.name)
            assert pairs.carries_power[below, above], (upper.name, lower.name)


def test_mirror_tiles_connect_in_every_orientation_to_their_hub() -> None:
    catalogue = load_catalogue("mirror")
    sides = catalogue.interface_numbers(7)
    tile, hub = sides[catalogue.number("tile")], sides[catalogue.number("hub")]
    assert catalogue.pairs.compatible[np.ix_(tile[:6], hub[:6])].all()
    assert [catalogue.pairs.compatible[tile[s], tile[(s + 3) % 6]] for s in range(6)] == [True] * 6


def test_a_file_gives_its_values_in_si_units(tmp_path: Path) -> None:
    catalogue = load(tmp_path, FILE)
    battery, box = catalogue.types
    active = catalogue.interface("active")
    assert active.position_tolerance == 0.025
    assert active.angle_tolerance == pytest.approx(np.radians(3.0), rel=1e-15)
    assert battery.p_MMcm == (0.01, 0.0, 0.0)
    assert battery.I_MMcm_M == ((0.2, 0.01, 0.02), (0.01, 0.3, 0.03), (0.02, 0.03, 0.4))
    assert [None if s is None else s.name for s in battery.sides] == ["active"] * 4 + [None, "plain"]
    assert (battery.power.capacity, battery.power.max_power, battery.power.max_charge_power) == (1.8e6, 400.0, 200.0)
    assert battery.heater is not None
    assert battery.heater.power == 20.0
    assert box.sides == (None,) * 6
    assert np.allclose(box.I_MMcm_M, np.diag([0.25 + 0.36, 0.16 + 0.36, 0.16 + 0.25]) * 0.5, rtol=1e-15)
    assert box.power.kind == "pass"


def changed(old: str, new: str) -> str:
    assert FILE.count(old) == 1
    return FILE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed("    mass: 6\n", "    mas: 6\n"), r"16:5: modules.box.mas: unknown field; did you mean 'mass'"),
        (changed("    mass: 6\n", "    mass: 6 m\n"), r"16:11: modules.box.mass: '6 m' has the wrong dimension"),
        (changed("    mass: 6\n", "    mass: -6\n"), r"modules.box.mass: -6 is out of range; allowed: > 0 kg"),
        (changed("    mass: 6\n", ""), "modules.box.mass: missing; allowed: > 0 kg"),
        (changed("-z: plain", "-z: plane"), "sides.-z: unknown interface 'plane'; did you mean 'plain'.*active, plain"),
        (changed("-z: plain", "-w: plain"), "sides.-w: unknown side;.*allowed: .x, -x, .y"),
        (changed("0.4, 0.01, 0.02, 0.03", "0.4, 0.01"), "battery.inertia: 4 values; allowed: 3"),
        (changed("[0.2, 0.3, 0.4, 0.01", "[0.2, 0.3, 4.0, 0.01"), "modules.battery: .*largest principal moment"),
        (changed("kind: battery", "kind: batery"), "power.kind: 'batery' is not known; did you mean 'battery'"),
        (changed("kind: battery, capacity", "kind: source, capacity"), "capacity: only with kind: battery"),
        (
            changed("on_below: 278.15", "on_below: 290"),
            "on_below: 290 K is above off_above; allowed: <= 283.15 K",
        ),
        (changed("schema: 1", "schema: 2"), "2:9: schema: 2 is not known; allowed: 1"),
        (changed("schema: 1\n", ""), "schema: missing; allowed: 1"),
        (changed("grid: cubic", "grid: cubical"), "grid: 'cubical' is not known; did you mean 'cubic'"),
        ("[1, 2]", "is not a catalogue"),
        ("", "an empty file is not a catalogue"),
    ],
)
def test_a_bad_file_is_refused_with_place_value_and_what_is_allowed(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        load(tmp_path, text)
    assert "own.yaml" in str(caught.value)


def test_every_problem_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    text = changed("    mass: 6\n", "    mass: 6 m\n").replace("kind: battery", "kind: batery")
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert len(str(caught.value).splitlines()) == 2


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown catalogue 'mosr'\. Did you mean 'mosar'"):
        load_catalogue("mosr")
    catalogue = load_catalogue("mosar")
    with pytest.raises(InputError, match=r"unknown module type 'dsm'\. Did you mean 'dms'"):
        catalogue.number("dsm")
    with pytest.raises(InputError, match=r"unknown interface 'activ'\. Did you mean 'active'"):
        catalogue.interface("activ")
    with pytest.raises(InputError, match="module type number 0; allowed: 1 to 9"):
        catalogue.type(0)


def test_numbers_start_at_one_and_zero_is_empty() -> None:
    catalogue = load_catalogue("mosar")
    assert [catalogue.number(t) for t in catalogue.types] == list(range(1, len(catalogue.types) + 1))
    assert catalogue.mass[0] == 0.0
    assert not catalogue.I_MMcm_M[0].any()
    capacities = catalogue.values(lambda t: t.heat_capacity)
    assert capacities[0] == 0.0
    assert capacities[catalogue.number("dms")] == catalogue.type("dms").heat_capacity
    assert not catalogue.interface_numbers(7).any()


def test_two_loads_of_a_catalogue_know_each_others_types() -> None:
    one, two = load_catalogue("mosar"), load_catalogue("mosar")
    assert [two.number(t) for t in one.types] == [one.number(t) for t in one.types]
    with pytest.raises(InputError, match="'dms' differs from the one of this name"):
        one.number(replace(two.type("dms"), mass=1.0))


def test_a_name_for_two_things_is_refused() -> None:
    i = np.eye(3)
    with pytest.raises(InputError, match="module type 'a' is given twice"):
        Catalogue([ModuleType("a", 1.0, i, (None,) * 6), ModuleType("a", 2.0, i, (None,) * 6)])
    one, two = InterfaceType("s"), InterfaceType("s", mass=1.0)
    with pytest.raises(InputError, match="interface 's' is given twice"):
        Catalogue([ModuleType("a", 1.0, i, (one, two, None, None, None, None))])


def test_pair_tables_are_symmetric_with_nothing_at_zero() -> None:
    tables = load_catalogue("mosar").pairs
    for table in (tables.compatible, tables.carries_power, tables.closed_conductance, tables.open_conductance):
        assert np.array_equal(table, table.T)
        assert not table[0].any()
    assert np.isinf(tables.resistance[0]).all()
    assert np.array_equal(np.isfinite(tables.resistance), tables.carries_power)
