"""What became of every contact in a run: notes of the contact bank as records, a table and figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from freefloat.engine.notes import Note, states_of
from freefloat.kernels.contact import CONTACT
from freefloat.kernels.contact_row import PARTED, TOUCHING

if TYPE_CHECKING:
    import polars as pl

    from freefloat.engine.plant import Plant


@dataclass(frozen=True)
class Touch:
    """One contact of a pair, from first touch until the force ends; of impulses, duration 0 and no peak force."""

    contact: str  # the pair's row: the contact's name, a dot, and its number
    t: float  # [s] first touch
    duration: float  # [s]
    speed: float  # [m/s] of approach at first touch
    peak_force: float  # [N]
    impulse: float  # [N s] of the normal force
    penetration: float  # [m] largest
    energy_lost: float  # [J]
    ended: bool = True  # False: the run ended first


def touches_of(plants: Iterable[Plant], notes: Sequence[Note]) -> tuple[Touch, ...]:
    """All contacts, in the order of first touch; those that go on are told up to now."""
    found = [_touch(n.row, n.t, n.numbers) for n in notes if n.bank == CONTACT.name and n.kind == PARTED]
    for plant in plants:
        for row, x in states_of(plant, CONTACT).items():
            if x["mode"] == TOUCHING:
                names = ("began", "onset_speed", "peak", "impulse", "deepest", "lost")
                found.append(_touch(row, plant.time, [x[name] for name in names], ended=False))
    return tuple(sorted(found, key=lambda touch: touch.t))


def _touch(row: str, t: float, numbers: Sequence[float], ended: bool = True) -> Touch:
    began, speed, peak, impulse, deepest, lost = numbers
    return Touch(row, began, t - began, speed, peak, impulse, deepest, lost, ended)


def figures_of(touches: Sequence[Touch]) -> dict[str, float]:
    """Metrics of a run in which something may touch."""
    forces = [touch.peak_force for touch in touches if math.isfinite(touch.peak_force)]
    return {
        "contacts": float(len(touches)),
        "peak_contact_force_N": max(forces, default=0.0),
        "contact_energy_lost_J": math.fsum(touch.energy_lost for touch in touches),
    }


def table_of(touches: Sequence[Touch]) -> pl.DataFrame:
    """A table of all contacts, one row each."""
    import polars as pl

    kinds = {"contact": pl.String, "ended": pl.Boolean}
    schema = {field.name: kinds.get(field.name, pl.Float64) for field in fields(Touch)}
    return pl.DataFrame([astuple(touch) for touch in touches], schema=schema, orient="row")
