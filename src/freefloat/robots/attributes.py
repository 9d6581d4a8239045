"""Attributes and children of an XML element, read with a check of kind, range and spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.robots.xmltree import Element, nearest, shown

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[\w:/-]{1,100}")
_LONGEST = 100  # characters of a number
NAME_RULE = "1 to 100 letters, digits and _ - : /"
LARGEST = 1e12  # beyond it, squares and products of a model's numbers lose their meaning


@dataclass(frozen=True)
class Range:
    """Which numbers an attribute may have, ends included."""

    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"finite numbers >= {self.low:g} [{self.unit}]"
        return f"numbers from {self.low:g} to {self.high:g} [{self.unit}]"


def children(element: Element, known: Iterable[str], many: Iterable[str] = ()) -> dict[str, list[Element]]:
    """Children by tag. A tag outside `known` is refused, and so is a second one of its kind outside `many`."""
    found: dict[str, list[Element]] = {tag: [] for tag in known}
    if element.text:
        raise element.error(f"text {shown(element.text[0])} stands between elements; allowed: elements only")
    for child in element.children:
        if child.tag.startswith("xacro:"):
            raise child.error("xacro is not expanded here; allowed: plain URDF, as written by the xacro program")
        if child.tag not in found:
            allowed = ", ".join(found) or "none"
            raise child.error(f"unknown element.{nearest(child.tag, found)} Allowed in <{element.tag}>: {allowed}")
        found[child.tag].append(child)
        if len(found[child.tag]) == 2 and child.tag not in many:
            raise child.error(f"second <{child.tag}> (the first is on line {found[child.tag][0].line}); allowed: one")
    return found


def only_attributes(element: Element, known: Iterable[str]) -> None:
    """Refuse an attribute outside `known` (namespace declarations are no attributes)."""
    names = list(known)
    for name, value in element.attributes.items():
        if name not in names and name != "xmlns" and not name.startswith("xmlns:"):
            allowed = ", ".join(names) or "none"
            raise element.error(
                f"unknown attribute {shown(name)} = {shown(value)}.{nearest(name, names)} Allowed: {allowed}"
            )


def text(element: Element, name: str, allowed: str) -> str:
    if name not in element.attributes:
        raise element.error(f"attribute {name!r} is missing; allowed: {allowed}")
    return element.attributes[name]


def identifier(element: Element, name: str = "name") -> str:
    """A name that can stand in a signal's name: no dots, no white space."""
    value = text(element, name, NAME_RULE)
    if not is_name(value):
        raise element.error(f"{name} = {shown(value)} is not a name; allowed: {NAME_RULE}")
    return value


def is_name(value: str) -> bool:
    return _NAME.fullmatch(value) is not None


def number(element: Element, name: str, allowed: Range, default: float | None = None) -> float:
    """A finite number within `allowed`; a missing one is `default`, or refused where that is None."""
    if default is not None and name not in element.attributes:
        return default
    return _number(element, name, text(element, name, str(allowed)), allowed)


def vector(
    element: Element, name: str, size: int, allowed: Range, default: tuple[float, ...] | None = None
) -> NDArray[np.float64]:
    """`size` finite numbers, each within `allowed`, separated by spaces."""
    if default is not None and name not in element.attributes:
        return np.array(default)
    value = text(element, name, f"{size} {allowed}")
    words = value.split()
    if len(words) != size:
        raise element.error(f"{name} = {shown(value)} has {len(words)} entries; allowed: {size} {allowed}")
    return np.array([_number(element, name, word, allowed) for word in words])


def _number(element: Element, name: str, word: str, allowed: Range) -> float:
    word = word.strip()
    if len(word) > _LONGEST or not _NUMBER.fullmatch(word):
        kind = "not finite" if word.lower().lstrip("+-") in ("nan", "inf", "infinity") else "not a number"
        kind = f"longer than {_LONGEST} characters" if len(word) > _LONGEST else kind
        raise element.error(f"{name} = {shown(word)} is {kind}; allowed: {allowed}")
    value = float(word)
    if not (math.isfinite(value) and allowed.low <= value <= allowed.high):
        raise element.error(f"{name} = {shown(word)} is out of range; allowed: {allowed}")
    return value
