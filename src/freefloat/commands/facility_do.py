"""Actions of an operator at a facility that is served."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.commands import Json
from freefloat.errors import InputError, unknown_name
from freefloat.terminal import print_table

if TYPE_CHECKING:
    from freefloat.links.control_channel import ControlChannel

AGAIN = 0.05  # [s] between requests of a jog
SLOW = 70.0  # [s] for an answer, where a picture is made
Connect = Annotated[
    str, typer.Option("--connect", metavar="HOST:PORT", help="The facility's control channel.", show_default=True)
]
TokenFile = Annotated[
    Path | None, typer.Option("--token-file", metavar="FILE", help="The token that the facility was given.")
]
AT = "127.0.0.1:5251"


def facility_do(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An action; `list what=actions` shows all of them.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE ...]", show_default=False)] = None,
    connect: Connect = AT,
    token_file: TokenFile = None,
    keep: Annotated[
        float, typer.Option("--for", metavar="S", help="Ask again and again for so long, as a jog needs it.")
    ] = 0.0,
    as_json: Json = False,
) -> None:
    """Do an operator's action at a served facility, such as power, mode mode=sync, start, confirm, stop.

    `load trajectory=FILE` and `picture camera=NAME path=FILE` read and write files here, not at the facility.
    """
    from freefloat.serve.operator import parsed, perform

    given = parsed(arguments or [])
    if keep < 0.0 or not keep < 86_400.0:
        raise InputError(f"--for {keep:g}; allowed: 0 to 86400 s")
    with connected(connect, token_file, SLOW if name == "picture" else 15.0) as channel:
        if name == "watch":
            _watch(channel, given)
            return
        told = perform(channel, name, given)
        end = time.monotonic() + keep
        while time.monotonic() < end:
            time.sleep(AGAIN)
            told = perform(channel, name, given)
    if as_json:
        print(json.dumps(told, indent=2))
    else:
        show(told)


def connected(connect: str, token_file: Path | None, timeout: float = 15.0) -> ControlChannel:
    """A channel to where the options say."""
    from freefloat.links.control_channel import ControlChannel, address, read_token

    token = "" if token_file is None else read_token(token_file)
    return ControlChannel(*address(connect), token=token, timeout=timeout)


def _watch(channel: ControlChannel, given: dict[str, Any]) -> None:
    """A line of JSON for each frame, until Ctrl-C or the facility's end."""
    unknown = set(given) - {"names", "period"}
    if unknown:
        raise unknown_name("argument of watch", min(unknown), ("names", "period"))
    names = [name for name in str(given.get("names", "")).split(",") if name]
    for frame in channel.watch(names, given.get("period", 0.1)):
        print(json.dumps(frame), flush=True)


def show(told: dict[str, Any]) -> None:
    """What an action told, as tables and lines."""
    for what in ("variables", "actions", "interlocks", "cameras"):
        if isinstance(told.get(what), dict):
            _show_list(what, told[what])
            return
    if "values" in told:
        print_table(("variable", "value"), [(name, _text(value)) for name, value in told["values"].items()])
        return
    for key, value in told.items():
        if key != "ok" and (text := _text(value)):
            print(f"{key:<12} {text}")


def _show_list(what: str, entries: dict[str, dict[str, Any]]) -> None:
    if what == "actions":
        rows = [(name, _arguments(e["arguments"]), e["about"]) for name, e in entries.items()]
        print_table(("action", "arguments", "what it does"), rows)
        return
    columns = list(dict.fromkeys(key for entry in entries.values() for key in entry))
    rows = [(name, *(_text(entry.get(key, "")) for key in columns)) for name, entry in entries.items()]
    print_table((what[:-1], *columns), rows)


def _arguments(found: dict[str, dict[str, Any]]) -> str:
    return " ".join(key if "required" in rule else f"[{key}={_text(rule['default'])}]" for key, rule in found.items())


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(entry)}" for key, entry in value.items() if entry not in (0, None, ""))
    return "" if value is None else str(value)
