"""Heat is neither made nor lost: one orbit with eclipses, heaters, modules that move and interfaces that switch."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.structure.heat.network import HeatNetwork, Thermostat
from freefloat.structure.node_arrays import Integers

PERIOD, ECLIPSE = 5550.0, 2100.0  # [s] of a low orbit, and of the shadow in its middle


def stack(rng: np.random.Generator, side: int = 4) -> tuple[np.ndarray, Integers]:
    """Capacities of a cube of places, a third of them empty, and edges between all neighbours."""
    number = np.arange(side**3).reshape(side, side, side)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:]), (number[:, :, :-1], number[:, :, 1:])]
    edges = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs])
    return np.where(rng.random(side**3) < 0.67, rng.uniform(4e3, 1.2e4, side**3), 0.0), edges


def sunlit(t: float) -> bool:
    return not 1700.0 <= t < 1700.0 + ECLIPSE


def fly(network: HeatNetwork, rng: np.random.Generator, change: object = None, dt: float = 10.0) -> float:
    """One orbit; the largest drift on the way."""
    sun, worst = rng.uniform(0.0, 120.0, network.n), 0.0
    for k in range(round(PERIOD / dt)):
        if change is not None and k == 250:
            change()
        network.advance(dt, rng.uniform(0.0, 20.0, network.n), sun * sunlit(k * dt))
        worst = max(worst, network.ledger.drift)
    return worst


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_heat_balances_over_an_orbit_with_an_eclipse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    capacity, edges = stack(rng)
    conductance = rng.choice([1e-4, 0.5, 125.0], len(edges))
    network = HeatNetwork(capacity, edges, conductance, rng.uniform(0.0, 0.4, len(capacity)), 290.0)
    assert fly(network, rng) <= 1e-8
    ledger = network.ledger
    assert min(ledger.dissipated, ledger.absorbed, ledger.radiated) > 1e6


def test_heat_balances_with_thermostats_moves_and_switched_interfaces() -> None:
    rng = np.random.default_rng(4)
    capacity, edges = stack(rng)
    n = len(capacity)
    conductance, radiating = rng.choice([1e-4, 0.5, 125.0], len(edges)), rng.uniform(0.0, 0.4, n)
    thermostat = Thermostat(np.full(n, 40.0), np.full(n, 285.0), np.full(n, 288.0))
    network = HeatNetwork(capacity, edges, conductance, radiating, 287.0, thermostat)

    def move() -> None:
        full, empty = np.flatnonzero(capacity > 0.0), np.flatnonzero(capacity == 0.0)
        for a, b in zip(full[:5].tolist(), empty[:5].tolist(), strict=True):
            network.move(a, b)
        network.rewire(network.capacity, edges, rng.permutation(conductance), rng.permutation(radiating))

    assert fly(network, rng, move) <= 1e-8
    assert network.ledger.heaters > 1e5
    assert abs(network.ledger.carried) <= 1e-12 * network.ledger.stored


def test_the_balance_does_not_hang_on_the_tolerance() -> None:
    rng = np.random.default_rng(5)
    capacity, edges = stack(rng)
    network = HeatNetwork(capacity, edges, 0.5, 0.2, 290.0, tolerance=1.0)
    assert fly(network, rng, dt=150.0) <= 1e-8


def test_no_node_gets_hotter_than_the_hottest_without_input() -> None:
    rng = np.random.default_rng(6)
    capacity, edges = stack(rng)
    start = rng.uniform(200.0, 400.0, len(capacity))
    network = HeatNetwork(capacity, edges, rng.choice([0.5, 125.0, 2500.0], len(edges)), 0.01, start)
    places = capacity > 0.0
    hottest = start[places].max()
    for _ in range(50):
        now = network.advance(20.0)[places].max()
        assert now <= hottest + 1e-6
        hottest = now
