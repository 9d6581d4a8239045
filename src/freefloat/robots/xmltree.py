"""XML as a tree that remembers where each element stands. At most 5 MB, no DTD and so no entities.

UTF-8, or ISO-8859-1 and its like where the file declares it. White space before the declaration and zero bytes behind
the end, which real files have, are passed over.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from freefloat.errors import ModelError

MAX_BYTES = 5_000_000
MAX_DEPTH = 64
LATIN = ("iso-8859-1", "iso-8859-15", "latin1", "latin-1", "windows-1252", "cp1252")  # read as the last
TEXT_NAME = "<text>"  # stands for the file's name where a description is given as text


def shown(value: str, limit: int = 60) -> str:
    """A value on one line of a message, quoted, cut at `limit` characters."""
    return repr(value if len(value) <= limit else value[:limit] + "...")


def nearest(name: str, valid: Iterable[str]) -> str:
    """ " Did you mean 'x'?" or nothing."""
    near = difflib.get_close_matches(name[:100], list(valid), n=1, cutoff=0.6)
    return f" Did you mean {shown(near[0])}?" if near else ""


@dataclass(frozen=True, eq=False)
class Element:
    """One element. `place` names it for people: <link name='arm'>/inertial/mass."""

    tag: str
    attributes: Mapping[str, str]
    file: str
    line: int
    place: str
    children: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)  # pieces that are not white space

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}: {self.place}"

    def error(self, message: str) -> ModelError:
        return ModelError(f"{self.where}: {message}")


@dataclass(frozen=True)
class Source:
    """A description's text, the name it has in messages, and the directory that its relative paths start from."""

    text: str
    name: str
    directory: Path
    path: Path | None = None  # None where the description was given as text


def read_source(path_or_text: str | Path) -> Source:
    """Text that starts with '<' is the description itself; everything else is the path of its file."""
    if isinstance(path_or_text, str) and path_or_text.lstrip("\ufeff \t\r\n").startswith("<"):
        return _from_text(path_or_text.lstrip("\ufeff \t\r\n"))
    path = Path(path_or_text)
    name = str(path) if str(path).isprintable() else shown(str(path))
    try:
        with path.open("rb") as f:
            data = f.read(MAX_BYTES + 1)
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise ModelError(f"{name}: cannot be read ({reason}); allowed: a readable file") from None
    if len(data) > MAX_BYTES:
        raise ModelError(f"{name}: larger than {MAX_BYTES // 10**6} MB; allowed: at most {MAX_BYTES} bytes")
    declared = re.match(rb"\s*<\?xml[^>]*encoding=[\"']([\w-]+)[\"']", data)
    latin = declared is not None and declared[1].decode().lower() in LATIN
    try:
        text = data.rstrip(b"\0").decode("cp1252" if latin else "utf-8-sig")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise ModelError(f"{name}:{line}: byte 0x{data[e.start]:02x} is not UTF-8; allowed: UTF-8 text") from None
    return Source(text, name, path.parent, path)


def _from_text(text: str) -> Source:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as e:
        line = text.count("\n", 0, e.start) + 1
        raise ModelError(f"{TEXT_NAME}:{line}: lone surrogate; allowed: text that UTF-8 can hold") from None
    if size > MAX_BYTES:
        raise ModelError(f"{TEXT_NAME}: larger than {MAX_BYTES // 10**6} MB; allowed: at most {MAX_BYTES} bytes")
    return Source(text, TEXT_NAME, Path())


def parse(source: Source, root: str) -> Element:
    """The tree of `source`, whose outermost element must be <root>."""
    top = _Builder(source.name).build(source.text)
    if top.tag != root:
        raise top.error(f"outermost element is <{_clip(top.tag)}>; allowed: <{root}>")
    return top


class _Builder:
    def __init__(self, file: str) -> None:
        self.file = file
        self.open: list[Element] = []
        self.top: Element | None = None
        self.before = 0  # lines before the declaration
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.XmlDeclHandler = self._declaration

    def build(self, text: str) -> Element:
        body = text.lstrip() if text.lstrip().startswith("<?xml") else text
        self.before = text.count("\n") - body.count("\n")
        try:
            self.parser.Parse(body, True)
        except expat.ExpatError as e:
            raise self._error(e.lineno + self.before, f"not well-formed XML: {expat.ErrorString(e.code)}") from None
        assert self.top is not None
        return self.top

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.before

    def _error(self, line: int, message: str) -> ModelError:
        return ModelError(f"{self.file}:{line}: {message}; allowed: one XML tree in UTF-8 without a DTD")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.line
        if len(self.open) == MAX_DEPTH:
            raise self._error(line, f"elements nested deeper than {MAX_DEPTH}")
        own = f"<{_clip(tag)} name={shown(attributes['name'])}>" if "name" in attributes else f"<{_clip(tag)}>"
        place = own if len(self.open) < 2 else f"{self.open[-1].place}/{_clip(tag)}"
        element = Element(tag, attributes, self.file, line, place)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.top = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        if text.strip():
            self.open[-1].text.append(text.strip())

    def _doctype(self, *_: object) -> None:
        raise self._error(self.line, "has a DTD (<!DOCTYPE>)")

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii", *LATIN):
            raise self._error(self.line, f"declares the encoding {shown(encoding)}")


def _clip(tag: str) -> str:
    return tag if len(tag) <= 40 else tag[:40] + "..."
