"""Write the tables of the reference that repeat what the code says: `python docs/make_tables.py [--check]`.

A page keeps a table between `<!-- table: NAME -->` and `<!-- end -->`; everything else in it is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from freefloat.drives.catalogue import shipped
from freefloat.drives.describe import parameters
from freefloat.facility import actions, modes, pool, security
from freefloat.robots import asset, load_urdf
from freefloat.scenario import registry
from freefloat.scenario.describe import rows
from freefloat.scenario.files import load
from freefloat.serve import console_keys, control_requests
from freefloat.verify.oracles import drive_page

REFERENCE = Path(__file__).parent / "reference"
MARKED = re.compile(r"(<!-- table: (?P<name>[\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
COMMON = ("about", "duration", "seed", "integrator", "record_rate")


def table(head: Iterable[str], cells: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *(list(row) for row in cells)]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def fields(kind: str) -> str:
    """Fields of a scenario kind with their defaults; `common` are those that every kind has."""
    chosen = rows(load(registry.names()[0] if kind == "common" else kind))
    chosen = [r for r in chosen if (r.path.split(".")[0] in COMMON) == (kind == "common")]
    cells = [
        (f"`{r.path}`", f"`{r.default}`", r.unit, r.allowed, r.meaning + (f" ({r.when})" if r.when else ""))
        for r in chosen
    ]
    return table(("field", "default", "unit", "allowed", "meaning"), cells)


def links(robot: str) -> str:
    """Mass properties of a shipped robot."""

    def text(values: Iterable[float]) -> str:
        return ", ".join(f"{v:.6g}" for v in values)

    cells = [
        (f"`{k.name}`", f"{k.mass:.6g}", text(k.p_LLcm), text(np.diagonal(k.I_LLcm_L)))
        for k in load_urdf(asset(robot)).links
    ]
    return table(("link", "mass [kg]", "centre of mass in L [m]", "moments about it [kg m^2]"), cells)


def joints(robot: str) -> str:
    """Joints of a shipped robot with their limits."""
    cells = [
        (
            f"`{j.name}`",
            " ".join(f"{v:g}" for v in j.axis),
            " ".join(f"{v:g}" for v in j.X_PJ.p),
            *(f"{np.rad2deg(v):g}" for v in (j.lower, j.upper, j.velocity)),
            f"{j.effort:g}",
        )
        for j in load_urdf(asset(robot)).joints
        if j.kind != "fixed"
    ]
    head = ("joint", "axis", "from the parent link [m]", "lower [deg]", "upper [deg]", "speed [deg/s]", "effort [N m]")
    return table(head, cells)


def drives(_: str) -> str:
    """Every number of the shipped drives, with where it comes from."""

    def text(value: float | str | tuple[float, ...]) -> str:
        if isinstance(value, tuple):
            return ", ".join(map(text, value))
        return value if isinstance(value, str) else f"{value:.6g}"

    names = list(shipped())
    cells = []
    for of_field in zip(*(parameters(entry) for entry in shipped().values()), strict=True):
        sources = [row.source for row in of_field]
        told = []
        for source in dict.fromkeys(sources):
            of_it = ", ".join(f"`{n}`" for n, s in zip(names, sources, strict=True) if s == source)
            told.append(f"{source} ({of_it})")
        first = of_field[0]
        values = (text(row.value) for row in of_field)
        cells.append((f"`{first.name}`", first.unit, *values, sources[0] if len(told) == 1 else "; ".join(told)))
    return table(("parameter", "unit", *(f"`{n}`" for n in names), "source"), cells)


def symbols(group: str) -> str:
    """Symbols of the equations of a drive; parameters with the field that they are."""
    cells = drive_page.symbols(group)
    return table(("symbol", "unit", "meaning", "field")[: max(map(len, cells))], cells)


def facility(what: str) -> str:
    """Tables of the docking facility's operation: interlocks, words, states, actions, causes, pool."""
    if what == "interlocks":
        cells = [
            (f"`{name}`", lock.when, ", ".join(lock.forbids), ", ".join(lock.causes), lock.allowed, lock.source)
            for name, lock in security.INTERLOCKS.items()
        ]
        return table(("name", "while", "forbids", "causes", "allowed", "source"), cells)
    if what == "words":
        return table(("word", "means"), [*security.FORBIDDEN.items(), *security.CAUSED.items()])
    if what == "states":
        cells = [
            (f"`{s}`", ", ".join(f"`{to}`" for to in modes.State if to in modes.TRANSITIONS[s])) for s in modes.State
        ]
        return table(("state", "leads to"), cells)
    if what == "actions":
        return table(
            ("action", "does", "arguments"),
            [
                (f"`{name}`", a.about, ", ".join(map(_argument, a.arguments.items())))
                for name, a in actions.ACTIONS.items()
            ],
        )
    if what == "causes":
        return table(
            ("number", "cause", "meaning"), [(str(i), f"`{c}`", m) for i, (c, m) in enumerate(modes.CAUSES.items())]
        )
    return table(
        ("name", "unit", "numbers", "meaning"),
        [
            (
                f"`{v.name}`",
                v.unit if v.unit.count(",") < 6 else "as in the record",
                str(v.shape[0]) if v.shape else "1",
                v.meaning,
            )
            for v in pool.VARIABLES.values()
        ],
    )


def _argument(given: tuple[str, object]) -> str:
    name, default = given
    return f"`{name}`" if default is actions.REQUIRED else f"`{name}` ({str(default).lower()})"


def channel(what: str) -> str:
    """Tables of the facility's control channel and its console: actions of the desk, keys of buttons, other keys."""
    if what == "actions":
        cells = [
            (
                f"`{name}`",
                known.about,
                ", ".join(_argument(a) if a[1] else f"`{a[0]}`" for a in known.arguments.items()),
            )
            for name, known in control_requests.DESK.items()
        ]
        return table(("action", "does", "arguments"), cells)
    if what == "keys":
        buttons = [button for group in console_keys.GROUPS.values() for button in group]
        cells = [(f"`{console_keys.key_name(b.key)}`", b.title, b.about) for b in buttons]
        return table(("key", "button", "does"), cells)
    return table(("key", "does"), [(f"`{key}`", does) for key, does in console_keys.OTHER_KEYS.items()])


MAKERS: dict[str, Callable[[str], str]] = {
    "fields": fields,
    "links": links,
    "joints": joints,
    "equations": drive_page.section,
    "symbols": symbols,
    "drives": drives,
    "facility": facility,
    "channel": channel,
}


def renewed(text: str) -> str:
    """A page with its tables made anew."""

    def make(match: re.Match[str]) -> str:
        maker, _, argument = match["name"].partition(".")
        return f"{match[1]}{MAKERS[maker](argument)}{match[3]}"

    return MARKED.sub(make, text)


def main(check: bool) -> int:
    stale = 0
    for page in sorted(REFERENCE.glob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = renewed(before)
        if after != before:
            stale += 1
            print(f"{page.name}: {'stale; run python docs/make_tables.py' if check else 'written'}")
            if not check:
                page.write_text(after, encoding="utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
