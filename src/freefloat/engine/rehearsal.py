"""Rehearsed worlds: a facility's own simulation, which may be read ahead and done again from a past instant.

Nobody may look into the future of a plant, or undo its past; what a facility computes of its satellites is its own.
Such a world keeps where it stood at the instants of the one task that commands it, over a horizon. Its rows and notes
leave only when they are older than that: what is done again is recorded once, in its last form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.cells import Integers
from freefloat.engine.directory import CommandPlace, Directory
from freefloat.engine.fleet import Fleet
from freefloat.engine.graph import Vector
from freefloat.engine.notes import Note, taken_from
from freefloat.engine.plant import Plant
from freefloat.engine.ports import Reader
from freefloat.engine.schedule import LONGEST, Schedule, nanoseconds
from freefloat.errors import InputError
from freefloat.kernels import handle as H
from freefloat.kernels import integrate
from freefloat.kernels.agenda import NEVER

NEXT, HELD = 1, 7  # columns of a plant's table of groups


@dataclass(frozen=True)
class Rehearsal:
    """Declares a world of a mission as the facility's own simulation."""

    horizon: Measure = 0.5  # [s] over which it may be read ahead and done again

    def __post_init__(self) -> None:
        take(self, "rehearsal", horizon=Amount("s", ge=1e-9, le=LONGEST))


@dataclass(frozen=True)
class Ahead:
    """What a signal of a rehearsed world will be `by` [s] later, under the commands of now."""

    signal: str
    by: Measure  # [s]

    def __post_init__(self) -> None:
        take(self, f"signal {self.signal!r} ahead", by=Amount("s", ge=0.0, le=LONGEST))


@dataclass(frozen=True)
class Moment:
    """Where a plant stood at an instant, before the commands of that instant."""

    at_ns: int
    x: Vector
    kept: Vector
    u: Vector
    clock: Integers
    fraction: Vector
    stepper: Vector
    phase: Integers
    guard_values: Vector
    next_records: Integers
    noted: int  # notes since the start
    touched: int  # changes from outside so far

    @classmethod
    def of(cls, plant: Plant, taken: int) -> Moment:
        """Copy it; `taken` notes have left so far."""
        m = plant.memory
        return cls(
            at_ns=plant.now_ns,
            x=m[H.X].copy(),
            kept=m[H.KEPT].copy(),
            u=plant.u.copy(),
            clock=m[H.CLOCK].copy(),
            fraction=m[H.FRACTION].copy(),
            stepper=m[H.STEPPER].copy(),
            phase=m[H.PHASE].copy(),
            guard_values=m[H.GUARD_VALUE].copy(),
            next_records=plant.group_table[:, NEXT].copy(),
            noted=taken + int(m[H.PHASE][H.NOTED]),
            touched=plant.touched,
        )

    def put(self, plant: Plant, taken: int) -> None:
        """Let the plant stand there; rows and notes from there on are gone."""
        m = plant.memory
        m[H.X][:], m[H.KEPT][:], m[H.BUSY][:] = self.x, self.kept, 1
        plant.u[:] = self.u
        m[H.CLOCK][:], m[H.FRACTION][:], m[H.STEPPER][:] = self.clock, self.fraction, self.stepper
        m[H.CLOCK][H.VALID] = H.NOTHING
        m[H.PHASE][:], m[H.GUARD_VALUE][:] = self.phase, self.guard_values
        m[H.PHASE][H.NOTED] = self.noted - taken
        plant.group_table[:, NEXT] = self.next_records
        for g, buffer in enumerate(plant.group_buffers):
            held = int(plant.group_table[g, HELD])
            plant.group_table[g, HELD] = np.searchsorted(buffer[:held, 0], self.next_records[g] / 1e9)


