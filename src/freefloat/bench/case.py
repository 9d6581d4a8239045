"""How a benchmark is written: a registered function that yields figures.

    @bench("engine")
    def engine() -> Iterator[Figure]:
        yield Figure("tree_us_per_step", 7.1, "what was measured, and how")

Names are flat and unique over all benchmarks; one with a unit ends in it. `note` says what was done.
"""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.cases import Cases


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    name: str
    value: float
    note: str


BENCHMARKS: Cases[Figure] = Cases("benchmark", "freefloat.bench.cases")

bench = BENCHMARKS.register
