"""Planned reconfigurations: counts with every motion checked, and planning beside flying."""

from __future__ import annotations

from collections.abc import Iterator

from freefloat.bench.case import Figure, bench
from freefloat.bench.flown_rebuilds import flown
from freefloat.bench.planned_rebuilds import counts


@bench("reconfiguration")
def reconfiguration() -> Iterator[Figure]:
    """Transfers of planned reconfigurations over their bound."""
    yield from counts()
    yield from flown()
