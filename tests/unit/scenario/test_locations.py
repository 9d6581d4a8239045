from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from freefloat.errors import FieldError, InputError
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import dump
from freefloat.scenario.fields import Settings, choice, file, quantity, setting
from freefloat.scenario.files import load
from freefloat.scenario.origin import told_of


class Arm(Settings):
    robot: str = file("arm7", "a robot")
    drive: str | tuple[str, ...] = file("wrist", "its drives")
    q: tuple[float, ...] = quantity((0.0, 0.0), "rad", "joint positions")


class Flat(Settings):
    kind: Literal["flat"] = setting("flat", "level")


class Mapped(Settings):
    kind: Literal["mapped"] = setting("mapped", "measured")
    map: str = file("", "heights")


class Workshop(Scenario):
    kind: ClassVar[str] = "workshop"
    title: ClassVar[str] = "Files everywhere"

    arm: Arm = setting(Arm(), "an arm")
    arms: dict[str, Arm] = setting({}, "arms by name")
    spare: tuple[Arm, ...] = setting((), "more arms")
    floor: Flat | Mapped = choice(Mapped(), "the floor")
    note: str = setting("", "no file")

    def build(self) -> Any:
        if len(self.arm.q) != 2:
            raise FieldError("arm.q", f"{len(self.arm.q)} numbers for 2 joints")
        return object()


TEXT = """kind: workshop
schema: 1
note: read/me.txt
arm:
  robot: robots/a.urdf
  drive: [wrist, drives.yaml, "drives.yaml:big", "/far/x.yaml:big"]
  q: [1, 2, 3]
arms: {left: {robot: ../b.xml}}
spare: [{robot: arm7}, {robot: /far/c.urdf}]
floor: {map: floor.npy}
"""


@pytest.fixture
def scenario(only: registry.Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    only.add("workshop", Workshop)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "case.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return load("mine/case.yaml", ["spare.0.robot=here.urdf"])


def test_files_are_relative_to_the_yaml_file_and_names_stay(scenario: Any):
    assert scenario.arm.robot == "mine/robots/a.urdf"
    assert scenario.arm.drive == ("wrist", "mine/drives.yaml", "mine/drives.yaml:big", "/far/x.yaml:big")
    assert scenario.arms["left"].robot == "mine/../b.xml"
    assert scenario.spare[1].robot == "/far/c.urdf"
    assert scenario.floor.map == "mine/floor.npy"
    assert scenario.note == "read/me.txt"


def test_files_of_an_override_are_relative_to_the_working_folder(scenario: Any):
    assert scenario.spare[0].robot == "here.urdf"


def test_what_a_run_writes_means_the_same_in_every_folder(scenario: Any, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "scenario.yaml").write_text(dump(scenario))
    again: Any = load(tmp_path / "out" / "scenario.yaml")
    assert again.arm.robot == str(tmp_path / "mine" / "robots" / "a.urdf")
    assert again.arm.drive[0] == "wrist"
    assert again.arm.drive[2] == f"{tmp_path / 'mine' / 'drives.yaml'}:big"
    assert again.arms["left"].robot == str(tmp_path / "b.xml")
    assert again.spare[0].robot == str(tmp_path / "here.urdf")
    assert dump(again) == dump(scenario)


def test_a_value_that_is_refused_when_the_mission_is_built_has_file_and_line(scenario: Any):
    with pytest.raises(InputError, match=r"^mine/case.yaml:7:6: arm.q: 3 numbers for 2 joints$"), told_of(scenario):
        scenario.build()
    changed = load("mine/case.yaml", ["arm.q=[1]"])
    with pytest.raises(InputError, match=r"^--set arm.q=\[1\]: arm.q: 1 numbers for 2 joints$"), told_of(changed):
        changed.build()
    plain = Workshop(arm=Arm(q=()))
    with pytest.raises(InputError, match=r"^arm.q: 0 numbers for 2 joints$"), told_of(plain):
        plain.build()
