"""`freefloat facility lrc`: what it says where it cannot begin, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.cli import main

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["robot3=x.xml"], "'robot3=x.xml'; allowed: robot1=FILE or robot2=FILE"),
        (["robot1=none.xml"], "none.xml: cannot be read"),
        ([f"robot2={EXAMPLE / 'controller1.xml'}"], "on a robot without external axes"),
        ([f"robot1={EXAMPLE / 'controller1.xml'}", "--facility", "epos-sine"], "kind 'epos-sine'; allowed: facility"),
    ],
)
def test_bad_input_is_one_message(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["facility", "lrc", *arguments])
    assert told in capsys.readouterr().err
