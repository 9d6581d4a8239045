"""Scenarios: which there are, their fields, and whether a file of one's own is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from freefloat.commands import Json, ScenarioName
from freefloat.commands.campaign_file import check_campaign_file
from freefloat.commands.design import check_design_file
from freefloat.commands.drives import check_drives_file
from freefloat.commands.robot import check_robot_file, is_robot
from freefloat.errors import InputError
from freefloat.terminal import print_table

if TYPE_CHECKING:
    from freefloat.robots.reading import Unsupported

NOTES = 6  # lines on the files of a mission's robots


def list_(as_json: Json = False) -> None:
    """Scenarios, one line each."""
    from freefloat.listing import print_list

    print_list(as_json)


def show(
    scenario: ScenarioName,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="A field or group, such as `integrator`.")] = "",
) -> None:
    """Every field: value, unit, default, allowed, meaning."""
    from freefloat.scenario.describe import rows
    from freefloat.scenario.files import load

    found = rows(load(scenario), path)
    cells = [(r.path, r.value, r.unit, r.default, r.allowed, r.meaning + (r.when and f" ({r.when})")) for r in found]
    print_table(("field", "value", "unit", "default", "allowed", "meaning"), cells)


def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A YAML file, FILE.py[:NAME], a name from `freefloat list`, or a robot (.urdf, .xml)."
        ),
    ],
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of the file's kind.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the drawing of a design or robot goes; default NAME.png here."),
    ] = None,
    unsupported: Annotated[
        str, typer.Option(metavar="HOW", help="Of a robot, what cannot be modelled: refuse, or skip by name.")
    ] = "refuse",
    balance: Annotated[
        bool, typer.Option("--balance", help="Of a robot, balance inertias that are off by less than 5 %.")
    ] = False,
    search: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Where package://NAME/ of a robot is; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Validate a scenario or a campaign, or check a design, drives or a robot; every error with its place."""
    if is_robot(file) and not schema:
        check_robot_file(file, cast("Unsupported", unsupported), balance, search or (), picture, as_json)
        return
    if unsupported != "refuse" or balance or search:
        raise InputError(f"--unsupported, --balance and --search are for robots, {file} is none (.urdf, .xml)")
    from freefloat.campaign.file import campaign_document, campaign_schema
    from freefloat.drives.catalogue import drives_schema, is_drives
    from freefloat.scenario.describe import json_schema
    from freefloat.scenario.files import find, kind_of, scenario_from
    from freefloat.scenario.origin import told_of
    from freefloat.structure.design.file import design_schema, is_design, shipped_design

    found = campaign_document(file)
    document = found or find(shipped_design(file) or file)
    if schema and found is not None:
        print(json.dumps(campaign_schema(), indent=2))
        return
    if schema:
        if is_drives(document):
            schema_of = drives_schema()
        else:
            schema_of = design_schema() if is_design(document) else json_schema(kind_of(document))
        print(json.dumps(schema_of, indent=2))
        return
    if found is not None:
        if picture is not None:
            raise InputError(f"--picture {picture}: only a design is drawn, {file} is a campaign")
        check_campaign_file(found, file, as_json)
        return
    if is_design(document):
        check_design_file(document, file, picture, as_json)
        return
    if is_drives(document):
        if picture is not None:
            raise InputError(f"--picture {picture}: only a design is drawn, {file} holds drives")
        check_drives_file(document, file, as_json)
        return
    scenario = scenario_from(document)
    if picture is not None:
        raise InputError(f"--picture {picture}: only a design is drawn, {file} is a scenario ({scenario.kind})")
    with told_of(scenario):
        mission = scenario.build()
    if any(ground.blueprint.advices for ground in mission.grounds.values()):
        mission.session(scenario.seed)  # which compares the step with what the parts advise
    if as_json:
        print(json.dumps({"file": file, "kind": scenario.kind, "ok": True, "notes": mission.notes}))
        return
    for note in mission.notes[:NOTES]:
        print(f"note: {note}")
    if len(mission.notes) > NOTES:
        print(f"note: ... and {len(mission.notes) - NOTES} more; `freefloat check {file} --json`")
    print(f"{file}: ok ({scenario.kind})")
