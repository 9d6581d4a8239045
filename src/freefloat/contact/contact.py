"""The part that lets links touch: every shape of one side against every shape of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from freefloat.contact.laws import NO_FRICTION, Friction, Law
from freefloat.contact.pairs import Pair, Solid, pairs_of
from freefloat.contact.step import ContactAdvice, Touching
from freefloat.contact.surfaces import Ball, Plane, Surface
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput
from freefloat.engine.tree import WORLD
from freefloat.errors import InputError, unknown_name
from freefloat.kernels.bank import NO_COMMAND, Apart, Row
from freefloat.kernels.contact import CONTACT
from freefloat.kernels.contact_row import SMOOTH_STATES, STICKING

SIGNALS = ("gap", "force", "friction_force", "mode", "slip")


@dataclass(frozen=True)
class Contact:
    """Part: `b` touches `a`. Each is a link, some of a link's shapes ("link:name of the shapes"), or a group of such.

    Of a link the contact shapes count (`Link.contact_shapes`), of "world" the plane z = 0, solid below. `surfaces` take
    the place of the shapes of `a`, `balls` of those of `b`; both are in the frame of the one link that is named then.
    Links that are rigidly joined do not touch, as long as they are.

    Signals, one entry a pair, in the order of a, then b: `name.gap` [m], `name.force` and `name.friction_force` [N],
    `name.f_W` [N] the force on b and `name.p_WC` [m] where it acts, `name.mode` (0 open, 1 touching, 2 parted but still
    inside), `name.slip`.
    """

    name: str
    a: str | Sequence[str]
    b: str | Sequence[str]
    law: Law
    friction: Friction | None = None
    surfaces: Sequence[Surface] = ()
    balls: Sequence[Ball] = ()

    def build(self, b: Builder) -> None:
        """One row of the bank for every pair."""
        self._check()
        friction = NO_FRICTION if self.friction is None else self.friction.columns()
        numbers: dict[str, Any] = self.law.columns() | friction
        rows: list[Row] = []
        touching: list[Touching] = []
        for link_a, first in self._solids(b, "a", self.a, self.surfaces):
            for link_b, second in self._solids(b, "b", self.b, self.balls):
                if link_a == link_b:
                    continue
                for pair in self._pairs(first, second):
                    rows.append(b.add(contact_row(b.full(str(len(rows))), link_a, link_b, pair, numbers)))
                    links = (link_b, link_a) if pair.swapped else (link_a, link_b)
                    touching.append(Touching(*links, tuple(pair.columns["p_BC"].tolist()), pair.columns["radius"]))
        if not rows:
            raise InputError(f"contact {self.name!r}: {self.a!r} with {self.b!r} makes no pair; allowed: two links")
        b.advise(ContactAdvice(self.name, touching, numbers))
        for quantity in SIGNALS:
            b.signal_of(quantity, rows, quantity)
        for name, unit, outputs, meaning in (
            ("f_W", "N", ("force_x", "force_y", "force_z"), "force on b"),
            ("p_WC", "m", ("p_x", "p_y", "p_z"), "where the force acts; 0 while there is none"),
        ):
            signal = Signal(b.full(name), unit, (len(rows), 3), "W", meaning)
            b.signal(signal, [RowOutput(row.name, output) for row in rows for output in outputs])

    def _check(self) -> None:
        if not isinstance(self.law, Law):
            raise InputError(f"contact {self.name!r}: law {self.law!r}; allowed: one of freefloat.contact's laws")
        if self.friction is not None and not isinstance(self.friction, Friction):
            raise InputError(f"contact {self.name!r}: friction {self.friction!r}; allowed: None, or one of its laws")

    def _pairs(self, first: Solid, second: Solid) -> list[Pair]:
        try:
            return pairs_of(first, second)
        except InputError as e:
            raise InputError(f"contact {self.name!r}: {e}") from None

    def _solids(
        self, b: Builder, side: str, names: str | Sequence[str], given: Sequence[Surface] | Sequence[Ball]
    ) -> list[tuple[str, Solid]]:
        """What may touch on one side, with its link."""
        group = [names] if isinstance(names, str) else list(names)
        if not group:
            raise InputError(f"contact {self.name!r}: {side} is an empty group; allowed: at least one link")
        if given:
            if len(group) > 1 or ":" in group[0]:
                raise InputError(
                    f"contact {self.name!r}: {side} is {names!r}; allowed with solids of its own: one link"
                )
            self._link(b, group[0])
            return [(group[0], solid) for solid in given]
        return [(name.partition(":")[0], solid) for name in group for solid in self._shapes(b, name)]

    def _link(self, b: Builder, link: str) -> None:
        if link not in b.blueprint.links and link != WORLD:
            known = [WORLD, *b.blueprint.links]
            raise unknown_name(f"link (of contact {self.name!r}; its part comes first)", link, known)

    def _shapes(self, b: Builder, name: str) -> list[Solid]:
        link, _, wanted = name.partition(":")
        self._link(b, link)
        if link == WORLD:
            return [Plane()]
        shapes = b.blueprint.links[link].contact_shapes
        found = [shape for shape in shapes if not wanted or shape.name == wanted]
        if wanted and not found:
            raise unknown_name(
                f"shape of {link!r} (of contact {self.name!r})", wanted, [s.name for s in shapes if s.name]
            )
        if not found:
            raise InputError(f"contact {self.name!r}: {link!r} has no shape to touch; allowed: links with shapes")
        return list(found)


def contact_row(name: str, a: str, b: str, pair: Pair, numbers: dict[str, Any]) -> Row:
    """The row of a pair; `numbers` are those of law and friction."""
    a, b, sign = (b, a, -1.0) if pair.swapped else (a, b, 1.0)
    ends: dict[str, Any] = {"a": a, "b": b, "apart": Apart(a, b), "solid": pair.solid, "hidden": NO_COMMAND}
    row = CONTACT.row(name, **ends, **numbers, **pair.columns, sign=sign)
    return row if numbers["friction"] == STICKING else replace(row, states=row.states[:SMOOTH_STATES])
