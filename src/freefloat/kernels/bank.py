"""What a bank is: one declaration beside its kernel, from which tables, rows, dispatch and log names follow.

A bank is a group of like elements that contribute to the plant: wheels, thrusters, springs, or an effect of your own.
Its verbs are compiled functions; `docs/howto/add-an-effect.md` shows each:

    stage(t, p, x, u, view, dx, tau, wrench, y, power)                            at every stage of every step
    advance(t, h, p, x, u, view, answer, new, impulse, moment, booked)            once per trial step, for fast states
    guard(t, p, x, u, view, g)                                                    values whose zeros are located
    settle(t, p, x, u, view, answer, crossed, tau, wrench, booked)                once per accepted step: modes change
    stored(p, x, view, energy)                                                    where the audit asks for energy held

A row is one element, in names; a reference stands for an index that only exists once a world is built.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import in_numbers
from freefloat.errors import InputError, unknown_name

Verb = Callable[..., None]
StateKind = Literal["rate", "fast", "mode"]
KINDS = ("rate", "fast", "mode")


@dataclass(frozen=True)
class Column:
    """A named quantity of `size` numbers; size 0, in the last column only: as many as a row gives."""

    name: str
    unit: str = "-"
    size: int = 1
    meaning: str = ""
    default: float | None = None  # of every number; None: a row must give it
    frame: str = ""  # that it is expressed in, where it has one


@dataclass(frozen=True)
class State:
    """A named state. A `rate` is integrated with the plant, `fast` ones are left by the bank's `advance`, and a `mode`
    is held through all stages and changes in `settle` only.
    """

    name: str
    unit: str = "-"
    kind: StateKind = "rate"
    start: float = 0.0
    meaning: str = ""


@dataclass(frozen=True)
class Body:
    """Index of the body that carries a link; that of "world" is 0."""

    link: str


@dataclass(frozen=True)
class Coordinate:
    """Index of a joint's position in qpos."""

    joint: str


@dataclass(frozen=True)
class Rate:
    """Index of a joint's velocity in qvel."""

    joint: str


@dataclass(frozen=True)
class Apart:
    """1 where two links can move against each other now, 0 where they are rigidly joined."""

    a: str
    b: str


@dataclass(frozen=True)
class Solid:
    """The `address` of what `make` returns, made once for every world; 0 without it."""

    make: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Command:
    """Index of entry `entry` of a command."""

    name: str
    entry: int = 0


Ref = Body | Coordinate | Rate | Command | Apart | Solid | int
Kind = type[Body] | type[Coordinate] | type[Rate] | type[Apart] | type[Solid]


def places(columns: Sequence[Column]) -> Any:
    """A named tuple that holds the first place of every column, as compiled code reads it: `f[F.inertia]`."""
    firsts = np.cumsum([0, *(c.size for c in columns)]).tolist()
    return namedtuple("Places", [c.name for c in columns])(*firsts[: len(columns)])


@dataclass(frozen=True)
class Row:
    """One element of a bank: parameters `f`, references `i`, initial states and number of outputs."""

    bank: Bank
    name: str  # unique in the world; keeps states and outputs together through rebuilds
    f: tuple[float, ...] = ()
    i: tuple[Ref, ...] = ()
    states: tuple[float, ...] = ()
    outputs: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.bank, Bank):
            raise InputError(f"bank row {self.name!r}: bank {self.bank!r}; allowed: an Effect")


