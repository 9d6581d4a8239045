"""Checks of a design find what is wrong, say where and why, and leave a sound design alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.structure import Catalogue, InterfaceType, ModuleType, PowerRole, cubic, load_catalogue
from freefloat.structure.design.check import DesignReport, check_design
from freefloat.structure.design.design import Design, Environment, Finding, Held, Manoeuvre, PlacedModule
from freefloat.structure.design.file import load_design, shipped_designs
from freefloat.structure.heat.step import SIGMA, T_SPACE

MOSAR = load_catalogue("mosar")
CUBE = np.diag([0.2, 0.2, 0.2])


def design(*modules: tuple[str, tuple[int, int, int]], catalogue: Catalogue = MOSAR, **more) -> Design:
    placed = tuple(PlacedModule(i, name, cell) for i, (name, cell) in enumerate(modules, start=1))
    return Design("test", catalogue, cubic(3, 3, 3), placed, **more)


def of(report: DesignReport, subject: str, severity: str = "error") -> list[Finding]:
    return [f for f in report.findings if f.subject == subject and f.severity == severity]


def of_sides(**sides: InterfaceType | None) -> Catalogue:
    """One consumer per name, the same interface on all sides, and a source `sun` with the interface of the first."""
    kinds = [
        ModuleType(name, 10.0, CUBE, (side,) * 6, power=PowerRole("consumer", demand=10.0))
        for name, side in sides.items()
    ]
    source = ModuleType("sun", 10.0, CUBE, kinds[0].sides, power=PowerRole("source", max_power=100.0))
    return Catalogue([*kinds, source])


@pytest.mark.parametrize("name", shipped_designs())
def test_a_shipped_design_has_neither_errors_nor_warnings(name: str) -> None:
    report = check_design(load_design(name))
    assert [str(f) for f in report.findings if f.severity != "note"] == []
    assert report.ok


def test_two_modules_in_a_cell_a_doubled_identity_and_a_cell_outside_are_all_reported() -> None:
    good = design(("bus", (0, 0, 0)), ("solar", (0, 0, 1)))
    bad = replace(
        good,
        modules=(
            *good.modules,
            PlacedModule(3, "bat", (0, 0, 0), where="file.yaml:9:5"),
            PlacedModule(2, "bat", (1, 0, 0)),
            PlacedModule(4, "bat", (3, 0, 0)),
            PlacedModule(5, "baat", (1, 1, 0)),
            PlacedModule(6, "bat", (1, 1, 0), orientation=24),
        ),
    )
    report = check_design(bad)
    overlap, doubled, outside, unknown, turned = of(report, "placement")
    assert (overlap.where, overlap.place) == ("file.yaml:9:5", "module 3 (bat) in cell (0, 0, 0)")
    assert overlap.message == "overlaps module 1"
    assert doubled.message == "identity given twice"
    assert outside.allowed == "(0, 0, 0) to (2, 2, 2)"
    assert "did you mean 'bat'" in unknown.message.lower()
    assert "orientation 24" in turned.message
    assert report.body.identity[report.body.occupied].tolist() == [1, 2]
    assert not report.ok


def test_a_design_without_modules_is_an_error_and_not_a_crash() -> None:
    empty = design(environments={"e": Environment()}, manoeuvres={"m": Manoeuvre((1.0, 0.0, 0.0))})
    report = check_design(empty)
    assert [f.message for f in report.errors] == ["there is no module"]
    assert report.mass.mass == 0.0


def test_disconnected_modules_are_named_with_the_missing_link() -> None:
    # payloads have a drive below only: side by side neither can close
    report = check_design(design(("bus", (0, 0, 0)), ("solar", (1, 0, 0)), ("payload", (2, 0, 0)), ("bat", (2, 2, 2))))
    beside, far = of(report, "connection")
    assert beside.place == "module 3 (payload) in cell (2, 0, 0)"
    assert "2 +x - 3 -x: neither interface has a drive" in beside.message
    assert far.place == "module 4 (bat) in cell (2, 2, 2)"
    assert "no module beside it" in far.message


def test_neighbours_whose_interfaces_cannot_fit_are_errors_with_the_reason() -> None:
    plug = InterfaceType("plug", androgynous=False)
    other = InterfaceType("other", standard="isis")
    two = InterfaceType("two", symmetry=2)
    cases = {
        "both plugs": of_sides(a=plug, b=plug),
        "standards hotdock and isis": of_sides(a=InterfaceType("hot"), b=other),
        "symmetries 4 and 2": of_sides(a=InterfaceType("hot"), b=two),
    }
    for reason, catalogue in cases.items():
        report = check_design(design(("a", (0, 0, 0)), ("b", (1, 0, 0)), catalogue=catalogue))
        (finding,) = of(report, "interface")
        assert reason in finding.message
        assert finding.place == "1 +x - 2 -x"


def test_a_quarter_turn_of_roll_breaks_a_two_fold_pair_and_not_a_four_fold_one() -> None:
    rolled = int(next(o for o, R in enumerate(cubic(1, 1, 1).R_PM) if R[0, 0] == 1 and R[1, 2] == -1))
    for symmetry, errors in ((4, 0), (2, 1)):
        catalogue = of_sides(a=InterfaceType("si", symmetry=symmetry))
        plain = design(("a", (0, 0, 0)), ("a", (1, 0, 0)), catalogue=catalogue)
        turned = replace(plain, modules=(plain.modules[0], replace(plain.modules[1], orientation=rolled)))
        assert of(check_design(plain), "interface") == []
        assert len(of(check_design(turned), "interface")) == errors


def test_a_held_interface_stays_open_and_a_failed_one_is_a_warning() -> None:
    pair = design(("bus", (0, 0, 0)), ("solar", (0, 0, 1)))
    assert check_design(pair).ok
    held = check_design(replace(pair, held=(Held(1, "+z"),)))
    assert "1 +z - 2 -z: held open" in of(held, "connection")[0].message
    assert of(held, "interface", "warning") == []
    failed = check_design(replace(pair, held=(Held(2, "-z", "failed"), Held(1, "+z"))))
    assert "1 +z - 2 -z: failed" in of(failed, "connection")[0].message
    assert [f.place for f in of(failed, "interface", "warning")] == ["1 +z - 2 -z"]


def test_a_module_behind_one_without_power_lines_is_told_which_link_lacks() -> None:
    column = design(("bus", (0, 0, 0)), ("spacer", (0, 0, 1)), ("payload", (0, 0, 2)), ("solar", (1, 0, 0)))
    report = check_design(column)
    assert of(report, "connection") == []
    (finding,) = of(report, "power")
    assert finding.place == "module 3 (payload) in cell (0, 0, 2)"
    assert "2 +z - 3 -z: closed, but mechanical carries no power" in finding.message
    assert finding.value == "15 W without supply"
    assert report.power.powered.sum() == 2


def test_no_source_at_all_is_said_plainly() -> None:
    (finding,) = of(check_design(design(("bus", (0, 0, 0)))), "power")
    assert "no source of power" in finding.message


def test_too_much_demand_is_an_overload_and_a_battery_makes_it_a_warning_with_its_time() -> None:
    si = InterfaceType("si")
    load = ModuleType("load", 10.0, CUBE, (si,) * 6, power=PowerRole("consumer", demand=80.0))
    sun = ModuleType("sun", 10.0, CUBE, (si,) * 6, power=PowerRole("source", max_power=100.0))
    store = PowerRole("battery", max_power=200.0, capacity=3.6e5, charge=0.5, resistance=0.01)
    bat = ModuleType("bat", 10.0, CUBE, (si,) * 6, power=store)
    catalogue = Catalogue([load, sun, bat])
    alone = design(("sun", (0, 0, 0)), ("load", (1, 0, 0)), ("load", (2, 0, 0)), catalogue=catalogue)
    (trip,) = of(check_design(alone), "power")
    assert trip.message.startswith("overload")
    assert trip.value == "160 W"
    helped = design(*[(m.type, m.cell) for m in alone.modules], ("bat", (0, 1, 0)), catalogue=catalogue)  # type: ignore[misc]
    report = check_design(helped)
    assert report.ok
    (short,) = of(report, "power", "warning")
    assert (short.value, short.allowed) == ("160 W", "<= 100 W")
    assert f"{1.8e5 / 60.0 / 3600.0:.2g} h" in short.message


def test_a_long_thin_bus_has_under_voltage_and_over_current() -> None:
    si = InterfaceType("si", resistance=4.0)
    load = ModuleType("load", 1.0, CUBE, (si,) * 6, power=PowerRole("consumer", demand=100.0, max_current=2.0))
    sun = ModuleType("sun", 1.0, CUBE, (si,) * 6, power=PowerRole("source", max_power=1e3))
    report = check_design(design(("sun", (0, 0, 0)), ("load", (1, 0, 0)), catalogue=Catalogue([load, sun])))
    V = 24.0 + math.sqrt(24.0**2 - 100.0 * 4.0)  # 48 V - 4 ohm 100 W / V = V
    (low,) = of(report, "power", "warning")
    assert (low.message, low.value) == ("under-voltage", f"{V:.4g} V")
    (over,) = of(report, "power")
    assert over.value == f"{100.0 / V:.4g} A"
    assert over.allowed == "<= 2 A"


def test_a_lone_module_has_its_closed_form_temperature_and_is_too_cold_in_the_dark() -> None:
    plain = ModuleType("cube", 8.0, CUBE, (None,) * 6, absorptivity=0.3, emissivity=0.8)
    catalogue = Catalogue([plain])
    cases = {"sunlit": Environment((1.0, 0.0, 0.0), 1361.0, infrared=200.0), "dark": Environment(solar_flux=0.0)}
    report = check_design(design(("cube", (1, 1, 1)), catalogue=catalogue, environments=cases))
    face = 0.16
    heat = 0.3 * face * 1361.0 + 0.8 * 200.0 * face * (1.0 + 4 * 0.5)  # Earth below: factor 1, four times 1/2, 0
    exact = (heat / (SIGMA * 0.8 * 6 * face) + T_SPACE**4) ** 0.25
    place = report.body.find(1)
    assert report.temperatures["sunlit"].cold[place] == pytest.approx(exact, abs=1e-6)
    (cold,) = [f for f in of(report, "temperature") if "dark" in f.place]
    assert cold.message == "too cold in the steady state"
    assert cold.value == f"{T_SPACE:.5g} K"


def test_a_heater_that_is_needed_is_on_in_the_budget_and_holds_the_temperature() -> None:
    env = {"cool": Environment(solar_flux=1200.0, infrared=200.0)}
    report = check_design(design(("solar", (0, 0, 0)), ("bat", (0, 0, 1)), environments=env))
    place = report.body.find(2)
    found = report.temperatures["cool"]
    assert found.cold[place] < 278.15
    assert found.heating[place] == 20.0
    assert found.warm[place] > found.cold[place] + 1.0
    assert report.power.demand[place] == 20.0
    assert (found.warm >= found.cold)[report.body.occupied].all()


def test_mass_properties_and_principal_moments_are_those_of_the_whole() -> None:
    report = check_design(design(("bus", (0, 0, 0)), ("solar", (0, 0, 1))))
    assert report.mass.mass == 34.0
    d = 25.0 * 9.0 / 34.0 * 0.4**2
    ends = 34.0 * 0.4**2 / 6.0
    assert report.principal_moments == pytest.approx([ends, ends + d, ends + d], rel=1e-12)


def test_a_pushed_module_that_is_not_there_is_an_error() -> None:
    report = check_design(design(("bus", (0, 0, 0)), manoeuvres={"m": Manoeuvre(pushed=7)}))
    (finding,) = of(report, "load")
    assert finding.place == "loads m"
