"""`freefloat facility app`: what it says where it cannot begin."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from freefloat.cli import main

CLASSES = """
class Good:
    def reset(self, rng):
        print(int(rng.integers(1000)))
    def update(self, t, meas):
        return {"record": meas["state"]}

class Picky:
    def __init__(self, course):
        pass
    def update(self, t, meas):
        return {}

class Other:
    pass
"""


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["own.py:Good", "--connect", "5250"], 2, "--connect 5250: allowed: HOST:PORT"),
        (["own.py:Good", "--connect", "127.0.0.1:99999"], 2, "facility 127.0.0.1:99999"),
        (["own.py:Good", "--frame", "LAB"], 2, "frame 'LAB'; allowed: CLW, GLC, IJT, IDC"),
        (["own.py"], 2, "allowed: MODULE:CLASS or FILE.py:CLASS"),
        (["own.py:Other"], 2, "no class Other with a method update(t, meas)"),
        (["own.py:Picky"], 2, "TypeError"),
        (["missing.py:Good"], 2, "missing.py: no such file"),
        (["no_such_module:Good"], 2, "module no_such_module: ModuleNotFoundError"),
        (["own.py:Good", "--timeout", "0.2", "--connect", "127.0.0.1:FREE"], 1, "no state within 0.2 s"),
        (["own:Good", "--timeout", "0.2", "--connect", "127.0.0.1:FREE"], 1, "no state within 0.2 s"),
    ],
)
def test_an_application_that_cannot_begin_is_told_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(CLASSES, encoding="utf-8")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        given = [text.replace("FREE", str(nobody.getsockname()[1])) for text in arguments]
        with pytest.raises(SystemExit) as ended:
            main(["facility", "app", *given])
    lines = capsys.readouterr().err.splitlines()
    assert ended.value.code == code, lines
    assert len(lines) == 1
    assert told in lines[0]
