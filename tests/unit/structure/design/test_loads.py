"""Loads through interfaces: equilibrium always, statics where it suffices, equal sharing where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.structure import (
    Catalogue,
    InterfaceType,
    Module,
    ModuleType,
    TensorBody,
    cubic,
    hexagon_rings,
    hexagonal,
)
from freefloat.structure.design.check import check_design
from freefloat.structure.design.contacts import Contacts, contacts_of
from freefloat.structure.design.design import Design, Manoeuvre, PlacedModule
from freefloat.structure.design.loads import Loads, inertial_wrenches, interface_loads

SI = InterfaceType("si", max_force=100.0, max_torque=50.0)
MOTION = Manoeuvre((0.3, -0.2, 0.5), (0.2, 0.1, -0.3), (0.05, -0.1, 0.02))


def catalogue(sides: int, rng: np.random.Generator) -> Catalogue:
    kinds = []
    for k in range(3):
        A = rng.standard_normal((3, 3))
        inertia = A @ A.T + np.eye(3)
        kinds.append(
            ModuleType(
                f"m{k}", 5.0 + k, np.trace(inertia) * np.eye(3) - inertia, (SI,) * sides, rng.uniform(-0.1, 0.1, 3)
            )
        )
    return Catalogue(kinds)


def random_body(kind: str, seed: int) -> TensorBody:
    rng = np.random.default_rng(seed)
    grid = cubic(3, 2, 3, 0.4) if kind == "cubic" else hexagonal(hexagon_rings(1))
    body = TensorBody("b", grid, catalogue(grid.sides, rng))
    for number, place in enumerate(rng.permutation(grid.n)[: max(2, int(0.8 * grid.n))].tolist(), start=1):
        chosen = body.catalogue.type(int(rng.integers(1, 4)))
        body.insert(place, Module(number, chosen), int(rng.integers(len(grid.R_PM))))
    return body


def unbalanced(contacts: Contacts, loads: Loads) -> np.ndarray:
    """(k, 6) wrench that each occupied place has, minus the one it needs, about its own centre of mass."""
    body = contacts.body
    need, centre = inertial_wrenches(body, MOTION)
    row = {place: k for k, place in enumerate(body.occupied.tolist())}
    total = -need
    for k, number in enumerate(loads.contact.tolist()):
        place, side, other, _ = contacts.pairs[number].tolist()
        p_TF = body.grid.p_TP[place] + body.grid.X_PF[side].p
        for end, sign in ((place, 1.0), (other, -1.0)):
            arm = np.cross(p_TF - centre[row[end]], loads.force[k])
            total[row[end]] += sign * np.concatenate([loads.torque[k] + arm, loads.force[k]])
    return total


@pytest.mark.parametrize("kind", ["cubic", "hexagonal"])
@pytest.mark.parametrize("seed", range(5))
def test_every_module_but_the_pushed_one_gets_exactly_the_wrench_it_needs(kind: str, seed: int) -> None:
    contacts = contacts_of(random_body(kind, seed))
    loads = interface_loads(contacts, MOTION)
    body = contacts.body
    joined = contacts.groups(contacts.closed)
    rest = unbalanced(contacts, loads)
    chosen = [
        k for k, p in enumerate(body.occupied.tolist()) if joined[p] == joined[loads.pushed] and p != loads.pushed
    ]
    assert len(chosen) >= 3
    assert np.abs(rest[chosen]).max() < 1e-10 * np.abs(loads.force).max()


@pytest.mark.parametrize("seed", range(3))
def test_the_pushed_module_bears_the_whole_manoeuvre(seed: int) -> None:
    contacts = contacts_of(random_body("hexagonal", seed))
    loads = interface_loads(contacts, MOTION)
    joined = contacts.groups(contacts.closed)
    body = contacts.body
    assert len(np.unique(joined[body.occupied])) == 1
    row = body.occupied.tolist().index(loads.pushed)
    external = -unbalanced(contacts, loads)[row, 3:]
    assert external == pytest.approx(body.mass_properties().mass * np.array(MOTION.acceleration), abs=1e-10)


def test_a_column_pushed_at_its_foot_carries_the_weight_above_each_interface() -> None:
    kind = ModuleType("m", 10.0, np.eye(3) * 0.3, (SI,) * 6)
    modules = tuple(PlacedModule(k + 1, "m", (0, 0, k)) for k in range(4))
    boost = {"boost": Manoeuvre((0.0, 0.0, 2.0), pushed=1), "side": Manoeuvre((1.0, 0.0, 0.0), pushed=1)}
    report = check_design(Design("column", Catalogue([kind]), cubic(1, 1, 4), modules, manoeuvres=boost))
    assert report.loads["boost"].axial == pytest.approx([60.0, 40.0, 20.0], rel=1e-12)
    assert report.loads["boost"].bending == pytest.approx(np.zeros(3), abs=1e-12)
    assert report.loads["side"].radial == pytest.approx([30.0, 20.0, 10.0], rel=1e-12)
    assert report.loads["side"].bending == pytest.approx([18.0, 8.0, 2.0], rel=1e-12)  # weight times its lever


def test_spin_pulls_with_the_centripetal_force() -> None:
    kind = ModuleType("m", 10.0, np.eye(3) * 0.3, (SI,) * 6)
    modules = tuple(PlacedModule(k + 1, "m", (k, 0, 0)) for k in range(3))
    spin = {"spin": Manoeuvre(rate=(0.0, 0.0, 2.0), pushed=2)}
    report = check_design(Design("row", Catalogue([kind]), cubic(3, 1, 1), modules, manoeuvres=spin))
    assert report.loads["spin"].axial == pytest.approx([16.0, 16.0], rel=1e-12)


def test_a_symmetric_loop_shares_the_load_in_halves() -> None:
    kind = ModuleType("m", 10.0, np.eye(3) * 0.3, (SI,) * 6)
    cells = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    modules = tuple(PlacedModule(k + 1, "m", cell) for k, cell in enumerate(cells))
    diagonal = {"d": Manoeuvre((0.0, 0.0, 1.0), pushed=1)}
    report = check_design(Design("ring", Catalogue([kind]), cubic(2, 2, 1), modules, manoeuvres=diagonal))
    by_name = {
        report.contacts.name(int(n)): report.loads["d"].radial[k] for k, n in enumerate(report.loads["d"].contact)
    }
    assert by_name["2 +y - 4 -y"] == pytest.approx(by_name["3 +x - 4 -x"], rel=1e-12)
    assert by_name["2 +y - 4 -y"] == pytest.approx(5.0, rel=1e-12)


def test_a_load_over_the_limit_is_an_error_with_value_and_limit() -> None:
    kind = ModuleType("m", 10.0, np.eye(3) * 0.3, (SI,) * 6)
    modules = (PlacedModule(1, "m", (0, 0, 0)), PlacedModule(2, "m", (0, 0, 1)))
    hard = {"hard": Manoeuvre((0.0, 0.0, 10.5), pushed=1)}
    report = check_design(Design("column", Catalogue([kind]), cubic(1, 1, 2), modules, manoeuvres=hard))
    (finding,) = [f for f in report.findings if f.subject == "load"]
    assert (finding.place, finding.value, finding.allowed) == ("1 +z - 2 -z, loads hard", "105 N", "<= 100 N")
    assert report.loads["hard"].use == pytest.approx([1.05])
