from __future__ import annotations

import pytest

from freefloat.errors import InputError
from freefloat.serve.console_model import HOLD, ConsoleModel, typed_request
from freefloat.serve.variable_list import shipped_lists


@pytest.fixture
def model() -> ConsoleModel:
    return ConsoleModel(shipped_lists())


def press(model: ConsoleModel, *keys: str) -> list[object]:
    return [request for key in keys if (request := model.press(key, 0.0)) is not None]


def test_a_key_sends_the_request_of_its_button(model: ConsoleModel) -> None:
    assert press(model, " ", "s", "c", "3") == [("stop", {}), ("start", {}), ("confirm", {}), ("mode", {"mode": "mcu"})]
    assert press(model, "e") == [("estop", {"place": "control-room", "pressed": True})]


def test_what_is_chosen_in_the_security_display_is_switched(model: ConsoleModel) -> None:
    model.told({"values": {"security.estop": [0, 1, *[0] * 7], "security.door": [1, 0, 0]}, "status": {}})
    assert press(model, "enter") == [("estop", {"place": "door-lab", "pressed": True})]
    assert press(model, "down", "enter") == [("estop", {"place": "door-preparation", "pressed": False})]
    assert press(model, *["down"] * 8, "enter") == [("door", {"name": "lab", "open": False})]
    assert press(model, "down", "down", "down", "enter") == [("gate", {"name": "gate1", "open": True})]
    assert press(model, *["up"] * 12, "up", "enter")[0][0] == "blind"  # type: ignore[index]


def test_a_jog_goes_on_for_a_while_after_its_key_and_any_button_ends_it(model: ConsoleModel) -> None:
    request = model.press("+", 10.0)
    assert request == ("jog", {"frame": "IJT", "component": "E1", "robot": 0, "speed": 0.05})
    assert model.jog(10.01) is None, "not too often"
    assert model.jog(10.2) == request
    assert model.jog(10.0 + HOLD) is None
    assert model.press("-", 20.0) == ("jog", {"frame": "IJT", "component": "E1", "robot": 0, "speed": -0.05})
    assert model.press(" ", 20.1) == ("stop", {})
    assert model.jog(20.2) is None


def test_frame_component_and_speed_of_jogs_are_chosen(model: ConsoleModel) -> None:
    press(model, "f", "right", "]")
    assert model.frame.name == "IDC"
    request = model.press("+", 0.0)
    assert request == ("jog", {"frame": "IDC", "component": "x", "robot": 1, "speed": 0.1})
    press(model, "left", "left", *["["] * 9)
    assert model.jogged == (2, "C")
    assert model.press("+", 9.0)[1]["speed"] == 0.005  # type: ignore[index]


def test_a_line_is_typed_and_sent(model: ConsoleModel) -> None:
    assert press(model, ":", *"dor", "backspace", *"or name=lab open=false", "enter") == [
        ("door", {"name": "lab", "open": False})
    ]
    assert press(model, "l", *"'my file.txt'", "enter") == [("load", {"trajectory": "my file.txt"})]
    assert press(model, "Q", "escape", "q") == []
    assert model.done
    assert press(model, ":", *"door lab", "enter") == []
    assert model.failed
    assert "allowed: KEY=VALUE" in model.message


def test_letters_that_are_typed_are_no_buttons(model: ConsoleModel) -> None:
    assert press(model, ":", "p", "e", " ", "q") == []
    assert model.typing == "pe q"
    assert not model.done


def test_answers_are_told(model: ConsoleModel) -> None:
    model.answered(("load", {"trajectory": "a.txt"}), {"rows": 12})
    assert (model.message, model.failed) == ("done: load trajectory=a.txt: 12 rows", False)
    model.answered(("start", {}), InputError("start: mode mcu"))
    assert (model.message, model.failed) == ("start: mode mcu", True)


def test_lists_come_one_after_the_other_and_say_what_to_watch(model: ConsoleModel) -> None:
    assert "rail.act" in model.names
    press(model, "v")
    assert "act.clw" in model.names
    assert "security.estop" in model.names
    press(model, *["v"] * 4)
    assert model.shown == 0


def test_a_typed_line_is_read_as_in_a_shell() -> None:
    assert typed_request("  ") is None
    assert typed_request("jog component=E1 speed=-0.1") == ("jog", {"component": "E1", "speed": -0.1})
    with pytest.raises(InputError, match="No closing quotation"):
        typed_request("load trajectory='a")
