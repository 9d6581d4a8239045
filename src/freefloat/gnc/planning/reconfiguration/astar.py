"""Best-first search over states: A* in predicted time, weighted where a plan is wanted soon.

An operation enters the queue with a lower bound of its time and is verified when it leaves it: most never do. One that
is refuted is never asked for again, since answers are kept. States are opened again where a faster way to them is
found, so that with weight 1 and an admissible bound the first goal to leave the queue is the best, whether or not the
bound is consistent. Ties go to what is nearer to the goal, then to what was found first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.space import Act, Feet, Space, State

NODE = -1


class Estimate(Protocol):
    """What is left at least [s], of a state and after each of its operations."""

    def at(self, state: State) -> float: ...

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        """Operations from a state, the least time of each [s], and what is left at least after each [s]."""
        ...

    def reached(self, state: State) -> bool: ...

    def cost(self, act: Act, seconds: float) -> float:
        """What a verified operation counts for [s]."""
        ...


class Step(NamedTuple):
    """An operation of a found way, and its verified time [s]."""

    act: Act
    seconds: float


@dataclass(frozen=True)
class Found:
    """The way that a search found, if it did, and what it proved."""

    way: tuple[Step, ...] | None
    cost: float  # [s] as the estimate counts, infinite without a way
    bound: float  # [s] no way costs less
    expansions: int
    ended: str = ""  # why it ended without proof: expansions, stop


@dataclass
class Search:
    """One search from a state."""

    space: Space
    estimate: Estimate
    weight: float = 1.0
    most: int = 10**9  # expansions
    stop: Callable[[], bool] = lambda: False
    below: float = math.inf  # [s] only ways that cost less are wanted
    told: Callable[[float], None] = lambda bound: None  # lower bound so far, now and then
    expansions: int = 0
    _states: list[State] = field(default_factory=list)
    _came: list[tuple[int, Act, float]] = field(default_factory=list)
    _g: list[float] = field(default_factory=list)
    _h: list[float] = field(default_factory=list)
    _number: dict[tuple[bytes, Feet], int] = field(default_factory=dict)
    _open: list[tuple[float, float, int, int, int, float]] = field(default_factory=list)
    _edges: dict[int, tuple[list[Act], Array]] = field(default_factory=dict)
    _seen: int = 0

    def run(self, start: State) -> Found:
        """The best way from a state, within the limits."""
        self._arrive(start, 0.0, self.estimate.at(start), (-1, Act(0, 0, 0, 0, 0, 0), 0.0))
        ended = ""
        while self._open:
            _, h, _, number, edge, g = self._open[0]
            if g + h >= self.below - 1e-9:
                heapq.heappop(self._open)
                continue
            if edge != NODE:
                heapq.heappop(self._open)
                self._verify(number, edge, g, h)
                continue
            if g > self._g[number]:
                heapq.heappop(self._open)
                continue
            if self.estimate.reached(self._states[number]):
                bound = min(g, self._least_open())
                return Found(self._way(number), g, bound, self.expansions)
            if self.expansions >= self.most or self.stop():
                ended = "expansions" if self.expansions >= self.most else "stop"
                break
            heapq.heappop(self._open)
            self._expand(number)
        return Found(None, math.inf, min(self.below, self._least_open()), self.expansions, ended)

    def _least_open(self) -> float:
        """[s] no way that has not been looked at costs less."""
        return min((g + h for _, h, _, _, _, g in self._open), default=math.inf)

    def _push(self, g: float, h: float, number: int, edge: int) -> None:
        if g + h < self.below - 1e-9 and math.isfinite(h):
            self._seen += 1
            heapq.heappush(self._open, (g + self.weight * h, h, self._seen, number, edge, g))

    def _arrive(self, state: State, g: float, h: float, came: tuple[int, Act, float]) -> None:
        key = state.key
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._states)
            h = max(h, self.estimate.at(state))
            self._states.append(state)
            self._came.append(came)
            self._g.append(g)
            self._h.append(h)
        elif g < self._g[number]:
            self._came[number], self._g[number] = came, g
            h = self._h[number]
        else:
            return
        self._push(g, h, number, NODE)

    def _expand(self, number: int) -> None:
        self.expansions += 1
        if self.expansions % 50 == 0:
            self.told(min(self.below, self._least_open()) if self.weight == 1.0 else 0.0)
        acts, least, left = self.estimate.options(self._states[number])
        self._edges[number] = acts, least
        g = self._g[number]
        for edge, (seconds, h) in enumerate(zip(least.tolist(), left.tolist(), strict=True)):
            self._push(g + seconds, h, number, edge)

    def _verify(self, number: int, edge: int, g: float, h: float) -> None:
        """The operation's true time; where its motion exists, the state behind it."""
        acts, least = self._edges[number]
        act = acts[edge]
        if g - float(least[edge]) > self._g[number] + 1e-9:
            return  # the state has been reached faster, and its operations are in the queue again
        state = self._states[number]
        after = state.after(act)
        known = self._number.get(after.key)
        if known is not None and self._g[known] <= g:
            return
        seconds = self.space.seconds(state, act)
        if math.isfinite(seconds):
            g = self._g[number] + self.estimate.cost(act, seconds)
            self._arrive(after, g, h, (number, act, seconds))

    def _way(self, number: int) -> tuple[Step, ...]:
        way: list[Step] = []
        while self._came[number][0] >= 0:
            before, act, seconds = self._came[number]
            way.append(Step(act, seconds))
            number = before
        return tuple(reversed(way))
