"""What worlds are built from, and how their plants are built with what is recorded and watched in them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from freefloat.engine.blueprint import Blueprint
from freefloat.engine.event import DIRECTIONS, Event
from freefloat.engine.integrator import Dopri54, Integrator
from freefloat.engine.plant import ROWS, Plant
from freefloat.engine.rehearsal import Rehearsal
from freefloat.engine.schedule import nanoseconds
from freefloat.engine.taps import Group, Guard, Record
from freefloat.engine.upkeep import Upkeep
from freefloat.errors import InputError, RecordWarning, unknown_name

MOST_ROWS = 200_000  # that a rehearsed world holds back


@dataclass(frozen=True)
class Ground:
    """What a session builds one world from."""

    blueprint: Blueprint
    integrator: Integrator
    upkeeps: tuple[Upkeep, ...] = ()
    rehearsed: Rehearsal | None = None


def build_plants(
    grounds: Mapping[str, Ground], events: Sequence[Event], period_ns: int, records: Sequence[Record]
) -> tuple[list[Plant], dict[str, list[int]]]:
    """The plants, and for each the numbers of the events that its guards watch for."""
    plants: list[Plant] = []
    watching: dict[str, list[int]] = {}
    watched = [(n, e, e.signal) for n, e in enumerate(events) if e.signal is not None]
    known = [s for ground in grounds.values() for s in ground.blueprint.sources]
    for signal in (*(s for _, _, s in watched), *(s for record in records for s in record.signals)):
        if signal not in known:
            raise unknown_name("signal", signal, known)
    names = [record.name for record in records]
    for name in names:
        if name in ("plant", "audit") or names.count(name) > 1:
            raise InputError(f"record {name!r}: the recorder has a group of that name; choose another name")
    for name, ground in grounds.items():
        bp, before = ground.blueprint, f"{name}." if name else ""
        groups = [
            Group(f"{before}plant", period_ns, tuple(bp.recorded)),
            Group(f"{before}audit", period_ns, (), audit=True),
        ]
        for record in records:
            own = tuple(s for s in record.signals if s in bp.sources)
            if own:
                groups.append(Group(f"{before}{record.name}", nanoseconds(1.0 / record.rate), own))
        guards = [
            (n, Guard(s, e.component, e.level_in(bp.signal(s).unit), DIRECTIONS[e.direction]))
            for n, e, s in watched
            if s in bp.sources
        ]
        watching[name] = [n for n, _ in guards]
        rows = ROWS if ground.rehearsed is None else _room(name, ground, groups, guards)
        plants.append(Plant(name, bp, ground.integrator, groups, [guard for _, guard in guards], rows))
    return plants, watching


def _room(name: str, ground: Ground, groups: Sequence[Group], guards: Sequence[object]) -> int:
    """Rows that a rehearsed world holds: those of its horizon, and as many as others besides."""
    assert ground.rehearsed is not None
    for what, there in (("events on its signals", guards), ("upkeeps", ground.upkeeps)):
        if there:
            raise InputError(f"world {name!r}: {what} cannot be done again; allowed in a rehearsed world: none")
    rows = nanoseconds(ground.rehearsed.horizon) // min(g.period_ns for g in groups)
    if rows > MOST_ROWS:
        horizon, allowed = f"a horizon of {ground.rehearsed.horizon:g} s", f"at most {MOST_ROWS} records within it"
        raise InputError(f"world {name!r}: {horizon} holds {rows} rows; allowed: {allowed}")
    return ROWS + rows


def tell_cuts(plant: Plant, records: Sequence[Record]) -> None:
    """Say which records end steps where they would not end by themselves."""
    own = [record for record in records if any(s in plant.blueprint.sources for s in record.signals)]
    for record in own if not isinstance(plant.integrator, Dopri54) else ():
        if nanoseconds(1.0 / record.rate) % nanoseconds(plant.step) == 0:
            continue
        told = f"does not fall on steps of {1e3 * plant.step:g} ms: a step is cut at every record"
        if record.rate * plant.step > 1.0:
            told = f"is faster than the step of {1e3 * plant.step:g} ms: every step is cut to {1e3 / record.rate:g} ms"
        warnings.warn(f"record {record.name!r} at {record.rate:g} Hz {told}", RecordWarning, stacklevel=4)
