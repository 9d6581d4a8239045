"""States of a reconfiguration and the operations between them, with verified times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration import candidates
from freefloat.gnc.planning.reconfiguration.bound import least_transfers
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Indices, Problem, Stance
from freefloat.gnc.planning.reconfiguration.reach import Reach
from freefloat.gnc.planning.reconfiguration.rules import Tables
from freefloat.gnc.planning.reconfiguration.tables import Setting, setting_of

Feet = tuple[Stance, ...]


class Act(NamedTuple):
    """An operation of a search: a step where target is -1 (to the face source, grip), else a transfer."""

    robot: int
    source: int
    target: int
    grip: int
    turn: int
    variant: int  # of the module at the target

    @property
    def to(self) -> Stance | None:
        return Stance(self.source, self.grip) if self.target < 0 else None

    @property
    def carry(self) -> Carry | None:
        return None if self.target < 0 else Carry(self.source, self.target, self.grip, self.turn)


@dataclass(frozen=True, eq=False)
class State:
    """Variants at the places, and where each robot stands."""

    content: Indices  # (n,)
    feet: Feet

    @property
    def key(self) -> tuple[bytes, Feet]:
        return self.content.astype(np.uint16).tobytes(), self.feet

    @property
    def standing(self) -> Indices:
        """(robots, 2)."""
        return np.array([(f.place, f.side) for f in self.feet], np.int64).reshape(-1, 2)

    def after(self, act: Act) -> State:
        """What the operation leaves."""
        if act.to is not None:
            foot = self.feet[act.robot].stepping(act.to)
            return State(self.content, (*self.feet[: act.robot], foot, *self.feet[act.robot + 1 :]))
        content = self.content.copy()
        content[act.source] = 0
        content[act.target] = act.variant
        return State(content, self.feet)


class Space:
    """A problem's states and operations; motions are asked once for each question, and counted."""

    def __init__(self, problem: Problem, motions: Motions, every_orientation: bool = False) -> None:
        self.problem, self.motions = problem, motions
        self.setting: Setting = setting_of(problem, every_orientation)
        self.reach = Reach(problem.places, motions)
        self.asked: dict[tuple[bytes, Stance, Act, Feet], float] = {}
        self._times = {True: [1.0, 1.0], False: [1.0, 1.0]}  # of steps and transfers: sums of least and verified [s]
        self.everywhere: Flags = np.ones(problem.places.n, np.bool_)

    @property
    def tables(self) -> Tables:
        return self.setting.tables

    @property
    def checks(self) -> int:
        """How many operations motions were asked for."""
        return len(self.asked)

    @property
    def start(self) -> State:
        return State(self.setting.start, tuple(self.problem.robots))

    def reached(self, state: State) -> bool:
        """Whether every goal cell is right."""
        t = self.tables
        return bool(((t.goal == 0) | (t.aim[state.content] == t.goal)).all())

    def least_transfers(self, state: State) -> int:
        """How many transfers are left at least."""
        return int(least_transfers(self.tables, state.content, self.setting.labels))

    def steps(self, state: State, robot: int) -> tuple[list[Act], Array]:
        """Steps that the rules allow a robot, and the least time of each [s]."""
        least = self.reach.least_steps(state.feet[robot])
        rows = candidates.steps(self.tables, state.content, state.standing, robot, np.isfinite(least))
        acts = [Act(robot, place, -1, side, 0, 0) for place, side in rows.tolist()]
        return acts, least[rows[:, 0] * self.problem.places.sides + rows[:, 1]]

    def transfers(
        self, state: State, robot: int, sources: Flags | None = None, targets: Flags | None = None
    ) -> tuple[Indices, Array]:
        """Transfers that the rules allow a robot, rows as of `candidates.transfers`, and the least time of each [s]."""
        stance = state.feet[robot]
        whence = self.everywhere if sources is None else sources
        whither = self.everywhere if targets is None else targets
        hand = self.reach.hand(stance)
        rows = candidates.transfers(self.tables, state.content, state.standing, hand, whence, whither)
        least = self.reach.least_transfers(stance, rows)
        kept = np.isfinite(least)
        rows, least = rows[kept], least[kept]
        kept = self._leaving(state.content, rows)
        return rows[kept], least[kept]

    def passes(self, state: State, place: int, cell: int) -> bool:
        """Whether a module leaves its place, and the cell that it shall make right, by one and the same of its sides.

        What is in the cell now does not count.
        """
        t, rest = self.tables, state.content > 0
        rest[place] = False
        lifted = rest.copy()
        rest[cell] = False
        sides = [s for s in range(self.problem.places.sides) if self.motions.leaves(lifted, place, s)]
        for turn, after in t.turns[state.content[place]].tolist():
            if turn >= 0 and t.aim[after] == t.goal[cell]:
                there = self.problem.places.side_at[turn]
                if any(self.motions.leaves(rest, cell, int(there[s])) for s in sides):
                    return True
        return False

    def _leaving(self, content: Indices, rows: Indices) -> Flags:
        """(k,) transfers of which the module has a way off both of its places."""
        kept, side_at = np.zeros(len(rows), np.bool_), self.problem.places.side_at
        rest, last, known = content > 0, -1, dict[tuple[int, int], bool]()
        for k, (source, target, grip, turn, _) in enumerate(rows.tolist()):
            if source != last:
                rest = content > 0
                rest[source] = False
                last = source
                known.clear()
            ends = (source, grip), (target, int(side_at[turn, grip]))
            for end in ends:
                if end not in known:
                    known[end] = self.motions.leaves(rest, *end)
            kept[k] = known[ends[0]] and known[ends[1]]
        return kept

    def seconds(self, state: State, act: Act) -> float:
        """Verified time [s]; infinite where there is no motion."""
        others = (*state.feet[: act.robot], *state.feet[act.robot + 1 :])
        occupied = state.content > 0
        key = (np.packbits(occupied).tobytes(), state.feet[act.robot], act._replace(variant=0, robot=0), others)
        seconds = self.asked.get(key)
        if seconds is None:
            seconds = self.asked[key] = self._ask(occupied, state.feet[act.robot], act, others)
            if math.isfinite(seconds):
                least, verified = self._times[act.target < 0]
                self._times[act.target < 0] = [least + self._least(state, act), verified + seconds]
        return seconds

    def slowness(self, step: bool) -> float:
        """[-] how much longer steps or transfers took than their least times so far, on average."""
        least, verified = self._times[step]
        return verified / least

    def _least(self, state: State, act: Act) -> float:
        foot = state.feet[act.robot]
        if act.target < 0:
            return float(self.reach.least_steps(foot)[act.source * self.problem.places.sides + act.grip])
        return float(self.reach.least_transfers(foot, np.array([act[1:]]))[0])

    def _ask(self, occupied: Flags, stance: Stance, act: Act, others: Feet) -> float:
        if act.to is not None:
            return self.motions.step(occupied, stance, act.to, others).seconds
        carry = act.carry
        assert carry is not None
        verdict = self.motions.transfer(occupied, stance, carry, others)
        return verdict.seconds if not verdict.refused else math.inf
