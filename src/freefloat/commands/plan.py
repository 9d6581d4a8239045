"""A plan that rebuilds one design into another: its table, its file, its pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from freefloat.commands import INTERRUPTED, Json
from freefloat.commands.run import claim, kept
from freefloat.errors import InputError
from freefloat.interrupts import Noted, at_once
from freefloat.terminal import plan_bar, print_table, say

if TYPE_CHECKING:
    from freefloat.gnc.planning.reconfiguration.problem import Plan
    from freefloat.missions.modular.design_pair import DesignPair


def plan(
    start: Annotated[str, typer.Argument(metavar="START", help="A shipped design or a design file, with robots.")],
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="The same, as it shall become.")],
    robots: Annotated[
        int | None, typer.Option(metavar="1|2", help="How many of START's robots take part; default all.")
    ] = None,
    match: Annotated[
        Literal["type", "identity"], typer.Option(help="Whether any module of the type will do, or only that very one.")
    ] = "type",
    optimal: Annotated[
        bool, typer.Option("--optimal", help="Search until no better plan can be; for some ten modules.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plan file (.json), with a PNG beside it; default in runs/.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Plan how robots rebuild one design into another, every motion checked."""
    pair = _pair(start, goal, robots, match)
    file, interrupt = _target(out, pair), Noted()
    with at_once(lambda: _give_back(out, file)):
        try:
            found = _search(pair, optimal, interrupt)
        except InputError:
            _give_back(out, file)
            raise
        except KeyboardInterrupt:
            _give_back(out, file)
            say("interrupted: there is no plan yet")
            raise typer.Exit(INTERRUPTED) from None
        data, sheet = _write(found, pair, file)
    if as_json:
        print(json.dumps(data))
    else:
        _print(found, data, pair)
        print(f"written to {file}" + (f" and {sheet.name}" if sheet is not None else ""))
    if interrupt.given:
        say("interrupted: this is the best plan so far")


def _pair(start: str, goal: str, robots: int | None, match: Literal["type", "identity"]) -> DesignPair:
    from freefloat.missions.modular.design_pair import pair_of
    from freefloat.structure.design.file import load_design

    if robots is not None and robots not in (1, 2):
        raise InputError(f"--robots {robots}; allowed: 1 or 2")
    return pair_of(load_design(start), load_design(goal), robots, match)


def _target(out: Path | None, pair: DesignPair) -> Path:
    """The plan's file, in a folder that is there."""
    if out is None:
        return claim(None, f"plan-{pair.start.name}-{pair.goal.name}") / "plan.json"
    if out.suffix.lower() != ".json":
        raise InputError(f"--out {out}: kind {out.suffix!r}; allowed: .json")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    return out


def _give_back(out: Path | None, file: Path) -> None:
    """Remove a folder that was claimed for nothing."""
    if out is None:
        kept(file.parent)


def _search(pair: DesignPair, optimal: bool, interrupt: Noted) -> Plan:
    """The plan, or the best so far when an interrupt ends the search."""
    from freefloat.missions.modular.planning import NoPlanError, admit_pair, motions_of, plan_pair

    admit_pair(pair)
    with plan_bar(visible=sys.stderr.isatty()) as bar:

        def progress(cost: float, bound: float) -> None:
            interrupt.begin()  # from here on there is something to keep
            bar(cost, bound)

        try:
            mode = "optimal" if optimal else "anytime"
            return plan_pair(pair, motions_of(pair), mode, progress, lambda: interrupt.given)
        except NoPlanError:
            if interrupt.given:
                raise KeyboardInterrupt from None
            raise


def _write(found: Plan, pair: DesignPair, file: Path) -> tuple[dict[str, Any], Path | None]:
    """The plan's data, and the sheet of pictures where it could be drawn."""
    from freefloat.missions.modular.plan_file import plan_data, plan_text
    from freefloat.missions.modular.plan_pictures import draw_plan

    data = plan_data(found, pair)
    try:
        file.write_text(plan_text(data), "utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"--out {file}: cannot be written: {error.strerror}") from None
    sheet = file.with_suffix(".png")
    try:
        draw_plan(found, pair, sheet)
    except InputError as error:
        say(f"warning: {error}")
        return data, None
    return data, sheet


def _print(found: Plan, data: dict[str, Any], pair: DesignPair) -> None:
    """The table of operations, and what they come to."""
    many = len(pair.robots) > 1
    columns = [
        "n",
        *(["robot"] if many else []),
        "operation",
        "module",
        "type",
        "from",
        "to",
        "side",
        "turned",
        "time [s]",
    ]
    types = {m.identity: m.type for m in pair.start.modules}
    turned = dict.fromkeys((o.n for o in found.operations if o.carry is not None and o.carry.turn), "yes")
    rows: list[list[str]] = []
    for given, operation in zip(data["operations"], found.operations, strict=True):
        cells = [" ".join(map(str, given[name])) for name in ("from", "to")]
        side = given["side" if given["kind"] == "step" else "grip"]
        module = [str(given["module"]), types[given["module"]]]
        head = [str(given["n"]), *([given["robot"]] if many else []), given["kind"]]
        rows.append([*head, *module, *cells, side, turned.get(operation.n, ""), f"{operation.seconds:.1f}"])
    if rows:
        print_table(columns, rows)
        print()
    print(f"transfers: {found.transfers} (no plan has fewer than {found.transfers_bound}), steps: {found.steps}")
    proven = "which is optimal" if found.cost <= found.bound + 1e-6 else f"no plan takes less than {found.bound:.5g} s"
    print(f"time: {found.cost:.5g} s, {proven}; motions checked: {found.motion_checks}")
