"""A tensor body as one link of the engine: exactly zero mass where it is empty and hangs on another."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Contact, SpringDamper
from freefloat.engine.blueprint import draw
from freefloat.errors import InputError
from freefloat.structure import Module, hexagonal
from freefloat.structure.catalogue.catalogue import load_catalogue
from freefloat.structure.outside import hidden_features
from freefloat.structure.tensor_body import TensorBody
from freefloat.structure.tensor_part import (
    DUMMY_INERTIA,
    DUMMY_MASS,
    TensorPart,
    link_mass,
    module_shapes,
    with_dummy,
)
from freefloat.verify.handling_rig import CATALOGUE, handling, stack, top
from freefloat.verify.parts import FreeBall


def test_the_engine_has_one_body_with_the_mass_properties_of_all_modules() -> None:
    body = stack()
    world = ff.Mission([TensorPart("stack", body)]).session().world
    own = body.mass_properties()
    tree = world.compiled()
    assert tree.model.nbody == 2, "the ground and the stack"
    assert tree.model.body_mass[tree.body["stack"]] == own.mass == 56.0
    np.testing.assert_allclose(world.links["stack"].I_LLcm_L, own.I_TTcm_T, rtol=1e-15)
    np.testing.assert_allclose(world.links["stack"].p_LLcm, own.p_TTcm, rtol=1e-15)


def test_an_empty_body_on_a_tip_has_exactly_no_mass_in_the_engine() -> None:
    body = stack()
    world = handling(body, top(body, (1, 0, 1))).session().world
    tree = world.compiled()
    b = tree.body["tool"]
    assert tree.model.body_mass[b] == 0.0
    assert not tree.model.body_inertia[b].any()
    bare = 56.0 + sum(link.mass for name, link in world.links.items() if name.startswith("gantry."))
    assert world.audit()["mass"][0] == pytest.approx(bare, rel=1e-15)


def test_a_free_empty_body_has_the_dummy_mass() -> None:
    empty = TensorBody("empty", stack().grid, CATALOGUE)
    assert link_mass(empty, free=False)[0] == 0.0
    mass, p, inertia = link_mass(empty, free=True)
    assert mass == DUMMY_MASS
    assert not p.any()
    assert np.array_equal(inertia, DUMMY_INERTIA * np.eye(3))
    tree = ff.Mission([TensorPart("empty", empty)]).session().world.compiled()
    assert tree.model.body_mass[tree.body["empty"]] == DUMMY_MASS


def test_a_body_with_modules_has_no_dummy_wherever_it_is() -> None:
    for free in (False, True):
        assert link_mass(stack(), free)[0] == 56.0


def test_a_dummy_is_added_at_the_origin() -> None:
    mass, p, inertia = with_dummy((10.0, np.array([0.5, 0.0, 0.0]), np.diag([1.0, 2.0, 3.0])))
    assert mass == 10.0 + DUMMY_MASS
    assert p[0] == pytest.approx(5.0 / (10.0 + DUMMY_MASS), rel=1e-14)
    moved = 10.0 * DUMMY_MASS / (10.0 + DUMMY_MASS) * 0.25  # reduced mass times distance squared
    expected = np.diag([1.0, 2.0 + moved, 3.0 + moved]) + DUMMY_INERTIA * np.eye(3)
    np.testing.assert_allclose(inertia, expected, rtol=0.0, atol=1e-15)


def test_shapes_follow_the_contents() -> None:
    body = stack()
    shapes = module_shapes(body)
    assert len(shapes) == 5
    assert {s.kind for s in shapes} == {"box"}
    centres = np.array([s.X_LG.p for s in shapes])
    np.testing.assert_allclose(centres, body.grid.p_TP[body.occupied], rtol=0.0, atol=1e-15)
    assert all(0.19 < h < 0.2 for s in shapes for h in s.size)
    body.remove(int(body.occupied[0]))
    assert len(module_shapes(body)) == 4


def test_hexagonal_modules_are_discs() -> None:
    catalogue = load_catalogue("mirror")
    kind = next(t for t in catalogue.types if len(t.sides) == 7)
    body = TensorBody("table", hexagonal([(0, 0), (1, 0)]), catalogue)
    body.insert(1, Module(1, kind))
    (shape,) = module_shapes(body)
    assert shape.kind == "cylinder"
    assert shape.size == pytest.approx((0.495 * kind.size[0], 0.495 * kind.size[2]), rel=1e-12)
    np.testing.assert_allclose(shape.X_LG.p, body.grid.p_TP[1], atol=1e-15)


def test_a_clearance_is_less_than_half_the_pitch() -> None:
    with pytest.raises(InputError, match=r"clearance 0.2 m; allowed: >= 0 and < 0.2 m"):
        TensorPart("stack", stack(), clearance=0.2)


def test_only_a_contact_declares_what_does_not_push() -> None:
    part = TensorPart("stack", stack())
    assert "stack.hidden" not in draw([part]).commands
    ball = FreeBall("ball", motion=ff.Motion(ff.Pose(np.eye(3), [0.0, 0.0, 5.0])))
    touching = draw([part, ball, Contact("touch", "stack", "ball", SpringDamper(1e4))])
    assert touching.starts["stack.hidden"] == tuple(hidden_features(stack()).tolist())
    assert len([row for row in touching.rows if row.startswith("touch.")]) == stack().grid.n


def test_modules_touch_balls_and_convex_shapes_and_refuse_planes() -> None:
    part = TensorPart("stack", stack())
    with pytest.raises(InputError, match=r"contact 'touch': modules on a Plane: no pair; allowed: balls, convex"):
        draw([part, Contact("touch", "world", "stack", SpringDamper(1e4))])
    tiles = TensorBody("tiles", hexagonal([(0, 0)]), load_catalogue("mirror"))
    tiles.insert(0, Module(1, tiles.catalogue.types[0]))
    box = ff.RigidBody("box", 1.0, size=(0.1, 0.1, 0.1))
    with pytest.raises(InputError, match=r"contact of a Prism with a box: no pair; allowed: spheres"):
        draw([TensorPart("tiles", tiles), box, Contact("touch", "tiles", "box", SpringDamper(1e4))])
