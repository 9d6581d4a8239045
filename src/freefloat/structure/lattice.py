"""Geometry of cubes and regular hexagons that tile: rotations, connector frames, neighbours."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array, Pose

Indices = NDArray[np.int64]

LARGEST = 10**6  # [-] places of a grid, and largest axial coordinate
_STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # axial steps to the neighbours 0..5
_COS = (1.0, 0.5, -0.5, -1.0, -0.5, 0.5)  # of 0, 60, ... 300 deg
_SIN = (0.0, 0.75**0.5, 0.75**0.5, 0.0, -(0.75**0.5), -(0.75**0.5))


def cube_rotations() -> Array:
    """R_PM (24, 3, 3), identity first: permutations of the axes in lexical order, signs + before -."""
    found = []
    for axes, signs in itertools.product(itertools.permutations(range(3)), itertools.product((1.0, -1.0), repeat=3)):
        R = np.zeros((3, 3))
        R[list(axes), range(3)] = signs
        if np.linalg.det(R) > 0.0:
            found.append(R)
    return np.array(found)


def cube_connectors(edge: float) -> tuple[Pose, ...]:
    """X_PF: z along +-a, x along the next axis of x y z on both sides of a."""
    frames = []
    for side in range(6):
        z, x = np.zeros(3), np.zeros(3)
        z[side // 2], x[(side // 2 + 1) % 3] = (1.0, -1.0)[side % 2], 1.0
        frames.append(Pose(np.column_stack([x, np.cross(z, x), z]), 0.5 * edge * z))
    return tuple(frames)


def hexagon_rotations() -> Array:
    """R_PM (6, 3, 3) about z, identity first."""
    return np.array([[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] for c, s in zip(_COS, _SIN, strict=True)])


def hexagon_connectors(wide: float, high: float) -> tuple[Pose, ...]:
    """X_PF: x up on the six sides; along P's x on top."""
    up = np.array([0.0, 0.0, 1.0])
    frames = []
    for c, s in zip(_COS, _SIN, strict=True):
        z = np.array([c, s, 0.0])
        frames.append(Pose(np.column_stack([up, np.cross(z, up), z]), 0.5 * wide * z))
    return (*frames, Pose(np.eye(3), 0.5 * high * up))


def cube_neighbours(cells: Indices, size: tuple[int, int, int]) -> Indices:
    """(n, 6) places next to cells (n, 3) in C order, -1 outside."""
    number = np.arange(len(cells)).reshape(size)
    padded = np.pad(number, 1, constant_values=-1)
    i, j, k = (cells + 1).T
    around = [(i + 1, j, k), (i - 1, j, k), (i, j + 1, k), (i, j - 1, k), (i, j, k + 1), (i, j, k - 1)]
    return np.stack([padded[spot] for spot in around], axis=1).astype(np.int64)


def hexagon_neighbours(cells: Indices) -> Indices:
    """(n, 7) places next to axial cells (n, 2), -1 where the table has none."""
    span = 2 * LARGEST + 3
    keys = (cells[:, 0] + LARGEST + 1) * span + cells[:, 1] + LARGEST + 1
    order = np.argsort(keys)
    ranked = keys[order]
    result = np.full((len(cells), 7), -1, dtype=np.int64)
    for side, (dq, dr) in enumerate(_STEPS):
        wanted = keys + dq * span + dr
        spot = np.minimum(np.searchsorted(ranked, wanted), len(keys) - 1)
        result[:, side] = np.where(ranked[spot] == wanted, order[spot], -1)
    return result
