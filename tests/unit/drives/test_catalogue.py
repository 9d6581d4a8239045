"""Drives by name and from files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from freefloat.drives import JointDrive, drive_names, load_drive
from freefloat.drives.catalogue import drives_schema, find_entry, read_drives
from freefloat.errors import InputError

FILE = """
kind: drives
schema: 1
about: two of one's own
drives:
  elbow:
    about: a joint
    source: data sheet
    sources: {gear.ratio: measured}
    motor: {kind: dc, torque_constant: 200 mN m/A, inductance: 0.5 mH}
    gear: {ratio: 100, stiffness: 2e4 N m/rad, backlash: 1 arcmin}
    friction: {coulomb: 2 N m, stiction: 3 N m}
  hip:
    driver: {offset: [10 mA, -5 mA], supply: 0.06 kV}
    substeps: 20
"""
ONE = FILE[: FILE.index("  hip:")]


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_shoulder_of_spider_is_the_default_with_resolver_errors_and_standby_power() -> None:
    assert drive_names() == ["spider-shoulder", "spider-wrist", "walker", "industrial-axis"]
    drive, default = load_drive("spider-shoulder"), JointDrive()
    assert (drive.motor, drive.gear, drive.friction, drive.brake) == (
        default.motor,
        default.gear,
        default.friction,
        default.brake,
    )
    assert drive.motor_resolver.error == drive.load_resolver.error == pytest.approx(math.radians(0.5 / 60.0), rel=1e-15)
    assert drive.name == "spider-shoulder"


def test_the_walkers_joints_have_the_size_of_spiders_wrist() -> None:
    walker, wrist = load_drive("walker"), load_drive("spider-wrist")
    assert (walker.motor, walker.gear, walker.friction, walker.brake) == (
        wrist.motor,
        wrist.gear,
        wrist.friction,
        wrist.brake,
    )


@pytest.mark.parametrize("name", drive_names())
def test_a_shipped_drive_leaves_nothing_to_defaults_and_says_where_its_numbers_come_from(name: str) -> None:
    entry = find_entry(name)
    assert entry.about
    assert all(source not in ("", "default") for source in entry.sources.values())


def test_a_file_gives_its_values_in_si_units(tmp_path: Path) -> None:
    drives = read_drives(written(tmp_path, FILE))
    elbow, hip = drives["elbow"], drives["hip"].drive
    assert (elbow.drive.motor.kind, elbow.drive.motor.pole_pairs, elbow.drive.motor.torque_constant) == ("dc", 0, 0.2)
    assert elbow.drive.gear.backlash == pytest.approx(math.radians(1.0 / 60.0), rel=1e-15)
    assert (hip.driver.offset, hip.driver.supply, hip.substeps) == ((0.01, -0.005), 60.0, 20)
    assert hip.gear == JointDrive().gear
    sources = elbow.sources
    assert (sources["gear.ratio"], sources["gear.stiffness"], sources["gear.damping"]) == (
        "measured",
        "data sheet",
        "default",
    )


def test_a_drive_of_a_file_is_named_after_it_where_there_are_several(tmp_path: Path) -> None:
    file = written(tmp_path, FILE)
    assert load_drive(f"{file}:hip") == load_drive(file, "hip") == load_drive(str(file), name="hip")
    with pytest.raises(InputError, match=r"own.yaml: 2 drives; allowed: .*own.yaml:NAME with one of elbow, hip"):
        load_drive(file)
    with pytest.raises(InputError, match=r"unknown drive of .*own.yaml 'elbo'\. Did you mean 'elbow'\?"):
        load_drive(f"{file}:elbo")
    with pytest.raises(InputError, match="with the name 'elbow'; allowed: one name"):
        load_drive(f"{file}:hip", "elbow")
    assert load_drive(written(tmp_path, ONE)).name == "elbow"


def test_an_unknown_drive_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown drive 'spider-sholder'\. Did you mean 'spider-shoulder'\?"):
        load_drive("spider-sholder")
    with pytest.raises(InputError, match="drive 'a' of 'walker'; allowed: a name inside a file"):
        load_drive("walker", "a")
    with pytest.raises(InputError, match=r"nowhere\.yaml: no such file"):
        load_drive("nowhere.yaml")


def changed(old: str, new: str) -> str:
    assert FILE.count(old) == 1
    return FILE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed("ratio: 100", "ratio: 0"), r"11:19: drives.elbow.gear.ratio: 0 is out of range; allowed: > 0"),
        (changed("2e4 N m/rad", "2e4 N m"), r"drives.elbow.gear.stiffness: '2e4 N m' has the wrong dimension"),
        (changed("2e4 N m/rad", "-2e4 N m/rad"), r"gear.stiffness: .* is out of range; allowed: > 0 N m/rad"),
        (changed("2e4 N m/rad", ".nan"), r"gear.stiffness: expected a finite quantity"),
        (
            changed("stiction: 3 N m", "stiction: 1 N m"),
            r"12:42: drives.elbow.friction.stiction: 1.0 is out of range; allowed: >= coulomb, 2 N m",
        ),
        (changed("kind: dc", "kind: dcc"), r"motor.kind: 'dcc' is not known; did you mean 'dc'"),
        (changed("backlash", "backlsh"), r"gear.backlsh: unknown field; did you mean 'backlash'"),
        (changed("0.06 kV", "0 V"), r"hip.driver.supply: '0 V' is out of range; allowed: > 0 V"),
        (changed("substeps: 20", "substeps: -1"), r"hip.substeps: -1 is out of range; allowed: >= 0"),
        (changed("{gear.ratio: measured}", "{gear.rato: measured}"), r"sources.gear.rato: unknown field; did you mean"),
        (changed("[10 mA, -5 mA]", "[10 mA]"), r"driver.offset: .*allowed: a list of 2"),
        (changed("schema: 1", "schema: 2"), r"3:9: schema: 2 is not known; allowed: 1"),
        (changed("schema: 1\n", ""), r"schema: missing; allowed: 1"),
        (changed("kind: drives", "kind: drive"), r"not a file of drives; allowed: 'kind: drives'"),
        ("kind: drives\nschema: 1\ndrives: {}\n", r"3:9: drives: no drive; allowed: one or more"),
        ("[1, 2]", r"not a file of drives"),
        ("", r"not a file of drives"),
    ],
)
def test_a_bad_file_is_refused_with_place_value_and_what_is_allowed(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_drives(written(tmp_path, text))
    assert "own.yaml" in str(caught.value)


def test_every_problem_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    text = changed("ratio: 100", "ratio: 0").replace("0.06 kV", "0 V").replace("schema: 1", "schema: 2")
    with pytest.raises(InputError) as caught:
        read_drives(written(tmp_path, text))
    assert len(str(caught.value).splitlines()) == 3


def test_the_schema_knows_the_kind_and_every_drive() -> None:
    schema = drives_schema()
    assert schema["properties"]["kind"]["const"] == "drives"
    assert schema["required"] == ["kind", "schema", "drives"]
