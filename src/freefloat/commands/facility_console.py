"""The command centre of a served facility in a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from freefloat.commands.facility_do import AT, SLOW, Connect, TokenFile, connected
from freefloat.errors import InputError
from freefloat.interrupts import gently

Lists = Annotated[
    list[Path] | None,
    typer.Option("--list", metavar="FILE", help="A variable list to show, may be repeated; none: those that we ship."),
]


def facility_console(
    connect: Connect = AT,
    token_file: TokenFile = None,
    lists: Lists = None,
    once: Annotated[bool, typer.Option("--once", help="Print the screen once and leave.")] = False,
) -> None:
    """Command centre, security display and variables of a served facility, with a key for every button."""
    from rich.console import Console

    from freefloat.serve.console import FacilityConsole, on_a_terminal
    from freefloat.serve.variable_list import read_variable_list, shipped_lists

    shown = [read_variable_list(file) for file in lists] if lists else shipped_lists()
    if not once and not on_a_terminal():
        raise InputError("console: standard input and output are no terminal; allowed: a terminal, or --once")
    found = FacilityConsole(lambda: connected(connect, token_file, SLOW), shown)
    try:
        if once:
            found.once(Console() if on_a_terminal() else Console(width=120, height=45))
        else:
            gently()
            found.run()
    finally:
        found.close()
