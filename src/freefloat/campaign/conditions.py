"""Conditions on metrics as trees: comparisons, `and or not`, arithmetic, four functions; how they are evaluated."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {  # with the least and the largest count of values
    "abs": (abs, 1, 1),
    "min": (min, 2, 20),
    "max": (max, 2, 20),
    "sqrt": (math.sqrt, 1, 1),
}

Kind = Literal["number", "condition"]


@dataclass(frozen=True)
class Node:
    """A part of a criterion: what is done (a sign, a word, a number or a name) with which parts."""

    kind: Kind
    at: int  # where it begins in the text
    what: str | float
    parts: tuple[Node, ...] = ()


def value_of(node: Node, metrics: Mapping[str, float | None]) -> Any:
    """A number or a truth; an ArithmeticError or ValueError where there is none."""
    if not node.parts:
        return metrics[node.what] if isinstance(node.what, str) else node.what
    values = [value_of(part, metrics) for part in node.parts]  # all, so that what is undefined shows in any order
    if node.what == "and":
        return all(values)
    if node.what == "or":
        return any(values)
    if node.what == "not":
        return not values[0]
    if node.what in COMPARISONS:
        return COMPARISONS[str(node.what)](*values)
    if node.what in FUNCTIONS:
        return _defined(FUNCTIONS[str(node.what)][0](*values))
    return _defined(ARITHMETIC[str(node.what)](*values) if len(values) == 2 else -values[0])


def _defined(value: float) -> float:
    """Infinity minus infinity has no value."""
    if math.isnan(value):
        raise ArithmeticError
    return value


_OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_REVERSED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def bounds_of(node: Node, negated: bool = False) -> Iterator[tuple[str, str]]:
    """Metrics that are compared as they are, with the sign that makes the condition true."""
    if node.what in COMPARISONS:
        sign = _REVERSED[str(node.what)] if negated else str(node.what)
        left, right = node.parts
        if isinstance(left.what, str) and not left.parts:
            yield left.what, sign
        if isinstance(right.what, str) and not right.parts:
            yield right.what, _OPPOSITE[sign]
    elif node.what in ("and", "or", "not"):
        for part in node.parts:
            yield from bounds_of(part, negated != (node.what == "not"))
