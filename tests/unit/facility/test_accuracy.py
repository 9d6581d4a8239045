"""What a part and its controllers ask of the accuracy of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.accuracy import Accuracy, mounted
from freefloat.facility.chain import BARE, design_plates, pose
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.model_file import write_model
from freefloat.facility.part import DockingFacility
from freefloat.facility.static_model import StaticModel
from freefloat.facility.tracker import drawn_axes

LAB = LabGeometry()
IDEAL = drawn_axes(np.random.default_rng(4), 20, LAB)


def missed(accuracy: Accuracy) -> float:
    """[m] RMS of the plates, through the whole chain from ideal axes."""
    found = []
    for axes in IDEAL:
        there, wanted = accuracy.plates(accuracy.model.to_motor(axes)), design_plates(LAB, axes[None])[0]
        found += [np.sum((X.p - pose(w).p) ** 2) for X, w in zip(there, wanted, strict=True)]
    return float(np.sqrt(np.mean(found)))


def test_ideal_does_as_it_is_told_to_the_bit() -> None:
    accuracy, robot = Accuracy(), DockingFacility().robot(1)
    assert np.array_equal(accuracy.model.to_motor(IDEAL[0]), IDEAL[0])
    assert np.array_equal(accuracy.executed(IDEAL[0]), IDEAL[0])
    assert np.array_equal(accuracy.encoders(IDEAL[0]), IDEAL[0])
    assert accuracy.erred(robot, 1) is robot
    assert missed(accuracy) < 1e-15


def test_raw_misses_by_millimetres_and_calibrated_by_a_tenth_of_that() -> None:
    raw, known = Accuracy("raw", 3), Accuracy("calibrated", 3)
    assert missed(raw) > 2e-3
    assert missed(known) < 0.3 * missed(raw)
    assert np.array_equal(raw.executed(IDEAL[0]), known.executed(IDEAL[0]))  # the same facility


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_encoders_are_what_motors_were_told(joints: str) -> None:
    accuracy = Accuracy("raw", 3, joints)  # pyright: ignore[reportArgumentType]
    assert accuracy.encoders(accuracy.executed(IDEAL[0])) == pytest.approx(IDEAL[0], abs=1e-12)


def test_a_robot_gets_the_true_geometry_and_stiffness() -> None:
    accuracy = Accuracy("raw", 3)
    robot = accuracy.erred(DockingFacility().robot(2), 2)
    assert accuracy.truth is not None
    assert robot.errors is accuracy.truth.errors[1]
    assert robot.stiffness == pytest.approx(accuracy.truth.stiffness[1])


def test_a_heavier_mock_up_makes_elastic_motors_wind_up_more() -> None:
    part = DockingFacility()
    loads = mounted(part.robot(1), part.robot(2))
    bare, heavy = (Accuracy("raw", 3, "elastic", loads=hung) for hung in (BARE, loads))
    up = np.abs([a.executed(IDEAL[0])[8] - a.links(IDEAL[0])[8] for a in (bare, heavy)])
    assert up[1] > 1.01 * up[0]


def test_a_model_of_a_file_corrects_in_place_of_a_calibration(tmp_path: Path) -> None:
    write_model(StaticModel(), tmp_path / "model.yaml")
    accuracy = Accuracy("calibrated", 3, file=tmp_path / "model.yaml")
    assert np.array_equal(accuracy.model.to_motor(IDEAL[0]), StaticModel().to_motor(IDEAL[0]))


def test_wrong_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="allowed: ideal, calibrated, raw"):
        Accuracy("perfect")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="allowed: calibrated"):
        Accuracy("raw", file="model.yaml")
