"""Ways through joint space that keep clear: two trees that grow towards each other, then shortcuts.

RRT-Connect of Kuffner and LaValle (2000), with seeded samples between the joint limits and half of them near the way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from freefloat.frames import Array

Free = Callable[[Array, Array], bool]  # whether the straight motion between two joint positions keeps clear

STEP = 0.35  # [rad] longest branch, over all joints


class _Branches:
    """A tree of joint positions."""

    def __init__(self, root: Array) -> None:
        self.points, self.parent = [root], [-1]

    def extend(self, to: Array, free: Free) -> int | None:
        """One branch towards `to` from its nearest point; its index, or None where something is in the way."""
        way = np.array(self.points) - to
        near = int(np.argmin(np.einsum("ij,ij->i", way, way)))
        reach = float(np.linalg.norm(way[near]))
        point = to if reach <= STEP else self.points[near] + (to - self.points[near]) * (STEP / reach)
        if not free(self.points[near], point):
            return None
        self.points.append(point)
        self.parent.append(near)
        return len(self.points) - 1

    def back(self, index: int) -> list[Array]:
        """The points from `index` to the root."""
        way = []
        while index >= 0:
            way.append(self.points[index])
            index = self.parent[index]
        return way


def connect(
    q0: Array, q1: Array, lower: Array, upper: Array, free: Free, seed: int = 0, samples: int = 400
) -> list[Array] | None:
    """Points of a clear way from q0 to q1, shortened; None where `samples` do not find one."""
    if free(q0, q1):
        return [q0, q1]
    rng = np.random.default_rng(seed)
    centre, spread = 0.5 * (q0 + q1), 0.5 * np.abs(q1 - q0) + 0.8
    trees = [_Branches(q0), _Branches(q1)]
    for k in range(samples):
        narrow = k % 2 == 0
        sample = centre + spread * rng.uniform(-1.0, 1.0, q0.size) if narrow else rng.uniform(lower, upper)
        grown = trees[0].extend(np.clip(sample, lower, upper), free)
        met = None if grown is None else _meet(trees[1], trees[0].points[grown], free)
        if grown is not None and met is not None:
            way = trees[0].back(grown)[::-1] + trees[1].back(met)[1:]
            return _shortened(way if way[0] is q0 else way[::-1], free, rng)
        trees.reverse()
    return None


def _meet(tree: _Branches, point: Array, free: Free) -> int | None:
    """Grow a tree until it holds the point; its index there, or None where something is in the way."""
    while (grown := tree.extend(point, free)) is not None:
        if tree.points[grown] is point:
            return grown
    return None


def _shortened(way: list[Array], free: Free, rng: np.random.Generator, attempts: int = 60) -> list[Array]:
    """Fewer points, by straight motions between points picked at random."""
    for _ in range(attempts):
        if len(way) < 3:
            break
        i, j = sorted(rng.choice(len(way), 2, replace=False).tolist())
        if j - i > 1 and free(way[i], way[j]):
            way = way[: i + 1] + way[j:]
    return way
