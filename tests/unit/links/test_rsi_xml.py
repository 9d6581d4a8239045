"""XML files of robot controllers: places of errors, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_xml import DEEPEST, LARGEST, read_xml


def file(folder: Path, text: str | bytes) -> Path:
    path = folder / "some.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_elements_have_their_lines(tmp_path: Path) -> None:
    root = read_xml(file(tmp_path, '<ROOT>\n  <A b="1"/>\n  <!-- no -->\n  <C> text </C>\n</ROOT>'), "ROOT")
    assert [(node.tag, node.where.rsplit(":", 1)[1]) for node in root.children] == [("A", "2"), ("C", "4")]
    assert root.one("C").text == "text"
    assert root.one("A").attribute("b") == "1"


BOMB = '<!DOCTYPE R [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<ROOT>&b;</ROOT>'


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("<ROOT>\n<A>\n</ROOT>", 3, "mismatched tag"),
        ("<ROOT>\n<A b=1/></ROOT>", 2, "<A b=1/>"),
        ("", 1, "no element found"),
        ("not XML", 1, "not XML"),
        (BOMB, 1, "document type"),
        ('<!DOCTYPE R SYSTEM "file:///etc/hostname"><ROOT/>', 1, "document type"),
        ("<ROOT>&nbsp;</ROOT>", 1, "undefined entity"),
        ("<TOP/>", 1, "'TOP'; allowed: ROOT"),
        ("<A>" * (DEEPEST + 1), 1, "deep"),
        (b"<ROOT>\n\xff\xfe</ROOT>", 2, "not well-formed"),
        ('<?xml version="1.0" encoding="klingon"?><ROOT/>', 1, "encoding"),
        ("<ROOT>\n</ROOT><ROOT/>", 2, "junk"),
    ],
)
def test_bad_files_are_one_message_with_the_line(tmp_path: Path, text: str | bytes, line: int, told: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_xml(path, "ROOT")
    message = str(error.value)
    assert message.startswith(f"{path}:{line}: ")
    assert told in message
    assert "allowed" in message
    assert "\n" not in message


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_xml(tmp_path / "none.xml", "ROOT")
    with pytest.raises(InputError, match="directory"):
        read_xml(tmp_path, "ROOT")
    with pytest.raises(InputError, match=f"allowed: {LARGEST}"):
        read_xml(file(tmp_path, "<ROOT>" + " " * LARGEST + "</ROOT>"), "ROOT")


def test_a_missing_or_doubled_element_and_a_missing_attribute_say_what_is_there(tmp_path: Path) -> None:
    root = read_xml(file(tmp_path, '<ROOT>\n<A x="1"/>\n<B/>\n<B/></ROOT>'), "ROOT")
    with pytest.raises(InputError, match=r":1: 0 elements C in ROOT; allowed: one \(there: A, B\)"):
        root.one("C")
    with pytest.raises(InputError, match=r":4: 2 elements B"):
        root.one("B")
    with pytest.raises(InputError, match=r":2: A has no y; allowed: A with y \(there: x\)"):
        root.one("A").attribute("y")
