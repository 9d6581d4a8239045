"""Forces of contacts at an instant, and how long their arrows are in pictures and logs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from freefloat.engine.graph import Vector

DECADE = 0.1  # [m] by which an arrow grows with each factor of ten
FORCE, POINT = ".f_W", ".p_WC"  # ends of the names of a contact's signals


class Push(NamedTuple):
    """What one pair of a contact does to its b: the force, and where it acts, in the W of its world."""

    pair: str  # contact, a dot, and the number of the pair
    world: str
    p_WC: Vector  # [m]
    f_W: Vector  # [N]

    def length(self, decade: float = DECADE) -> float:
        """[m] of the arrow: `decade` log10(1 + f / 1 N), so that rest and impact are both seen."""
        return decade * math.log10(1.0 + float(np.linalg.norm(self.f_W)))

    def axes(self) -> Vector:
        """R (3, 3) in W whose x points along the force."""
        R: Vector = np.zeros((3, 3))
        R[:, 0] = self.f_W / np.linalg.norm(self.f_W)
        R[:, 1] = np.cross(R[:, 0], np.eye(3)[np.argmin(np.abs(R[:, 0]))])
        R[:, 1] /= np.linalg.norm(R[:, 1])
        R[:, 2] = np.cross(R[:, 0], R[:, 1])
        return R


def contacts_of(signals: Iterable[str]) -> list[str]:
    """Names of the contacts that have both force and point among these signals."""
    names = dict.fromkeys(signals)
    return [n.removesuffix(FORCE) for n in names if n.endswith(FORCE) and n.removesuffix(FORCE) + POINT in names]


def pushes_of(contact: str, world: str, f_W: Vector, p_WC: Vector) -> list[Push]:
    """The pairs (n, 3) of a contact that push."""
    return [
        Push(f"{contact}.{k}", world, p.copy(), f.copy())
        for k, (f, p) in enumerate(zip(f_W, p_WC, strict=True))
        if np.any(f != 0.0)
    ]
