"""Which commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from freefloat.commands import DONE
from freefloat.commands.campaign import campaign
from freefloat.commands.compare import compare
from freefloat.commands.doctor import doctor
from freefloat.commands.drives import drives
from freefloat.commands.evidence import bench, tables, verify
from freefloat.commands.facility import facility_check
from freefloat.commands.facility_app import facility_app as facility_application
from freefloat.commands.facility_calibrate import facility_calibrate
from freefloat.commands.facility_console import facility_console
from freefloat.commands.facility_do import facility_do
from freefloat.commands.facility_lrc import facility_lrc
from freefloat.commands.facility_serve import facility_serve
from freefloat.commands.log import log_export, log_info, log_layout, log_picture, log_plot
from freefloat.commands.plan import plan
from freefloat.commands.run import run
from freefloat.commands.scenarios import check, list_, show
from freefloat.errors import InputError

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # click's, wherever typer keeps it

_PLAIN = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
app = typer.Typer(help="Simulate on-orbit servicing and assembly robotics.", **_PLAIN)
log_app = typer.Typer(help="Look into the log of a run.", **_PLAIN)
app.add_typer(log_app, name="log")
facility_app = typer.Typer(help="The docking facility.", **_PLAIN)
app.add_typer(facility_app, name="facility")

app.command("list")(list_)
for _command in (show, check, plan, run, campaign, compare, drives, verify, bench, tables, doctor):
    app.command()(_command)
log_app.command("info")(log_info)
log_app.command("export")(log_export)
log_app.command("plot")(log_plot)
log_app.command("picture")(log_picture)
log_app.command("layout")(log_layout)
facility_app.command("check")(facility_check)
facility_app.command("serve")(facility_serve)
facility_app.command("do")(facility_do)
facility_app.command("console")(facility_console)
facility_app.command("app")(facility_application)
facility_app.command("calibrate")(facility_calibrate)
facility_app.command("lrc")(facility_lrc)


def _print_version(wanted: bool) -> None:
    if wanted:
        from freefloat import __version__

        print(f"freefloat {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Simulate on-orbit servicing and assembly robotics."""


def answer(arguments: list[str]) -> int:
    """Run a command; its exit code. What cannot be read of the arguments is an `InputError`."""
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="freefloat", standalone_mode=False)
    except _UsageError as error:
        told: str = error.format_message()  # pyright: ignore[reportAttributeAccessIssue]
        raise InputError(f"{told}{'' if told[-1:] in '.?!' else '.'} See 'freefloat --help'.") from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else DONE
