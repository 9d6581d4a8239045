"""The least cost of a reconfiguration by looking at everything: uniform-cost search, no estimate, nothing left out.

Written apart from the planner, with the rules said once more on dictionaries; only motions are shared. One robot,
modules that are not turned.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.problem import Carry, Problem, Stance

Modules = Mapping[int, int]  # place -> type
Key = tuple[frozenset[tuple[int, int]], Stance]


@dataclass(frozen=True)
class Looked:
    """The least cost [s], infinite where the goal cannot be reached, and how many states were looked at."""

    cost: float
    states: int


def least_cost(problem: Problem, motions: Motions, most: int = 10**9) -> Looked:
    """Uniform-cost search from start to goal."""
    wanted = _modules(problem.goal.type)
    start: Key = frozenset(_modules(problem.start.type).items()), problem.robots[0]
    best = {start: 0.0}
    queue: list[tuple[float, int, Key]] = [(0.0, 0, start)]
    done: set[Key] = set()
    count = 0
    while queue and len(done) < most:
        cost, _, key = heapq.heappop(queue)
        if key in done:
            continue
        done.add(key)
        if dict(key[0]) == wanted:
            return Looked(cost, len(done))
        for seconds, after in _operations(problem, motions, dict(key[0]), key[1]):
            total = cost + seconds
            if total < best.get(after, math.inf):
                best[after] = total
                count += 1
                heapq.heappush(queue, (total, count, after))
    return Looked(math.inf, len(done))


def _modules(types: np.ndarray) -> dict[int, int]:
    return {int(p): int(types[p]) for p in np.flatnonzero(types)}


def _operations(
    problem: Problem, motions: Motions, modules: dict[int, int], foot: Stance
) -> Iterator[tuple[float, Key]]:
    """Verified time and state afterwards of every operation."""
    occupied = np.zeros(problem.places.n, bool)
    occupied[list(modules)] = True
    lit = _powered(problem, modules)
    for place in modules:
        for side in range(problem.places.sides):
            to = Stance(place, side)
            if to != foot and place in lit and _exposed(problem, modules, place, side):
                seconds = motions.step(occupied, foot, to).seconds
                if math.isfinite(seconds):
                    yield seconds, (frozenset(modules.items()), to)
    for carry in _carries(problem, modules, foot):
        seconds = motions.transfer(occupied, foot, carry).seconds
        if math.isfinite(seconds):
            after = {p: t for p, t in modules.items() if p != carry.source} | {carry.target: modules[carry.source]}
            yield seconds, (frozenset(after.items()), foot)


def _carries(problem: Problem, modules: dict[int, int], foot: Stance) -> Iterator[Carry]:
    in_front = int(problem.places.neighbours[foot.place, foot.side])
    for source, kind in modules.items():
        rest = {p: t for p, t in modules.items() if p != source}
        if source == foot.place or not _stands(problem, rest, foot):
            continue
        lit = _powered(problem, rest)
        for target in range(problem.places.n):
            if target in modules or target == in_front:
                continue
            joined = any(True for _ in _joined(problem, rest | {target: kind}, target, electric=False))
            fed = any(q in lit for q in _joined(problem, rest | {target: kind}, target, electric=True))
            if not joined or (problem.kinds.needs[kind] and not fed and not problem.kinds.feeds[kind]):
                continue
            for grip in range(problem.places.sides):
                if _exposed(problem, modules, source, grip):
                    beyond = int(problem.places.neighbours[target, grip])
                    if beyond < 0 or beyond not in rest:
                        yield Carry(source, target, grip)


def _exposed(problem: Problem, modules: dict[int, int], place: int, side: int) -> bool:
    """Whether an end of a robot can close there."""
    other = int(problem.places.neighbours[place, side])
    return other not in modules and bool(problem.kinds.grip[problem.kinds.interface[modules[place], side]])


def _joined(problem: Problem, modules: dict[int, int], place: int, electric: bool) -> Iterator[int]:
    kinds, places = problem.kinds, problem.places
    table = kinds.power if electric else kinds.mates
    for side in range(places.sides):
        other = int(places.neighbours[place, side])
        if other in modules:
            mine = kinds.interface[modules[place], side]
            theirs = kinds.interface[modules[other], places.facing[side]]
            if table[mine, theirs]:
                yield other


def _reached(problem: Problem, modules: dict[int, int], seeds: list[int], electric: bool) -> set[int]:
    found, todo = set(seeds), list(seeds)
    while todo:
        for other in _joined(problem, modules, todo.pop(), electric):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def _powered(problem: Problem, modules: dict[int, int]) -> set[int]:
    return _reached(problem, modules, [p for p, t in modules.items() if problem.kinds.feeds[t]], electric=True)


def _stands(problem: Problem, modules: dict[int, int], foot: Stance) -> bool:
    lit = _powered(problem, modules)
    whole = len(_reached(problem, modules, [next(iter(modules))], electric=False)) == len(modules)
    return whole and foot.place in lit and all(p in lit for p, t in modules.items() if problem.kinds.needs[t])
