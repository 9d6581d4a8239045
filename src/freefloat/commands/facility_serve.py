"""The docking facility as a server."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from freefloat.commands import Json
from freefloat.errors import InputError
from freefloat.interrupts import at_once
from freefloat.terminal import say


class Pace(StrEnum):
    """How cycles keep time."""

    realtime = "realtime"
    lockstep = "lockstep"


FacilityFile = Annotated[
    str, typer.Argument(metavar="[FILE]", help="A YAML file with `kind: facility`; none: the facility as it comes.")
]
Tool = Annotated[Path | None, typer.Option("--tool", metavar="FILE", help="User tools, such as user_tool.val.")]
Token = Annotated[Path | None, typer.Option("--token-file", metavar="FILE", help="A text that operators have to know.")]

Rsi = Annotated[
    list[str] | None,
    typer.Option(
        "--rsi", metavar="ROBOT=FILE", help="Correct robot1 or robot2 by its RSI_EthernetConfig.xml; may be repeated."
    ),
]

ControllerFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--controller", metavar="ROBOT=FILE", help="A robot controller to command (`hardware`); both or none of them."
    ),
]


def facility_serve(
    file: FacilityFile = "facility",
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where others reach it.")] = "127.0.0.1",
    sync_port: Annotated[int, typer.Option(metavar="N", help="UDP, for applications; 0 picks one.")] = 5250,
    control_port: Annotated[int, typer.Option(metavar="N", help="TCP, for operators; 0 picks one.")] = 5251,
    rsi: Rsi = None,
    controller: ControllerFiles = None,
    tool: Tool = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Give a field another value; may be repeated.")
    ] = None,
    pace: Annotated[Pace, typer.Option(help="With the clock, or as fast as the application answers.")] = Pace.realtime,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to log; default runs/facility-NNN.")] = None,
    token_file: Token = None,
    as_json: Json = False,
) -> None:
    """Let programs and operators connect to the docking facility; SIGTERM or Ctrl-C ends it."""
    from freefloat.commands.run import claim, kept
    from freefloat.links.control_channel import read_token
    from freefloat.missions.facility.served import ServedFacility
    from freefloat.scenario.files import load
    from freefloat.scenario.overrides import Override
    from freefloat.serve.facility_server import Options, serve

    named = [] if tool is None else [Override("facility.tool", str(tool.resolve()), f"--tool {tool}")]
    scenario = load(file, [*(assignments or []), *named])
    if not isinstance(scenario, ServedFacility):
        raise InputError(f"{file}: kind {scenario.kind!r}; allowed: facility")
    token = "" if token_file is None else read_token(token_file)
    folder = claim(out, "facility")

    def ready(sync: int, control: int) -> None:
        if as_json:
            print(json.dumps({"sync": sync, "control": control}), flush=True)
        else:
            print(f"sync {host}:{sync}, control {host}:{control}, {pace}; log in {folder}", flush=True)

    options = Options(
        folder, host, sync_port, control_port, pace.value, token, tuple(rsi or ()), tuple(controller or ())
    )
    try:
        with at_once(lambda: kept(folder)):
            code = serve(scenario, options, ready)
    except InputError:
        kept(folder)
        raise
    if not as_json:
        say(f"log in {folder}")
    raise typer.Exit(code)
