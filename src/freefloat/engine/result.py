"""What a run gives back: metrics, signals as tables and arrays, audit, events, log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from freefloat.engine.audit import Audit
from freefloat.engine.event import Fired
from freefloat.engine.graph import Vector
from freefloat.engine.pushes import FORCE, POINT, Push, contacts_of, pushes_of
from freefloat.engine.review import Review
from freefloat.engine.scene import Looks, Scene, shapes_at
from freefloat.engine.signals import Signal
from freefloat.engine.summary import html_of, text_of
from freefloat.engine.touches import Touch, table_of
from freefloat.errors import InputError, unknown_name
from freefloat.extras import imported
from freefloat.frames import Pose
from freefloat.geometry.shape import Shapes

if TYPE_CHECKING:
    import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
    import polars as pl
    from matplotlib.figure import Figure


class Samples(Mapping[str, Vector]):
    """Signals of one group, sampled together: `samples["arm.q"]` is (n, *shape) at the times `samples.t` [s]."""

    def __init__(self, rows: Vector, signals: Sequence[Signal]) -> None:
        self._rows, self._signals = rows, {s.name: s for s in signals}
        ends = np.cumsum([1, *(s.size for s in signals)])[:-1]
        self._first = dict(zip(self._signals, (int(n) for n in ends), strict=True))

    @property
    def t(self) -> Vector:
        """Times [s]."""
        return self._rows[:, 0].copy()

    @property
    def rows(self) -> int:
        """How many samples there are."""
        return len(self._rows)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """In the order of their columns."""
        return tuple(self._signals.values())

    def scalars(self, name: str) -> Vector:
        """Samples of a signal number by number: (size, n)."""
        return self[name].reshape(self.rows, self._signals[name].size).T

    def __getitem__(self, name: str) -> Vector:
        if name not in self._signals:
            raise unknown_name("signal of this group", name, self._signals)
        signal, first = self._signals[name], self._first[name]
        return self._rows[:, first : first + signal.size].reshape(-1, *signal.shape).copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)


@dataclass(repr=False)
class Result:
    """A finished run, which prints as one screen.

    `r["arm.q"]` is an (n, 7) array, `r.time("arm.q")` its times, `r.frames` the tables by rate.
    """

    metrics: dict[str, float]
    audit: Audit
    signals: Mapping[str, Signal]
    events: Sequence[Fired]
    duration: float  # [s] of simulated time
    wall_time: float  # [s]
    step: float  # [s] of integration, the shortest of its worlds; nan where all adapt theirs
    looks: Looks  # shapes by link from the start on, and at each change
    controllers: Mapping[str, Any]  # task -> its controller after the run
    touches: tuple[Touch, ...] = ()  # every contact of a pair, in the order of first touch
    notes: tuple[str, ...] = ()  # what parts tell of the files that they are from: left out, read past, merged
    log: Path | None = None
    title: str = ""  # what ran: the scenario's kind, or the names of the parts
    late_cycles: int = 0  # real-time pacing: instants reached too late
    review: Review = field(default_factory=lambda: Review({}), repr=False)  # what the mission's review saw
    groups: Mapping[str, Sequence[Signal]] = field(default_factory=dict[str, Sequence[Signal]], repr=False)
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

    def __contains__(self, name: object) -> bool:
        return name in self._places

    @property
    def scene(self) -> Shapes:
        """The shapes of every link at the start."""
        return self.looks[0][1]

    def scene_at(self, t: float) -> Scene:
        """Which shapes were where at t [s]: shapes of that instant, links where the last sample before it has them."""
        shapes, poses, worlds = shapes_at(self.looks, t), dict[str, Pose](), dict[str, str]()
        for link in shapes:
            group, p = self._place(f"{link}.p_WB")
            q, rows = self._place(f"{link}.q_WB")[1], self._rows[group]
            row = rows[max(0, int(np.searchsorted(rows[:, 0], t, side="right")) - 1)]
            poses[link] = Pose.from_quat(row[q : q + 4], row[p : p + 3])
            worlds[link] = group.removesuffix("plant").removesuffix(".")
        return Scene(shapes, poses, worlds, self.pushes_at(t))

    def pushes_at(self, t: float) -> list[Push]:
        """Forces of all contacts at the last sample before t [s]."""
        found: list[Push] = []
        for contact in contacts_of(self.signals):
            (group, f), p = self._place(contact + FORCE), self._place(contact + POINT)[1]
            size, rows = self.signals[contact + FORCE].size, self._rows[group]
            row = rows[max(0, int(np.searchsorted(rows[:, 0], t, side="right")) - 1)]
            world = group.removesuffix("plant").removesuffix(".")
            found += pushes_of(contact, world, row[f : f + size].reshape(-1, 3), row[p : p + size].reshape(-1, 3))
        return found

    def of(self, group: str) -> Samples:
        """The samples of one group, such as a record with a rate of its own: `r.of("wrist")["arm.q"]`, `.t`."""
        if group not in self.groups:
            raise unknown_name("recorded group", group, self.groups)
        return Samples(self._rows[group], self.groups[group])

    def time(self, name: str) -> Vector:
        """Times of a signal's samples [s]."""
        return self._rows[self._place(name)[0]][:, 0].copy()

    @property
    def frames(self) -> dict[str, pl.DataFrame]:
        """One table per group: column `t` and one column per signal (arrays for vectors)."""
        import polars as pl

        tables: dict[str, pl.DataFrame] = {}
        for group, signals in self.groups.items():
            samples = self.of(group)
            tables[group] = pl.DataFrame({"t": samples.t, **{s.name: samples[s.name] for s in signals}})
        return tables

    @property
    def contacts(self) -> pl.DataFrame:
        """A table of every contact: pair, first touch, duration, peak force, impulse, penetration, energy lost (SI)."""
        return table_of(self.touches)

    def plot(self, *names: str, path: str | Path | None = None) -> Figure:
        """A figure of some signals over time, with units; Jupyter shows it."""
        from freefloat.engine.plot import plot_signals  # heavy, and only needed here

        return plot_signals(self.frames, self.signals, names, path)

    def to_pandas(self, group: str | None = None) -> pd.DataFrame:
        """A group as a pandas table over `t`, one column per number: `arm.q[0]`, ...; units are in its `attrs`.

        Without a group, that of all signals of the world (`plant`).
        """
        pandas = imported("pandas", "notebook", "a pandas table needs")
        plants = [g for g in self.groups if g == "plant" or g.endswith(".plant")]
        if group is None and len(plants) > 1:
            raise InputError(f"this run has several worlds; name one of the groups {', '.join(self.groups)}")
        samples = self.of(plants[0] if group is None else group)
        columns: dict[str, Vector] = {}
        for signal in samples.signals:
            columns |= dict(zip(signal.columns(), samples.scalars(signal.name), strict=True))
        table = pandas.DataFrame(columns, index=pandas.Index(samples.t, name="t"))
        table.attrs["units"] = {name: s.unit for s in samples.signals for name in s.columns()}
        return table

    def __repr__(self) -> str:
        return text_of(self)

    def picture(self, *times: float, path: str | Path | None = None, **look: Any) -> Figure:
        """A figure of the world at some times [s], by default start, middle and end; Jupyter shows it.

        `look`: direction from which it is seen and `up` (in W), width and height [pixel] of one picture, title.
        """
        from freefloat.view.picture import Instant, chosen_instants, draw_picture  # above us: see docs/decisions/0028

        chosen = chosen_instants(times, self.duration)
        return draw_picture([Instant(t, self.scene_at(t)) for t in chosen], path, **look)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return html_of(self)
