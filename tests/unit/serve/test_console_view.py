"""The screen, as text: what an operator must be able to see in it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from rich.console import Console

from freefloat.facility.modes import State
from freefloat.facility.security import INTERLOCKS
from freefloat.serve.console_keys import BUTTONS
from freefloat.serve.console_model import ConsoleModel
from freefloat.serve.console_view import HIGH, STATES, WIDE, screen
from freefloat.serve.desk_answers import DeskAnswers
from freefloat.serve.in_process import InProcess
from freefloat.serve.variable_list import shipped_lists
from freefloat.verify.facility_desk import KINEMATICS, Desk


def shown(model: ConsoleModel, width: int = WIDE, height: int = HIGH) -> str:
    console = Console(width=width, height=height, record=True, file=open("/dev/null", "w"), force_terminal=True)  # noqa: SIM115, PTH123
    console.print(screen(model, width, height))
    return console.export_text()


def model_of(desk: Desk) -> ConsoleModel:
    face = InProcess(desk.op, KINEMATICS)
    face.shown(desk.cycle())
    model = ConsoleModel(shipped_lists(), "127.0.0.1:5251")
    model.told(DeskAnswers(face).frame(model.names))
    return model


def test_everything_is_seen_at_once_on_a_large_terminal() -> None:
    text = shown(model_of(Desk()))
    for word in ("OFF", "Command centre", "Security display", "Variables: Axes", "last answer", "127.0.0.1:5251"):
        assert word in text
    for button in BUTTONS.values():
        assert button.title in text
    assert re.search(r"space +SAFE STOP", text)
    assert re.search(r"robot 1, actual +A1 0\.0000 A2 -59\.0730", text)
    assert re.search(r"rail, actual +6550\.00 .*mm", text)
    assert max(map(len, text.splitlines())) == WIDE
    assert len(text.splitlines()) == HIGH


def test_what_is_wrong_is_seen_with_what_ends_it() -> None:
    desk = Desk()
    desk.op.do("door", name="lab")
    desk.op.do("estop", place="fence1")
    text = shown(model_of(desk))
    assert re.search(r"FAULT +power dropped: remove the cause, then Acknowledge \(a\)", text)
    assert re.search(r"fence1 +PRESSED", text)
    assert re.search(r"lab +OPEN", text)
    assert re.search(r"fence2 +released", text)
    assert re.search(r"p +Power +blocked: estop, latch", text)
    assert re.search(r"last stop: an emergency stop is pressed \(fence1\)", text)
    for name in ("estop", "latch", "power", "door", "blind"):
        assert INTERLOCKS[name].when in text


def test_what_is_on_is_marked_without_colours() -> None:
    desk = Desk()
    desk.up("mcu")
    text = shown(model_of(desk))
    assert re.search(r"p \*Power", text)
    assert re.search(r"3 \*MCU", text)
    assert not re.search(r"1 \*Sync", text)
    assert "Power ON" in text
    assert "jog with + and -" in text


def test_a_refusal_and_what_is_typed_are_seen() -> None:
    model = model_of(Desk())
    model.message, model.failed = "start: the drives have no power", True
    assert "start: the drives have no power" in shown(model)
    model.typing = "load trajectory=a"
    assert ": load trajectory=a_" in shown(model)


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
def test_a_small_terminal_shows_pages(size: tuple[int, int]) -> None:
    model = model_of(Desk())
    pages = []
    for _ in range(3):
        pages.append(shown(model, *size))
        model.press("tab", 0.0)
    assert all("next page: tab" in page for page in pages)
    assert all(button.title in pages[0] for button in BUTTONS.values())
    assert "fence1" in pages[1]
    assert "Interlocks that hold: power, blind" in pages[1]
    assert "robot 2, actual" in pages[2]
    assert all(a != b for a, b in pairwise(pages))


def test_nothing_heard_yet_is_shown_as_that() -> None:
    text = shown(ConsoleModel(shipped_lists()))
    assert "NO ANSWER YET" in text
    assert re.search(r"fence1 +\?", text)


def test_every_state_has_its_advice() -> None:
    assert set(STATES) == set(State)


@pytest.mark.parametrize("number", range(5))
def test_every_shipped_list_fits(number: int) -> None:
    desk = Desk()
    face = InProcess(desk.op, KINEMATICS)
    face.shown(desk.out)
    model = ConsoleModel(shipped_lists(), shown=number)
    model.told(DeskAnswers(face).frame(model.names))
    text = shown(model)
    for entry in model.lists[number].entries:
        assert entry.title in text
