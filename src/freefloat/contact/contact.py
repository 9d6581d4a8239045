"""The part that lets links touch: every shape of one side against every shape of the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freefloat.contact.laws import NO_FRICTION, Friction, Law
from freefloat.contact.pairs import Pair, Solid, pairs_of
from freefloat.contact.picture import contact_drawings
from freefloat.contact.step import ContactAdvice, Touching
from freefloat.contact.surfaces import Ball, Ground, Plane, Prism, Surface, Wall
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import AXES, Signal
from freefloat.engine.sources import RowOutput
from freefloat.engine.tree import WORLD
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.bank import NO_COMMAND, Apart, Row
from freefloat.kernels.contact import CONTACT
from freefloat.kernels.contact_row import BALL, SMOOTH_STATES, STICKING

SIGNALS = ("gap", "force", "friction_force", "mode", "slip")
POSE_LABELS = ("x", "y", "z", "qw", "qx", "qy", "qz")
POSE = len(POSE_LABELS)

Placing = tuple[tuple[str, int] | int, tuple[str, int] | int]  # entries of the commands `place` and `gate`
NOT_PLACED: Placing = (NO_COMMAND, NO_COMMAND)


@dataclass(frozen=True)
class Contact:
    """Part: `b` touches `a`. Each is a link, some of a link's shapes ("link:name of the shapes"), or a group of such.

    Of a link the contact shapes count (`Link.contact_shapes`), of a tensor part its modules, wherever they are at the
    time, and of "world" the plane z = 0, solid below. `surfaces` take the place of the shapes of `a`, `balls` of those
    of `b`; both are in the frame of the one link that is named then. Links that are rigidly joined do not touch, as
    long as they are.

    Signals, one entry a pair, in the order of a, then b: `name.gap` [m] (1 m or more to a module that is not there),
    `name.force` and `name.friction_force` [N], `name.f_W` [N] the force on b and `name.p_WC` [m] where it acts,
    `name.mode` (0 open, 1 touching, 2 parted but still inside), `name.slip`; not recorded: `name.began` [s], the last
    first touch.

    With `placed`, commands put the surfaces elsewhere while the run goes on, as where somebody finds out only then
    where they are: `name.place`, a pose [p_AS, q_AS] per pair, in the frame of a's link, and `name.gate`, 0 where
    nothing touches. What that gives to the springs of those that touch is booked as supplied work.
    """

    name: str
    a: str | Sequence[str]
    b: str | Sequence[str]
    law: Law
    friction: Friction | None = None
    surfaces: Sequence[Surface] = ()
    balls: Sequence[Ball] = ()
    placed: bool = False

    def build(self, b: Builder) -> None:
        """One row of the bank for every pair."""
        self._check()
        friction = NO_FRICTION if self.friction is None else self.friction.columns()
        numbers: dict[str, Any] = self.law.columns() | friction
        rows: list[Row] = []
        touching: list[Touching] = []
        poses: list[Pose] = []
        made: set[frozenset[tuple[str, int]]] = set()  # a link may be on both sides
        bodies = self._sides(b, "b", self.b, self.balls)
        others = self._sides(b, "a", self.a, self.surfaces)
        for first in others:
            for second in bodies:
                pairing = frozenset({(first.link, id(first.solid)), (second.link, id(second.solid))})
                if first.link == second.link or pairing in made:
                    continue
                made.add(pairing)
                for pair in self._pairs(first, second):
                    sides = (second, first) if pair.swapped else (first, second)
                    placing = self._placing(b, pair, len(rows), poses)
                    rows.append(b.add(contact_row(b.full(str(len(rows))), *sides, pair, numbers, placing)))
                    p_BC, radius = tuple(pair.columns["p_BC"].tolist()), pair.columns["radius"]
                    empty = first.empty or second.empty
                    touching.append(Touching(sides[0].link, sides[1].link, p_BC, radius, empty))
        if not rows:
            raise InputError(f"contact {self.name!r}: {self.a!r} with {self.b!r} makes no pair; allowed: two links")
        b.advise(ContactAdvice(self.name, touching, numbers))
        pairs = _labels(touching)
        if self.placed:
            self._commands(b, poses, pairs)
        for quantity in SIGNALS:
            b.signal_of(quantity, rows, quantity, labels=pairs)
        b.signal_of("began", rows, "began", recorded=False, labels=pairs)
        for name, unit, outputs, meaning in (
            ("f_W", "N", ("force_x", "force_y", "force_z"), "force on b"),
            ("p_WC", "m", ("p_x", "p_y", "p_z"), "where the force acts; 0 while there is none"),
        ):
            labels = tuple(f"{pair} {axis}" for pair in pairs for axis in AXES)
            signal = Signal(b.full(name), unit, (len(rows), 3), "W", meaning, labels)
            b.signal(signal, [RowOutput(row.name, output) for row in rows for output in outputs])
        solids = [(side.link, side.solid) for side in (*others, *bodies) if not side.is_module]
        shown = [shape for link in b.blueprint.links.values() for shape in link.shapes]
        for link, drawn in contact_drawings(solids, shown).items():
            b.blueprint.seen.drawn[f"{self.name}:{link}"] = drawn

    def _placing(self, b: Builder, pair: Pair, k: int, poses: list[Pose]) -> Placing:
        """The commands that place the surface of pair k, whose declared pose is noted."""
        if not self.placed:
            return NOT_PLACED
        if pair.swapped or int(pair.columns["pair"]) != BALL:
            raise InputError(f"contact {self.name!r}: placed pairs are balls of b on surfaces of a; give `surfaces`")
        poses.append(Pose(np.reshape(pair.columns["R_AS"], (3, 3)), pair.columns["p_AS"]))
        return (b.full("place"), POSE * k), (b.full("gate"), k)

    def _commands(self, b: Builder, poses: Sequence[Pose], pairs: Sequence[str]) -> None:
        """Declare what places the surfaces."""
        start = [v for X_AS in poses for v in (*X_AS.p.tolist(), *X_AS.q.tolist())]
        labels = tuple(f"{pair} {of}" for pair in pairs for of in POSE_LABELS)
        meaning = "pose of the surface in its link's frame: place, quaternion"
        b.command("place", (len(poses), POSE), "m, -", meaning, start=start, labels=labels)
        meaning = "1: the pair may touch, 0: it does not"
        b.command("gate", (len(poses),), "-", meaning, start=[1.0] * len(poses), labels=pairs)

    def _check(self) -> None:
        for what, given, allowed in (("surfaces", self.surfaces, Surface), ("balls", self.balls, Ball)):
            if not isinstance(given, list | tuple) or not all(isinstance(one, allowed) for one in given):
                raise InputError(f"contact {self.name!r}: {what} {given!r}; allowed: a list of {what}")
        if not isinstance(self.law, Law):
            raise InputError(f"contact {self.name!r}: law {self.law!r}; allowed: one of freefloat.contact's laws")
        if self.friction is not None and not isinstance(self.friction, Friction):
            raise InputError(f"contact {self.name!r}: friction {self.friction!r}; allowed: None, or one of its laws")

    def _pairs(self, first: Side, second: Side) -> list[Pair]:
        try:
            for one, other in ((first, second), (second, first)):
                if one.is_module and isinstance(other.solid, Plane | Wall | Ground):
                    raise InputError(
                        f"modules on a {type(other.solid).__name__}: no pair; allowed: balls, convex shapes"
                    )
            return pairs_of(first.solid, second.solid)
        except InputError as e:
            raise InputError(f"contact {self.name!r}: {e}") from None

    def _sides(
        self, b: Builder, side: str, names: str | Sequence[str], given: Sequence[Surface] | Sequence[Ball]
    ) -> list[Side]:
        """What may touch on one side."""
        group = [names] if isinstance(names, str) else list(names)
        if not group:
            raise InputError(f"contact {self.name!r}: {side} is an empty group; allowed: at least one link")
        if given:
            if len(group) > 1 or ":" in group[0]:
                raise InputError(
                    f"contact {self.name!r}: {side} is {names!r}; allowed with solids of its own: one link"
                )
            self._link(b, group[0])
            return [Side(group[0], solid) for solid in given]
        return [found for name in group for found in self._shapes(b, name)]

    def _link(self, b: Builder, link: str) -> None:
        if link not in b.blueprint.links and link != WORLD:
            known = [WORLD, *b.blueprint.links]
            raise unknown_name(f"link (of contact {self.name!r}; its part comes first)", link, known)

    def _shapes(self, b: Builder, name: str) -> list[Side]:
        link, _, wanted = name.partition(":")
        self._link(b, link)
        if link == WORLD and wanted:
            raise InputError(f"contact {self.name!r}: {name!r}; allowed: {WORLD!r}, which has no shapes with names")
        if link == WORLD:
            return [Side(link, Plane())]
        if link in b.blueprint.places and not wanted:
            return _modules(b, link)
        shapes = b.blueprint.links[link].contact_shapes
        found = [shape for shape in shapes if not wanted or shape.name == wanted]
        if wanted and not found:
            raise unknown_name(
                f"shape of {link!r} (of contact {self.name!r})", wanted, [s.name for s in shapes if s.name]
            )
        if not found:
            raise InputError(f"contact {self.name!r}: {link!r} has no shape to touch; allowed: links with shapes")
        return [Side(link, shape) for shape in found]


def _labels(touching: Sequence[Touching]) -> tuple[str, ...]:
    """The links of each pair; numbered where two links have several."""
    links = [f"{pair.a} - {pair.b}" for pair in touching]
    total, so_far = Counter(links), Counter[str]()
    labels: list[str] = []
    for name in links:
        so_far[name] += 1
        labels.append(f"{name} ({so_far[name]})" if total[name] > 1 else name)
    return tuple(labels)


@dataclass(frozen=True)
class Side:
    """A solid of a link; where it is a module, the command that says what of it does not push, and the entry."""

    link: str
    solid: Solid
    hidden: tuple[str, int] | int = NO_COMMAND
    empty: bool = False  # the module is not there at the start

    @property
    def is_module(self) -> bool:
        """Whether it may come and go."""
        return self.hidden != NO_COMMAND


def _modules(b: Builder, link: str) -> list[Side]:
    """Solids at all places of a link; the first contact declares the output `link.hidden`."""
    places, hidden = b.blueprint.places[link](), f"{link}.hidden"
    if hidden not in b.blueprint.commands:
        meaning = "sum of 2^feature over what does not push of the module at each place; -1: none there"
        of_link = Builder(b.blueprint, link)
        of_link.output("hidden", (len(places.hidden),), "-", meaning, recorded=False, start=places.hidden)
    sides: list[Side] = []
    for n, p in enumerate(places.p_LP):
        X_LP = Pose(np.eye(3), p)
        if places.outline == "box":
            solid: Solid = Shape("box", places.size, X_LP)
        else:
            solid = Prism(2.0 * places.size[0], 2.0 * places.size[1], X_LP)
        sides.append(Side(link, solid, (hidden, n), places.hidden[n] < 0.0))
    return sides


def contact_row(name: str, a: Side, b: Side, pair: Pair, numbers: dict[str, Any], placing: Placing = NOT_PLACED) -> Row:
    """The row of a pair, sides as the pair has them; `numbers` are those of law and friction."""
    ends: dict[str, Any] = {"a": a.link, "b": b.link, "apart": Apart(a.link, b.link), "solid": pair.solid}
    ends |= {"hidden": a.hidden, "hidden_b": b.hidden, "place": placing[0], "gate": placing[1]}
    row = CONTACT.row(name, **ends, **numbers, **pair.columns, sign=-1.0 if pair.swapped else 1.0)
    return row if numbers["friction"] == STICKING else replace(row, states=row.states[:SMOOTH_STATES])