@dataclass(frozen=True)
class Bank:
    """The declaration. `columns` are the numbers of a row, `references` and `commands` its indices, in this order.

    An effect that declares neither columns, references nor commands takes rows of any width, made with `Row` itself.
    """

    name: str
    stage: Verb
    columns: Sequence[Column] = ()
    references: Mapping[str, Kind] = field(default_factory=dict)
    commands: Sequence[str] = ()
    states: Sequence[State] = ()
    outputs: Sequence[Column] = ()  # one number each
    advance: Verb | None = None
    guard: Verb | None = None
    settle: Verb | None = None
    stored: Verb | None = None
    carried: Sequence[str] = ()  # forces per row of which `advance` leaves impulse and first moment
    answers: Sequence[str] = ()  # references to joints' rates, or to a body: its turning about the column `axis`; of
    # these `advance` and `settle` get the columns of M^-1
    guards: Sequence[str] = ()  # values per row that `guard` writes
    kept: Sequence[Column] = ()  # numbers per row that `settle` keeps beside the states (`p.kept`), zero at the start
    deciding: int = 0  # how many of them, the first, forces depend on
    work: int = 0  # quantities per row for which `advance` has scratch (`p.work`), with three square matrices of rows
    table: int = 0  # columns of each row's table, which an upkeep makes; 0: no table
    fewer_states: bool = False  # a row may have only the first of its states
    alone: bool = False  # a world has at most one row
    settling: Sequence[str] = ()  # commands that let built-in banks settle where they change: they move surfaces
    tell: Callable[[int, Sequence[float]], str | None] | None = None  # a note (kind, numbers) in words; None: not told

    def __post_init__(self) -> None:
        for verb in _SIGNATURE:
            given = getattr(self, verb)
            if not callable(given) and (verb == "stage" or given is not None):
                raise InputError(f"effect {self.name!r}: {verb} {given!r}; allowed: a function{_SIGNATURE[verb]}")
        for what, verb, declared in (
            ("carried forces", "advance", self.carried),
            ("fast states", "advance", [s.name for s in self.states if s.kind == "fast"]),
            ("guards", "guard", self.guards),
            ("modes", "settle", [s.name for s in self.states if s.kind == "mode"]),
        ):
            if declared and getattr(self, verb) is None:
                raise InputError(f"effect {self.name!r}: {what} {list(declared)} without `{verb}`; give the function")
        if self.guard is not None and not (self.guards and self.settle):
            raise InputError(f"effect {self.name!r}: `guard` needs the names of its `guards` and the verb `settle`")
        turning = Body if any(c.name == "axis" for c in self.columns) else Rate
        for name in self.answers:
            if self.references.get(name) not in (Rate, turning):
                rates = [n for n, kind in self.references.items() if kind in (Rate, turning)]
                raise unknown_name(f"reference to a joint's rate (answers of effect {self.name!r})", name, rates)
        for name in [c.name for c in self.columns[:-1] if c.size == 0]:
            raise InputError(f"effect {self.name!r}: column {name!r} has an open size; allowed in the last column only")
        for column in self.outputs:
            if column.size != 1:
                raise InputError(f"effect {self.name!r}: output {column.name!r} of size {column.size}; allowed: 1 each")
        for state in self.states:
            if state.kind not in KINDS:
                where = f"effect {self.name!r}: state {state.name!r}"
                raise InputError(f"{where} of kind {state.kind!r}; allowed: {', '.join(KINDS)}")
        for names in (
            [*(c.name for c in self.columns), *self.references, *self.commands],
            [s.name for s in self.states],
            [c.name for c in self.outputs],
        ):
            for name in names:
                if names.count(name) > 1:
                    raise InputError(f"effect {self.name!r}: two of its quantities are named {name!r}")

    def __copy__(self) -> Bank:
        return self

    def __deepcopy__(self, memo: object) -> Bank:
        """A declaration never changes: copies of what holds it share it."""
        return self

    @property
    def declared(self) -> bool:
        """Whether its rows have a declared shape."""
        return bool(self.columns or self.references or self.commands)

    @property
    def width(self) -> int:
        """Numbers of a row; 0 where rows may differ."""
        open_ended = not self.declared or (self.columns and self.columns[-1].size == 0)
        return 0 if open_ended else sum(c.size for c in self.columns)

    def row(self, name: str, states: Mapping[str, float] | None = None, **given: Any) -> Row:
        """A row of this bank. Every column, reference and command is given by its name; states start as declared.

        A reference is the name of a link or joint, a command its name, `(name, entry)` or `NO_COMMAND`.
        """
        known = [*(c.name for c in self.columns), *self.references, *self.commands]
        for key in given:
            if key not in known:
                raise unknown_name(f"column or reference of {self.name!r} (in row {name!r})", key, known)
        f = [v for c in self.columns for v in self._numbers(c, given.get(c.name, c.default), name)]
        for key in (*self.references, *self.commands):
            if key not in given:
                raise InputError(f"row {name!r} of {self.name!r}: {key!r} is missing; needed: {', '.join(known)}")
        i = [_reference(kind, given[key], f"row {name!r}: {key!r}") for key, kind in self.references.items()]
        i += [_command(given[key], f"row {name!r}: {key!r}") for key in self.commands]
        start = {s.name: s.start for s in self.states}
        for key in states or {}:
            if key not in start:
                raise unknown_name(f"state of {self.name!r} (in row {name!r})", key, start)
        start |= states or {}
        for key, value in start.items():
            if not np.isfinite(value):
                raise InputError(f"row {name!r} of {self.name!r}: state {key!r} starts at {value!r}; allowed: finite")
        return Row(self, name, tuple(f), tuple(i), tuple(float(v) for v in start.values()), len(self.outputs))

    def _numbers(self, column: Column, value: ArrayLike | None, row: str) -> list[float]:
        where = f"row {row!r} of {self.name!r}: {column.name!r}"
        if value is None:
            raise InputError(f"{where} is missing; needed: {column.size} numbers [{column.unit}]")
        try:
            numbers = np.ravel(np.asarray(in_numbers(value, column.unit, where), dtype=np.float64))
        except (TypeError, ValueError):
            raise InputError(f"{where} is {value!r}; needed: {column.size} numbers [{column.unit}]") from None
        if column.size > 1 and column.default is not None and numbers.size == 1:
            numbers = np.full(column.size, numbers[0])
        if np.isnan(numbers).any():
            raise InputError(f"{where} is not a number: {numbers.tolist()} [{column.unit}]")
        if column.size and numbers.size != column.size:
            raise InputError(f"{where} has {numbers.size} numbers, {column.size} needed [{column.unit}]")
        return numbers.tolist()


NO_COMMAND = -1  # in the place of a command that a row does without
Effect = Bank  # what a user calls a bank of their own

_SIGNATURE = {
    "stage": "(t, p, x, u, view, dx, tau, wrench, y, power)",
    "advance": "(t, h, p, x, u, view, answer, new, impulse, moment, booked)",
    "guard": "(t, p, x, u, view, g)",
    "settle": "(t, p, x, u, view, answer, crossed, tau, wrench, booked)",
    "stored": "(p, x, view, energy)",
}


def signature_of(verb: str) -> str:
    """A verb's arguments, in words."""
    return _SIGNATURE[verb]


def _reference(kind: Kind, given: Any, where: str) -> Ref:
    made = given
    if isinstance(given, str) and kind in (Body, Coordinate, Rate):
        made = Body(given) if kind is Body else Coordinate(given) if kind is Coordinate else Rate(given)
    if not isinstance(made, kind):
        raise InputError(f"{where} is {given!r}; allowed: a name, or {kind.__name__}(name)")
    return made


def _command(given: Any, where: str) -> Ref:
    if isinstance(given, int) and given == NO_COMMAND:
        return NO_COMMAND
    made = Command(given) if isinstance(given, str) else Command(*given) if isinstance(given, tuple) else given
    if not isinstance(made, Command):
        raise InputError(f"{where} is {given!r}; allowed: a command's name, or (name, entry)")
    return made
