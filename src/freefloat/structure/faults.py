"""What can be made to go wrong with modules and hands while a run goes on: faults by name, time and place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from freefloat.amounts import Count, Measure, not_negative, positive, take
from freefloat.errors import InputError

Name = Literal["no-close", "no-open", "dead-module", "lost-order", "overload"]
Face = tuple[int, int]  # identity of a module and its own side, wherever it is
_Fits = Callable[["Fault"], bool]


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong from the time `at` on, as often as `count` says (None: every time).

    no-close     an interface of a module, or that of a hand, does not close: it lets go after its closing time, the
                 hand has failed, and a module that was to be placed stays with the hand
    no-open      it does not open: the hand has failed, and a module that was to be picked stays where it was, held by
                 structure and hand
    dead-module  the module passes no power, gives none and takes none (for good)
    lost-order   an order to a hand is dropped: nothing happens, and nothing tells the one who gave it
    overload     the interface of a hand bears only `max_force` and `max_torque` (for good); at one of them it fails,
                 still holding

    A module is named by its identity; `side`, of its own, narrows it to one interface. Without one, `no-close` strikes
    any pair that the module is part of, `no-open` any pair of that module when it is picked. Only orders that come
    between `at` and `until` count. A reset of the hand after the failure ends a `repairable` fault.
    """

    name: Name
    at: Measure = 0.0  # [s]
    module: int = 0  # identity
    hand: str = ""
    side: int = -1  # of the module, or -1: any
    count: int | None = 1
    until: Measure = math.inf  # [s]
    max_force: Measure = math.inf  # [N] of an overload
    max_torque: Measure = math.inf  # [N m] of an overload
    repairable: bool = False

    def __post_init__(self) -> None:
        where = f"fault {self.name!r}"
        if self.name not in get_args(Name):
            raise InputError(f"{where}; allowed: {', '.join(get_args(Name))}")
        take(self, where, at=not_negative("s"))
        bounds = {"until": not_negative("s"), "max_force": positive("N"), "max_torque": positive("N m")}
        take(self, where, **{n: amount for n, amount in bounds.items() if getattr(self, n) != math.inf})
        if self.count is not None:
            Count(1).number(self.count, f"{where}: count")
        of_module, of_hand = self.name in ("no-close", "no-open", "dead-module"), self.name != "dead-module"
        if bool(self.module) == bool(self.hand) or (self.module and not of_module) or (self.hand and not of_hand):
            both = " or ".join(w for w, may in (("a module", of_module), ("a hand", of_hand)) if may)
            raise InputError(f"{where}: module {self.module!r} and hand {self.hand!r}; allowed: {both}")

    @property
    def for_good(self) -> bool:
        """Whether it is there from its time on, whatever is ordered."""
        return self.name in ("dead-module", "overload")


@dataclass
class Faults:
    """Those of a run, how often each may still strike, and whether it has."""

    faults: tuple[Fault, ...] = ()
    left: list[float] = field(default_factory=list)
    struck: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = [math.inf if f.count is None else float(f.count) for f in self.faults]
        self.struck = [False] * len(self.faults)

    @classmethod
    def of(cls, given: Mapping[int, str] | Sequence[Fault], hands: Mapping[str, str] | None = None) -> Faults:
        """Faults as given, or modules and hands whose interfaces never "close" or "open"; a reset repairs a hand's."""
        if isinstance(given, Mapping):
            given = [_always(w, module=m) for m, w in given.items()]
        own = [_always(what, hand=hand, repairable=True) for hand, what in (hands or {}).items() if what]
        return cls((*given, *own))

    def of_pair(self, what: Literal["close", "open"], t: float, moved: Face, other: Face) -> bool:
        """Whether the pair of interfaces of a module that is moved and its neighbour fails, ordered at t [s]."""
        return self._strikes(f"no-{what}", t, lambda f: f.module > 0 and _concerns(f, moved, other))

    def of_hand(self, what: Literal["close", "open"], t: float, hand: str) -> bool:
        """Whether the interface of a hand fails, ordered at t [s]."""
        return self._strikes(f"no-{what}", t, lambda f: f.hand == hand)

    def loses_order(self, t: float, hand: str) -> bool:
        """Whether an order to a hand at t [s] is lost."""
        return self._strikes("lost-order", t, lambda f: f.hand == hand)

    def _strikes(self, name: str, t: float, fits: _Fits) -> bool:
        for k, f in enumerate(self.faults):
            if f.name == name and self.left[k] > 0 and f.at <= t + 0.5e-9 and t < f.until and fits(f):
                self.left[k] -= 1
                self.struck[k] = True
                return True
        return False

    def begin(self, t: float) -> list[Fault]:
        """Those for good whose time has come."""
        due = [k for k, f in enumerate(self.faults) if f.for_good and not self.struck[k] and f.at <= t + 0.5e-9]
        for k in due:
            self.struck[k] = True
        return [self.faults[k] for k in due]

    def next(self) -> float:
        """[s] when the next one for good begins; infinite where none does."""
        waiting = zip(self.faults, self.struck, strict=True)
        return min((float(f.at) for f, struck in waiting if f.for_good and not struck), default=math.inf)

    def repair(self) -> None:
        """End those that have struck and can be repaired."""
        for k, f in enumerate(self.faults):
            if f.repairable and self.struck[k]:
                self.left[k] = 0.0


def _always(what: str, module: int = 0, hand: str = "", repairable: bool = False) -> Fault:
    if what not in ("close", "open"):
        raise InputError(f"fault {what!r}; allowed: close, open")
    return Fault("no-close" if what == "close" else "no-open", 0.0, module, hand, count=None, repairable=repairable)


def _concerns(f: Fault, moved: Face, other: Face) -> bool:
    if f.side >= 0:
        return (f.module, f.side) in (moved, other)
    return f.module == moved[0] or (f.name == "no-close" and f.module == other[0])
