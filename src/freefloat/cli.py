"""The command line: which commands there are, and how errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from freefloat.commands import BAD_INPUT, DONE, FAILED, INTERRUPTED
from freefloat.commands.compare import compare
from freefloat.commands.doctor import doctor
from freefloat.commands.drives import drives
from freefloat.commands.evidence import bench, tables, verify
from freefloat.commands.log import log_export, log_info, log_picture, log_plot
from freefloat.commands.run import run
from freefloat.commands.scenarios import check, list_, show
from freefloat.errors import FreefloatError, InputError
from freefloat.terminal import say, show_warning

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # click's, wherever typer keeps it

_PLAIN = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
app = typer.Typer(help="Simulate on-orbit servicing and assembly robotics.", **_PLAIN)
log_app = typer.Typer(help="Look into the log of a run.", **_PLAIN)
app.add_typer(log_app, name="log")

app.command("list")(list_)
for _command in (show, check, run, compare, drives, verify, bench, tables, doctor):
    app.command()(_command)
log_app.command("info")(log_info)
log_app.command("export")(log_export)
log_app.command("plot")(log_plot)
log_app.command("picture")(log_picture)


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


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code: 0 done, 1 failed, 2 bad input, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  (closed by the caller)
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    warnings.showwarning = show_warning
    sys.exit(_code(given or ["--help"]))


def _code(arguments: list[str]) -> int:
    """The one place where errors become messages and exit codes."""
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="freefloat", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        told: str = error.format_message()  # pyright: ignore[reportAttributeAccessIssue]
        say(f"error: {told}{'' if told[-1:] in '.?!' else '.'} See 'freefloat --help'.")
        return BAD_INPUT
    except InputError as error:
        say(*(f"error: {line}" for line in str(error).splitlines()))
        return BAD_INPUT
    except FreefloatError as error:
        say(f"error: {error}")
        return FAILED
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # the reader of our output left, as `head` does; click exits then
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        say(f"error: {error.strerror or error}")
        return FAILED
    return code if isinstance(code, int) else DONE


if __name__ == "__main__":
    main()
