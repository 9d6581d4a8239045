"""Meshes in the log: of kinds that Foxglove knows as they are, others as STL, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.engine.log.primitives import entity
from freefloat.errors import InputError
from freefloat.geometry.shape import Shape

OFF = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"


def shape(file: Path) -> Shape:
    return Shape("mesh", (2.0, 2.0, 2.0), mesh=str(file))


def test_a_mesh_that_foxglove_does_not_know_is_held_as_stl_or_left_out(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.off", tmp_path / "bad.ply"
    good.write_text(OFF)
    bad.write_text("no mesh")
    held = repr(entity(0, "arm", "arm", [shape(good)]))
    assert "model/stl" in held
    none = repr(entity(0, "arm", "arm", [shape(bad)]))
    assert none == repr(entity(0, "arm", "arm", []))
    with pytest.raises(InputError, match=r"link 'arm': mesh '.*gone\.stl' cannot be read: No such file"):
        entity(0, "arm", "arm", [shape(tmp_path / "gone.stl")])
