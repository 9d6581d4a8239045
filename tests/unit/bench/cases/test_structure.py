import math

import numpy as np
import pytest

from freefloat.bench.cases.structure import Effort, figures
from freefloat.bench.plants import TORQUE, Ours
from freefloat.bench.stacks import Heated, Naive, Rebuilt, arm_on, stack
from freefloat.structure.tensor_body import total_mass
from freefloat.structure.tensor_part import module_shapes

TINY = Effort(
    many=(3, 3, 2),
    most=(3, 3, 3),
    steps=10,
    rounds=1,
    naive_steps=2,
    naive_rounds=1,
    rebuild_rounds=1,
    rest=0.0,
    orbit=20.0,
    stretches=2,
    plant_steps=10,
    mission=0.1,
    mission_rounds=1,
)


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(TINY)}


def test_the_structure_reports_its_figures_and_what_was_done(found):
    assert list(found) == [
        "step_ratio_1000_vs_1_modules",
        "step_1000_modules_us",
        "step_1_modules_us",
        "naive_vs_tensor_ratio_1000",
        "naive_contacts_vs_tensor_ratio_1000",
        "naive_us_per_step",
        "naive_contacts_us_per_step",
        "reconfigure_1000_ms",
        "reconfigure_10000_ms",
        "reconfigure_10000_over_1000",
        "thermal_orbit_over_plant",
        "thermal_orbit_every_2s_over_plant",
        "thermal_orbit_s",
        "plant_orbit_s",
        "pick_and_place_over_plant_ratio",
        "pick_and_place_mission_s",
        "pick_and_place_plant_s",
    ]
    assert all(math.isfinite(figure.value) and figure.value > 0.0 for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_the_ratios_are_those_of_the_reported_times(found):
    value = {name: figure.value for name, figure in found.items()}
    for ratio, over, under in (
        ("step_ratio_1000_vs_1_modules", "step_1000_modules_us", "step_1_modules_us"),
        ("reconfigure_10000_over_1000", "reconfigure_10000_ms", "reconfigure_1000_ms"),
        ("thermal_orbit_over_plant", "thermal_orbit_s", "plant_orbit_s"),
        ("pick_and_place_over_plant_ratio", "pick_and_place_mission_s", "pick_and_place_plant_s"),
    ):
        assert value[ratio] == pytest.approx(value[over] / value[under])
    contacts = value["naive_contacts_vs_tensor_ratio_1000"] / value["naive_vs_tensor_ratio_1000"]
    assert contacts == pytest.approx(value["naive_contacts_us_per_step"] / value["naive_us_per_step"])


def test_a_full_run_has_the_sizes_that_its_figures_are_named_after():
    assert [stack(size).grid.n for size in (Effort().one, Effort().many)] == [1, 1000]
    assert math.prod(Effort().most) == 10_000


@pytest.mark.parametrize("contacts", [False, True])
def test_one_body_per_module_moves_as_the_tensor_body_does(contacts):
    body = stack((3, 3, 2))
    ours = Ours(arm_on(body))
    naive = Naive(ours, body, contacts)
    assert naive.model.nbody == ours.session.world.compiled().model.nbody + 18
    for plant in (ours, naive):
        plant.push(TORQUE)
        plant.run(500)
    assert np.abs(ours.state()[1][-7:]).max() > 0.01  # the arm moves
    np.testing.assert_allclose(ours.state()[0], naive.state()[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.state()[1], naive.state()[1], rtol=0, atol=1e-13)


def test_contacts_are_searched_only_where_they_are_raced():
    body = stack((3, 3, 2))
    ours = Ours(arm_on(body))
    assert Naive(ours, body, contacts=False).model.ngeom == 0
    naive = Naive(ours, body, contacts=True)
    naive.run(1)
    arm = sum(len(link.shapes) for name, link in ours.session.world.links.items() if name != "stack")
    assert naive.model.ngeom == 18 + arm
    assert naive.data.ncon == 0


def test_a_module_that_is_taken_and_put_back_leaves_everything_as_it_was():
    one = Rebuilt((3, 3, 2))
    a, world = one.assembly, one.world
    identities, mass = a.identities(), total_mass(a.bodies.values())
    closed, powered = a.latches.closed["stack"].copy(), a.supply.powered.copy()
    start = a.bodies["stack"].copy().mass_properties()
    assert a.climate is not None
    assert a.climate.network is not None
    heat = a.climate.network.ledger.stored
    for _ in range(3):
        one.take_and_put_back()
    np.testing.assert_array_equal(a.identities(), identities)
    assert total_mass(a.bodies.values()) == mass
    np.testing.assert_array_equal(a.latches.closed["stack"], closed)
    np.testing.assert_array_equal(a.supply.powered, powered)
    assert a.climate.network.ledger.stored == pytest.approx(heat, rel=1e-14)
    np.testing.assert_allclose(world.links["stack"].I_LLcm_L, start.I_TTcm_T, rtol=1e-12, atol=1e-9)
    assert world.links["stack"].mass == mass
    assert world.links["tool"].mass == 0.0


def test_the_shapes_of_a_link_follow_its_modules():
    one = Rebuilt((3, 3, 2))
    one.take_and_put_back()
    for name, body in one.assembly.bodies.items():
        made, kept = module_shapes(body), one.world.links[name].shapes
        assert len(made) == len(kept)
        for a, b in zip(made, kept, strict=True):
            assert (a.kind, a.size, a.rgba) == (b.kind, b.size, b.rgba)
            np.testing.assert_allclose(a.X_LG.matrix(), b.X_LG.matrix(), rtol=0, atol=1e-14)


def test_the_heated_orbit_has_an_eclipse():
    one = Heated((2, 2, 2), period=154.0)
    seen: list[float] = []
    for _ in range(36):
        one.go_on(154.0)
        seen.append(one.climate.sunlit)
    assert one.time == pytest.approx(Effort().orbit)
    assert min(seen) == 0.0
    assert max(seen) == 1.0
    assert one.climate.network is not None
    assert one.climate.network.ledger.drift < 1e-8
