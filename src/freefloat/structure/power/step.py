"""A DC network over time: batteries charge and discharge, and the energy balances.

Loads and limits are constant over a step, so currents are constant until a battery is full or empty; the step is split
there. The voltage of a battery that rises with its charge is that of the middle of each part (implicit midpoint rule,
order 2, stable for any step).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array
from freefloat.structure.power.flow import Flow, Trip, solve_power
from freefloat.structure.power.network import PowerNetwork

LARGEST_RATE = 1.0  # [-] part of a step times the rate at which batteries settle, above which it is split
MOST_PARTS = 16  # for this reason
CLOSEST = 1e-12  # [-] state of charge nearer than this to 0 or 1 is there


@dataclass(frozen=True, eq=False)
class PowerStep:
    """Result of a step of dt: states at its end and energies [J] over it, per node (n,) or line (m,)."""

    charge: Array  # (n,) states of charge
    flow: Flow  # of the last part, with everything that is shed and opened
    trips: tuple[Trip, ...]
    source_energy: Array
    load_energy: Array
    internal_loss: Array
    line_loss: Array
    battery_change: Array  # positive: charged

    @property
    def imbalance(self) -> float:
        """Source energy minus loads, losses and what the batteries gained [J]."""
        used = self.load_energy.sum() + self.internal_loss.sum() + self.line_loss.sum()
        return float(self.source_energy.sum() - used - self.battery_change.sum())

    @property
    def turnover(self) -> float:
        """Energy given by sources and batteries [J]: what an imbalance is measured against."""
        return float(self.source_energy.sum() + np.maximum(-self.battery_change, 0.0).sum())


class Solve(Protocol):
    """`solve_power`, or one that keeps its answers."""

    def __call__(
        self, network: PowerNetwork, charge: ArrayLike, shed: ArrayLike, opened: ArrayLike, ahead: float = 0.0
    ) -> Flow: ...


def advance_power(
    network: PowerNetwork,
    dt: float,
    charge: ArrayLike,
    shed: ArrayLike = False,
    opened: ArrayLike = False,
    solve: Solve = solve_power,
) -> PowerStep:
    """Go on by dt [s] from the states of charge (n,), with loads and lines that tripped before still off."""
    if not (np.isfinite(dt) and dt >= 0.0):
        raise InputError(f"a power network advances by a finite time, got {dt} s")
    start = network.check_charge(charge)
    state, time, trips = start.copy(), 0.0, []
    energy, longest = _Energy(network), _longest(network, dt)
    off, cut = shed, opened
    for _ in range(10_000 + 10 * network.n):
        if time >= dt:
            break
        h, flow = _part(network, state, off, cut, min(dt - time, longest), solve)
        trips += [replace(t, time=time) for t in flow.trips]
        energy.add(flow, h)
        state = _moved(state, _rate(network, flow), h)
        time = dt if h == dt - time else time + h
        off, cut = flow.shed, flow.opened
    else:
        raise SimulationError(f"power network: batteries switched too often within {dt} s")
    flow = solve(network, state, off, cut)
    trips += [replace(t, time=dt) for t in flow.trips]
    change = (state - start) * network.batteries.capacity
    return PowerStep(state, flow, tuple(trips), *energy.sums, change)


def _longest(network: PowerNetwork, dt: float) -> float:
    b = network.batteries
    has = b.capacity > 0.0
    rates = (b.voltage + b.rise)[has] * b.rise[has] / (b.resistance[has] * b.capacity[has])
    fastest = float(rates.max(initial=0.0))
    return max(LARGEST_RATE / fastest, dt / MOST_PARTS) if fastest > 0.0 else np.inf


def _part(
    network: PowerNetwork, state: Array, shed: ArrayLike, opened: ArrayLike, h: float, solve: Solve
) -> tuple[float, Flow]:
    """The longest part of a step up to h [s] in which no battery gets full or empty, and its flow."""
    flow = solve(network, state, shed, opened, ahead=h)
    end = _time_to_end(state, _rate(network, flow))
    if end >= h:
        return h, flow
    if network.batteries.rise.any():
        again = solve(network, state, flow.shed, flow.opened, ahead=end)
        flow = replace(again, trips=flow.trips + again.trips)
        end = min(h, _time_to_end(state, _rate(network, flow)))
    return end, flow


def _rate(network: PowerNetwork, flow: Flow) -> Array:
    """d(charge)/dt [1/s] (n,)."""
    capacity = network.batteries.capacity
    return np.divide(-flow.battery_power, capacity, out=np.zeros(network.n), where=capacity > 0.0)


def _time_to_end(state: Array, rate: Array) -> float:
    """Time until the first battery is full or empty [s]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(rate > 0.0, (1.0 - state) / rate, np.where(rate < 0.0, -state / rate, np.inf))
    return float(left.min(initial=np.inf))


def _moved(state: Array, rate: Array, h: float) -> Array:
    new = np.clip(state + h * rate, 0.0, 1.0)
    new = np.where((rate > 0.0) & (new > 1.0 - CLOSEST), 1.0, new)
    return np.where((rate < 0.0) & (new < CLOSEST), 0.0, new)


class _Energy:
    """Sums of power times time."""

    def __init__(self, network: PowerNetwork) -> None:
        n, m = network.n, len(network.lines.edges)
        self.sums = (np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(m))

    def add(self, flow: Flow, h: float) -> None:
        powers = (flow.source_power, flow.load_power, flow.internal_loss, flow.line_loss)
        for total, power in zip(self.sums, powers, strict=True):
            total += h * power
