"""By the rules alone: where a module in a robot's hand could go, and whether what is left of a plan may be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat.gnc.planning.reconfiguration import candidates
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Indices, Operation, Problem, Stance
from freefloat.gnc.planning.reconfiguration.tables import setting_of


def offers(problem: Problem, carry: Carry) -> list[Carry]:
    """Transfers of the module at the carry's source by its grip, as the problem has it: to the carry's own goal, back,
    then to the places nearest to its goal, unturned before turned.
    """
    setting = setting_of(problem, every_orientation=True)
    t, content, feet = setting.tables, setting.start, _feet(problem.robots)
    n, sides = problem.places.n, problem.places.sides
    sources = np.zeros(n, np.bool_)
    sources[carry.source] = True
    rows = candidates.transfers(t, content, feet, np.ones(n * sides, np.bool_), sources, np.ones(n, np.bool_))
    found = {Carry(*(int(x) for x in row[:4])) for row in rows if row[2] == carry.grip}
    if candidates.returns(t, content, feet, carry.source):
        found.add(replace(carry, target=carry.source, turn=0))
    away = np.linalg.norm(problem.places.p_TP - problem.places.p_TP[carry.target], axis=1)
    first = (carry, replace(carry, target=carry.source, turn=0))
    return sorted(found, key=lambda c: (c not in first, c != carry, c.turn != 0, away[c.target], c.target, c.turn))


def keeps_rules(problem: Problem, operations: Sequence[Operation]) -> bool:
    """Whether operations, one after the other from the problem's start, are allowed by the rules; reach apart."""
    setting = setting_of(problem, every_orientation=True)
    t, content, feet = setting.tables, setting.start.copy(), list(problem.robots)
    for o in operations:
        if o.carry is None:
            assert o.to is not None
            if not candidates.step_allowed(t, content, _feet(feet), o.to.place, o.to.side):
                return False
            feet[o.robot] = o.to
            continue
        c = o.carry
        if not candidates.transfer_allowed(t, content, _feet(feet), c.source, c.target, c.grip, c.turn):
            return False
        rows = t.turns[content[c.source]]
        after = int(rows[rows[:, 0] == c.turn][0, 1])
        content[c.source] = 0
        content[c.target] = after
    return True


def with_module(contents: Contents, place: int, kind: int, identity: int, orientation: int) -> Contents:
    """The contents with one module more."""
    types, turns, who = contents.type.copy(), contents.orientation.copy(), contents.identity.copy()
    types[place], turns[place], who[place] = kind, orientation, identity
    return Contents(types, turns, who)


def _feet(stances: Sequence[Stance]) -> Indices:
    return np.array([(s.place, s.side) for s in stances], np.int64).reshape(-1, 2)
