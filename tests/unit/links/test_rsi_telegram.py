"""Telegrams are read whatever their order, written by one format, and garbage is refused."""

from __future__ import annotations

import random

import pytest

from freefloat.links.rsi_config import Element
from freefloat.links.rsi_telegram import Fields, Format, TelegramError, escaped, read_telegram, value_of

ANSWER = b'<Sen Type="ImFree"><RKorr X="1.5" Y="-2" /><AKorr A1="3e-2"/><EStr>hello</EStr><IPOC>4208</IPOC></Sen>'


def element(tag: str, kind: str = "DOUBLE", index: int | None = 1) -> Element:
    return Element(tag, kind, index, True, "file:1")


def test_an_answer_is_read() -> None:
    found = read_telegram(ANSWER)
    assert (found.root, found.type, found.ipoc) == ("Sen", "ImFree", "4208")
    assert found.texts == {"RKorr.X": "1.5", "RKorr.Y": "-2", "AKorr.A1": "3e-2", "EStr": "hello"}


@pytest.mark.parametrize(
    "data",
    [
        b"<Sen Type='ImFree'>\r\n <IPOC> 4208 </IPOC>\n<AKorr\tA1 = '3e-2' />\n<EStr>hello</EStr>"
        b'<RKorr Y="-2" X="1.5"></RKorr></Sen>\r\n',
        b'<?xml version="1.0" encoding="UTF-8"?>\n' + ANSWER + b"\0",
        b"\xef\xbb\xbf" + ANSWER,
        ANSWER.replace(b"<AKorr", b"<!-- axes --><AKorr"),
        ANSWER.replace(b'X="1.5" Y="-2" />', b'X="1.5"/><RKorr Y="-2"/>'),
    ],
)
def test_order_quotes_blanks_and_comments_do_not_matter(data: bytes) -> None:
    assert read_telegram(data) == read_telegram(ANSWER)


def test_attributes_may_begin_with_a_digit() -> None:
    assert read_telegram(b'<Sen Type="I"><Out 01="1" 02="0"/><IPOC>1</IPOC></Sen>').texts == {
        "Out.01": "1",
        "Out.02": "0",
    }


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"<",
        b"garbage",
        b"\xff\xfe\x00",
        ANSWER[:-1],
        ANSWER[:40],
        ANSWER + ANSWER,
        ANSWER + b"x",
        b"x" + ANSWER,
        ANSWER.replace(b"</Sen>", b"</Rob>"),
        ANSWER.replace(b"<IPOC>4208</IPOC>", b""),
        ANSWER.replace(b"4208", b""),
        ANSWER.replace(b"4208", b"-4"),
        ANSWER.replace(b"4208", b"42.0"),
        ANSWER.replace(b"4208", "٤٢".encode()),
        ANSWER.replace(b"4208", b"1" * 20),
        ANSWER.replace(b' Type="ImFree"', b""),
        ANSWER.replace(b' Type="ImFree"', b' Type="ImFree" Type="ImFree"'),
        ANSWER.replace(b'"1.5"', b"1.5"),
        ANSWER.replace(b"<EStr>hello</EStr>", b"<EStr>a<b/></EStr>"),
        ANSWER.replace(b"<EStr>hello</EStr>", b"<EStr>hello</EStt>"),
        ANSWER.replace(b"<EStr>hello</EStr>", b"loose text"),
        ANSWER.replace(b'Y="-2"', b'X="-2"'),
        ANSWER.replace(b"</Sen>", b"<IPOC>4208</IPOC></Sen>"),
        b'<!DOCTYPE a [<!ENTITY b "c">]>' + ANSWER,
        ANSWER.replace(b"hello", b"<![CDATA[x]]>"),
        b'<Sen Type="ImFree"/>',
        b"</Sen>",
    ],
)
def test_what_is_no_telegram_is_refused(data: bytes) -> None:
    with pytest.raises(TelegramError, match="allowed: "):
        read_telegram(data)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1.5", "DOUBLE", 1.5),
        (" -2 ", "DOUBLE", -2.0),
        ("+.5e-3", "DOUBLE", 5e-4),
        ("3.", "DOUBLE", 3.0),
        ("-17", "LONG", -17.0),
        ("1", "BOOL", 1.0),
        ("FALSE", "BOOL", 0.0),
        ("a &lt; b &amp;amp;", "STRING", "a < b &amp;"),
    ],
)
def test_values_are_of_their_type(text: str, kind: str, value: float | str) -> None:
    assert value_of(text, kind, "key") == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(
            (text, "DOUBLE")
            for text in ("", "nan", "inf", "-Infinity", "1e999", "1_0", "1,5", "0x10", "1 2", "٣", ".", "e5")
        ),
        *((text, "LONG") for text in ("1.0", "", "1e3", "9" * 20)),
        *((text, "BOOL") for text in ("2", "", "yes")),
    ],
)
def test_values_that_are_none_are_refused(text: str, kind: str) -> None:
    with pytest.raises(TelegramError, match="key"):
        value_of(text, kind, "key")


def test_a_telegram_has_the_files_order_and_attributes_of_one_name_together() -> None:
    elements = [
        element("AIPos", index=None),
        element("B.x", "LONG", 1),
        element("Plain", "BOOL", 2),
        element("B.y", "DOUBLE", 3),
        element("Word", "STRING", 4),
    ]
    written = Format("Rob", "KUKA", elements, 2)
    assert written.keys == [*(f"AIPos.A{n}" for n in range(1, 7)), "B.x", "B.y", "Plain", "Word"]
    data = written.write([*(float(n) for n in range(1, 7)), 7.0, -1 / 3, 1.0, escaped('<"&')], "12")
    assert data.decode() == (
        '<Rob Type="KUKA"><AIPos A1="1.00" A2="2.00" A3="3.00" A4="4.00" A5="5.00" A6="6.00" />'
        '<B x="7" y="-0.33" /><Plain>1</Plain><Word>&lt;&quot;&amp;</Word><IPOC>12</IPOC></Rob>'
    )
    back = Fields(elements).read(read_telegram(data).texts)
    assert back["Word"] == '<"&'
    assert back["B.y"] == -0.33


def test_mutations_are_read_or_refused_and_nothing_else() -> None:
    rng = random.Random(1)
    read = 0
    for _ in range(3000):
        data = bytearray(ANSWER)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            what = rng.randrange(4)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                del data[at : at + rng.randint(1, 9)]
            elif what == 2:
                data[at:at] = rng.choice([b"<", b">", b'"', b"/", b"<Sen>", b" ", b"&", b"\0"])
            else:
                data[at:at] = data[: rng.randrange(60)]
            data = data or bytearray(b"<")
        try:
            read_telegram(bytes(data))
            read += 1
        except TelegramError:
            pass
    assert 100 < read < 2000


@pytest.mark.parametrize("filler", [b" ", b"a", b"<", b'a="" ', b"<a>", b"<!--", b"\n", b'"'])
def test_the_largest_datagram_costs_no_more_than_its_length(filler: bytes) -> None:
    """A scan that goes back would not come to an end here."""
    with pytest.raises(TelegramError):
        read_telegram((b'<Sen Type="ImFree"><R ' + filler * 65000)[:65507])
