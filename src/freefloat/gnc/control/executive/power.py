"""Which modules pass no power, from what modules report."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain, combinations, islice, product

import numpy as np

from freefloat.gnc.control.executive.belief import own_side
from freefloat.gnc.planning.reconfiguration.problem import Contents, Excluded, Flags, Indices, Kinds, Places, Problem
from freefloat.gnc.planning.reconfiguration.rules import unpowered
from freefloat.gnc.planning.reconfiguration.tables import goal_content, setting_of

AT_ONCE = 2  # modules that may have failed between two looks; more that are dark side by side are no coincidence
MOST = 2000  # ways to put modules that pass no power into the goal, that are looked at


def blame(problem: Problem, contents: Contents, powered: Flags, known: Collection[int]) -> tuple[list[int], str]:
    """Modules besides those `known` that pass no power, as modules report it; or why nothing can be done, in words."""
    places, kinds = problem.places, problem.kinds
    lacking = [i for i in dark(kinds, contents, powered) if i not in known]
    if not lacking:
        return [], ""
    culprits = dead(places, kinds, contents, powered)
    new = [i for i in culprits if i not in known]
    if not culprits:
        sources = contents.identity[kinds.feeds[contents.type]].tolist()
        return [], f"no module has power: source {', '.join(map(str, sources))} gives none"
    if len(new) > AT_ONCE:
        named = f"module {', '.join(map(str, lacking))}"
        return [], f"{named}: no power, though neighbours have it; what sources and batteries give does not suffice"
    return new, ""


def dark_goal(problem: Problem, now: Contents, excluded: Excluded) -> str:
    """Why no plan can reach the goal: wherever it has the modules that pass no power, others have none; empty if not.

    Not looked at where modules are left over, for which the goal has no place.
    """
    setting = setting_of(replace(problem, start=now, excluded=excluded))
    t, kinds = setting.tables, problem.kinds
    broken = [v for v in setting.start[setting.start > 0].tolist() if not t.passes[v]]
    if not broken or (setting.start > 0).sum() != (t.goal > 0).sum():
        return ""
    choices = [combinations(np.flatnonzero(t.goal_label == k).tolist(), n) for k, n in _count(t.label[broken]).items()]
    best: list[int] | None = None
    for chosen in islice(product(*choices), MOST):
        content = goal_content(t)
        for place in chain(*chosen):
            content[place] = next(v for v in np.flatnonzero(t.aim == t.goal[place]).tolist() if not t.passes[v])
        left = np.flatnonzero(unpowered(t, content)).tolist()
        if len(left) <= t.dark:
            return ""
        best = left if best is None or len(left) < len(best) else best
    if best is None:
        return ""
    who = ", ".join(
        f"module {i} ({kinds.names[k]})"
        for k, i in zip(now.type.tolist(), now.identity.tolist(), strict=True)
        if i in excluded.dead
    )
    told = ", ".join(f"{kinds.names[problem.goal.type[p]]} at {tuple(problem.places.cells[p].tolist())}" for p in best)
    return f"{who}: passes no power, and wherever the goal has it others lack power, at best {told}"


def _count(labels: Indices) -> dict[int, int]:
    return dict(zip(*(x.tolist() for x in np.unique(labels, return_counts=True)), strict=True))


def dark(kinds: Kinds, contents: Contents, powered: Flags) -> list[int]:
    """Identities of modules that need power or give it, and say that they have none."""
    lacking = (kinds.needs | kinds.feeds)[contents.type] & ~powered
    return sorted(int(i) for i in contents.identity[lacking])


def dead(places: Places, kinds: Kinds, contents: Contents, powered: Flags) -> list[int]:
    """Of modules that say they have no power, those that have a neighbour with power across a pair that carries it.

    A sound module would have power there; modules behind them lack it without being to blame.
    """
    found = []
    for place in range(places.n):
        if contents.type[place] == 0 or powered[place]:
            continue
        for side in range(places.sides):
            other = int(places.neighbours[place, side])
            if (
                other >= 0
                and contents.type[other] > 0
                and powered[other]
                and conducts(places, kinds, contents, place, side)
            ):
                found.append(int(contents.identity[place]))
                break
    return sorted(found)


def conducts(places: Places, kinds: Kinds, contents: Contents, place: int, side: int) -> bool:
    """Whether the pair across a side carries current once it is closed."""
    other, facing = int(places.neighbours[place, side]), int(places.facing[side])
    if other < 0 or facing < 0:
        return False
    here = kinds.interface[contents.type[place], own_side(places, int(contents.orientation[place]), side)]
    there = kinds.interface[contents.type[other], own_side(places, int(contents.orientation[other]), facing)]
    return bool(kinds.power[here, there])
