"""How a comparison is written: a registered function that yields rows.

    @case("dynamic-singularity", source="Papadopoulos and Dubowsky 1993")
    def dynamic_singularity() -> Iterator[Row]:
        yield within("q2", "deg", published=-11.4108, ours=angle, tolerance=1e-3)

A row passes when ours lies on the right side of its tolerance: `within` allows both sides of the published number,
`at_most` and `at_least` only limit the bad side (an error far below its limit, or a slope above the theoretical order,
is no failure), `compare` has no tolerance and passes nothing. NaN never passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from freefloat.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Plot = Callable[["Figure"], None]
CaseFunction = Callable[[], Iterator["Row"]]


@dataclass(frozen=True)
class Row:
    """One published number and ours. `passed` is None where there is no tolerance; `reason` explains a failure."""

    quantity: str
    unit: str
    published: float | None
    ours: float | None
    tolerance: float | None
    passed: bool | None
    case: str = ""  # filled by the registry
    source: str = ""  # filled by the registry where the row names none of its own
    reason: str = ""
    limit: str = "within"  # within | at most | at least | none
    plot: Plot | None = field(default=None, compare=False, repr=False)
    traceback: str = field(default="", compare=False, repr=False)  # of a case that raised

    @property
    def unexplained(self) -> bool:
        return self.passed is False and not self.reason

    def to_json(self) -> dict[str, Any]:
        """Keys case, quantity, unit, published, ours, tolerance, pass, source; reason where a failure has one."""
        out: dict[str, Any] = {
            "case": self.case,
            "quantity": self.quantity,
            "unit": self.unit,
            "published": _finite(self.published),
            "ours": _finite(self.ours),
            "tolerance": _finite(self.tolerance),
            "pass": self.passed,
            "source": self.source,
        }
        if self.reason and not self.passed:
            out["reason"] = self.reason
        return out


@dataclass(frozen=True)
class Case:
    """A named comparison; `title` is the first line of its function's docstring."""

    name: str
    source: str
    title: str
    function: CaseFunction

    def rows(self) -> list[Row]:
        return [replace(row, case=self.name, source=row.source or self.source) for row in self.function()]


REGISTRY: dict[str, Case] = {}


def case(name: str, *, source: str) -> Callable[[CaseFunction], CaseFunction]:
    """Register a function that yields rows under `name`, with the source of its published numbers."""

    def register(function: CaseFunction) -> CaseFunction:
        known = REGISTRY.get(name)
        if known is not None and known.function.__qualname__ != function.__qualname__:
            raise InputError(f"verification case {name!r} is registered twice")
        title = (function.__doc__ or name).strip().splitlines()[0]
        REGISTRY[name] = Case(name, source, title, function)
        return function

    return register


def within(
    quantity: str,
    unit: str,
    *,
    published: float,
    ours: float,
    tolerance: float,
    source: str = "",
    reason: str = "",
    plot: Plot | None = None,
) -> Row:
    """Pass where |ours - published| <= tolerance."""
    passed = bool(abs(ours - published) <= tolerance)
    return Row(quantity, unit, published, float(ours), tolerance, passed, "", source, reason, "within", plot)


def at_most(
    quantity: str,
    unit: str,
    *,
    ours: float,
    tolerance: float,
    published: float = 0.0,
    source: str = "",
    reason: str = "",
    plot: Plot | None = None,
) -> Row:
    """Pass where ours <= published + tolerance: errors, with 0 published."""
    passed = bool(ours <= published + tolerance)
    return Row(quantity, unit, published, float(ours), tolerance, passed, "", source, reason, "at most", plot)


def at_least(
    quantity: str,
    unit: str,
    *,
    published: float,
    ours: float,
    tolerance: float,
    source: str = "",
    reason: str = "",
    plot: Plot | None = None,
) -> Row:
    """Pass where ours >= published - tolerance: orders of convergence, efficiencies."""
    passed = bool(ours >= published - tolerance)
    return Row(quantity, unit, published, float(ours), tolerance, passed, "", source, reason, "at least", plot)


def compare(
    quantity: str,
    unit: str,
    *,
    published: float,
    ours: float,
    source: str = "",
    reason: str = "",
    plot: Plot | None = None,
) -> Row:
    """A comparison without a verdict."""
    return Row(quantity, unit, published, float(ours), None, None, "", source, reason, "none", plot)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
