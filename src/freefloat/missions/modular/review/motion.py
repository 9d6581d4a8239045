"""Recorded poses of robots and of what they carry, relative to the structure, ready for `geometry.nearest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.result import Result
from freefloat.frames import Array, matrix_to_quat
from freefloat.geometry.nearest import Course
from freefloat.missions.modular.review.facing import held_places, last_and_next, nearer
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.hand import HandSetup
from freefloat.structure.tensor_body import TensorBody

Poses = tuple[Array, Array]  # p [m] (rows, 3), q (rows, 4)


@dataclass(frozen=True)
class Names:
    """The links of a course in order: those of the robots, then hands' frames, then the modules in them."""

    links: tuple[str, ...]
    frames: tuple[str, ...]
    tools: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.links) + len(self.frames) + len(self.tools)

    def frame(self, name: str) -> int:
        return len(self.links) + self.frames.index(name)

    def tool(self, name: str) -> int:
        return len(self.links) + len(self.frames) + self.tools.index(name)


def names_of(subject: Subject) -> Names:
    """Links that have shapes, and the hands."""
    hands = [hand for robot in subject.robots for hand in robot.hands]
    links = [f"{robot.name}.{link.name}" for robot in subject.robots for link in robot.graph.links if link.shapes]
    return Names(tuple(links), tuple(h.frame for h in hands), tuple(h.tool for h in hands))


def course_of(result: Result, subject: Subject, names: Names) -> tuple[Course, NDArray[np.bool_]]:
    """The motion of all links in the structure's frame T, and the tables of occupied places to which it refers."""
    X_WT = _recorded(result, subject.structure, "B")
    parts = [relative(X_WT, _recorded(result, link, "B")) for link in names.links]
    parts += [relative(X_WT, _recorded(result, frame, "F")) for frame in names.frames]
    identity = {tool: result[f"{tool}.identity"][:, 0].astype(np.int64) for tool in names.tools}
    for tool in names.tools:
        X_TL = relative(X_WT, _recorded(result, tool, "B"))
        parts.append(_module(result, tool, subject.bodies[tool], X_TL, identity[tool] > 0))
    p = np.stack([part[0] for part in parts], axis=1)
    q = np.stack([_continuous(part[1]) for part in parts], axis=1)
    present = np.ones(p.shape[:2], bool)
    present[:, len(names.links) : len(names.links) + len(names.frames)] = False  # frames have no solids
    for tool in names.tools:
        present[:, names.tool(tool)] = identity[tool] > 0
    structure = result[f"{subject.structure}.identity"].astype(np.int64)
    facing = np.full((*p.shape[:2], 3), -1)
    for robot in subject.robots:
        for hand in robot.hands:
            link = names.links.index(robot.link_of(hand))
            _face(result, subject, names, hand, link, (p, q), identity[hand.tool], structure, facing)
    contents, tables = _contents(structure)
    t = result.time(f"{subject.structure}.p_WB")
    return Course(t, p, q, present, contents, facing), tables


def _recorded(result: Result, name: str, frame: str) -> Poses:
    return result[f"{name}.p_W{frame}"], result[f"{name}.q_W{frame}"]


def relative(X_WA: Poses, X_WB: Poses) -> Poses:
    """X_AB, row by row."""
    conj = X_WA[1] * np.array([1.0, -1.0, -1.0, -1.0])
    return turned(conj, X_WB[0] - X_WA[0]), multiplied(conj, X_WB[1])


def multiplied(a: Array, b: Array) -> Array:
    """Products (n, 4) of quaternions, row by row."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    return np.hstack([w, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


def turned(q: Array, v: Array) -> Array:
    """Vectors (n, 3), each turned by its quaternion."""
    twice = 2.0 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * twice + np.cross(q[:, 1:], twice)


def _continuous(q: Array) -> Array:
    """The same rotations without jumps of sign."""
    flips = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    return q * np.where(np.cumsum(np.concatenate([[False], flips])) % 2, -1.0, 1.0)[:, None]


def _module(result: Result, tool: str, body: TensorBody, X_TL: Poses, there: NDArray[np.bool_]) -> Poses:
    """Where the module in a hand is; where there is none, turned as the nearest one in time.

    Poses between rows lean on the rows around: a module must not turn where it is picked or has been placed.
    """
    orientation = result[f"{tool}.orientation"][:, 0].astype(np.int64)
    turn = np.maximum(nearer(np.where(there, orientation, -1)), 0)
    q_PM = np.array([matrix_to_quat(R) for R in body.grid.R_PM])
    centre = np.broadcast_to(body.grid.p_TP[0], X_TL[0].shape)
    return X_TL[0] + turned(X_TL[1], centre), multiplied(X_TL[1], q_PM[turn])


def _face(
    result: Result,
    subject: Subject,
    names: Names,
    hand: HandSetup,
    link: int,
    poses: Poses,
    carried: NDArray[np.int64],
    structure: NDArray[np.int64],
    facing: NDArray[np.int64],
) -> None:
    """Note which places a hand's link faces now, faced last and faces next."""
    p, q = poses
    p_TP = subject.bodies[subject.structure].grid.p_TP
    frame = names.frame(hand.frame)
    state = result[f"{subject.assembly}.{hand.name}.state"][:, 0].astype(np.int64)
    z_TE = turned(q[:, frame], np.broadcast_to([0.0, 0.0, 1.0], p[:, frame].shape))
    held = held_places(state, carried == 0, p[:, frame], z_TE, p_TP, structure > 0)
    facing[:, link, 0] = held
    facing[:, link, 1], facing[:, link, 2] = last_and_next(held)


def _contents(structure: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(rows,) which table of occupied places holds, and the tables."""
    new = np.concatenate([[True], (structure[1:] != structure[:-1]).any(axis=1)])
    return np.cumsum(new) - 1, structure[new] > 0


def instants_of(course: Course, extent: Sequence[float], travel: float, most: int) -> tuple[NDArray[np.int64], Array]:
    """Rows, and shares of the way to the next, between which no point of a link moves farther than `travel` [m].

    `extent` [m]: how far the solids of each link reach from its origin. At most `most` instants a row.
    """
    way = np.linalg.norm(np.diff(course.p, axis=0), axis=2)
    way += 2.0 * np.linalg.norm(np.diff(course.q, axis=0), axis=2) * np.asarray(extent)
    way = np.where(course.present[:-1], way, 0.0).max(axis=1, initial=0.0)
    counts = np.append(np.clip(np.ceil(way / travel), 1, most).astype(np.int64), 1)
    rows = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, within / counts[rows]
