"""The part that lets two links touch: balls of one against the surfaces of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.contact.laws import NO_FRICTION, Friction, Law
from freefloat.contact.step import ContactAdvice, Touching
from freefloat.engine.blueprint import Builder
from freefloat.engine.tree import WORLD
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels import surfaces as K
from freefloat.kernels.contact import CONTACT

SURFACES = {"sphere": K.SPHERE, "capsule": K.CAPSULE, "box": K.BOX, "cylinder": K.CYLINDER}


@dataclass(frozen=True)
class Ball:
    """A ball of a body: its centre in the body's frame, and its radius; 0: a point."""

    p_BC: tuple[float, float, float]  # [m]
    radius: float = 0.0  # [m]

    def __post_init__(self) -> None:
        if not (np.shape(self.p_BC) == (3,) and np.isfinite(self.p_BC).all() and 0.0 <= self.radius < np.inf):
            raise InputError(f"ball {self.p_BC!r}, {self.radius!r} m; allowed: 3 finite numbers, a radius of 0 or more")


@dataclass(frozen=True)
class Contact:
    """Part: link `b` touches link `a`. Of `a` all shapes count (boxes, spheres, capsules, cylinders), or, where it is
    "world", the plane z = 0 with the solid below; of `b` its spheres, or the `balls` that are given.

    Signals, one entry a pair, in the order of surfaces and then balls: `name.gap` [m], `name.force` and
    `name.friction_force` [N], `name.mode` (0 open, 1 touching, 2 parted but still inside), `name.slip`.
    """

    name: str
    a: str
    b: str
    law: Law
    friction: Friction | None = None
    balls: Sequence[Ball] = ()

    def build(self, b: Builder) -> None:
        """One row of the bank for every surface and ball."""
        surfaces, balls = self._surfaces(b), self._balls(b)
        numbers: dict[str, Any] = {**self.law.columns(), **(NO_FRICTION if self.friction is None else self.friction.columns())}
        rows = []
        for i, (kind, size, X_AS) in enumerate(surfaces):
            for j, ball in enumerate(balls):
                pair = CONTACT.row(
                    b.full(f"{i}_{j}"),
                    a=self.a,
                    b=self.b,
                    **numbers,
                    radius=ball.radius,
                    p_BC=ball.p_BC,
                    surface=kind,
                    size=[*size, *([0.0] * (3 - len(size)))],
                    p_AS=X_AS.p,
                    R_AS=X_AS.R,
                )
                rows.append(b.add(pair))
        touching = [Touching(self.a, self.b, ball.p_BC, ball.radius) for _ in surfaces for ball in balls]
        b.advise(ContactAdvice(self.name, touching, numbers))
        for quantity in ("gap", "force", "friction_force", "mode", "slip"):
            b.signal_of(quantity, rows, quantity)

    def _shapes(self, b: Builder, link: str) -> tuple[Shape, ...]:
        if link not in b.blueprint.links:
            raise unknown_name(f"link (of contact {self.name!r}; its part comes first)", link, b.blueprint.links)
        return b.blueprint.links[link].shapes

    def _surfaces(self, b: Builder) -> list[tuple[int, Sequence[float], Pose]]:
        if self.a == self.b:
            raise InputError(f"contact {self.name!r}: {self.a!r} with itself; allowed: two links")
        if self.a == WORLD:
            return [(K.PLANE, (), Pose.identity())]
        shapes = self._shapes(b, self.a)
        for shape in shapes:
            if shape.kind not in SURFACES:
                raise InputError(
                    f"contact {self.name!r}: {self.a!r} has a {shape.kind}; allowed: {', '.join(SURFACES)}"
                )
        if not shapes:
            raise InputError(f"contact {self.name!r}: {self.a!r} has no shape to touch")
        return [(SURFACES[shape.kind], shape.size, shape.X_LG) for shape in shapes]

    def _balls(self, b: Builder) -> list[Ball]:
        shapes = self._shapes(b, self.b)
        if self.balls:
            return list(self.balls)
        found = [Ball((x, y, z), s.size[0]) for s in shapes if s.kind == "sphere" for x, y, z in [s.X_LG.p.tolist()]]
        if len(found) < len(shapes) or not found:
            kinds = ", ".join(sorted({s.kind for s in shapes})) or "no shape"
            raise InputError(f"contact {self.name!r}: {self.b!r} has {kinds}; allowed: spheres, or give `balls`")
        return found
