"""Planned reconfigurations: counts with every motion checked."""

from __future__ import annotations

from collections.abc import Iterator

from freefloat.bench.case import Figure, bench
from freefloat.bench.planned_rebuilds import counts


@bench("reconfiguration")
def reconfiguration() -> Iterator[Figure]:
    """Transfers of planned reconfigurations over their bound."""
    yield from counts()
