"""What the desk answers by itself: lists, values, pictures."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.actions import ACTIONS
from freefloat.facility.cameras import CAMERAS
from freefloat.facility.pool import VARIABLES
from freefloat.facility.security import INTERLOCKS
from freefloat.links.control_channel import ControlChannel, FacilityRefusedError
from freefloat.serve.connection import Connection
from freefloat.serve.control_requests import Request
from freefloat.serve.desk_answers import DeskAnswers


class Silent:
    """An operation before its first cycle, then one with values that are none."""

    def __init__(self) -> None:
        self.row: dict[str, Any] = {}

    def ask(self, action: str, arguments: Any, told: Any) -> None:
        raise AssertionError(action)

    def status(self) -> dict[str, Any]:
        return {}

    def newest(self, names: Any) -> dict[str, Any]:
        return {name: self.row[name] for name in names if name in self.row}

    def shutdown(self) -> None:
        raise AssertionError


def ask(desk: DeskAnswers, action: str, **arguments: Any) -> dict[str, Any]:
    told: list[dict[str, Any]] = []
    connection = Connection(None, 0.0, True)  # type: ignore[arg-type]
    desk.ask(connection, Request(action, arguments), told.append, 0.0)
    return told[0]


def test_before_the_first_cycle_there_are_no_values_and_no_pictures() -> None:
    desk = DeskAnswers(Silent())
    for action, arguments in (("get", {"names": "fmc.state"}), ("picture", {})):
        with pytest.raises(InputError, match="no cycle has been made yet"):
            ask(desk, action, **arguments)
    assert desk.frame(["fmc.state"])["values"] == {}


def test_numbers_that_are_not_finite_are_null() -> None:
    face = Silent()
    face.row = {"rail.act": np.array(np.nan), "rob1.act.axes": np.array([0.5, np.inf, 0, 0, 0, 0]), "fmc.cycle": 26.0}
    told = ask(DeskAnswers(face), "get", names="rail.act,rob1.act.axes")
    assert told["values"] == {"rail.act": None, "rob1.act.axes": [0.5, None, 0, 0, 0, 0]}
    assert (told["cycle"], told["time"]) == (26, 0.1)
    json.dumps(told, allow_nan=False)


def test_lists_have_everything_and_are_json() -> None:
    desk = DeskAnswers(Silent())
    for what, names in (("variables", VARIABLES), ("interlocks", INTERLOCKS), ("cameras", CAMERAS)):
        assert list(ask(desk, "list", what=what)[what]) == list(names)
    actions = ask(desk, "list", what="actions")["actions"]
    assert set(actions) > set(ACTIONS)
    assert actions["jog"]["arguments"]["component"] == {"required": True}
    assert actions["jog"]["arguments"]["robot"] == {"default": 0}
    json.dumps(actions, allow_nan=False)


def test_a_picture_comes_in_base64_or_goes_into_the_folder(facility_channel: Any) -> None:
    with ControlChannel(port=facility_channel.port, timeout=60.0) as channel:
        told = channel.do("picture", camera="docking", width=96, height=60)
        image = matplotlib.image.imread(io.BytesIO(base64.b64decode(told["png"])))
        assert image.shape[:2] == (60, 96)
        orange = (image[..., 0] > 0.6) & (image[..., 2] < 0.3)
        assert orange.sum() > 50, "robots are in it"
        told = channel.do("picture", camera="rail", width=96, height=60, file="rail.png")
        assert told["path"] == str((facility_channel.out / "rail.png").resolve())
        assert "png" not in told
        for name in ("rail.png", "../rail2.png", "/etc/x.png", ".png", "a/b.png", "rail.txt", "a\\b.png"):
            with pytest.raises(FacilityRefusedError, match="a name without folders"):
                channel.do("picture", file=name)
    assert [file.name for file in facility_channel.out.iterdir()] == ["rail.png"]


def test_a_picture_shows_where_the_robots_are(facility_channel: Any) -> None:
    with ControlChannel(port=facility_channel.port, timeout=60.0) as channel:
        before = channel.do("picture", camera="docking", width=64, height=40)["png"]
        assert channel.do("picture", camera="docking", width=64, height=40)["png"] == before
        channel.do("power")
        channel.do("mode", mode="mcu")
        for _ in range(1000):
            channel.do("jog", component="E1", speed=0.5)
            if channel.do("get", names="rail.act")["values"]["rail.act"] > 6.7:
                break
        assert channel.do("picture", camera="docking", width=64, height=40)["png"] != before
