"""The stack of 27 modules that robots rebuild, and pictures of the rebuilding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from freefloat.engine.mission import Writer
from freefloat.engine.result import Result
from freefloat.structure.catalogue.catalogue import load_catalogue
from freefloat.structure.grid import cubic
from freefloat.structure.module import Module
from freefloat.structure.tensor_body import TensorBody
from freefloat.structure.tensor_part import TensorPart

PITCH = 0.4  # [m]
SIDE = 3  # modules along each edge of the stack
LAYERS = 6  # places along z
LAYOUT = (  # by layer from below, rows along x, columns along y
    ("bus", "bus", "bus", "bus", "bat", "bus", "bus", "bus", "bus"),
    ("pws", "dms", "pws", "solar", "bat", "solar", "ths", "dms", "ths"),
    ("solar", "payload", "dms", "payload", "payload", "payload", "dms", "payload", "solar"),
)


def starting_stack() -> TensorBody:
    """27 modules on the lower layers of a 3 x 3 x LAYERS grid; T is the centre of the stack."""
    origin = (0.0, 0.0, 0.5 * (LAYERS - SIDE) * PITCH)
    body = TensorBody("stack", cubic(SIDE, SIDE, LAYERS, PITCH, origin), load_catalogue("mosar"))
    identity = 0
    for k, layer in enumerate(LAYOUT):
        for n, kind in enumerate(layer):
            identity += 1
            body.insert(body.grid.index((n // SIDE, n % SIDE, k)), Module(identity, body.catalogue.type(kind)))
    return body


def pictures_of(parts: Sequence[TensorPart]) -> Writer:
    """Of what is where in these parts as a run goes on: sheets by temperature and by power."""
    bodies = {part.name: part.contents for part in parts}

    def write(result: Result, out: Path) -> None:
        from freefloat.view.rebuilding import draw_rebuilding  # heavy, and only needed here

        draw_rebuilding(result, bodies, out / "plots")

    return write
