from __future__ import annotations

from freefloat.facility.actions import ACTIONS
from freefloat.facility.record import Frame
from freefloat.facility.security import FORBIDDEN
from freefloat.serve.console_keys import BUTTONS, GROUPS, ORDERS, components
from freefloat.serve.console_model import SWITCHES
from freefloat.serve.control_requests import KNOWN


def test_every_action_of_the_operation_has_a_key() -> None:
    sent = {button.request({})[0] if button.request else button.typed.split()[0] for button in BUTTONS.values()}
    assert sent | set(SWITCHES) | {"jog"} >= set(ACTIONS)
    assert sent <= set(KNOWN)
    assert {"picture", "shutdown"} <= sent


def test_keys_are_single_and_needs_are_words_of_the_interlocks() -> None:
    buttons = [button for group in GROUPS.values() for button in group]
    assert len(BUTTONS) == len(buttons)
    assert all(len(button.key) == 1 for button in buttons)
    assert all(button.needs in ("", *FORBIDDEN) for button in buttons)
    assert not {"f", "v", "q", ":", "+", "-", "=", "[", "]"} & set(BUTTONS)


def test_what_is_on_is_switched_off() -> None:
    assert BUTTONS["p"].request is not None
    assert BUTTONS["p"].request({"power": True}) == ("power", {"on": False})
    assert BUTTONS["p"].request({}) == ("power", {"on": True})


def test_orders_follow_each_other_and_come_round() -> None:
    button, now, seen = BUTTONS["o"], ["rob1", "rob2", "rail"], []
    assert button.request is not None
    for _ in range(6):
        now = button.request({"order": now})[1]["order"]
        seen.append(tuple(now))
    assert sorted(seen) == sorted(map(tuple, ORDERS))


def test_components_of_each_frame() -> None:
    assert components(Frame.IJT)[0] == (0, "E1")
    assert all(len(components(frame)) == 13 for frame in Frame)
