"""A plan gone through on paper: what is where after each operation, and why an operation cannot be done.

It is written apart from the rules of the search, in plain Python, and judges plan files by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Flags, Operation, Problem, Stance


@dataclass(frozen=True)
class Misstep:
    """Why an operation cannot be done: the field of a plan file that is wrong, and what it says."""

    field: str
    message: str


class Replay:
    """Contents and stances while operations are done one by one."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.type, self.orientation, self.identity = (
            np.array(a) for a in (problem.start.type, problem.start.orientation, problem.start.identity)
        )
        self.feet = list(problem.robots)

    @property
    def contents(self) -> Contents:
        """A copy of what is where now."""
        return Contents(self.type.copy(), self.orientation.copy(), self.identity.copy())

    def place_of(self, identity: int) -> int | None:
        found = np.flatnonzero((self.identity == identity) & (self.type > 0))
        return int(found[0]) if len(found) else None

    def do(self, operation: Operation) -> Misstep | None:
        """Do an operation, or say why it cannot be done and change nothing."""
        if operation.to is not None:
            problem = self._step_problem(operation.robot, operation.to)
            if problem is None:
                self.feet[operation.robot] = operation.to
            return problem
        assert operation.carry is not None
        problem = self._transfer_problem(operation.carry)
        if problem is None:
            self._move(operation.carry)
        return problem

    def wrong(self) -> list[int]:
        """Goal cells whose content is not the goal's."""
        goal = self.problem.goal
        right = (self.type == goal.type) & (self.orientation == goal.orientation)
        if self.problem.match == "identity":
            right &= self.identity == goal.identity
        return np.flatnonzero((goal.type > 0) & ~right).tolist()

    def label(self, place: int) -> str:
        """A module, or an empty cell, in words."""
        cell = self.cell(place)
        if self.type[place] == 0:
            return f"cell {cell}"
        return f"module {self.identity[place]} ({self.problem.kinds.names[self.type[place]]}) in cell {cell}"

    def cell(self, place: int) -> str:
        return f"({', '.join(map(str, self.problem.places.cells[place].tolist()))})"

    def _move(self, carry: Carry) -> None:
        kind, identity = self.type[carry.source], self.identity[carry.source]
        orientation = turned(self.problem, carry.turn, int(self.orientation[carry.source]))
        self.type[carry.source] = self.identity[carry.source] = self.orientation[carry.source] = 0
        self.type[carry.target], self.identity[carry.target] = kind, identity
        self.orientation[carry.target] = orientation

    def _step_problem(self, robot: int, to: Stance) -> Misstep | None:
        problem = self._hold_problem(to.place, to.side)
        if problem:
            return Misstep("side", problem)
        if to in self.feet:
            return Misstep("side", f"a robot stands on side {self._side(to.side)} of {self.label(to.place)} already")
        if not self._powered()[to.place]:
            return Misstep("module", f"{self.label(to.place)} has no path to a source of power")
        return None

    def _transfer_problem(self, carry: Carry) -> Misstep | None:
        source, target = carry.source, carry.target
        out = self.problem.excluded
        if int(self.identity[source]) in out.opens:
            return Misstep("module", f"{self.label(source)} does not let go of its neighbours")
        if any(f.place == source for f in self.feet):
            return Misstep("module", f"a robot stands on {self.label(source)}")
        problem = self._hold_problem(source, carry.grip)
        if problem:
            return Misstep("grip", problem)
        if target == source and carry.turn == 0:
            return Misstep("to", f"{self.label(source)} is there already, so turned")
        if target != source and self.type[target] > 0:
            return Misstep("to", f"{self.label(target)} is there")
        if any(int(self.problem.places.neighbours[f.place, f.side]) == target for f in self.feet):
            return Misstep("to", f"a robot stands in cell {self.cell(target)}")
        return self._without(carry)

    def _without(self, carry: Carry) -> Misstep | None:
        """What is wrong while the module is carried, and where it arrives; contents are as before afterwards."""
        saved = self.contents
        kind, identity = int(self.type[carry.source]), int(self.identity[carry.source])
        told = f"without module {identity} ({self.problem.kinds.names[kind]})"
        self.type[carry.source] = self.identity[carry.source] = self.orientation[carry.source] = 0
        problem = self._apart() or self._dark()
        powered = self._powered()
        self.type, self.orientation, self.identity = saved.type.copy(), saved.orientation.copy(), saved.identity.copy()
        if problem:
            return Misstep("module", f"{told}, {problem}")
        self._move(carry)
        problem = self._arrival(carry, powered)
        self.type, self.orientation, self.identity = saved.type, saved.orientation, saved.identity
        return problem

    def _arrival(self, carry: Carry, powered: Flags) -> Misstep | None:
        """Seen with the module at its target; `powered` without it."""
        places, kinds, target = self.problem.places, self.problem.kinds, carry.target
        hand = int(places.side_at[carry.turn, carry.grip])
        beside = int(places.neighbours[target, hand])
        if beside >= 0 and self.type[beside] > 0:
            return Misstep("grip", f"the hand arrives at side {self._side(hand)}, where {self.label(beside)} is")
        joined = list(self._joined(target, kinds.mates))
        if not joined:
            return Misstep("to", f"no interface closes on a neighbour of cell {self.cell(target)}, so turned")
        kind = self.type[target]
        fed = kinds.feeds[kind] or not kinds.needs[kind] or int(self.identity[target]) in self.problem.excluded.dead
        if not fed and not any(powered[p] for p in self._joined(target, kinds.power)):
            return Misstep("to", f"no closed interface gives it power in cell {self.cell(target)}, so turned")
        return None

    def _hold_problem(self, place: int, side: int) -> str:
        """Why no end of a robot closes on a face."""
        if self.type[place] == 0:
            return f"no module is in cell {self.cell(place)}"
        beside = int(self.problem.places.neighbours[place, side])
        here = f"side {self._side(side)} of {self.label(place)}"
        if beside >= 0 and self.type[beside] > 0:
            return f"{here} is covered by {self.label(beside)}"
        if not self.problem.kinds.grip[self._interface(place, side)]:
            return f"{here} has no interface that works and that the robot's end closes on"
        return ""

    def _side(self, side: int) -> str:
        return self.problem.places.side_names[side]

    def _interface(self, place: int, side: int) -> int:
        """Number of the interface at a side of a place; 0 where it does not work."""
        own = int(np.flatnonzero(self.problem.places.side_at[self.orientation[place]] == side)[0])
        if (int(self.identity[place]), own) in self.problem.excluded.faces:
            return 0
        return int(self.problem.kinds.interface[self.type[place], own])

    def _joined(self, place: int, table: Flags) -> Iterator[int]:
        """Neighbours that the table of pairs joins to the module at a place."""
        places = self.problem.places
        for side in range(places.sides):
            other = int(places.neighbours[place, side])
            if other >= 0 and self.type[other] > 0:
                a, b = self._interface(place, side), self._interface(other, int(places.facing[side]))
                if table[a, b]:
                    yield other

    def _flood(self, begin: list[int], table: Flags, passes: Callable[[int], bool]) -> Flags:
        found = np.zeros(len(self.type), np.bool_)
        found[begin] = True
        heap = list(begin)
        while heap:
            place = heap.pop()
            for other in self._joined(place, table) if passes(place) else ():
                if not found[other] and passes(other):
                    found[other] = True
                    heap.append(other)
        return found

    def _apart(self) -> str:
        occupied = np.flatnonzero(self.type)
        if not len(occupied):
            return "nothing is left"
        one = self._flood([int(occupied[0])], self.problem.kinds.mates, lambda place: True)
        apart = [p for p in occupied.tolist() if not one[p]]
        return f"the rest falls apart at {self.label(apart[0])}" if apart else ""

    def _powered(self) -> Flags:
        """(n,) places with a path to a source; what is dead neither gives nor passes power."""
        dead, kinds = self.problem.excluded.dead, self.problem.kinds
        sources = [p for p in np.flatnonzero(kinds.feeds[self.type]).tolist() if int(self.identity[p]) not in dead]
        return self._flood(sources, kinds.power, lambda place: int(self.identity[place]) not in dead)

    def _dark(self) -> str:
        """What is without power and needs it, a robot included."""
        powered = self._powered()
        for foot in self.feet:
            if not powered[foot.place]:
                return f"a robot loses power on {self.label(foot.place)}"
        needy = np.flatnonzero(self.problem.kinds.needs[self.type] & ~powered & (self.type > 0)).tolist()
        alive = [p for p in needy if int(self.identity[p]) not in self.problem.excluded.dead]
        return f"{self.label(alive[0])} has no power" if alive else ""


def turned(problem: Problem, turn: int, orientation: int) -> int:
    """The orientation with R_PM[turn] R_PM[orientation]."""
    R = problem.places.R_PM
    return int(np.argmax(np.einsum("oij,ij->o", R, R[turn] @ R[orientation])))


def turn_between(problem: Problem, before: int, after: int) -> int:
    """The turn that takes one orientation to another."""
    R = problem.places.R_PM
    return int(np.argmax(np.einsum("oij,ij->o", R, R[after] @ R[before].T)))
