"""The console's screen: command centre, security display and variable list, as rich shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from freefloat.facility.modes import Mode, State
from freefloat.facility.security import INTERLOCKS
from freefloat.serve.console_keys import GROUPS, SPEEDS, Button, key_name
from freefloat.serve.console_model import PAGES, ConsoleModel
from freefloat.serve.variable_list import Entry

WIDE, HIGH = 118, 45  # [characters] of a terminal that shows everything at once
ACROSS = 7  # numbers beside each other
GOOD, BAD, LIT, WARN, DIM = "green", "bold white on red", "bold white on blue", "black on yellow", "grey50"
STATES: dict[str, tuple[str, str]] = {  # what an operator may want to do, and the colour
    State.OFF: ("drives have no power: Power (p)", "white on grey37"),
    State.IDLE: ("at rest: choose where commands come from (1-5), then Move to Start (s)", "black on white"),
    State.WAITING: ("for the application's first command; Safe Stop (space) ends it", WARN),
    State.MOVING: ("robots move to the start, one device after the other; Safe Stop: space", LIT),
    State.READY: ("at the start: Confirm (c) lets commands act; Safe Stop: space", WARN),
    State.RUNNING: ("commands act; Safe Stop: space", "bold white on green"),
    State.STOPPING: ("robots brake", WARN),
    State.FAULT: ("power dropped: remove the cause, then Acknowledge (a), then Power (p)", BAD),
}
JOG_HINT = "at rest: jog with + and -; component: left, right; frame: f; speed: [ ]"
WORDS = {"estop": ("PRESSED", "released"), "door": ("OPEN", "closed"), "gate": ("OPEN", "closed")}
TITLES = {"estop": "Emergency stops", "door": "Doors", "gate": "Rolling gates", "blind": "Blinds"}


def screen(model: ConsoleModel, width: int, height: int) -> Layout:
    """All of it, or one page where the terminal is smaller than that."""
    layout = Layout()
    body = Layout(name="body")
    layout.split_column(Layout(_head(model), size=4), body, Layout(_foot(model), size=3))
    if width < WIDE or height < HIGH:
        pages = (lambda: _centre(model, True), lambda: _security(model, True), lambda: _list(model, 3, True))
        body.update(pages[model.page % PAGES]())
    else:
        body.split_column(Layout(name="middle", size=28), Layout(_list(model), minimum_size=8))
        body["middle"].split_row(Layout(_centre(model)), Layout(_security(model)))
    return layout


def _panel(what: RenderableType, title: str, subtitle: str | None = None) -> Panel:
    return Panel(what, title=title, title_align="left", subtitle=subtitle, subtitle_align="right", box=ROUNDED)


def _head(model: ConsoleModel) -> RenderableType:
    status = model.status
    state = str(status.get("state", "no answer yet"))
    hint, colour = STATES.get(state, ("", DIM))
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f" {state.upper()} ", colour)
    text.append(f"  {JOG_HINT if (state, status.get('mode')) == (State.IDLE, Mode.MCU) else hint}\n")
    text.append(f"mode {status.get('mode', '-')}, {'robot controllers' if status.get('hardware') else 'simulation'}")
    text.append(f", application {status.get('application') or 'none'}")
    counters = status.get("counters", {})
    text.append("".join(f", {name} {count}" for name, count in counters.items()), DIM)
    return _panel(text, f"Docking facility {model.where}", f"t {model.time:.2f} s, cycle {model.cycle}")


def _centre(model: ConsoleModel, narrow: bool = False) -> RenderableType:
    title = "Command centre: key, button"
    if not narrow:
        return _panel(_buttons(list(GROUPS), model), title)
    grid = Table.grid(padding=(0, 1))
    names = list(GROUPS)
    grid.add_row(_buttons(names[:2], model, 14), _buttons(names[2:], model, 14))
    return _panel(grid, title, "next page: tab")


def _buttons(names: Sequence[str], model: ConsoleModel, about: int = 29) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=5, justify="right", no_wrap=True)
    grid.add_column(min_width=16, no_wrap=True)
    grid.add_column(max_width=about, no_wrap=True, overflow="ellipsis")
    for name in names:
        grid.add_row("", Text(f" {name}", DIM), "")
        for button in GROUPS[name]:
            grid.add_row(*_button(button, model))
        if name == "commands from":
            grid.add_row(Text("+ -", "bold cyan"), Text(" Jog"), _jog(model))
    return grid


def _button(button: Button, model: ConsoleModel) -> tuple[RenderableType, ...]:
    status, lit = model.status, button.lit(model.status)
    blocked = [n for n in status.get("interlocks", ()) if button.needs and button.needs in INTERLOCKS[n].forbids]
    about = Text(button.about, DIM)
    if button.title == "Order":
        about = Text(" > ".join(status.get("order", ())))
    elif button.title == "Load" and status.get("rows"):
        about = Text(f"{status['rows']} rows loaded")
    if blocked and not lit:
        about = Text(f"blocked: {', '.join(blocked)}", "yellow")
    style = LIT if lit else BAD if "STOP" in button.title else "default"
    mark = "*" if lit else " "  # for terminals without colours
    return Text(key_name(button.key), "bold cyan"), Text(f"{mark}{button.title} ", style), about


def _jog(model: ConsoleModel) -> Text:
    robot, name = model.jogged
    what = f"{model.frame.name} {f'rob{robot} ' if robot else ''}{name}"
    unit = "m/s" if name in ("x", "y", "z", "lin", "E1") else "rad/s"
    return Text(f"{what}, {SPEEDS[model.speed]:g} {unit}", "default" if model.status.get("mode") == Mode.MCU else DIM)


def _security(model: ConsoleModel, narrow: bool = False) -> RenderableType:
    columns: tuple[list[Text], list[Text]] = [], []
    last = ""
    for n, (what, *_) in enumerate(model.switches):
        column = columns[what != "estop"]
        if what != last:
            column.append(Text(TITLES[what], DIM))
        column.append(_switch(model, n))
        last = what
    body = Table.grid(padding=(0, 2))
    body.add_row(Group(*columns[0]), Group(*columns[1]))
    if narrow:
        held = Text(f"Interlocks that hold: {', '.join(model.status.get('interlocks', ())) or 'none'}", "yellow")
    else:
        held = Group(Text("Interlocks that hold, and what ends them", DIM), _interlocks(model))
    return _panel(
        Group(body, _lights(model), held),
        "Security display: up, down; enter switches",
        "next page: tab" if narrow else None,
    )


def _switch(model: ConsoleModel, number: int) -> Text:
    what, name, on = model.switches[number]
    if f"security.{what}" not in model.values:
        word, style = "?", DIM
    elif what == "blind":
        word, style = ("up", "default") if on else ("down", GOOD)
    else:
        word, style = (WORDS[what][0], BAD) if on else (WORDS[what][1], GOOD)
    chosen = number == model.cursor
    text = Text(no_wrap=True)
    text.append("> " if chosen else "  ", "bold cyan")
    text.append(f"{name:<17}", "bold" if chosen else "default")
    text.append(word, style)
    return text


def _lights(model: ConsoleModel) -> Text:
    """Power, laser, lamp, errors of robots."""
    text = Text()
    for what, word in (("power", "Power"), ("laser", "Laser"), ("lamp", "Sun lamp")):
        on = bool(model.status.get(what))
        text.append(f" {word} {'ON' if on else 'off'} ", (LIT if what == "power" else WARN) if on else DIM)
        text.append(" ")
    text.append("\n")
    for n, wrong in enumerate(model.values.get("security.error") or (), 1):
        text.append(f" Robot {n} {'ERROR' if wrong else 'without errors'} ", BAD if wrong else GOOD)
        text.append(" ")
    return text


def _interlocks(model: ConsoleModel) -> RenderableType:
    """Those that hold, in words."""
    held = model.status.get("interlocks", ())
    if not held:
        return Text(" none", GOOD)
    grid = Table.grid(padding=(0, 1))
    for name in held:
        grid.add_row(Text(f" {name}", "yellow"), Text(f"{INTERLOCKS[name].when}: {INTERLOCKS[name].allowed}"))
    return grid


def _list(model: ConsoleModel, across: int = ACROSS, narrow: bool = False) -> RenderableType:
    if not model.lists:
        return _panel(Text("no variable list"), "Variables")
    shown = model.lists[model.shown]
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=18, no_wrap=True)
    for _ in range(across):
        grid.add_column(width=11, justify="right", no_wrap=True)
    grid.add_column(min_width=4, no_wrap=True)
    for entry in shown.entries:
        for row in _rows(entry, model, across):
            grid.add_row(*row)
    more = f"list {model.shown + 1} of {len(model.lists)}, next: v{'   next page: tab' if narrow else ''}"
    return _panel(grid, f"Variables: {shown.title}", more)


def _rows(entry: Entry, model: ConsoleModel, across: int) -> Iterable[list[RenderableType]]:
    """Numbers of an entry: those of a robot beside each other, as many as there is room for."""
    groups: dict[str, list[tuple[str, float | None, str]]] = {}
    for label, value, unit in zip(entry.labels, entry.values(model.values), entry.units, strict=True):
        group, space, rest = label.partition(" ")
        groups.setdefault(group if space else "", []).append((rest if space else label, value, unit))
    for name, group in groups.items():
        for k in range(0, len(group), across):
            part = group[k : k + across]
            title = f"{entry.title}{f', {name}' if name else ''}" if k == 0 else ""
            cells: list[RenderableType] = [_cell(*cell) for cell in part]
            units = dict.fromkeys(unit for _, _, unit in part if unit != "-")
            yield [Text(title), *cells, *([""] * (across - len(part))), Text(", ".join(units), DIM)]


def _cell(label: str, value: float | None, unit: str) -> Text:
    text = Text()
    text.append(f"{label} " if label else "", DIM)
    if value is None:
        number = "-"
    elif unit == "-" and not label:
        number = f"{value:.10g}"
    else:
        digits = 4 if abs(value) < 1e3 else 2 if abs(value) < 1e5 else 0
        number = f"{round(value, digits) + 0.0:.{digits}f}"  # without a sign of zero
    return text.append(number)


def _foot(model: ConsoleModel) -> RenderableType:
    if model.typing is not None:
        return _panel(Text(f": {model.typing}_", "bold"), "type NAME KEY=VALUE ...", "enter: do it, escape: forget it")
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(model.message, BAD if model.failed else GOOD)
    reason = str(model.status.get("reason", ""))
    if reason:
        text.append(f"   last stop: {reason}", "default")
    return _panel(text, "last answer", "type any action: :   leave: q")
