"""Heat network: closed forms, order, stiffness, thermostat, rewiring, steady temperatures, copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.sparse import csr_array

from freefloat.errors import InputError
from freefloat.structure.heat.network import HeatNetwork, Thermostat
from freefloat.structure.heat.step import B_LOW, SIGMA, T_SPACE, A, B, Wiring, step

C = np.array([8000.0, 5000.0])  # [J/K]
G = 0.5  # [W/K]


def two_nodes(t: float, hot: float = 350.0, cold: float = 250.0) -> np.ndarray:
    """Closed form of two capacities joined by G: the difference decays with rate G (1/C1 + 1/C2)."""
    mean = (C[0] * hot + C[1] * cold) / C.sum()
    gap = (hot - cold) * np.exp(-G * (1.0 / C).sum() * t)
    return np.array([mean + gap * C[1] / C.sum(), mean - gap * C[0] / C.sum()])


def random_network(rng: np.random.Generator, n: int = 40, **options: object) -> HeatNetwork:
    edges = np.array([(a, b) for a, b in rng.integers(0, n, (3 * n, 2)) if a != b])
    capacity = np.where(rng.random(n) < 0.8, rng.uniform(2e3, 1e4, n), 0.0)
    conductance = rng.choice([1e-4, 0.5, 125.0], len(edges))
    return HeatNetwork(capacity, edges, conductance, rng.uniform(0.0, 0.5, n), rng.uniform(250.0, 320.0, n), **options)


def test_the_tableau_has_order_four_with_order_three_embedded() -> None:
    c = A.sum(axis=1)
    conditions = [
        (lambda b: b.sum(), 1.0), (lambda b: b @ c, 1 / 2), (lambda b: b @ c**2, 1 / 3), (lambda b: b @ A @ c, 1 / 6),
        (lambda b: b @ c**3, 1 / 4), (lambda b: (b * c) @ A @ c, 1 / 8), (lambda b: b @ A @ c**2, 1 / 12),
        (lambda b: b @ A @ A @ c, 1 / 24),
    ]  # fmt: skip
    assert [condition(B) for condition, _ in conditions] == pytest.approx([value for _, value in conditions], abs=1e-14)
    assert [f(B_LOW) for f, _ in conditions[:4]] == pytest.approx([value for _, value in conditions[:4]], abs=1e-14)
    assert abs(conditions[4][0](B_LOW) - 1 / 4) > 1e-4


def test_a_step_has_order_four_with_radiation() -> None:
    wiring = Wiring(np.array([50.0, 80.0]), csr_array(0.5 * np.array([[1.0, -1.0], [-1.0, 1.0]])), np.array([0.3, 0.1]))
    q, start, time = np.array([40.0, 0.0]), np.array([400.0, 200.0]), 200.0

    def rate(_: float, T: np.ndarray) -> np.ndarray:
        return (q - wiring.laplacian @ T - wiring.radiated(T)) / wiring.capacity

    exact = solve_ivp(rate, (0.0, time), start, method="DOP853", rtol=1e-13, atol=1e-11).y[:, -1]
    errors = []
    for parts in (32, 64, 128):
        T, h = start, time / parts
        for _ in range(parts):
            T = step(wiring, T, q, h, wiring.factor(T, h)).T
        errors.append(np.abs(T - exact).max())
    assert np.log2(errors[0] / errors[2]) / 2.0 == pytest.approx(4.0, abs=0.3), errors


def test_two_nodes_follow_their_closed_form() -> None:
    network = HeatNetwork(C, [[0, 1]], [G], 0.0, [350.0, 250.0])
    for k in range(1, 601):
        assert np.abs(network.advance(10.0) - two_nodes(10.0 * k)).max() <= 1e-6


def test_one_long_advance_keeps_to_its_tolerance() -> None:
    for tolerance in (1e-4, 1e-6, 1e-8):
        network = HeatNetwork(C, [[0, 1]], [G], 0.0, [350.0, 250.0], tolerance=tolerance)
        assert np.abs(network.advance(6000.0) - two_nodes(6000.0)).max() <= 10.0 * tolerance


def test_closing_an_interface_between_hot_and_cold_follows_the_exponential_from_then_on() -> None:
    network = HeatNetwork(C, [[0, 1]], [0.0], 0.0, [350.0, 250.0])
    assert np.allclose(network.advance(500.0), [350.0, 250.0], rtol=0.0, atol=1e-12)
    network.rewire(C, [[0, 1]], [G], 0.0)
    for k in range(1, 101):
        assert np.abs(network.advance(25.0) - two_nodes(25.0 * k)).max() <= 1e-6
    assert network.ledger.carried == 0.0


def test_a_plate_in_the_sun_reaches_its_analytic_equilibrium() -> None:
    alpha, epsilon, area, flux = 0.2, 0.88, 1.0, 1361.0
    network = HeatNetwork([3000.0], radiating=2.0 * epsilon * area, temperature=150.0)
    expected = (alpha * flux * area / (SIGMA * 2.0 * epsilon * area) + T_SPACE**4) ** 0.25
    for _ in range(100):
        network.advance(600.0, absorbed=[alpha * area * flux])
    assert network.T[0] == pytest.approx(expected, abs=0.01)
    assert network.steady([alpha * area * flux])[0] == pytest.approx(expected, abs=1e-9)


def test_a_body_cools_by_radiation_as_the_closed_form_says() -> None:
    """C dT/dt = -sigma eA T^4 (2.7 K is 1e-8 of the flux at 270 K): T^-3 grows by 3 sigma eA t / C."""
    network = HeatNetwork([3000.0], radiating=0.5, temperature=320.0)
    T = network.advance(5000.0)
    assert T[0] == pytest.approx((320.0**-3 + 3.0 * SIGMA * 0.5 / 3000.0 * 5000.0) ** (-1.0 / 3.0), rel=1e-7)


def test_a_stiff_link_does_not_ring() -> None:
    network = HeatNetwork([1e-3, 8000.0], [[0, 1]], [2500.0], 0.0, [400.0, 300.0], tolerance=1e-3)
    previous = 400.0
    for _ in range(20):
        T = network.advance(10.0)
        assert T[1] - 1e-3 <= T[0] <= previous + 1e-3
        previous = T[0]
    assert T[0] == pytest.approx(T[1], abs=1e-6)


def test_a_random_network_agrees_with_an_explicit_integrator() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, 15)
    q = rng.uniform(0.0, 50.0, 15)
    wiring, places, start = network._wiring, network._places, network.T

    def rate(_: float, T: np.ndarray) -> np.ndarray:
        return (q[places] - wiring.laplacian @ T - wiring.radiated(T)) / wiring.capacity

    exact = solve_ivp(rate, (0.0, 600.0), start[places], method="DOP853", rtol=1e-11, atol=1e-9).y[:, -1]
    for _ in range(60):
        network.advance(10.0, q)
    assert np.abs(network.T[places] - exact).max() < 1e-4


def test_a_thermostat_holds_its_band_and_its_heat_is_booked() -> None:
    thermostat = Thermostat(np.array([60.0]), np.array([280.0]), np.array([284.0]), period=10.0)
    network = HeatNetwork([4000.0], radiating=0.1, temperature=290.0, thermostat=thermostat)
    seen, switches, on = [], 0, False
    for _ in range(4000):
        seen.append(network.advance(10.0)[0])
        switches += (network.heating[0] > 0.0) != on
        on = network.heating[0] > 0.0
    late = np.array(seen[500:])
    fastest = 10.0 * 60.0 / 4000.0
    assert 280.0 - fastest <= late.min() < 280.0
    assert 284.0 < late.max() <= 284.0 + fastest
    assert switches > 10
    assert network.ledger.heaters > 0.0
    assert network.ledger.drift < 1e-12


def test_long_and_short_advances_sample_the_thermostat_alike() -> None:
    thermostat = Thermostat(np.array([60.0]), np.array([280.0]), np.array([284.0]), period=10.0)
    long, short = (HeatNetwork([4000.0], radiating=0.1, temperature=281.0, thermostat=thermostat) for _ in range(2))
    long.advance(3000.0)
    for _ in range(300):
        short.advance(10.0)
    assert np.array_equal(long.T, short.T)
    assert long.ledger == short.ledger


def test_a_moved_module_takes_its_heat_along_and_the_balance_holds() -> None:
    capacity = np.array([5000.0, 8000.0, 0.0])
    network = HeatNetwork(capacity, [[0, 1]], [G], 0.1, [300.0, 350.0, 999.0])
    assert network.T[2] == T_SPACE
    network.advance(100.0)
    T = network.T
    network.move(1, 2)
    network.rewire([5000.0, 0.0, 8000.0], [[0, 2]], [G], 0.1)
    assert network.T.tolist() == [T[0], T_SPACE, T[1]]
    assert network.ledger.carried == 0.0
    network.advance(100.0)
    assert network.ledger.drift < 1e-12


def test_a_module_from_outside_is_booked_as_carried() -> None:
    network = HeatNetwork([5000.0, 0.0], temperature=300.0)
    network.insert(1, 2000.0, 250.0)
    assert network.ledger.carried == 5e5
    network.rewire([5000.0, 0.0], [], [], 0.0)
    assert network.ledger.carried == 0.0
    assert network.ledger.imbalance == 0.0


def test_a_place_cannot_be_filled_without_a_temperature() -> None:
    network = HeatNetwork([5000.0, 0.0], temperature=300.0)
    with pytest.raises(InputError, match="place 1 is filled but has no temperature"):
        network.rewire([5000.0, 2000.0], [], [], 0.0)


def test_an_empty_place_takes_no_heat_and_no_edge_reaches_it() -> None:
    network = HeatNetwork([5000.0, 0.0], [[0, 1]], [100.0], 0.0, 300.0)
    network.advance(100.0, [0.0, 1000.0])
    assert network.T.tolist() == [300.0, T_SPACE]
    assert network.ledger.dissipated == 0.0


def test_steady_temperatures_are_where_the_transient_ends() -> None:
    rng = np.random.default_rng(5)
    network = random_network(rng, 30)
    network.rewire(network.capacity / 100.0, network._edges, network._G, network._eA + 0.01)
    q = rng.uniform(0.0, 50.0, 30)
    steady = network.steady(q)
    for _ in range(60):
        network.advance(1000.0, q)
    assert np.abs(network.T - steady).max() < 1e-4


def test_steady_temperature_of_a_group_that_cannot_radiate_is_infinite_or_its_mean() -> None:
    network = HeatNetwork([*C, 100.0], [[0, 1]], [G], 0.0, [350.0, 250.0, 300.0])
    steady = network.steady([0.0, 0.0, 1.0])
    assert steady[:2] == pytest.approx(C @ [350.0, 250.0] / C.sum())
    assert steady[2] == np.inf


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda network: pickle.loads(pickle.dumps(network))])
def test_a_copy_goes_on_bit_for_bit(twin: object) -> None:
    rng = np.random.default_rng(6)
    n = 40
    thermostat = Thermostat(np.full(n, 20.0), np.full(n, 275.0), np.full(n, 280.0))
    network = random_network(rng, n, thermostat=thermostat)
    inputs = rng.uniform(0.0, 60.0, (60, n))
    for q in inputs[:30]:
        network.advance(10.0, q)
    other = twin(network)
    for q in inputs[30:]:
        assert np.array_equal(network.advance(10.0, q), other.advance(10.0, q))
    assert network.ledger == other.ledger


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda h: h.advance(-1.0), "finite time"),
        (lambda h: h.advance(np.nan), "finite time"),
        (lambda h: h.advance(1.0, [np.nan, 0.0]), "dissipation must be finite"),
        (lambda h: h.advance(1.0, [1.0, 2.0, 3.0]), "shape"),
        (lambda h: h.rewire([-1.0, 0.0], [], [], 0.0), "heat capacity must not be negative"),
        (lambda h: h.rewire(C, [[0, 2]], [G], 0.0), "does not exist"),
        (lambda h: h.rewire(C, [], [], 0.0, Thermostat(np.zeros(3), C, C)), "thermostat power"),
        (lambda h: h.move(0, 1), "occupied to an empty"),
        (lambda h: h.insert(0, 1.0, 300.0), "already holds"),
        (lambda h: HeatNetwork([1.0], temperature=-3.0), "temperature must be positive"),
    ],
)
def test_bad_input_is_refused_by_name_and_changes_nothing(call: object, named: str) -> None:
    network = HeatNetwork(C, [[0, 1]], [G], 0.0, [350.0, 250.0])
    with pytest.raises(InputError, match=named):
        call(network)
    assert network.T.tolist() == [350.0, 250.0]
    assert network.capacity.tolist() == C.tolist()
