"""Attributes and children of an XML element, read with a check of kind, range and spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.robots.reading import Reading
from freefloat.robots.xmltree import Element, nearest, shown

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[\w:/-]{1,100}")
_LONGEST = 100  # characters of a number or a name
NAME_RULE = "1 to 100 letters, digits and _ - : /"
LARGEST = 1e12  # beyond it, squares and products of a model's numbers lose their meaning


@dataclass(frozen=True)
class Range:
    """Which numbers an attribute may have, ends included."""

    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"finite numbers [{self.unit}]"
        if self.high == math.inf:
            return f"finite numbers >= {self.low:g} [{self.unit}]"
        return f"numbers from {self.low:g} to {self.high:g} [{self.unit}]"


def children(
    element: Element, reading: Reading, known: Iterable[str], many: Iterable[str] = (), past: Iterable[str] = ()
) -> dict[str, list[Element]]:
    """Children by tag. Those in `past` are noted, an unknown tag cannot be modelled, and a second element of its kind
    is wrong unless it is in `many`.
    """
    found: dict[str, list[Element]] = {tag: [] for tag in known}
    if element.text:
        reading.alike(f"text {shown(element.text[0])} between elements is read past", element.where)
    for child in element.children:
        if child.tag.startswith("xacro:"):
            raise child.error("xacro is not expanded here; allowed: plain URDF, as written by the xacro program")
        if child.tag in past:
            reading.alike(f"<{child.tag}> is read past", child.where)
            continue
        if child.tag not in found:
            allowed = ", ".join(found) or "none"
            hint = nearest(child.tag, found).strip()
            reading.cannot(child.where, "unknown element", f"{hint} Allowed in <{element.tag}>: {allowed}".strip())
            continue
        if found[child.tag] and child.tag not in many and _same(child, found[child.tag][0]):
            reading.alike(f"a second <{child.tag}> that says the same is read past", child.where)
            continue
        found[child.tag].append(child)
        if len(found[child.tag]) == 2 and child.tag not in many:
            raise child.error(f"second <{child.tag}> (the first is on line {found[child.tag][0].line}); allowed: one")
    return found


def _same(a: Element, b: Element) -> bool:
    alike = a.attributes == b.attributes and len(a.children) == len(b.children)
    return alike and all(_same(x, y) for x, y in zip(a.children, b.children, strict=True))


def only_attributes(element: Element, reading: Reading, known: Iterable[str], past: Iterable[str] = ()) -> None:
    """Attributes in `past` are noted, others outside `known` cannot be modelled (namespaces are no attributes)."""
    names = list(known)
    for name, value in element.attributes.items():
        if name in names or name.split(":")[0] == "xmlns":
            continue
        if name in past:
            reading.alike(f"attribute {name!r} of <{element.tag}> is read past", element.where)
            continue
        allowed = ", ".join(names) or "none"
        hint = nearest(name, names).strip()
        what = f"unknown attribute {shown(name)} = {shown(value)}"
        reading.cannot(element.where, what, f"{hint} Allowed: {allowed}".strip())


def text(element: Element, name: str, allowed: str) -> str:
    if name not in element.attributes:
        raise element.error(f"attribute {name!r} is missing; allowed: {allowed}")
    return element.attributes[name]


def is_name(value: str) -> bool:
    return _NAME.fullmatch(value) is not None and value.isprintable()


def as_name(value: str) -> str:
    """The value with `_` for what cannot stand in a signal's name; "" where that gives no name."""
    name = "".join(c if is_name(c) else "_" for c in value.strip()[: _LONGEST + 1])
    return name if is_name(name) else ""


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
