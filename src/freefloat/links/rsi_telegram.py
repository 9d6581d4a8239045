"""RSI telegrams: `<Rob Type="KUKA">...<IPOC>n</IPOC></Rob>` from the robot, `<Sen Type="...">` back to it.

Both are written by one prepared format and read by one scan, whatever the order of elements and attributes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from freefloat.errors import InputError
from freefloat.links.rsi_config import Element

ROBOT, SENSOR = "Rob", "Sen"  # root elements of both sides
KUKA = "KUKA"  # Type of the robot's
LARGEST = 65507  # [bytes] of a datagram over UDP
# attributes may begin with a digit, as in Out.01; possessive, so that no text is scanned twice
_TAG = re.compile(r"<(/?+)([A-Za-z_][\w-]*+)((?:\s++[\w-]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*+)\s*+(/?+)>", re.ASCII)
_ATTRIBUTE = re.compile(r"([\w-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')", re.ASCII)
_PROLOGUE = re.compile(r"\ufeff?+\s*+(?:<\?xml\s[^<>?]*+\?>)?+\s*+")
_COMMENT = re.compile(r"<!--(?:(?!--).)*+-->", re.DOTALL)
_NUMBER = re.compile(r"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+", re.ASCII)
_WHOLE = re.compile(r"[+-]?+\d{1,19}+", re.ASCII)
_IPOC = re.compile(r"\d{1,19}+", re.ASCII)
_FLAGS = {"0": 0.0, "1": 1.0, "FALSE": 0.0, "TRUE": 1.0}
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
Value = float | str


class TelegramError(InputError):
    """A telegram that is none."""


@dataclass(frozen=True)
class Telegram:
    """A telegram, read: texts by "Name.Attribute", or by "Name" where an element's text is the value."""

    root: str
    type: str
    ipoc: str
    texts: Mapping[str, str]


def read_telegram(data: bytes) -> Telegram:
    """Elements and attributes of a telegram. Raises `TelegramError`."""
    try:
        text = data.decode("utf-8").rstrip("\0 \t\r\n")
    except UnicodeDecodeError:
        raise TelegramError(f"telegram of {len(data)} bytes is not UTF-8; allowed: UTF-8") from None
    opened = _PROLOGUE.match(text)
    root, at = _tag(text, opened.end() if opened else 0)
    if root[1] or root[4]:
        raise _unfit(text, 0, "an element with content")
    found: dict[str, str] = {}
    while True:
        at = _skipped(text, at)
        tag, at = _tag(text, at)
        _, closes, name, attributes, empty = tag
        if closes:
            break
        for key, double, single in _ATTRIBUTE.findall(attributes):
            _put(found, f"{name}.{key}", double or single)
        if not empty:
            at = _content(text, at, name, found, bool(attributes))
    if name != root[2] or at != len(text):
        raise _unfit(text, at, f"the end after </{root[2]}>")
    kind = [double or single for key, double, single in _ATTRIBUTE.findall(root[3]) if key == "Type"]
    ipoc = found.pop("IPOC", "")
    if len(kind) != 1 or not _IPOC.fullmatch(ipoc):
        told = f"Type {kind}, IPOC {ipoc[:40]!r}"
        raise TelegramError(f"telegram: {told}; allowed: one Type and an IPOC of digits")
    return Telegram(root[2], _plain(kind[0]), ipoc, found)


def _tag(text: str, at: int) -> tuple[tuple[str, str, str, str, str], int]:
    found = _TAG.match(text, at)
    if found is None:
        raise _unfit(text, at, "a tag with attributes in quotes")
    return (found[0], found[1], found[2], found[3], found[4]), found.end()


def _skipped(text: str, at: int) -> int:
    """Where the next tag begins, after blanks and comments."""
    while True:
        while text[at : at + 1].isspace():
            at += 1
        comment = _COMMENT.match(text, at)
        if comment is None:
            return at
        at = comment.end()


def _content(text: str, at: int, name: str, found: dict[str, str], attributed: bool) -> int:
    """An element's text, up to behind its closing tag."""
    end = text.find("<", at)
    inside = text[at:end].strip() if end >= 0 else ""
    tag, after = _tag(text, end if end >= 0 else len(text))
    if not tag[1] or tag[2] != name:
        raise _unfit(text, end, f"</{name}>")
    if inside or not attributed:
        _put(found, name, inside)
    return after


def _put(found: dict[str, str], key: str, text: str) -> None:
    if key in found:
        raise TelegramError(f"telegram: {key[:40]!r} again; allowed: once")
    found[key] = text


def _unfit(text: str, at: int, allowed: str) -> TelegramError:
    return TelegramError(f"telegram: {text[max(at, 0) :][:40]!r} at character {at}; allowed: {allowed}")


def _plain(text: str) -> str:
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return text


def value_of(text: str, kind: str, key: str) -> Value:
    """A value of a TYPE, numbers finite. Raises `TelegramError`."""
    if kind == "STRING":
        return _plain(text)
    given = text.strip()
    if kind == "BOOL":
        if given.upper() in _FLAGS:
            return _FLAGS[given.upper()]
    elif (_NUMBER if kind == "DOUBLE" else _WHOLE).fullmatch(given):
        value = float(given)
        if math.isfinite(value):
            return value
    allowed = {"BOOL": "0, 1, TRUE, FALSE", "LONG": "a whole number", "DOUBLE": "a finite number"}[kind]
    raise TelegramError(f"telegram: {key} {text[:40]!r}; allowed: {allowed}")


class Fields:
    """Values of a telegram by the elements of a file."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self._kinds = tuple((key, element.type) for element in elements for key in element.keys)

    def read(self, texts: Mapping[str, str]) -> dict[str, Value]:
        """Those that are there. Raises `TelegramError` where one is no value of its type."""
        return {key: value_of(texts[key], kind, key) for key, kind in self._kinds if key in texts}


class Format:
    """Writes telegrams of one side: elements in the file's order, attributes of one name together, IPOC last."""

    def __init__(self, root: str, kind: str, elements: Sequence[Element], precision: int) -> None:
        places: dict[str, list[tuple[str, str]]] = {}  # attribute ("" for a text) and how it is written
        self.keys: list[str] = []  # whose values `write` takes, in this order
        order: dict[str, list[str]] = {}
        how = {"DOUBLE": f"%.{precision}f", "LONG": "%d", "BOOL": "%d", "STRING": "%s"}
        self.strings = frozenset(key for element in elements if element.type == "STRING" for key in element.keys)
        for element in elements:
            for key in element.keys:
                name, _, attribute = key.partition(".")
                places.setdefault(name, []).append((attribute, how[element.type]))
                order.setdefault(name, []).append(key)
        parts = [f'<{root} Type="{kind}">']
        for name, attributes in places.items():
            self.keys += order[name]
            if attributes[0][0]:
                told = " ".join(f'{attribute}="{written}"' for attribute, written in attributes)
                parts.append(f"<{name} {told} />")
            else:
                parts.append(f"<{name}>{attributes[0][1]}</{name}>")
        self._format = "".join([*parts, "<IPOC>%s</IPOC>", f"</{root}>"])

    def write(self, values: Sequence[Value], ipoc: str) -> bytes:
        """A telegram of the values of `keys`."""
        return (self._format % (*values, ipoc)).encode()


def escaped(text: str) -> str:
    """As an element's text or attribute."""
    for entity, character in reversed(_ENTITIES):
        text = text.replace(character, entity)
    return text
