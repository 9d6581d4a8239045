"""`freefloat facility do` and `console`: what they print and their exit codes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.cli import main
from freefloat.facility.trajectory import Trajectory, write_trajectory

Outcome = Callable[..., tuple[int, str, str]]


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outcome:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(["facility", *arguments])
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_an_action_is_done_and_told(outcome: Outcome, facility_channel: Any) -> None:
    code, out, err = outcome("do", "power", "--connect", facility_channel.at)
    assert (code, err) == (0, "")
    assert "state        idle\n" in out
    code, out, _ = outcome("do", "order", "order=rail,rob2,rob1", "--connect", facility_channel.at, "--json")
    assert json.loads(out)["order"] == ["rail", "rob2", "rob1"]
    code, out, _ = outcome("do", "door", "name=lab", "open=off", "--connect", facility_channel.at)
    assert code == 0


def test_what_is_refused_or_wrong_is_one_line_and_exit_2(outcome: Outcome, facility_channel: Any) -> None:
    at = ("--connect", facility_channel.at)
    for arguments, told in (
        (("confirm", *at), "error: confirm: the drives have no power"),
        (("pwer", *at), "error: unknown action 'pwer'. Did you mean 'power'?"),
        (("mode", "sync", *at), "error: argument 'sync'; allowed: KEY=VALUE"),
        (("mode", "mode=sync", "mode=mcu", *at), "error: argument 'mode=mcu': mode was given before"),
        (("load", "trajectory=none.txt", *at), "error: none.txt: trajectory cannot be read"),
        (("load", *at), "error: load: nothing; allowed: trajectory=FILE"),
        (("power", "--connect", "127.0.0.1:x"), "error: address '127.0.0.1:x': port 'x'; allowed: 1 to 65535"),
        (("power", "--connect", "127.0.0.1:1"), "error: control channel 127.0.0.1:1: "),
        (("power", "--token-file", "none", *at), "error: --token-file none: cannot be read"),
        (("watch", "name=rail.act", *at), "error: unknown argument of watch 'name'. Did you mean 'names'?"),
        (("watch", "names=rail.akt", *at), "error: unknown variable 'rail.akt'"),
        (("jog", "component=E1", "speed=NaN", *at), "error: jog: a number that is not finite"),
        (("power", "--for", "-1", *at), "error: --for -1; allowed: 0 to 86400 s"),
    ):
        code, out, err = outcome("do", *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith(told), err
        assert len(err.splitlines()) == 1


def test_a_token_file_opens_a_facility_that_has_one(outcome: Outcome, guarded_channel: Any) -> None:
    Path("token").write_text("a token of the right length\n", encoding="utf-8")
    Path("wrong").write_text("a token of another length\n", encoding="utf-8")
    at = ("--connect", guarded_channel.at)
    assert outcome("do", "status", *at)[2].startswith("error: hello: no token; allowed: ")
    assert outcome("do", "status", *at, "--token-file", "wrong")[2].startswith("error: hello: wrong token; allowed: ")
    assert outcome("do", "status", *at, "--token-file", "token")[0] == 0


def test_a_trajectory_is_read_here_and_a_picture_is_written_here(outcome: Outcome, facility_channel: Any) -> None:
    write_trajectory("t.txt", Trajectory(np.full(500, 2), np.ones((500, 22))))
    code, out, _ = outcome("do", "load", "trajectory=t.txt", "--connect", facility_channel.at, "--json")
    assert (code, json.loads(out)["rows"]) == (0, 500)
    size = ("width=32", "height=20", "--connect", facility_channel.at)
    code, out, _ = outcome("do", "picture", "camera=rail", "path=mine.png", *size)
    assert code == 0
    assert Path("mine.png").read_bytes().startswith(b"\x89PNG")
    outcome("do", "picture", *size)
    assert Path("overview.png").exists()


def test_a_jog_is_kept_up_for_a_time(outcome: Outcome, facility_channel: Any) -> None:
    at = ("--connect", facility_channel.at)
    outcome("do", "power", *at)
    outcome("do", "mode", "mode=mcu", *at)
    code, _, err = outcome("do", "jog", "component=E1", "speed=100 mm/s", "--for", "0.3", *at)
    assert (code, err) == (0, "")
    assert facility_channel.op.motion[0][0] > 6.55


@pytest.mark.parametrize("what", ["variables", "actions", "interlocks", "cameras"])
def test_lists_are_tables(outcome: Outcome, facility_channel: Any, what: str) -> None:
    code, out, _ = outcome("do", "list", f"what={what}", "--connect", facility_channel.at)
    assert code == 0
    words = {"variables": "rob1.act.axes", "actions": "acknowledge", "interlocks": "latch", "cameras": "docking"}
    assert words[what] in out


def test_values_are_a_table(outcome: Outcome, facility_channel: Any) -> None:
    code, out, _ = outcome("do", "get", "names=rail.act,fmc.*", "--connect", facility_channel.at)
    assert code == 0
    assert "rail.act      6.55" in out


def test_the_console_is_printed_once_or_needs_a_terminal(outcome: Outcome, facility_channel: Any) -> None:
    code, out, _ = outcome("console", "--once", "--connect", facility_channel.at)
    assert code == 0
    assert "Security display" in out
    Path("mine.txt").write_text("# Mine\nrail.act in mm: the rail\n", encoding="utf-8")
    code, out, _ = outcome("console", "--once", "--list", "mine.txt", "--connect", facility_channel.at)
    assert "Variables: Mine" in out
    assert "6550.00" in out
    Path("mine.txt").write_text("rail.akt\n", encoding="utf-8")
    code, out, err = outcome("console", "--once", "--list", "mine.txt", "--connect", facility_channel.at)
    assert (code, out) == (2, "")
    assert err.startswith("error: mine.txt:1: unknown variable 'rail.akt'")
