"""Which modules pass no power, from what modules report."""

from __future__ import annotations

from collections.abc import Collection

from freefloat.gnc.control.executive.belief import own_side
from freefloat.gnc.planning.reconfiguration.problem import Contents, Flags, Kinds, Places, Problem

AT_ONCE = 2  # modules that may have failed between two looks; more that are dark side by side are no coincidence


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
