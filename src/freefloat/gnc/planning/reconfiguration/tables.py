"""A problem as integer arrays for compiled rules: every module is a variant, a class in an orientation.

Modules that no rule and no goal can tell apart are of one class: with match "type" those of one type with the same
things excluded, with "identity" each is its own. Variant 0 is an empty place. States differ by their variants alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Contents, Indices, Problem
from freefloat.gnc.planning.reconfiguration.rules import Tables, unpowered


@dataclass(frozen=True, eq=False)
class Setting:
    """The tables of a problem and its start."""

    tables: Tables
    start: Indices  # (n,) variants
    labels: int  # how many labels there are, without 0


def orientations_after(R_PM: np.ndarray) -> Indices:
    """(turns, orientations): number of the orientation with R_PM[turn] R_PM[o]."""
    product = np.einsum("tij,ojk->toik", R_PM, R_PM)
    return np.argmax(np.einsum("toij,pij->top", product, R_PM), axis=2).astype(np.int64)


def setting_of(problem: Problem, every_orientation: bool = False) -> Setting:
    """The problem's tables.

    A module takes only orientations that start or goal have for its type (its identity, where that matters), or
    every one: a way that needs a pose in between is found then, in a far larger space.
    """
    classes, class_of = _classes(problem)
    orientations = problem.places.R_PM.shape[0]
    variants = 1 + len(classes) * orientations
    start = np.zeros(problem.places.n, np.int64)
    filled = np.flatnonzero(problem.start.type)
    for p in filled.tolist():
        start[p] = 1 + class_of[int(problem.start.identity[p])] * orientations + problem.start.orientation[p]
    label, orientation = np.zeros(variants, np.int64), np.zeros(variants, np.int64)
    label[1:] = np.repeat([c.label for c in classes], orientations)
    orientation[1:] = np.tile(np.arange(orientations), len(classes))
    goal_label = _labels(problem, problem.goal)
    aim = np.where(label > 0, label * orientations + orientation, 0)
    goal = np.where(goal_label > 0, goal_label * orientations + problem.goal.orientation, 0)
    kept = _kept_orientations(problem, label[start], goal_label, every_orientation)
    tables = Tables(
        neighbours=np.ascontiguousarray(problem.places.neighbours, np.int64),
        facing=np.ascontiguousarray(problem.places.facing, np.int64),
        side_at=np.ascontiguousarray(problem.places.side_at, np.int64),
        **_of_variants(problem, classes, variants),
        mates=np.ascontiguousarray(problem.kinds.mates),
        power=np.ascontiguousarray(problem.kinds.power),
        grip=np.ascontiguousarray(problem.kinds.grip),
        aim=aim,
        label=label,
        turns=_turns(problem, label, orientation, kept),
        goal=goal,
        goal_label=goal_label,
        dark=0,
    )
    if problem.excluded.dead:
        tables = tables._replace(dark=int(unpowered(tables, start).sum()))
    return Setting(tables, start, int(max(label.max(), goal_label.max())))


def turns_from(t: Tables, content: Indices) -> Indices:
    """Numbers of all turns that modules of these contents can come to make."""
    variants = np.unique(content[content > 0])
    while True:
        rows = t.turns[variants].reshape(-1, 2)
        rows = rows[rows[:, 0] >= 0]
        more = np.unique(np.concatenate([variants, rows[:, 1]]))
        if len(more) == len(variants):
            return np.unique(rows[:, 0])
        variants = more


def goal_content(t: Tables) -> Indices:
    """The goal in variants (n,), by modules of each type that nothing is wrong with, as far as there are any."""
    content = np.zeros(len(t.goal), np.int64)
    for place in np.flatnonzero(t.goal).tolist():
        same = np.flatnonzero(t.aim == t.goal[place]).tolist()
        content[place] = max(same, key=lambda v: (bool(t.passes[v]), int((t.shown[v] > 0).sum()), -v))
    return content


@dataclass(frozen=True)
class _Class:
    type: int
    label: int
    broken: frozenset[int]  # own sides on which nothing closes
    stuck: bool
    dead: bool


def _classes(problem: Problem) -> tuple[list[_Class], dict[int, int]]:
    """Classes, and the number of each module's by identity."""
    classes: dict[_Class, int] = {}
    class_of: dict[int, int] = {}
    start, out = problem.start, problem.excluded
    labels = _labels(problem, start)
    for p in np.flatnonzero(start.type).tolist():
        identity = int(start.identity[p])
        broken = frozenset(side for module, side in out.faces if module == identity)
        one = _Class(int(start.type[p]), int(labels[p]), broken, identity in out.opens, identity in out.dead)
        class_of[identity] = classes.setdefault(one, len(classes))
    return list(classes), class_of


def _labels(problem: Problem, contents: Contents) -> Indices:
    """(n,) what must agree with the goal: the type, or the rank of the identity among all."""
    if problem.match == "type":
        return np.asarray(contents.type, np.int64)
    known = np.unique(np.concatenate([problem.start.identity, problem.goal.identity]))
    known = known[known > 0]
    return np.where(contents.type > 0, np.searchsorted(known, contents.identity) + 1, 0).astype(np.int64)


def _of_variants(problem: Problem, classes: list[_Class], variants: int) -> dict[str, np.ndarray]:
    places, kinds = problem.places, problem.kinds
    orientations = places.R_PM.shape[0]
    shown = np.zeros((variants, places.sides), np.int64)
    feeds, needs, passes, moves = (np.zeros(variants, np.bool_) for _ in range(4))
    for c, one in enumerate(classes):
        own = np.array(kinds.interface[one.type], np.int64)
        own[list(one.broken)] = 0
        rows = slice(1 + c * orientations, 1 + (c + 1) * orientations)
        for o in range(orientations):
            shown[1 + c * orientations + o, places.side_at[o]] = own
        feeds[rows] = kinds.feeds[one.type] and not one.dead
        needs[rows] = kinds.needs[one.type] and not one.dead
        passes[rows] = not one.dead
        moves[rows] = not one.stuck
    return {"shown": shown, "feeds": feeds, "needs": needs, "passes": passes, "moves": moves}


def _kept_orientations(problem: Problem, at_start: Indices, at_goal: Indices, every: bool) -> dict[int, set[int]]:
    """The orientations that each label may take."""
    labels = set(at_start[at_start > 0].tolist())
    if every:
        return {label: set(range(problem.places.R_PM.shape[0])) for label in labels}
    kept: dict[int, set[int]] = {label: set() for label in labels}
    for found, contents in ((at_start, problem.start), (at_goal, problem.goal)):
        for label, orientation in zip(found.tolist(), contents.orientation.tolist(), strict=True):
            if label in kept:
                kept[label].add(orientation)
    return kept


def _turns(problem: Problem, label: Indices, orientation: Indices, kept: dict[int, set[int]]) -> Indices:
    after = orientations_after(problem.places.R_PM)
    rows: list[list[tuple[int, int]]] = [[]]
    for v in range(1, len(label)):
        o = int(orientation[v])
        allowed = kept[int(label[v])] | {o}
        rows.append([(t, v - o + int(p)) for t, p in enumerate(after[:, o].tolist()) if p in allowed])
    widest = max((len(r) for r in rows), default=0)
    table = np.full((len(label), max(widest, 1), 2), -1, np.int64)
    for v, row in enumerate(rows):
        for k, pair in enumerate(row):
            table[v, k] = pair
    return table
