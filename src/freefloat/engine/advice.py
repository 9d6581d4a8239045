"""Advice on the step: a part knows how fast its stiffest spring swings, the session compares, warns and chooses."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, NamedTuple, Protocol

from freefloat.engine.integrator import AUTO, Dopri54
from freefloat.errors import StepWarning

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant
    from freefloat.engine.world import World

# [s] each a whole number of the shorter decades, from 10 s down to 200 ns
ROUND = tuple(round(share * 10.0**n, 9) for n in range(1, -7, -1) for share in (1.0, 0.5, 0.25, 0.2))


class Longest(NamedTuple):
    """The longest step that will do [s] (inf: any), and why, in a few words for the warning."""

    step: float
    reason: str = ""


class Advice(Protocol):
    """What a part gives to `Builder.advise`; asked once, when a session stands at its start."""

    @property
    def name(self) -> str: ...

    def longest_step(self, world: World) -> Longest: ...


def round_step(longest: float) -> float:
    """The longest of 1, 0.5, 0.25, 0.2, 0.1 ... that is not above `longest`; never below 200 ns."""
    return next((step for step in ROUND if step <= longest), ROUND[-1])


def heed(plant: Plant, world: World) -> None:
    """Give a plant the step that its parts advise, where it is to be chosen, and warn of one that is too long."""
    if isinstance(plant.integrator, Dopri54):
        return
    longest, name = Longest(math.inf), ""
    for advice in plant.blueprint.advices:
        told = advice.longest_step(world)
        if told.step < longest.step:
            longest, name = told, advice.name
    if plant.integrator.step == AUTO:
        plant.set_step(min(round_step(longest.step), float(plant.integrator.longest)))
    if plant.step > longest.step:
        why = f" ({longest.reason})" if longest.reason else ""
        told = f"a step of {1e3 * plant.step:g} ms is too long; {1e3 * round_step(longest.step):g} ms would do{why}"
        warnings.warn(f"{name}: {told}", StepWarning, stacklevel=4)
