"""What a run gives back: metrics, signals as tables and arrays, audit, events, log."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freefloat.engine.audit import Audit
from freefloat.engine.event import Fired
from freefloat.engine.graph import Shape, Vector
from freefloat.engine.signals import Signal
from freefloat.errors import unknown_name

if TYPE_CHECKING:
    import polars as pl


@dataclass
class Result:
    """A finished run. `r["arm.q"]` is an (n, 7) array, `r.time("arm.q")` its times, `r.frames` the tables by rate."""

    metrics: dict[str, float]
    audit: Audit
    signals: Mapping[str, Signal]
    events: Sequence[Fired]
    duration: float  # [s] of simulated time
    wall_time: float  # [s]
    scene: Mapping[str, Sequence[Shape]]  # link -> shapes
    controllers: Mapping[str, Any]  # task -> its controller after the run
    log: Path | None = None
    late_cycles: int = 0  # real-time pacing: instants reached too late
    interrupted: bool = False
    _rows: Mapping[str, Vector] = field(default_factory=dict[str, Vector], repr=False)
    _places: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]], repr=False)

    @property
    def real_time_factor(self) -> float:
        """Simulated over wall time."""
        return self.duration / self.wall_time if self.wall_time > 0.0 else 0.0

    def _place(self, name: str) -> tuple[str, int]:
        if name not in self._places:
            raise unknown_name("recorded signal", name, self._places)
        return self._places[name]

    def __getitem__(self, name: str) -> Vector:
        """All samples of a signal: (n, *shape)."""
        group, column = self._place(name)
        signal = self.signals[name]
        return self._rows[group][:, column : column + signal.size].reshape(-1, *signal.shape).copy()

    def time(self, name: str) -> Vector:
        """Times of a signal's samples [s]."""
        return self._rows[self._place(name)[0]][:, 0].copy()

    @property
    def frames(self) -> dict[str, pl.DataFrame]:
        """One table per group: column `t` and one column per signal (arrays for vectors)."""
        import polars as pl

        tables: dict[str, pl.DataFrame] = {}
        for group, rows in self._rows.items():
            columns: dict[str, Any] = {"t": rows[:, 0]}
            columns |= {name: self[name] for name, (g, _) in self._places.items() if g == group}
            tables[group] = pl.DataFrame(columns)
        return tables

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """A figure of some signals over time, with units; Jupyter shows it."""
        # drawing lives above the engine; it is reached by name so that the engine depends on nothing there
        plots = importlib.import_module("freefloat.view.plots")
        return plots.plot_signals(self.frames, self.signals, list(names), path)

    def _repr_html_(self) -> str:
        """The metrics as a table, for notebooks."""
        rows = "".join(
            f"<tr><td>{n}</td><td style='text-align:right'>{v:.6g}</td></tr>" for n, v in self.metrics.items()
        )
        verdict = "passed" if self.audit.passed else f"<b>failed: {', '.join(self.audit.failures)}</b>"
        return f"<table><tr><th>metric</th><th>value</th></tr>{rows}</table><p>Audit {verdict}.</p>"
