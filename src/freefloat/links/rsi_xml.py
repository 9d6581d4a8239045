"""Small XML files with the line of everything in them; without document types, entities and depth without end."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from xml.parsers import expat

from freefloat.errors import InputError

LARGEST = 1_000_000  # [bytes] of a file
DEEPEST = 16  # elements in each other


@dataclass
class Node:
    """An element of a file."""

    tag: str
    attributes: dict[str, str]
    where: str  # file and line
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def error(self, message: str) -> InputError:
        """One that says where."""
        return InputError(f"{self.where}: {message}")

    def all(self, tag: str) -> list[Node]:
        """Children of a name."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Node:
        """The only child of a name."""
        found = self.all(tag)
        if len(found) != 1:
            there = ", ".join(dict.fromkeys(child.tag for child in self.children)) or "nothing"
            told = f"{len(found)} elements {tag} in {self.tag}; allowed: one (there: {there})"
            raise (found[1] if found else self).error(told)
        return found[0]

    def attribute(self, name: str, default: str | None = None) -> str:
        """The text of an attribute."""
        value = self.attributes.get(name, default)
        if value is None:
            there = ", ".join(self.attributes) or "none"
            raise self.error(f"{self.tag} has no {name}; allowed: {self.tag} with {name} (there: {there})")
        return value.strip()


class _Reader:
    """Builds the tree while expat reads."""

    def __init__(self, path: Path) -> None:
        self.path, self.root = path, Node("", {}, str(path))
        self.open = [self.root]
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse

    @property
    def where(self) -> str:
        return f"{self.path}:{self.parser.CurrentLineNumber}"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) > DEEPEST:
            raise InputError(f"{self.where}: {tag} is {len(self.open)} elements deep; allowed: {DEEPEST}")
        node = Node(tag, attributes, self.where)
        self.open[-1].children.append(node)
        self.open.append(node)

    def _end(self, tag: str) -> None:
        node = self.open.pop()
        node.text = node.text.strip()

    def _text(self, text: str) -> None:
        self.open[-1].text += text

    def _refuse(self, name: str, *_: object) -> None:
        raise InputError(f"{self.where}: document type or entity {name!r}; allowed: elements and attributes only")


def read_xml(path: str | PathLike[str], root: str) -> Node:
    """The root element of a file, which must have this name."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise InputError(f"{path}: more than {LARGEST} bytes; allowed: {LARGEST}")
    reader = _Reader(path)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        line = data.splitlines()[error.lineno - 1 : error.lineno] if error.lineno else []
        near = line[0].decode("utf-8", "replace").strip()[:80] if line else ""
        told = expat.errors.messages.get(error.code, "not XML")
        raise InputError(f"{path}:{error.lineno}: {told} at {near!r}; allowed: well-formed XML") from None
    except (LookupError, ValueError) as error:  # an encoding that there is not
        raise InputError(f"{reader.where}: {error}; allowed: UTF-8") from None
    top = reader.root.children[0]
    if top.tag != root:
        raise top.error(f"root element {top.tag!r}; allowed: {root}")
    return top
