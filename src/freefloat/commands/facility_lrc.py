"""A robot controller of the docking facility as a program of its own."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from freefloat.commands import Json
from freefloat.commands.facility_serve import Pace
from freefloat.errors import InputError

Robot = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT=FILE[,CONTEXT][,HOST:PORT]", help="robot1 or robot2, and its RSI_EthernetConfig.xml."
    ),
]


def facility_lrc(
    robot: Robot,
    file: Annotated[
        str, typer.Option("--facility", metavar="FILE", help="A YAML file with `kind: facility`.")
    ] = "facility",
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Give a field another value; may be repeated.")
    ] = None,
    pace: Annotated[Pace, typer.Option(help="With the clock, or as fast as it is answered.")] = Pace.realtime,
    as_json: Json = False,
) -> None:
    """Be the controller of one robot, which whoever answers its RSI telegrams commands."""
    from freefloat.missions.facility.served import ServedFacility
    from freefloat.scenario.files import load
    from freefloat.serve.rsi import opened_port
    from freefloat.serve.station import run_station

    scenario = load(file, assignments or [])
    if not isinstance(scenario, ServedFacility):
        raise InputError(f"{file}: kind {scenario.kind!r}; allowed: facility")
    port = opened_port(robot, scenario.kinematics())
    config = port.robot.config

    def ready() -> None:
        told = {"robot": port.number, "to": f"{config.host}:{config.port}"}
        print(json.dumps(told) if as_json else f"robot {port.number} tells {told['to']}, {pace}", flush=True)

    raise typer.Exit(run_station(scenario, port, pace is Pace.lockstep, ready))