class Rehearsed:
    """A rehearsed world while it runs."""

    def __init__(self, plant: Plant, rehearsal: Rehearsal) -> None:
        self.plant = plant
        self.horizon_ns = nanoseconds(rehearsal.horizon)
        self.moments: list[Moment] = []
        self._taken = 0  # notes that have left
        self._young = True  # the first moment is still there
        self._fleet = Fleet([plant])
        self._fleet.follow(Schedule())
        reopen([self])

    def commit(self, since: float | None, commands: Sequence[tuple[CommandPlace, Vector]]) -> None:
        """Take note of this instant; with `since` [s], do the stretch from there again under these commands."""
        plant = self.plant
        recent = [m for m in self.moments if m.at_ns > plant.now_ns - self.horizon_ns - 1]
        self._young, self.moments = self._young and len(recent) == len(self.moments), recent
        self.moments.append(Moment.of(plant, self._taken))
        if since is not None:
            since_ns, kept = self._checked(since), list(self.moments)
            try:
                self._redo(since_ns, commands)
            except BaseException:  # Ctrl-C too: stand where the instant began
                self.moments = kept
                kept[-1].put(self.plant, self._taken)
                raise

    def _checked(self, since: float) -> int:
        """As nanoseconds; refused where it is not in what may be done again."""
        plant = self.plant
        at = Amount("s").number(since, f"world {plant.name!r}: since")
        now, first, since_ns = plant.now_ns, self.moments[0], nanoseconds(at)
        untouched = next(m for m in self.moments if m.touched == plant.touched)
        if not untouched.at_ns <= since_ns <= now:
            why = f"its horizon of {self.horizon_ns / 1e9:g} s" if untouched is first else "a change from outside"
            if self._young and untouched is first:
                why = "the first update"
            raise InputError(
                f"world {plant.name!r}: since {at:.9g} s at t = {now / 1e9:.9g} s; allowed: from "
                f"{untouched.at_ns / 1e9:.9g} s on, for {why}, to now"
            )
        return since_ns

    def _redo(self, since_ns: int, commands: Sequence[tuple[CommandPlace, Vector]]) -> None:
        """Go back to `since_ns`, hold the commands from there on and come back to now."""
        plant = self.plant
        k = max(n for n, m in enumerate(self.moments) if m.at_ns <= since_ns)
        base, later = self.moments[k], self.moments[k + 1 :]
        now_ns, held = plant.now_ns, later[0].u if later else plant.u.copy()
        base.put(plant, self._taken)
        if since_ns > base.at_ns:
            self._hold(held)
            self._advance(since_ns)
        new = plant.u.copy()
        for place, value in commands:
            new[place.at] = value
        self._hold(new)
        for n, moment in enumerate(later, k + 1):
            self._advance(moment.at_ns)
            self.moments[n] = Moment.of(plant, self._taken)
        self._advance(now_ns)

    def _hold(self, u: Vector) -> None:
        """Change the commands; banks settle, for surfaces may have moved."""
        if not np.array_equal(u, self.plant.u):
            self.plant.u[:] = u
            self.plant.memory[H.CLOCK][[H.VALID, H.GUARDED, H.SETTLED]] = 0

    def _advance(self, end_ns: int) -> None:
        while True:
            status = self._fleet.advance(end_ns)
            if status == integrate.DONE:
                return
            if status == integrate.BUFFER_FULL:
                raise no_room({self.plant.name: self})
            if status != integrate.PAUSED:
                raise self._fleet.failure(status)

    def look(self, ahead: Mapping[int, Reader]) -> None:
        """Let each reader read so many nanoseconds ahead, in a fork under the commands of now."""
        plant = self.plant
        here = Moment.of(plant, self._taken)
        plant.group_table[:, NEXT] = NEVER
        try:
            for by_ns in sorted(ahead):
                self._advance(here.at_ns + by_ns)
                ahead[by_ns].read()
        finally:
            here.put(plant, self._taken)

    def take_notes(self) -> list[Note]:
        """What banks have noted, as far as it will not be done again."""
        found = taken_from(self.plant, self.plant.time - self.plant.held_back_ns / 1e9)
        self._taken += len(found)
        return found

    def state(self) -> tuple[list[Moment], int]:
        """For a snapshot: what may still be done again; moments never change."""
        return [m for m in self.moments if m.touched == self.plant.touched], self._taken

    def set_state(self, state: tuple[list[Moment], int]) -> None:
        """Take over a state made by `state`, where the plant has the same."""
        moments, self._taken = state
        self._young = False
        self.moments = [replace(m, touched=self.plant.touched) for m in moments]


def close(rehearsed: Iterable[Rehearsed]) -> None:
    """Let everything go: nothing before now is done again."""
    for one in rehearsed:
        one.moments, one.plant.held_back_ns = [], 0


def reopen(rehearsed: Iterable[Rehearsed]) -> None:
    """Hold back what is new; a row at the first moment itself may be written again."""
    for one in rehearsed:
        one.plant.held_back_ns = one.horizon_ns + 1


def no_room(rehearsed: Mapping[str, Rehearsed]) -> InputError:
    """Why nothing leaves a full buffer."""
    held = ", ".join(f"{name!r} ({r.horizon_ns / 1e9:g} s)" for name, r in rehearsed.items())
    return InputError(
        f"more records or contacts than there is room for within the horizon of the rehearsed worlds {held}; allowed: "
        "a shorter horizon, fewer records, or contacts that change less often"
    )


class Outlook:
    """What one task reads ahead, world by world."""

    def __init__(self, reads: Mapping[str, Ahead], directory: Directory, rehearsed: Mapping[str, Rehearsed]) -> None:
        self.worlds = 0  # as a set
        self._readers: dict[str, dict[int, Reader]] = {}
        self._rehearsed = rehearsed
        names: dict[tuple[str, int], list[str]] = {}
        for read in reads.values():
            place = directory.signal(read.signal)
            self.worlds |= place.bit
            names.setdefault((place.plant.name, nanoseconds(read.by)), []).append(read.signal)
        for (world, by_ns), signals in names.items():
            self._readers.setdefault(world, {})[by_ns] = Reader(directory, signals)
        self._values: dict[str, Vector] = {}
        for local, read in reads.items():
            world = directory.signal(read.signal).plant.name
            self._values[local] = self._readers[world][nanoseconds(read.by)].values[read.signal]

    def look(self) -> Mapping[str, Vector]:
        """By local name; views that the next look overwrites."""
        for world, readers in self._readers.items():
            self._rehearsed[world].look(readers)
        return self._values


def check_ahead(where: str, read: Ahead, directory: Directory, rehearsed: Mapping[str, Rehearsed]) -> None:
    """Refuse to look ahead in a plant that is not rehearsed, or further than its horizon."""
    world = directory.signal(read.signal).plant.name
    if world not in rehearsed:
        known = f"; rehearsed are: {', '.join(rehearsed)}" if rehearsed else ""
        raise InputError(f"{where}: {read.signal!r} ahead would be peeking: world {world!r} is not rehearsed{known}")
    horizon_ns = rehearsed[world].horizon_ns
    if nanoseconds(read.by) > horizon_ns:
        raise InputError(f"{where}: {read.by:g} s ahead; allowed: at most the horizon of {horizon_ns / 1e9:g} s")
