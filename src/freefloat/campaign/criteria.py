"""What a successful case is, as a condition on its metrics: `captured == 1 and peak_contact_force_n < 900`.

Comparisons, `and or not`, + - * /, `abs min max sqrt`. A name is a metric's, dots and numbers included (`on_time_s.0`).
Numbers and conditions are told apart: `captured and ...` is refused, `captured == 1 and ...` is meant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from freefloat.campaign.condition_parser import ConditionParser
from freefloat.campaign.conditions import Node, bounds_of, value_of


@dataclass(frozen=True)
class Criterion:
    """A condition on metrics. Cases that lack a metric of it, or have no number there, do not meet it."""

    text: str
    names: tuple[str, ...]  # of the metrics, in the order in which they stand in the text
    _root: Node

    @classmethod
    def parse(cls, text: str, names: Iterable[str] | None = None) -> Criterion:
        """The criterion in a text; with `names` only these metrics are known. An InputError has the column."""
        parser = ConditionParser(text, None if names is None else sorted(names))
        root = parser.whole()
        return cls(text, tuple(dict.fromkeys(parser.names)), root)

    def __call__(self, metrics: Mapping[str, float | None]) -> bool:
        """Whether a case with these metrics meets it; a division by zero or the root of less does not."""
        if self.lacking(metrics):
            return False
        try:
            return bool(value_of(self._root, metrics))
        except (ArithmeticError, ValueError):
            return False

    def lacking(self, metrics: Mapping[str, float | None]) -> tuple[str, ...]:
        """The names that have no number in these metrics."""
        return tuple(name for name in self.names if not _is_number(metrics.get(name)))

    def bounds(self) -> list[tuple[str, str]]:
        """Metrics that are compared as they are, each with the sign that meets the criterion: ("force_n", "<")."""
        return list(bounds_of(self._root))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isnan(value)
