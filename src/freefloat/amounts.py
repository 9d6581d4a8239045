"""Numbers that users give: plain ones, or texts with a unit such as "25 mm"; in bounds, or refused with these.

Parts, tasks and missions take them in Python; fields of scenarios (`scenario.quantities`) have the same units and
bounds.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, TypeAlias

from freefloat.errors import InputError
from freefloat.units import parse_quantity

Measure: TypeAlias = Any  # of a field: a number in the unit that stands beside it, or a text with a unit; then a float
Measures: TypeAlias = Any  # several of them; then a tuple of floats

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@dataclass(frozen=True)
class Amount:
    """Unit and bounds of a number."""

    unit: str
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None

    @property
    def bounds(self) -> dict[str, float]:
        """Those that there are, by name."""
        return {name: bound for name, bound in asdict(self).items() if name in _SIGNS and bound is not None}

    @property
    def allowed(self) -> str:
        """The range in words, with its unit: "> 0 and <= 1 rad"."""
        limits = " and ".join(f"{_SIGNS[name]} {bound:.12g}" for name, bound in self.bounds.items())
        if self.unit == "-":
            return limits or "any number"
        return f"{limits} {self.unit}" if limits else f"any number in {self.unit}"

    def admits(self, x: float) -> bool:
        """Whether a number is in bounds."""
        return (
            (self.gt is None or x > self.gt)
            and (self.ge is None or x >= self.ge)
            and (self.lt is None or x < self.lt)
            and (self.le is None or x <= self.le)
        )

    def number(self, value: Any, what: str) -> float:
        """The value in SI; what is no finite number in bounds, or has a unit of another kind, is refused as `what`."""
        if isinstance(value, str):
            try:
                x = parse_quantity(value, self.unit)
            except InputError as error:
                raise InputError(f"{what}: {error}") from None
        else:
            x = _plain(value)
        if not (math.isfinite(x) and self.admits(x)):
            unit = "" if isinstance(value, str) or self.unit == "-" or math.isnan(_plain(value)) else f" {self.unit}"
            raise InputError(f"{what} {reprlib.repr(value)}{unit}; allowed: {self.allowed}")
        return x

    def numbers(self, value: Any, shape: Sequence[int], what: str) -> tuple[Any, ...]:
        """The values in SI as (nested) tuples of this shape, of which every number is checked."""
        rows = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(rows, str) or not isinstance(rows, Sequence) or len(rows) != shape[0]:
            count = " x ".join(map(str, shape))
            each = f", each {self.allowed}" if self.bounds or self.unit != "-" else ""
            raise InputError(f"{what} {reprlib.repr(rows)}; allowed: {count} numbers{each}")
        if len(shape) > 1:
            return tuple(self.numbers(row, shape[1:], f"{what}[{i}]") for i, row in enumerate(rows))
        return tuple(self.number(v, f"{what}[{i}]") for i, v in enumerate(rows))


def _plain(value: Any) -> float:
    """As a float; nan where it is no number."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # a NumPy scalar
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def take(holder: Any, where: str, **amounts: Amount) -> None:
    """Turn fields of a frozen dataclass into floats, each with its unit and bounds; `where` begins what is told."""
    for field, amount in amounts.items():
        object.__setattr__(holder, field, amount.number(getattr(holder, field), f"{where}: {field}"))


def take_rows(holder: Any, where: str, *shape: int, **amounts: Amount) -> None:
    """The same for fields of several numbers, which become tuples of this shape."""
    for field, amount in amounts.items():
        object.__setattr__(holder, field, amount.numbers(getattr(holder, field), shape, f"{where}: {field}"))
