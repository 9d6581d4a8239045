"""The client of the control channel, against a facility at a real socket."""

from __future__ import annotations

import json
import re
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from freefloat.errors import InputError, SimulationError
from freefloat.links.control_channel import ControlChannel, FacilityRefusedError, address, read_token


def test_actions_are_done_and_refusals_are_errors(facility_channel: Any) -> None:
    with ControlChannel(port=facility_channel.port) as channel:
        assert channel.hello["facility"] == "freefloat"
        assert channel.do("power")["state"] == "idle"
        with pytest.raises(FacilityRefusedError, match=r"^confirm: state idle; allowed: ready$"):
            channel.do("confirm")
        assert channel.do("status")["channel"]["refused"] == 1
        with pytest.raises(InputError, match="not finite"):
            channel.do("jog", component="E1", speed=float("nan"))


def test_a_long_trajectory_goes_over_in_pieces(facility_channel: Any) -> None:
    rows = [[3, *(k + 0.1 * n for n in range(22))] for k in range(1001)]
    with ControlChannel(port=facility_channel.port) as channel:
        assert channel.load(rows)["rows"] == 1001
        with pytest.raises(FacilityRefusedError, match="trajectory"):
            channel.load([])
    loaded = facility_channel.op.trajectory
    assert [[int(f), *v] for f, v in zip(loaded.frames, loaded.values.tolist(), strict=True)] == rows


def test_a_watch_goes_on_between_actions(facility_channel: Any) -> None:
    with ControlChannel(port=facility_channel.port) as channel:
        frames = channel.watch(["rail.act"], 0.02)
        first = next(frames)
        assert first["values"]["rail.act"] == pytest.approx(6.55)
        assert channel.do("power")["ok"]
        for _ in range(100):
            if next(frames)["status"]["state"] == "idle":
                break
        else:
            raise AssertionError("the watch did not tell of it")
        channel.do("shutdown")
        for frame in frames:
            assert "watch" in frame
        assert channel.event() is None, "it ends with the facility"


def test_a_token_is_needed_where_the_facility_has_one(guarded_channel: Any) -> None:
    with pytest.raises(FacilityRefusedError, match="hello: no token"):
        ControlChannel(port=guarded_channel.port)
    with pytest.raises(FacilityRefusedError, match="hello: wrong token"):
        ControlChannel(port=guarded_channel.port, token="another one")
    with ControlChannel(port=guarded_channel.port, token="a token of the right length") as channel:
        assert channel.do("status")["state"] == "off"


def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(
        InputError, match=rf"control channel 127\.0\.0\.1:{port}: .*; allowed: the address of a running"
    ):
        ControlChannel(port=port)
    with pytest.raises(InputError, match="allowed: "):
        ControlChannel(port=70_000)


@pytest.mark.parametrize(
    ("reply", "told"),
    [(b"HTTP/1.1 400\n", "allowed: a JSON object a line"), (b"[1]\n", "allowed: a JSON object"), (b"half", "closed")],
)
def test_a_server_of_another_kind_is_told(reply: bytes, told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as client:
                client.recv(1000)
                client.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises((InputError, SimulationError), match=told):
            ControlChannel(port=server.getsockname()[1])
        thread.join()


def test_an_answer_that_comes_too_late_is_not_taken_for_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as client:
                for told in ([1], [], [2, 3], []):
                    client.recv(1000)
                    client.sendall(b"".join(json.dumps({"ok": True, "id": n, "n": n}).encode() + b"\n" for n in told))

        thread = threading.Thread(target=answer)
        thread.start()
        channel = ControlChannel(port=server.getsockname()[1], timeout=0.3)
        with pytest.raises(SimulationError, match=r"no answer for 0\.3 s"):
            channel.do("stop")
        assert channel.do("status")["n"] == 3
        channel.close()
        thread.join()


def test_the_program_of_the_reference_page_does_what_it_says(facility_channel: Any) -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "facility-control-channel.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    space: dict[str, Any] = {}
    exec(compile(block, page.name, "exec"), space)
    assert space["begin"](facility_channel.port) == "moving"
    assert len(facility_channel.op.trajectory.frames) == 250


def test_addresses() -> None:
    assert address("host:7") == ("host", 7)
    assert address("host") == ("host", 5251)
    assert address(":7") == ("127.0.0.1", 7)
    assert address("[::1]:7") == ("::1", 7)
    assert address("[::1]") == ("::1", 5251)
    for text in ("host:x", "host:0", "host:70000", "host:-1"):
        with pytest.raises(InputError, match="allowed: 1 to 65535"):
            address(text)


def test_tokens_of_files(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("  0123456789abcdef\n", encoding="utf-8")
    assert read_token(file) == "0123456789abcdef"
    for text in ("", "short", "0123456789\nabcdef0123", "x" * 2000):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="allowed: 16 to 1000 printable"):
            read_token(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text"):
        read_token(file)
    with pytest.raises(InputError, match="No such file"):
        read_token(tmp_path / "none")
