"""Power: path search against a graph library, DC solve against Kirchhoff and closed forms, batteries over time."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.structure.power import matrix as power_matrix
from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.network import Batteries, Lines, PowerNetwork, Sources
from freefloat.structure.power.search import powered
from freefloat.structure.power.step import advance_power

CHAIN = np.array([[0, 1], [1, 2]])


def random_network(rng: np.random.Generator) -> PowerNetwork:
    """Up to 30 nodes with all kinds of limits, of which many are reached."""
    n = int(rng.integers(2, 30))
    edges = np.array([(a, b) for a, b in rng.integers(0, n, (2 * n, 2)) if a != b]).reshape(-1, 2)
    m = len(edges)

    def limit(low: float, high: float) -> np.ndarray:
        return np.where(rng.random(n) < 0.5, np.inf, rng.uniform(low, high, n))

    load = np.where(rng.random(n) < 0.5, rng.uniform(1.0, rng.choice([20.0, 200.0, 2000.0]), n), 0.0)
    source = np.where(rng.random(n) < 0.2, rng.choice([48.0, 50.0, 100.0], n), 0.0)
    capacity = np.where(rng.random(n) < 0.2, rng.uniform(1e3, 1e5, n), 0.0)
    return PowerNetwork(
        load,
        Lines(edges, 10.0 ** rng.uniform(-4, 0, m), np.where(rng.random(m) < 0.8, np.inf, rng.uniform(1, 20, m))),
        Sources(source, rng.choice([0.0, 1.0], n) * 10.0 ** rng.uniform(-3, 0, n), limit(1, 20), limit(50, 1000)),
        Batteries(
            capacity, rng.uniform(40, 50, n), rng.choice([0.0, 4.0], n), 10.0 ** rng.uniform(-2, 0, n),
            limit(1, 20), limit(50, 500), limit(1, 10), limit(10, 500),
        ),
        rng.random(n) < 0.95,
        rng.integers(0, 3, n),
    )  # fmt: skip


def kirchhoff(network: PowerNetwork, flow: Flow) -> float:
    """Largest sum of currents at a node, relative to the largest current (or 1 mA)."""
    edges, total = network.lines.edges, -flow.source_current - flow.battery_current
    np.add.at(total, edges[:, 0], flow.line_current)
    np.add.at(total, edges[:, 1], -flow.line_current)
    total += np.divide(flow.load_power, flow.voltage, out=np.zeros(network.n), where=flow.voltage > 0.0)
    currents = np.concatenate([flow.line_current, flow.source_current, flow.battery_current])
    return float(np.abs(total).max() / max(np.abs(currents).max(), 1e-3))


def test_power_states_equal_a_graph_librarys_on_1000_random_configurations() -> None:
    rng = np.random.default_rng(41)
    reached = 0
    for _ in range(1000):
        n = int(rng.integers(1, 60))
        edges = np.array([(a, b) for a, b in rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2)) if a != b])
        source, conducting = rng.random(n) < 0.1, rng.random(n) < 0.85
        graph = nx.Graph()
        graph.add_nodes_from(np.flatnonzero(conducting).tolist())
        graph.add_edges_from((a, b) for a, b in edges.reshape(-1, 2).tolist() if conducting[a] and conducting[b])
        expected = np.zeros(n, dtype=bool)
        for root in np.flatnonzero(source & conducting).tolist():
            expected[list(nx.node_connected_component(graph, root))] = True
        found = powered(n, edges, source, conducting)
        assert np.array_equal(found, expected)
        reached += int(found.sum())
    assert reached > 1000


def test_a_node_that_does_not_conduct_blocks() -> None:
    assert powered(3, CHAIN, [True, False, False], [True, False, True]).tolist() == [True, False, False]
    assert powered(3, CHAIN, [True, False, False], [False, True, True]).tolist() == [False, False, False]


def test_a_search_over_ten_thousand_places_reaches_all_of_a_snake() -> None:
    n = 10_000
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    source = np.arange(n) == 0
    assert powered(n, edges, source, np.ones(n, dtype=bool)).all()
    assert powered(n, edges[np.arange(n - 1) != 5000], source, np.ones(n, dtype=bool)).sum() == 5001


def test_one_load_on_a_line_has_the_voltage_of_the_closed_form() -> None:
    E, R, P = 50.0, 0.06, 300.0
    network = PowerNetwork(
        np.array([0.0, P]), Lines(CHAIN[:1], np.array(0.01)), Sources(np.array([E, 0.0]), np.array(0.05))
    )
    flow = solve_power(network)
    V = 0.5 * (E + np.sqrt(E**2 - 4.0 * R * P))
    assert flow.voltage[1] == pytest.approx(V, rel=1e-13)
    assert flow.line_current[0] == pytest.approx(P / V, rel=1e-12)
    assert flow.source_power.sum() == pytest.approx(P + (P / V) ** 2 * R, rel=1e-12)


@pytest.fixture(scope="module")
def solved() -> list[tuple[PowerNetwork, Flow]]:
    """150 random networks, solved."""
    rng, found = np.random.default_rng(7), []
    for _ in range(150):
        network, charge = (net := random_network(rng)), rng.random(net.n)
        found.append((network, solve_power(network, charge)))
    return found


def test_the_dc_solve_satisfies_kirchhoff_and_every_limit_on_random_networks(
    solved: list[tuple[PowerNetwork, Flow]],
) -> None:
    kinds = set()
    for network, flow in solved:
        assert flow.residual <= 1e-10
        assert kirchhoff(network, flow) <= 1e-10
        s, b, V = network.sources, network.batteries, flow.voltage
        slack = 1.0 + 1e-9
        assert (flow.source_current >= 0.0).all()
        assert (flow.source_current <= s.current * slack).all()
        assert (V * flow.source_current <= s.power * slack).all()
        assert (flow.battery_current <= b.discharge_current * slack).all()
        assert (V * flow.battery_current <= b.discharge_power * slack).all()
        assert (-flow.battery_current <= b.charge_current * slack).all()
        assert (-V * flow.battery_current <= b.charge_power * slack).all()
        assert (np.abs(flow.line_current) <= network.lines.limit * (1.0 + 1e-8)).all()
        assert (flow.voltage[~flow.live] == 0.0).all()
        assert (flow.load_power[flow.fed] == network.load[flow.fed]).all()
        kinds |= {trip.kind for trip in flow.trips}
    assert kinds == {"overload", "over-current"}


def test_the_dc_solve_balances_power_on_random_networks(solved: list[tuple[PowerNetwork, Flow]]) -> None:
    for _, flow in solved:
        given = flow.source_power.sum() + flow.battery_power.sum()
        used = flow.load_power.sum() + flow.internal_loss.sum() + flow.line_loss.sum()
        scale = max(flow.source_power.sum() + np.abs(flow.battery_power).sum(), 1e-3)
        assert abs(given - used) <= 1e-9 * scale
        assert (flow.internal_loss >= -1e-9 * scale).all()


def falling_voltages(network: PowerNetwork, charge: np.ndarray) -> np.ndarray | None:
    """Slow oracle: V falls from the highest source voltage by a sure share of the missing current; None: collapse."""
    e, edges, R = network.elements(charge), network.lines.edges, network.lines.resistance
    V = np.full(network.n, e.emf[e.gives].max())
    slope = np.bincount(edges.ravel(), np.repeat(1.0 / R, 2), network.n)
    slope += np.bincount(e.node, 1.0 / e.resistance + np.minimum(e.out_power, 1e4) / 200.0, network.n)
    for _ in range(60_000):
        flow = (V[edges[:, 0]] - V[edges[:, 1]]) / R
        v = V[e.node]
        fed = np.clip((e.emf - v) / e.resistance, -np.minimum(e.in_current, e.in_power / v),
                      np.minimum(e.out_current, e.out_power / v))  # fmt: skip
        missing = network.load / V + np.bincount(edges[:, 0], flow, network.n)
        missing -= np.bincount(edges[:, 1], flow, network.n) + np.bincount(e.node, fed, network.n)
        V = V - missing / slope
        if V.min() < 1.0:
            return None
        if np.abs(missing).max() < 1e-9:
            break
    return V


def test_voltages_are_those_that_a_network_falls_to_from_no_load_and_overload_is_where_it_falls_on() -> None:
    rng = np.random.default_rng(9)
    outcomes = []
    for _ in range(25):
        n = 4

        def limit(low: float, high: float, n: int = n) -> np.ndarray:
            return np.where(rng.random(n) < 0.5, np.inf, rng.uniform(low, high, n))

        load = np.where(rng.random(n) < 0.6, rng.uniform(1.0, rng.choice([300.0, 900.0]), n), 0.0)
        source = np.array([50.0, 0.0, rng.choice([0.0, 100.0]), 0.0])
        network = PowerNetwork(
            load,
            Lines(np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), rng.uniform(0.1, 1.0, 4)),
            Sources(source, rng.uniform(0.1, 0.5, n), limit(2, 20), limit(50, 800)),
            Batteries(np.array([0.0, 0.0, 0.0, 1e4]), np.array(46.0), resistance=rng.uniform(0.1, 0.5, n),
                      discharge_power=limit(50, 500), charge_current=limit(1, 10)),
        )  # fmt: skip
        expected = falling_voltages(network, np.full(n, 0.5))
        flow = solve_power(network, 0.5)
        assert bool(flow.trips) == (expected is None)
        outcomes.append(expected is None)
        if expected is not None:
            assert np.allclose(flow.voltage, expected, rtol=0.0, atol=1e-6)
    assert 3 <= sum(outcomes) <= 22


def test_a_source_at_its_limit_leaves_the_rest_to_the_battery() -> None:
    network = PowerNetwork(
        np.array([0.0, 700.0, 0.0]),
        Lines(CHAIN, np.array(0.01)),
        Sources(np.array([50.0, 0.0, 0.0]), np.array(0.05), power=np.array(500.0)),
        Batteries(np.array([0.0, 0.0, 1e6]), np.array(46.0), resistance=np.array(0.03)),
    )
    flow = solve_power(network, 0.5)
    assert flow.trips == ()
    assert flow.voltage[0] * flow.source_current[0] == pytest.approx(500.0, rel=1e-12)
    assert flow.battery_power[2] > 200.0
    assert solve_power(network, np.array([0.0, 0.0, 0.0])).trips[0].nodes == (1,)


def test_an_overload_sheds_the_lowest_priority_and_names_the_nodes() -> None:
    network = PowerNetwork(
        np.array([0.0, 100.0, 600.0]),
        Lines(CHAIN, np.array(0.01)),
        Sources(np.array([50.0, 0.0, 0.0]), np.array(0.05), power=np.array(500.0)),
        priority=np.array([0, 2, 1]),
    )
    flow = solve_power(network)
    assert [(trip.kind, trip.nodes) for trip in flow.trips] == [("overload", (2,))]
    assert flow.fed.tolist() == [True, True, False]
    assert flow.load_power.tolist() == [0.0, 100.0, 0.0]
    later = solve_power(replace(network, load=np.array([0.0, 100.0, 10.0])), shed=flow.shed)
    assert later.load_power[2] == 0.0


def test_a_voltage_collapse_is_an_overload_and_not_a_crash() -> None:
    network = PowerNetwork(np.array([0.0, 0.0, 1e3]), Lines(CHAIN, np.array(1.0)), Sources(np.array([50.0, 0.0, 0.0])))
    flow = solve_power(network)
    assert 50.0**2 / (4.0 * 2.0) < 1e3
    assert flow.trips[0].kind == "overload"
    assert flow.voltage == pytest.approx([50.0, 50.0, 50.0])


def test_the_most_overloaded_line_opens_first_and_the_island_behind_is_dead() -> None:
    network = PowerNetwork(
        np.array([0.0, 100.0, 600.0]),
        Lines(CHAIN, np.array(0.01), np.array([10.0, 5.0])),
        Sources(np.array([50.0, 0.0, 0.0]), np.array(0.01)),
    )
    flow = solve_power(network)
    assert [(trip.kind, trip.lines, trip.nodes) for trip in flow.trips] == [("over-current", (1,), (1, 2))]
    assert flow.live.tolist() == [True, True, False]
    assert flow.voltage[2] == 0.0
    assert flow.opened.tolist() == [False, True]


def test_groups_without_a_source_are_dead_and_do_not_disturb_others() -> None:
    edges = np.array([[0, 1], [2, 3]])
    network = PowerNetwork(np.array([0.0, 10.0, 0.0, 10.0]), Lines(edges), Sources(np.array([48.0, 0.0, 0.0, 0.0])))
    flow = solve_power(network)
    assert flow.fed.tolist() == [True, True, False, False]
    assert flow.trips == ()


@pytest.mark.parametrize(("networks", "least"), [(8, 3), pytest.param(25, 10, marks=pytest.mark.slow)])
def test_battery_energy_balances_and_charge_stays_within_its_ends_on_random_networks(networks: int, least: int) -> None:
    rng = np.random.default_rng(11)
    ends = 0
    for _ in range(networks):
        network, charge = (net := random_network(rng)), rng.random(net.n)
        done = advance_power(network, 400.0, charge)
        assert abs(done.imbalance) <= 1e-9 * max(done.turnover, 1e-3)
        assert ((done.charge >= 0.0) & (done.charge <= 1.0)).all()
        has = network.batteries.capacity > 0.0
        ends += int((done.charge[has] == 0.0).sum() + (done.charge[has] == 1.0).sum())
    assert ends > least


def test_a_battery_that_empties_within_a_step_feeds_its_load_to_the_last_joule() -> None:
    P, capacity = 100.0, 5000.0
    network = PowerNetwork(
        np.array([P]), batteries=Batteries(np.array([capacity]), np.array(48.0), resistance=np.array(0.1))
    )
    done = advance_power(network, 100.0, 0.5)
    V = 0.5 * (48.0 + np.sqrt(48.0**2 - 4.0 * 0.1 * P))
    lasts = 0.5 * capacity / (48.0 * P / V)
    assert done.charge[0] == 0.0
    assert done.load_energy[0] == pytest.approx(P * lasts, rel=1e-12)
    assert done.internal_loss[0] == pytest.approx(0.5 * capacity - P * lasts, rel=1e-9)
    assert not done.flow.live[0]


def test_a_battery_that_fills_within_a_step_stops_charging_there() -> None:
    network = PowerNetwork(
        np.array([0.0, 0.0]),
        Lines(CHAIN[:1], np.array(0.1)),
        Sources(np.array([50.0, 0.0]), np.array(0.1)),
        Batteries(np.array([0.0, 1e4]), np.array(48.0), resistance=np.array(0.1)),
    )
    done = advance_power(network, 1000.0, np.array([0.0, 0.9]))
    assert done.charge[1] == 1.0
    assert done.battery_change[1] == pytest.approx(1000.0, rel=1e-12)
    assert done.source_energy[0] == pytest.approx(1000.0 * 50.0 / 48.0, rel=1e-12)
    assert done.flow.battery_current[1] == 0.0


def test_a_battery_whose_voltage_rises_follows_the_closed_form_at_order_two() -> None:
    """Charging through r: capacity c' = E (E_s - E) / r with E = E0 + rise c, a logistic equation for E."""
    E0, rise, r, source, capacity, time = 40.0, 10.0, 0.5, 50.0, 2e4, 40.0
    network = PowerNetwork(
        np.array([0.0]), Lines(), Sources(np.array([source]), np.array(0.0)),
        Batteries(np.array([capacity]), np.array(E0), np.array(rise), np.array(r)),
    )  # fmt: skip
    k = rise / (capacity * (r + 1e-4))
    growth = np.exp(k * source * time)
    exact = (source * growth / (growth + (source - E0) / E0) - E0) / rise
    errors = []
    for parts in (8, 16, 32):
        charge = np.array([0.0])
        for _ in range(parts):
            charge = advance_power(network, time / parts, charge).charge
        errors.append(abs(charge[0] - exact))
    assert errors[-1] < 1e-4
    assert np.log2(errors[0] / errors[2]) / 2.0 == pytest.approx(2.0, abs=0.2)


