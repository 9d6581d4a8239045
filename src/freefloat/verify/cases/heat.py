"""Heat of modular spacecraft: closed forms of the network, and its balance over an orbit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.structure import Module, TensorBody, cubic, load_catalogue
from freefloat.structure.heat.exposure import absorbed, exposed_faces
from freefloat.structure.heat.network import HeatNetwork, Thermostat
from freefloat.structure.heat.step import SIGMA, T_SPACE
from freefloat.structure.node_arrays import Integers
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_over_time

C = np.array([8000.0, 5000.0])  # [J/K]
G = 0.5  # [W/K]
HOT, COLD = 350.0, 250.0  # [K]
PERIOD, SHADOW = 5550.0, (1700.0, 3800.0)  # [s] of a low orbit, and of its eclipse


def _two_nodes(t: float) -> Array:
    """The difference of two capacities joined by G decays with rate G (1/C1 + 1/C2)."""
    mean = (C[0] * HOT + C[1] * COLD) / C.sum()
    gap = (HOT - COLD) * np.exp(-G * float((1.0 / C).sum()) * t)
    return mean + gap * np.array([C[1], -C[0]]) / C.sum()


@case("heat-two-nodes", source="two heat capacities joined by a conductance: exponential")
def heat_two_nodes() -> Iterator[Comparison]:
    """Two nodes settle, from the start and after an open interface is closed, and a body cools by radiation."""
    for name, wait in (("joined", 0.0), ("interface closed after 500 s", 500.0)):
        network = HeatNetwork(C, [[0, 1]], [0.0 if wait else G], 0.0, [HOT, COLD])
        network.advance(wait)
        network.rewire(C, [[0, 1]], [G], 0.0)
        times = np.arange(10.0, 6001.0, 10.0)
        errors = np.array([np.abs(network.advance(10.0) - _two_nodes(t)).max() for t in times])
        plot = errors_over_time(times, {"temperature": errors}, 1e-6)
        yield at_most(f"largest error over 6000 s, {name}", "K", ours=errors.max(), tolerance=1e-6, plot=plot)
    body = HeatNetwork([3000.0], radiating=0.5, temperature=320.0)
    exact = (320.0**-3 + 3.0 * SIGMA * 0.5 / 3000.0 * 5000.0) ** (-1.0 / 3.0)
    found = body.advance(5000.0)[0]
    yield within("radiating body after 5000 s", "K", published=exact, ours=found, tolerance=1e-4)


@case(
    "heat-plate-in-the-sun", source="alpha S = 2 epsilon sigma (T^4 - 2.7^4) of a plate that radiates from both sides"
)
def heat_plate() -> Iterator[Comparison]:
    """An isolated plate that faces the Sun reaches its equilibrium, as does a cube with the light found by rays."""
    flux = 1361.0
    for name, alpha, epsilon in (("white paint", 0.20, 0.88), ("black paint", 0.95, 0.87)):
        plate = HeatNetwork([3000.0], radiating=2.0 * epsilon, temperature=150.0)
        for _ in range(200):
            plate.advance(600.0, absorbed=[alpha * flux])
        exact = (alpha * flux / (2.0 * epsilon * SIGMA) + T_SPACE**4) ** 0.25
        yield within(f"plate, {name}", "K", published=exact, ours=plate.T[0], tolerance=0.01)

    catalogue = load_catalogue("mosar")
    body = TensorBody("cube", cubic(1, 1, 1), catalogue)
    body.insert(0, Module(1, catalogue.type("spacer")))
    faces = exposed_faces([(body, Pose.identity())])
    sun = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    cube = HeatNetwork([8000.0], radiating=faces.radiating)
    ours = cube.steady(absorbed(faces, faces.lit(sun), sun, flux))[0]
    kind = catalogue.type("spacer")
    ratio = kind.absorptivity / kind.emissivity
    exact = (ratio * flux * np.sqrt(3.0) / 6.0 / SIGMA + T_SPACE**4) ** 0.25
    yield within("cube, the Sun on its corner", "K", published=exact, ours=ours, tolerance=0.01)


@case("heat-balance", source="conservation of energy: heat stored = dissipated + absorbed + heaters - radiated")
def heat_balance() -> Iterator[Comparison]:
    """One orbit with an eclipse of 64 places: heaters switch, modules move midway, interfaces open and close."""
    rng = np.random.default_rng(7)
    network, edges = _stack(rng)
    sun, times = rng.uniform(0.0, 120.0, network.n), np.arange(0.0, PERIOD, 10.0)
    drifts, hottest, coldest = [], [], []
    for k, t in enumerate(times):
        if k == len(times) // 2:
            _rearrange(network, edges, rng)
        lit = not SHADOW[0] <= t < SHADOW[1]
        T = network.advance(10.0, rng.uniform(0.0, 20.0, network.n), sun * lit)[network.capacity > 0.0]
        drifts.append(network.ledger.drift)
        hottest.append(T.max())
        coldest.append(T.min())
    ledger = network.ledger
    plot = curves_over_time(times, {"hottest": hottest, "coldest": coldest}, "T [K]")
    yield at_most("imbalance, of the heat exchanged", "-", ours=max(drifts), tolerance=1e-8, plot=plot)
    carried = abs(ledger.carried) / ledger.stored
    yield at_most("heat changed by the moves, of the heat stored", "-", ours=carried, tolerance=1e-12)


def _stack(rng: np.random.Generator) -> tuple[HeatNetwork, Integers]:
    grid = cubic(4, 4, 4)
    place, side = np.nonzero(grid.neighbours > np.arange(grid.n)[:, None])
    edges = np.column_stack([place, grid.neighbours[place, side]])
    capacity = np.where(rng.random(grid.n) < 0.67, rng.uniform(4e3, 1.2e4, grid.n), 0.0)
    conductance = rng.choice([1e-4, 0.5, 125.0], len(edges))
    thermostat = Thermostat(np.full(grid.n, 40.0), np.full(grid.n, 285.0), np.full(grid.n, 288.0))
    return HeatNetwork(capacity, edges, conductance, rng.uniform(0.0, 0.4, grid.n), 287.0, thermostat), edges


def _rearrange(network: HeatNetwork, edges: Integers, rng: np.random.Generator) -> None:
    full, empty = np.flatnonzero(network.capacity > 0.0), np.flatnonzero(network.capacity == 0.0)
    for a, b in zip(full[:5].tolist(), empty[:5].tolist(), strict=True):
        network.move(a, b)
    conductance = rng.choice([1e-4, 0.5, 125.0], len(edges))
    network.rewire(network.capacity, edges, conductance, rng.uniform(0.0, 0.4, network.n))
