"""An adapter plate with its equipment as one body on the flange, and a mock-up behind the force sensor on the plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.engine.graph import Link
from freefloat.facility.equipment import AdapterPlate, Equipment
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.industrial import Mockup
from freefloat.robots.inertial import Inertial

METAL, BLOCK = (0.80, 0.82, 0.85, 1.0), (0.12, 0.13, 0.15, 1.0)


def adapter_link(plate: AdapterPlate, equipment: Sequence[Equipment], X_FT: Pose) -> Link:
    """Plate and equipment in the flange's frame F; the plate lies between z = 0 and its thickness."""
    middle = np.array([0.0, 0.0, 0.5 * plate.thickness])
    body = Inertial(plate.mass, middle, np.diag(plate.inertia))
    for thing in equipment:
        body = body.plus(_inertial(thing))
    body = body.moved(X_FT)
    half = 0.5 * plate.edge
    shapes = [
        Shape("box", (half, half, 0.5 * plate.thickness), Pose(np.eye(3), middle), METAL, name="plate"),
        Shape("box", (0.05, 0.12, 0.05), Pose(np.eye(3), (half - 0.07, 0.0, -0.05)), BLOCK, name="interface block"),
        *(shape for thing in equipment for shape in thing.shapes),
    ]
    return Link("adapter", body.mass, body.p_LLcm, body.I_LLcm_L, _placed(shapes, X_FT))


def mockup_on(thing: Equipment, X_FT: Pose) -> Mockup:
    """A mock-up in the flange's frame; its tool frame is that of the plate."""
    body = _inertial(thing).moved(X_FT)
    return Mockup(body.mass, body.p_LLcm, body.I_LLcm_L, X_FT, _placed(thing.shapes, X_FT))


def _inertial(thing: Equipment) -> Inertial:
    return Inertial(thing.mass, np.array(thing.centre), np.array(thing.inertia))


def _placed(shapes: Sequence[Shape], X_FT: Pose) -> tuple[Shape, ...]:
    return tuple(replace(shape, X_LG=X_FT @ shape.X_LG) for shape in shapes)
