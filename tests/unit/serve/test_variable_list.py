from __future__ import annotations

import math
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.serve.variable_list import read_variable_list, shipped_lists


def read(tmp_path: Path, text: str) -> object:
    file = tmp_path / "list.txt"
    file.write_text(text, encoding="utf-8")
    return read_variable_list(file)


def test_a_list_says_what_is_shown_in_which_unit(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(
        "# My list\n\nrob1.act.axes in deg: first robot\nrail.act in mm\n# a comment\nact.glc[rob2 A]\nact.ijt\n",
        encoding="utf-8",
    )
    found = read_variable_list(file)
    assert found.title == "My list"
    assert found.names == ["rob1.act.axes", "rail.act", "act.glc", "act.ijt"]
    axes, rail, angle, record = found.entries
    assert axes.title == "first robot"
    values = axes.values({"rob1.act.axes": [math.pi, 0.0, 0.0, 0.0, 0.0, None]})
    assert values == [pytest.approx(180.0), 0.0, 0.0, 0.0, 0.0, None]
    assert rail.values({"rail.act": 6.55}) == [pytest.approx(6550.0)]
    assert rail.values({}) == [None]
    assert (angle.labels, angle.units) == (("rob2 A",), ("deg",))
    assert len(record.labels) == 13, "numbers that a frame does not use are left out"
    file.write_text("fmc.cycle", encoding="utf-8")
    assert read_variable_list(file).title == "mine"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rail.act\nrail.akt", r"list.txt:2: unknown variable 'rail.akt'. Did you mean 'rail.act'\?"),
        ("rob1.act.axes[A7]", r"list.txt:1: unknown label of rob1.act.axes 'A7'. .*Valid: A1, A2"),
        ("rail.act in deg", r"list.txt:1: rail.act in deg; allowed: a unit like m"),
        ("rail.act in furlong", r"list.txt:1: .*furlong"),
        ("fmc.cycle in m", r"list.txt:1: fmc.cycle in m; allowed: a unit like -"),
        ("act.clw in m", r"list.txt:1: act.clw in m; allowed: a unit like -"),
        ("rail act", r"list.txt:1: 'rail act'; allowed: VARIABLE\[LABEL\] in UNIT: TITLE"),
        ("# only a title", r"list.txt: no variable; allowed: one or more lines"),
    ],
)
def test_a_bad_line_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read(tmp_path, text)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="variable list cannot be read: No such file"):
        read_variable_list(tmp_path / "none.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a text"):
        read_variable_list(tmp_path / "binary")


def test_shipped_lists_are_read() -> None:
    assert len(shipped_lists()) == 5
