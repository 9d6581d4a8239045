"""How a case is written: a registered function that yields comparisons.

    @case("dynamic-singularity", source="Papadopoulos and Dubowsky 1993")
    def dynamic_singularity() -> Iterator[Comparison]:
        yield within("q2", "deg", published=-11.4108, ours=angle, tolerance=1e-3)

A comparison passes when ours lies on the right side of its tolerance: `within` allows both sides of the published
number, `at_most` and `at_least` only limit the bad side (an error far below its limit, or a slope above the theoretical
order, is no failure), `compare` has no tolerance and passes nothing. NaN never passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from freefloat.cases import Cases

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Plot = Callable[["Figure"], None]


class Remarks(TypedDict, total=False):
    """What may be said with a comparison."""

    source: str  # where it is not the case's
    reason: str  # of a failure
    plot: Plot | None


@dataclass(frozen=True)
class Comparison:
    """One published number and ours. `passed` is None where there is no tolerance; `reason` explains a failure."""

    quantity: str
    unit: str
    published: float | None
    ours: float | None
    tolerance: float | None
    passed: bool | None
    limit: str = "within"  # within | at most | at least | none
    case: str = ""  # filled by the runner
    source: str = ""  # filled by the runner where the comparison names none of its own
    reason: str = ""
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


VERIFICATIONS: Cases[Comparison] = Cases("verification case", "freefloat.verify.cases")

CaseFunction = Callable[[], Iterator[Comparison]]


def case(name: str, *, source: str) -> Callable[[CaseFunction], CaseFunction]:
    """Register a function that yields comparisons under `name`, with the source of its published numbers."""
    return VERIFICATIONS.register(name, source)


def within(
    quantity: str, unit: str, *, published: float, ours: float, tolerance: float, **remarks: Unpack[Remarks]
) -> Comparison:
    """Pass where |ours - published| <= tolerance."""
    passed = bool(abs(ours - published) <= tolerance)
    return Comparison(quantity, unit, published, float(ours), tolerance, passed, "within", **remarks)


def at_most(
    quantity: str, unit: str, *, ours: float, tolerance: float, published: float = 0.0, **remarks: Unpack[Remarks]
) -> Comparison:
    """Pass where ours <= published + tolerance: errors, with 0 published."""
    passed = bool(ours <= published + tolerance)
    return Comparison(quantity, unit, published, float(ours), tolerance, passed, "at most", **remarks)


def at_least(
    quantity: str, unit: str, *, published: float, ours: float, tolerance: float, **remarks: Unpack[Remarks]
) -> Comparison:
    """Pass where ours >= published - tolerance: orders of convergence, efficiencies."""
    passed = bool(ours >= published - tolerance)
    return Comparison(quantity, unit, published, float(ours), tolerance, passed, "at least", **remarks)


def compare(quantity: str, unit: str, *, published: float, ours: float, **remarks: Unpack[Remarks]) -> Comparison:
    """A comparison without a verdict."""
    return Comparison(quantity, unit, published, float(ours), None, None, "none", **remarks)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
