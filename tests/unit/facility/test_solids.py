"""Solids of the lab contain the shapes of the model."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.geometry import LabGeometry
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
    box = Shape("box", (0.1, 0.2, 0.3), Pose(np.eye(3), (0.0, 0.0, 0.35)))
    geometry = LabGeometry()
    solids = {s.name: s for s in lab_solids(geometry, Mounted(mockup2=(box,)))}
    carriage, rail = solids["carriage"], solids["rail"]
    assert carriage.body == CARRIAGE
    assert rail.body == ROOM
    assert carriage.X_LG.p[2] + carriage.half[2] == pytest.approx(geometry.base1[2])
    assert carriage.X_LG.p[2] - carriage.half[2] == pytest.approx(rail.X_LG.p[2] + rail.half[2])
    assert rail.X_LG.p[2] - rail.half[2] == pytest.approx(geometry.floor)
    assert "rob1 mock-up" not in solids
    mockup, plate = solids["rob2 mock-up"], solids["rob2 plate"]
    assert mockup.held
    assert plate.held
    # z of T is x of link 6, whose flange is 0.23 m in front of the wrist
    assert mockup.X_LG.p == pytest.approx([0.23 + 0.35, 0.0, 0.0])
    assert pytest.approx([1.0, 0.0, 0.0]) == mockup.X_LG.R @ [0.0, 0.0, 1.0]