def test_zero_resistances_stand_for_small_ones() -> None:
    network = PowerNetwork(
        np.array([0.0, 100.0]), Lines(CHAIN[:1], np.array(0.0)), Sources(np.array([50.0, 50.0]), np.array(0.0))
    )
    flow = solve_power(network)
    assert flow.voltage == pytest.approx([50.0, 50.0], abs=1e-3)
    assert kirchhoff(network, flow) <= 1e-10


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"load": np.array([-1.0, 0.0, 0.0])}, "load must not be negative"),
        ({"load": np.array([np.nan, 0.0, 0.0])}, "load must be finite"),
        ({"lines": Lines(np.array([[0, 3]]))}, "names a node that does not exist"),
        ({"lines": Lines(np.array([[1, 1]]))}, "joins a node to itself"),
        ({"lines": Lines(CHAIN, np.array([1.0, -1.0]))}, "resistance must not be negative"),
        ({"sources": Sources(np.zeros(2))}, "source voltage must be one number or have shape"),
    ],
)
def test_bad_arrays_are_refused_by_name(change: dict, named: str) -> None:
    network = PowerNetwork(np.zeros(3), Lines(CHAIN))
    with pytest.raises(InputError, match=named):
        replace(network, **change)


def test_a_state_of_charge_outside_its_range_is_refused() -> None:
    with pytest.raises(InputError, match="within 0 and 1"):
        solve_power(PowerNetwork(np.zeros(2)), 1.5)


@pytest.mark.parametrize("block", [b if b < 1 else pytest.param(b, marks=pytest.mark.slow) for b in range(4)])
def test_conjugate_gradients_and_factors_lead_to_the_same_flows_and_trips(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(block)
    for _ in range(50):
        network = random_network(rng)
        charge = rng.random(network.n)
        flows = []
        for large in (0, 10**9):
            monkeypatch.setattr(power_matrix, "LARGE", large)
            flows.append(solve_power(network, charge))
        one, other = flows
        assert one.trips == other.trips
        assert np.array_equal(one.fed, other.fed)
        assert np.allclose(one.voltage, other.voltage, rtol=0.0, atol=1e-11 * max(1.0, other.voltage.max()))
        currents = [np.concatenate([f.source_current, f.battery_current, f.line_current]) for f in flows]
        largest = max(1e-3, np.abs(currents[1]).max())
        assert np.abs(currents[0] - currents[1]).max() < 1e-10 * largest, "as well as Kirchhoff's law holds in either"
