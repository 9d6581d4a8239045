"""Numbers that users give: plain ones, or texts with a unit such as "25 mm"; in bounds, or refused with these.

Parts, tasks and missions take them in Python; fields of scenarios (`scenario.quantities`) have the same units and
bounds. A class says the unit of a field in its comment, and takes it in `__post_init__`:

    mass: Measure = 10.0  # [kg]

    def __post_init__(self) -> None:
        take(self, f"body {self.name!r}", mass=positive("kg"))

A unit such as "N m or N" stands for what depends on a joint's kind: a text may have either.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias, cast

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
    inf: bool = False  # it may be infinite

    @property
    def bounds(self) -> dict[str, float]:
        """Those that there are, by name."""
        return {name: bound for name, bound in asdict(self).items() if name in _SIGNS and bound is not None}

    @property
    def allowed(self) -> str:
        """The range in words, with its unit: "> 0 and <= 1 rad"."""
        limits = " and ".join(f"{_SIGNS[name]} {bound:.12g}" for name, bound in self.bounds.items())
        unit = "" if self.unit == "-" else f" {self.unit}" if limits else f" in {self.unit}"
        return f"{limits or 'any number'}{unit}{', or infinite' if self.inf else ''}"

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
        x = self._read(value, what) if isinstance(value, str) else _plain(value)
        if math.isnan(x) or (math.isinf(x) and not self.inf) or not self.admits(x):
            unit = "" if isinstance(value, str) or self.unit == "-" or math.isnan(_plain(value)) else f" {self.unit}"
            raise InputError(f"{what} {reprlib.repr(value)}{unit}; allowed: {self.allowed}")
        return x

    def _read(self, text: str, what: str) -> float:
        refused: InputError | None = None
        for unit in self.unit.split(" or "):
            try:
                return parse_quantity(text, unit, allow_inf=self.inf)
            except InputError as error:
                refused = refused or error
        _, other, units = self.unit.partition(" or ")
        raise InputError(f"{what}: {refused}{other and '; or in '}{units}")

    def numbers(self, value: Any, shape: Sequence[int | None], what: str) -> tuple[Any, ...]:
        """The values in SI as (nested) tuples of this shape, of which every number is checked; None: any count."""
        rows = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(rows, str) or not isinstance(rows, Sequence) or shape[0] not in (None, len(rows)):
            count = " x ".join("n" if n is None else str(n) for n in shape)
            each = f", each {self.allowed}" if self.bounds or self.unit != "-" else ""
            raise InputError(f"{what} {reprlib.repr(rows)}; allowed: {count} numbers{each}")
        if len(shape) > 1:
            return tuple(self.numbers(row, shape[1:], f"{what}[{i}]") for i, row in enumerate(rows))
        return tuple(self.number(v, f"{what}[{i}]") for i, v in enumerate(rows))


@dataclass(frozen=True)
class Count:
    """Bounds of a whole number."""

    least: int = 0
    most: int | None = None

    @property
    def allowed(self) -> str:
        """The range in words."""
        return f"a whole number {f'>= {self.least}' if self.most is None else f'from {self.least} to {self.most}'}"

    def number(self, value: Any, what: str) -> int:
        """The value; what is no whole number in bounds is refused as `what`."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or int(value) < self.least or (self.most is not None and int(value) > self.most):
            raise InputError(f"{what} {reprlib.repr(value)}; allowed: {self.allowed}")
        return int(value)


class UnfitError(InputError):
    """A field with a value that does not fit the others."""

    def __init__(self, where: str, field: str, value: Any, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{where}: {field} {value!r}; allowed: {allowed}")


def positive(unit: str, **bounds: Any) -> Amount:
    """Numbers above 0."""
    return Amount(unit, gt=0.0, **bounds)


def not_negative(unit: str, **bounds: Any) -> Amount:
    """Numbers from 0 on."""
    return Amount(unit, ge=0.0, **bounds)


def share() -> Amount:
    """Numbers from 0 to 1."""
    return Amount("-", ge=0.0, le=1.0)


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


def mixed(value: Any, units: Sequence[str], what: str) -> tuple[float, ...]:
    """Numbers each of which has a unit of its own, such as x, y [m] and a heading [rad]."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(rows, str) or not isinstance(rows, Sequence) or len(rows) != len(units):
        raise InputError(f"{what} {reprlib.repr(rows)}; allowed: {len(units)} numbers in {', '.join(units)}")
    return tuple(Amount(u).number(v, f"{what}[{i}]") for i, (u, v) in enumerate(zip(units, rows, strict=True)))


def has_text(given: Any) -> bool:
    """Whether there is a text among what a user gave."""
    return isinstance(given, str) or (isinstance(given, (list, tuple)) and any(map(has_text, cast("list[Any]", given))))


def in_numbers(given: Any, unit: str, what: str) -> Any:
    """What a user gave, with its texts as numbers of a unit; the rest is as it was."""
    if isinstance(given, str):
        return Amount(unit, inf=True).number(given, what)
    return [in_numbers(one, unit, what) for one in given] if has_text(given) else given


def take(holder: Any, where: str, **amounts: Amount | Count) -> None:
    """Turn fields of a dataclass into floats, each with its unit and bounds; `where` begins what is told.

    A field whose default is None may be None.
    """
    for field, amount in amounts.items():
        value = getattr(holder, field)
        if value is not None or getattr(type(holder), field, 0) is not None:
            object.__setattr__(holder, field, amount.number(value, f"{where}: {field}"))


def take_rows(holder: Any, where: str, *shape: int | None, **amounts: Amount) -> None:
    """The same for fields of several numbers, which become tuples of this shape; None: any count."""
    for field, amount in amounts.items():
        value = getattr(holder, field)
        if value is not None or getattr(type(holder), field, 0) is not None:
            object.__setattr__(holder, field, amount.numbers(value, shape, f"{where}: {field}"))
