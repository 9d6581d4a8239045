"""The fields of a file are those of the parts, with the same defaults."""

from __future__ import annotations

from dataclasses import fields

from freefloat.drives import JointDrive
from freefloat.drives.joint_drive import PARTS
from freefloat.drives.settings import DriveSettings, DrivesSettings
from freefloat.scenario.fields import incomplete


def test_every_field_of_a_part_is_in_the_file_with_the_same_default() -> None:
    settings, drive = DriveSettings(), JointDrive()
    for part, kind in PARTS.items():
        group = getattr(settings, part)
        assert list(type(group).model_fields) == [f.name for f in fields(kind)], part
        assert kind(**group.model_dump()) == getattr(drive, part)
    assert (settings.substeps, settings.torque_quantum) == (drive.substeps, drive.torque_quantum)
    assert {f.name for f in fields(JointDrive)} - {"name"} <= set(DriveSettings.model_fields)


def test_every_field_has_a_unit_and_a_meaning() -> None:
    assert incomplete(DrivesSettings) == []
