"""Electric power of modular spacecraft: path search, DC network, batteries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.frames import Array
from freefloat.structure.node_arrays import Flags
from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.network import Batteries, Lines, PowerNetwork, Sources
from freefloat.structure.power.search import powered
from freefloat.structure.power.step import advance_power
from freefloat.verify.case import Comparison, at_least, at_most, case, within

CONFIGURATIONS = 1000
NETWORKS = 100


@case("power-path-search", source="a flood fill that visits one neighbour after the other")
def power_path_search() -> Iterator[Comparison]:
    """Power states of 1000 random configurations equal those of a flood fill."""
    rng = np.random.default_rng(4)
    wrong = on = 0
    for _ in range(CONFIGURATIONS):
        n = int(rng.integers(1, 60))
        ends = rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2))
        edges = [(int(a), int(b)) for a, b in ends if a != b]
        source, conducting = rng.random(n) < 0.1, rng.random(n) < 0.85
        found = powered(n, edges, source, conducting)
        wrong += not np.array_equal(found, _flooded(n, edges, source, conducting))
        on += int(found.sum())
    yield at_most("configurations that differ, of 1000", "-", ours=wrong, tolerance=0.0)
    yield at_least("nodes with power in all of them", "-", published=1000.0, ours=on, tolerance=0.0)


def _flooded(n: int, edges: list[tuple[int, int]], source: Flags, conducting: Flags) -> Flags:
    reached, waiting = np.zeros(n, dtype=np.bool_), [i for i in range(n) if source[i] and conducting[i]]
    while waiting:
        here = waiting.pop()
        reached[here] = True
        ends = [b if a == here else a for a, b in edges if here in (a, b)]
        waiting += [i for i in ends if conducting[i] and not reached[i]]
    return reached


@case("dc-network", source="Kirchhoff's current law; Ohm's law; P = V I of a constant-power load")
def dc_network() -> Iterator[Comparison]:
    """A load at the end of a line, its voltage collapse, and Kirchhoff's law and power balance of random networks."""
    E, R = 50.0, 0.5
    line = Lines(np.array([[0, 1]]), np.array(0.4))
    source = Sources(np.array([E, 0.0]), np.array(0.1))
    largest = E**2 / (4.0 * R)
    for share in (0.1, 0.9, 0.999):
        V = solve_power(PowerNetwork(np.array([0.0, share * largest]), line, source)).voltage[1]
        exact = 0.5 * E * (1.0 + np.sqrt(1.0 - share))
        yield within(f"voltage at {share:g} of the largest load", "V", published=exact, ours=V, tolerance=1e-9)
    trips = solve_power(PowerNetwork(np.array([0.0, 1.001 * largest]), line, source)).trips
    yield within("overloads at 1.001 of the largest load", "-", published=1.0, ours=len(trips), tolerance=0.0)

    rng = np.random.default_rng(5)
    currents, powers = 0.0, 0.0
    for _ in range(NETWORKS):
        network = _network(rng)
        flow = solve_power(network, rng.random(network.n))
        currents = max(currents, _missing_current(network, flow))
        powers = max(powers, _missing_power(flow))
    yield at_most("Kirchhoff, of the largest current, 100 networks", "-", ours=currents, tolerance=1e-10)
    yield at_most("power balance, of the power given, 100 networks", "-", ours=powers, tolerance=1e-9)


def _network(rng: np.random.Generator) -> PowerNetwork:
    """A random network whose limits are often reached."""
    n = int(rng.integers(2, 30))
    edges = np.array([(a, b) for a, b in rng.integers(0, n, (2 * n, 2)).tolist() if a != b]).reshape(-1, 2)

    def limit(low: float, high: float) -> Array:
        return np.where(rng.random(n) < 0.5, np.inf, rng.uniform(low, high, n))

    return PowerNetwork(
        np.where(rng.random(n) < 0.5, rng.uniform(1.0, rng.choice([20.0, 200.0, 2000.0]), n), 0.0),
        Lines(edges, 10.0 ** rng.uniform(-4, 0, len(edges)), rng.choice([5.0, 20.0, np.inf], len(edges))),
        Sources(np.where(rng.random(n) < 0.2, 50.0, 0.0), 10.0 ** rng.uniform(-3, 0, n), limit(1, 20), limit(50, 1000)),
        Batteries(
            np.where(rng.random(n) < 0.2, 1e4, 0.0),
            rng.uniform(40.0, 50.0, n),
            rng.choice([0.0, 4.0], n),
            10.0 ** rng.uniform(-2, 0, n),
            limit(1, 20),
            limit(50, 500),
            limit(1, 10),
            limit(10, 500),
        ),
    )


def _missing_current(network: PowerNetwork, flow: Flow) -> float:
    """Largest sum of currents at a node, relative to the largest current (at least 1 mA)."""
    edges, total = network.lines.edges, -flow.source_current - flow.battery_current
    np.add.at(total, edges[:, 0], flow.line_current)
    np.add.at(total, edges[:, 1], -flow.line_current)
    total += np.divide(flow.load_power, flow.voltage, out=np.zeros(network.n), where=flow.voltage > 0.0)
    currents = np.concatenate([flow.line_current, flow.source_current, flow.battery_current])
    return float(np.abs(total).max() / max(float(np.abs(currents).max()), 1e-3))


def _missing_power(flow: Flow) -> float:
    given = flow.source_power.sum() + flow.battery_power.sum()
    used = flow.load_power.sum() + flow.internal_loss.sum() + flow.line_loss.sum()
    return float(abs(given - used) / max(flow.source_power.sum() + np.abs(flow.battery_power).sum(), 1e-3))


@case("battery-energy", source="conservation of energy; closed form of a discharge at constant power")
def battery_energy() -> Iterator[Comparison]:
    """A battery that empties within a step, and the energy balance of random networks over 400 s."""
    E, r, P, capacity = 48.0, 0.1, 100.0, 5000.0
    battery = Batteries(np.array([capacity]), np.array(E), resistance=np.array(r))
    done = advance_power(PowerNetwork(np.array([P]), batteries=battery), 100.0, 0.5)
    V = 0.5 * (E + np.sqrt(E**2 - 4.0 * r * P))
    yield within(
        "energy to the load until empty",
        "J",
        published=0.5 * capacity * V / E,
        ours=done.load_energy[0],
        tolerance=1e-8,
    )
    rng = np.random.default_rng(6)
    worst, outside, ended = 0.0, 0.0, 0
    for _ in range(20):
        network = _network(rng)
        done = advance_power(network, 400.0, rng.random(network.n))
        worst = max(worst, abs(done.imbalance) / max(done.turnover, 1e-3))
        outside = max(outside, float(np.maximum(-done.charge, done.charge - 1.0).max()))
        ended += int(np.isin(done.charge[network.batteries.capacity > 0.0], (0.0, 1.0)).sum())
    yield at_most("imbalance, of the energy given, 20 networks", "-", ours=worst, tolerance=1e-9)
    yield at_most("state of charge beyond 0 or 1", "-", ours=outside, tolerance=0.0)
    yield at_least("batteries that became full or empty", "-", published=5.0, ours=ended, tolerance=0.0)
