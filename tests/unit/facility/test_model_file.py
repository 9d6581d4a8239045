"""Files of static models: the same to the bit when read again, every problem with its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.model_file import read_model, write_model
from freefloat.facility.static_model import StaticModel
from freefloat.robots.industrial_errors import GeometryErrors

RNG = np.random.default_rng(6)
ERRORS = tuple(GeometryErrors.of_vector(RNG.normal(size=48) * 5e-4) for _ in range(2))
MODEL = StaticModel(errors=(ERRORS[0], ERRORS[1]), rail=RNG.normal(size=(13, 6)) * 1e-4)
IDEAL = np.array([3.0, 0.1, -1.2, 1.8, 0.2, 0.5, 0.1, 0.3, -1.1, 1.6, 0.4, -0.7, 0.2])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_model(MODEL, tmp_path / "model.yaml", "a test: with a colon")
    return tmp_path / "model.yaml"


def test_a_model_written_and_read_corrects_to_the_same_bits(file: Path) -> None:
    again = read_model(file)
    assert np.array_equal(again.to_motor(IDEAL), MODEL.to_motor(IDEAL))
    assert np.array_equal(again.to_ideal(IDEAL), MODEL.to_ideal(IDEAL))
    assert again.errors == MODEL.errors


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("kind: facility-model", "kind: drives", "allowed: 'kind: facility-model'"),
        ("schema: 1", "schema: 2", "allowed: 1"),
        ("schema: 1\n", "", "schema: missing"),
        ("arm: kr100-ha", "arm: kr16-2", "allowed: kr100-ha"),
        ("ends: [0.0, 25.0]", "ends: [0.0, 20.0]", "allowed: 0 to 25 m"),
        ("  zeros: ", "  zeroes: ", "zeroes"),
        ("mass: 47.0", "mass: heavy", "mass"),
        ("mass: 47.0", "mass: -1", "mass"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(file: Path, old: str, new: str, told: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=told) as caught:
        read_model(file)
    assert "model.yaml:" in str(caught.value)


def test_a_model_of_another_lab_a_missing_file_and_a_folder_that_is_not_there(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="allowed: kr240-2"):
        read_model(file, LabGeometry(arms=("kr240-2", "kr240-2")))
    with pytest.raises(InputError, match=r"none\.yaml"):
        read_model(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot be written"):
        write_model(MODEL, tmp_path / "none" / "model.yaml")
