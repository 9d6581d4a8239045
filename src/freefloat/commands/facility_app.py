"""An application of the docking facility: a controller of one's own at its sync link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.commands import Json
from freefloat.errors import FreefloatError, InputError, SimulationError

if TYPE_CHECKING:
    from types import ModuleType

    from freefloat.links.facility import FacilityLink

Controller = Annotated[
    str, typer.Argument(metavar="MODULE:CLASS", help="A controller: a class of a module, or of FILE.py.")
]


def facility_app(
    controller: Controller,
    connect: Annotated[str, typer.Option(metavar="HOST:PORT", help="The sync link.")] = "127.0.0.1:5250",
    frame: Annotated[str, typer.Option(metavar="FRAME", help="Of the first states: CLW, GLC, IJT or IDC.")] = "CLW",
    timeout: Annotated[float, typer.Option(metavar="S", help="How long the facility may be silent.")] = 5.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the controller's random stream.")] = 0,
    as_json: Json = False,
) -> None:
    """Answer every state of the facility by a controller, until the facility stops executing its commands."""
    from freefloat.links.facility import FacilityLink

    host, _, port = connect.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise InputError(f"--connect {connect}: allowed: HOST:PORT, such as 127.0.0.1:5250")
    chosen = _made(controller, seed)
    with FacilityLink(host, int(port), frame, timeout) as link:
        cycles = _driven(chosen, link, controller)
        told = {"cycles": cycles, "missed_states": link.missed}
    print(json.dumps(told) if as_json else f"{cycles} cycles commanded, {link.missed} states missed")


def _made(controller: str, seed: int) -> Any:
    """An object of the class, which takes no arguments."""
    from freefloat.engine.randomness import stream

    source, _, name = controller.rpartition(":")
    if not source or not name:
        raise InputError(f"application {controller}: allowed: MODULE:CLASS or FILE.py:CLASS")
    found = getattr(_module(source), name, None)
    if not isinstance(found, type) or not callable(getattr(found, "update", None)):
        raise InputError(f"application {controller}: no class {name} with a method update(t, meas) in {source}")
    try:
        made: Any = found()
        reset = getattr(made, "reset", None)
        if callable(reset):
            reset(stream(seed, "application"))
    except FreefloatError:
        raise
    except Exception as error:  # a user's class may fail in any way
        raise InputError(f"application {controller}: {type(error).__name__}: {_line(error)}") from error
    return made


def _module(source: str) -> ModuleType:
    import importlib
    import sys
    from pathlib import Path

    if source.endswith(".py"):
        from freefloat.scenario.python_file import module_of

        return module_of(Path(source))
    sys.path.insert(0, str(Path.cwd()))  # as `python -m` has it
    try:
        return importlib.import_module(source)
    except Exception as error:  # whatever a user's module may raise
        raise InputError(f"application: module {source}: {type(error).__name__}: {_line(error)}") from error
    finally:
        sys.path.pop(0)


def _driven(controller: Any, link: FacilityLink, name: str) -> int:
    from freefloat.links.facility import drive

    try:
        return drive(controller, link)
    except FreefloatError:
        raise
    except Exception as error:  # a user's controller may fail in any way
        raise SimulationError(f"application {name}: {type(error).__name__}: {_line(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
