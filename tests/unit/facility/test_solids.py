"""Solids of the lab contain the shapes of the model."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.engine.blueprint import Blueprint, Builder
from freefloat.errors import InputError
from freefloat.facility.equipment import Equipment
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.part import DockingFacility
from freefloat.facility.solids import CARRIAGE, ROOM, Mounted, Solid, containing, lab_solids
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.industrial_models import industrial_model


def _depth(solid: Solid, points: Array) -> float:
    """How far [m] the outermost point is outside; <= 0: all are inside."""
    local = (points - solid.X_LG.p) @ solid.X_LG.R
    outside = np.maximum(np.abs(local) - np.array(solid.half), 0.0)
    return float(np.linalg.norm(outside, axis=1).max()) - solid.rounding


def _surface(shape: Shape) -> Array:
    """Outermost points of a box or a cylinder, in the link."""
    if shape.kind == "box":
        local = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(shape.size)
    else:
        r, h = (float(s) for s in shape.size)
        around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        local = np.array([[r * np.cos(a), r * np.sin(a), s * h] for a in around for s in (-1, 1)])
    return local @ shape.X_LG.R.T + shape.X_LG.p


def test_every_shape_of_the_arms_is_inside_a_solid_of_its_link() -> None:
    geometry = LabGeometry()
    solids = lab_solids(geometry, Mounted())
    for i, name in enumerate(geometry.arms):
        for k, link in enumerate(industrial_model(name).graph().links):
            of_link = [s for s in solids if s.body == 7 * i + k and s.name == f"rob{i + 1} {link.name}"]
            assert len(of_link) == len(link.shapes) > 0
            for shape, solid in zip(link.shapes, of_link, strict=True):
                assert _depth(solid, _surface(shape)) < 1e-12


def test_slender_cylinders_become_capsules_and_flat_ones_boxes() -> None:
    slender, flat = Shape("cylinder", (0.1, 1.0)), Shape("cylinder", (0.5, 0.1))
    assert containing(slender, "a", 0).half == (0.0, 0.0, 1.0)
    assert containing(slender, "a", 0).rounding == 0.1
    assert containing(flat, "a", 0).half == (0.5, 0.5, 0.1)
    for shape in (slender, flat):
        assert _depth(containing(shape, "a", 0), _surface(shape)) < 1e-12
    with pytest.raises(InputError, match=r"rob1 mock-up: a mesh has no distance.*; allowed: box, sphere"):
        containing(Shape("mesh", (1.0, 1.0, 1.0), mesh="m.stl"), "rob1 mock-up", 6)


def test_carriage_carries_robot_1_on_the_rail_and_mock_ups_hang_on_the_plates() -> None:
    box = Equipment("box", shapes=(Shape("box", (0.1, 0.2, 0.3), Pose(np.eye(3), (0.0, 0.0, 0.35))),))
    geometry = LabGeometry()
    solids = lab_solids(geometry, Mounted((), (), None, box))
    carriage, rail = ([s for s in solids if s.name == name] for name in ("carriage", "rail"))
    assert {s.body for s in carriage} == {CARRIAGE}
    assert {s.body for s in rail} == {ROOM}
    assert max(s.X_LG.p[2] + s.half[2] for s in carriage) == pytest.approx(geometry.base1[2])
    assert min(s.X_LG.p[2] - s.half[2] for s in rail) == pytest.approx(geometry.floor)
    names = [s.name for s in solids if s.held]
    assert sorted(set(names)) == ["rob1 plate", "rob2 mock-up", "rob2 plate"]
    (mockup,) = (s for s in solids if s.name == "rob2 mock-up")
    # z of T is x of link 6, whose flange is 0.23 m in front of the wrist
    assert mockup.X_LG.p == pytest.approx([0.23 + 0.35, 0.0, 0.0])
    assert mockup.X_LG.R[:, 2] == pytest.approx([1.0, 0.0, 0.0])


def test_all_that_the_part_shows_of_rail_and_robots_is_inside_a_solid() -> None:
    part, geometry = DockingFacility(), LabGeometry()
    b = Builder(Blueprint(), part.name)
    part.build(b)
    solids = lab_solids(geometry, Mounted())
    flange = industrial_model(geometry.arms[0]).graph().links[6].frames["flange"]
    floor = Pose(np.eye(3), (0.0, 0.0, geometry.floor))
    frames = {"bed": (ROOM, floor), "carriage": (CARRIAGE, floor)}
    frames |= {f"rob{i + 1}.{name}": (7 * i + 6, flange) for i in range(2) for name in ("adapter", "mockup")}
    seen = 0
    for name, link in b.blueprint.links.items():
        ending = next((key for key in frames if name.endswith(f".{key}")), None)
        if ending is None:
            continue
        body, X = frames[ending]
        for shape in link.shapes:
            if shape.kind == "sphere":
                continue
            points = _surface(shape) @ X.R.T + X.p
            assert min(_depth(s, points) for s in solids if s.body == body) < 1e-12, (name, shape.name)
            seen += 1
    assert seen >= 20
