"""YAML text with the place of every key and value, read with care: a scenario file may come from anywhere.

Only plain data is read: no tags, no aliases (so no expansion), limited size and depth, no key twice. Scalars follow the
core schema of YAML 1.2: `yes` is a text, `1e-3` a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from freefloat.scenario.problems import Path as FieldPath
from freefloat.scenario.problems import Problem, ScenarioError, dotted, short

LARGEST = 1_000_000  # [bytes] of a file
DEEPEST = 32  # [-] levels of nesting

_INTEGER = re.compile(r"[-+]?[0-9]{1,400}|0o[0-7]{1,400}|0x[0-9a-fA-F]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)
_WORDS |= dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan"))
_WORDS |= {sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")}


@dataclass(frozen=True)
class Document:
    """Plain data with the places (line and column, from 1) of the keys and values in the text called `name`."""

    name: str
    value: Any
    keys: dict[FieldPath, tuple[int, int]] = field(default_factory=dict)
    values: dict[FieldPath, tuple[int, int]] = field(default_factory=dict)

    def place(self, path: FieldPath, at: str) -> str:
        """FILE:LINE:COLUMN of `mark`, or FILE where there is none."""
        line, column = self.mark(path, at)
        return f"{self.name}:{line}:{column}" if line else self.name

    def mark(self, path: FieldPath, at: str) -> tuple[int, int]:
        """Line and column of the key or the value at `path`, or of the nearest group around it; else zeros."""
        marks = self.values if at == "value" else self.keys
        for end in range(len(path) if at != "group" else len(path) - 1, -1, -1):
            mark = marks.get(path[:end]) or self.values.get(path[:end])
            if mark is not None:
                return mark
        return (0, 0)


def read_file(path: Path) -> Document:
    return parse(_read_text(path), str(path))


def parse(text: str, name: str) -> Document:
    """The one document in `text`. Raises ScenarioError with every problem found."""
    reader = _Reader(name)
    events = YAML(typ="safe", pure=True).parse(text)
    try:
        value = reader.document(events)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ScenarioError([*reader.problems, Problem(place, "", f"not valid YAML: {_reason(error)}")]) from None
    except ReaderError as error:
        place = f"{name}:{_line_and_column(text, error.position)}"
        message = f"character U+{error.character:04X} is not allowed; allowed: printable text"
        raise ScenarioError([Problem(place, "", message)]) from None
    except (ValueError, OverflowError):  # ruamel stumbles over such escapes
        found = re.search(r"\\U(?!000|0010)", text)
        place = f"{name}:{_line_and_column(text, found.start())}" if found else name
        message = "an escape names no character; allowed: \\U00000000 to \\U0010FFFF"
        raise ScenarioError([Problem(place, "", message)]) from None
    if reader.problems:
        raise ScenarioError(reader.problems)
    return Document(name, value, reader.keys, reader.values)


def scalar(text: str) -> Any:
    """The value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def write_scalar(value: Any) -> str:
    """YAML for a single value or a list of them; `parse` reads back the same value."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(write_scalar, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write_scalar(k)}: {write_scalar(v)}" for k, v in value.items()) + "}"
    if not isinstance(value, str):
        return json.dumps(value)
    if re.fullmatch(r"[A-Za-z_][\w./-]*( [\w./-]+)*", value, re.ASCII) and scalar(value) == value:
        return value
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in json.dumps(value, ensure_ascii=False))


def _read_text(path: Path) -> str:
    try:
        if not path.exists():
            raise ScenarioError([Problem(str(path), "", "no such file")])
        if not path.is_file():
            raise ScenarioError([Problem(str(path), "", "not a file; a scenario is one YAML file")])
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise ScenarioError([Problem(str(path), "", f"cannot be read: {error.strerror}")]) from None
    except ValueError:
        raise ScenarioError([Problem(short(str(path)), "", "not a file name")]) from None
    if len(data) > LARGEST:
        raise ScenarioError([Problem(str(path), "", f"too large; allowed: {LARGEST} bytes")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = f"not UTF-8 text: byte 0x{data[error.start]:02x}; allowed: a YAML file encoded in UTF-8"
        raise ScenarioError([Problem(f"{path}:{line}:{column}", "", message)]) from None


def _line_and_column(text: str, position: int) -> str:
    return f"{text.count(chr(10), 0, position) + 1}:{position - text.rfind(chr(10), 0, position)}"


def _reason(error: MarkedYAMLError) -> str:
    parts = [" ".join(str(part).split()) for part in (error.context, error.problem) if part]
    return ", ".join(parts)


@dataclass
class _Reader:
    """Turns ruamel's events into plain data; recursion is bounded by DEEPEST."""

    name: str
    keys: dict[FieldPath, tuple[int, int]] = field(default_factory=dict)
    values: dict[FieldPath, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def document(self, events: Iterator[Event]) -> Any:
        value, documents = None, 0
        for event in events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.problem((), "a second document starts here; allowed: one per file", event)
                    break
            elif isinstance(event, (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent)):
                value = self.value(event, events, ())
        return value

    def value(self, event: Event, events: Iterator[Event], path: FieldPath) -> Any:
        empty = isinstance(event, ScalarEvent) and event.value == "" and event.implicit[0]
        self.values[path] = self.keys.get(path, _mark(event)) if empty else _mark(event)
        if len(path) > DEEPEST:
            self.problem(path[:3], f"nested too deeply; allowed: {DEEPEST} levels", event)
            raise ScenarioError(self.problems)
        if isinstance(event, AliasEvent):
            return self.problem(path, f"alias *{event.anchor} is not allowed; write the value out", event)
        if getattr(event, "tag", None) is not None:
            self.problem(path, f"tag {short(str(event.tag))} is not allowed; allowed: plain values", event)  # pyright: ignore
        if isinstance(event, MappingStartEvent):
            return self.mapping(events, path)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(events, path)
        assert isinstance(event, ScalarEvent)
        if any("\ud800" <= c <= "\udfff" for c in event.value):
            return self.problem(path, f"{event.value!a} has half a character (a lone surrogate)", event)
        return scalar(event.value) if event.implicit[0] else event.value

    def sequence(self, events: Iterator[Event], path: FieldPath) -> list[Any]:
        result: list[Any] = []
        while not isinstance(event := next(events), SequenceEndEvent):
            result.append(self.value(event, events, (*path, len(result))))
        return result

    def mapping(self, events: Iterator[Event], path: FieldPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            if not isinstance(event, ScalarEvent) or event.value in ("", "<<"):
                self.problem(path, "a key is not a name; allowed: 'name: value'", event)
                raise ScenarioError(self.problems)
            key = (*path, event.value)
            if event.value in result:
                line, column = self.keys[key]
                self.problem(key, f"given twice; first at line {line}, column {column}", event)
            self.keys[key] = _mark(event)
            result[event.value] = self.value(next(events), events, key)
        return result

    def problem(self, path: FieldPath, message: str, event: Event) -> None:
        line, column = _mark(event)
        self.problems.append(Problem(f"{self.name}:{line}:{column}", dotted(path), message))


def _mark(event: Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1)
