"""Large DC networks: conjugate gradients give what the factors give, and leave to them what they cannot do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import block_diag, coo_array, csr_array

from freefloat.bench.stacks import stack
from freefloat.structure.latches import Latches
from freefloat.structure.power import matrix as power_matrix
from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.matrix import NodeMatrix, conjugate_gradients
from freefloat.structure.power.network import Lines, PowerNetwork, Sources
from freefloat.structure.power.supply import Supply

Matrix = tuple[csr_array, np.ndarray]


def laplacian(edges: np.ndarray, conductance: np.ndarray, n: int) -> csr_array:
    i, j = edges.T
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    values = np.concatenate([conductance, conductance, -conductance, -conductance])
    return csr_array(coo_array((values, (rows, columns)), shape=(n, n)))


def mesh(rng: np.random.Generator, n: int, spread: float, grounded: float) -> Matrix:
    """A connected random mesh whose conductances spread over decades, with slopes of sources at a share of nodes."""
    edges = np.concatenate(
        [np.stack([np.arange(1, n), rng.integers(0, np.arange(1, n))], 1), rng.integers(0, n, (n, 2))]
    )
    edges = edges[edges[:, 0] != edges[:, 1]]
    diagonal = np.where(rng.random(n) < grounded, 50.0, -1e-6)
    diagonal[0] = 50.0
    return laplacian(edges, 100.0 * 10.0 ** rng.uniform(-spread, 0.0, len(edges)), n), diagonal


def islands(matrices: list[Matrix]) -> tuple[csr_array, np.ndarray, np.ndarray]:
    group = np.repeat(np.arange(len(matrices)), [len(d) for _, d in matrices])
    return csr_array(block_diag([L for L, _ in matrices])), np.concatenate([d for _, d in matrices]), group


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power_matrix, "LARGE", 0)


def compared(L: csr_array, diagonal: np.ndarray, group: np.ndarray, b: np.ndarray) -> float:
    """Largest difference from the direct solution, each group relative to its own size."""
    count = int(group.max()) + 1
    matrix = NodeMatrix(L, diagonal, group, count)
    x = conjugate_gradients(matrix.matrix, b, group, count)
    assert x is not None
    direct = matrix._direct(b)
    return max(np.abs(x - direct)[group == g].max() / np.abs(direct[group == g]).max() for g in range(count))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [0.0, 2.0, 4.0])
def test_a_random_mesh_is_solved_as_by_its_factors(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    L, diagonal = mesh(rng, 500, spread, 0.2)
    assert compared(L, diagonal, np.zeros(500, dtype=np.int64), rng.normal(size=500)) < 1e-11


def test_islands_are_solved_each_on_its_own_scale() -> None:
    rng = np.random.default_rng(3)
    L, diagonal, group = islands([mesh(rng, n, 1.0, 0.2) for n in (300, 1, 40, 2)])
    b = rng.normal(size=len(group)) * np.array([1e3, 1e-6, 1.0, 1e-9])[group]
    assert compared(L, diagonal, group, b) < 1e-11


def test_a_weakly_held_mesh_with_one_source_is_solved_as_by_its_factors() -> None:
    rng = np.random.default_rng(5)
    L, diagonal = mesh(rng, 400, 3.0, 0.0)
    assert compared(L, diagonal, np.zeros(400, dtype=np.int64), rng.normal(size=400)) < 1e-11


def test_what_does_not_converge_is_left_to_the_factors(all_large: None) -> None:
    n = 3000  # a chain with a source at one end: a step of the iteration reaches one node further
    L = laplacian(np.stack([np.arange(n - 1), np.arange(1, n)], 1), np.full(n - 1, 100.0), n)
    diagonal, group = np.zeros(n), np.zeros(n, dtype=np.int64)
    diagonal[0] = 50.0
    matrix = NodeMatrix(L, diagonal, group, 1)
    assert conjugate_gradients(matrix.matrix, np.ones(n), group, 1) is None
    assert matrix.is_m_matrix().tolist() == [True]
    x = matrix.solve(np.ones(n))
    assert np.abs(matrix.matrix @ x - 1.0).max() < 1e-6


def test_groups_that_are_no_m_matrices_are_told_apart(all_large: None) -> None:
    rng = np.random.default_rng(7)
    (L0, d0), (L1, d1) = mesh(rng, 60, 1.0, 0.2), mesh(rng, 60, 1.0, 0.2)
    d1 = np.where(d1 > 0.0, 0.0, -5.0)
    L, diagonal, group = islands([(L0, d0), (L1, d1), (L0, d0)])
    matrix = NodeMatrix(L, diagonal, group, 3)
    assert conjugate_gradients(matrix.matrix, np.ones(180), group, 3) is None
    assert matrix.is_m_matrix().tolist() == [True, False, True]
    b = rng.normal(size=180)
    assert np.abs(matrix.matrix @ matrix.solve(b) - b).max() < 1e-9


def assert_same(one: Flow, other: Flow) -> None:
    assert one.trips == other.trips
    assert np.array_equal(one.fed, other.fed)
    for name in ("voltage", "source_current", "battery_current", "line_current"):
        a, b = getattr(one, name), getattr(other, name)
        assert np.allclose(a, b, rtol=0.0, atol=1e-11 * np.abs(b).max(initial=1e-3)), name


def test_a_design_flows_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    body, latches, supply = stack((6, 6, 5)), Latches(), Supply()
    latches.close_all(body)
    supply.rewire([body], latches, [])
    flows = []
    for large in (0, 10**9):
        monkeypatch.setattr(power_matrix, "LARGE", large)
        supply.look(1.0)
        assert supply.flow is not None
        flows.append(supply.flow)
    assert_same(*flows)


def test_a_large_island_next_to_a_dark_one_is_fed() -> None:
    n = 2500
    side = np.arange(n).reshape(50, 50)
    edges = np.concatenate(
        [np.stack([side[:, :-1], side[:, 1:]], -1).reshape(-1, 2), np.stack([side[:-1], side[1:]], -1).reshape(-1, 2)]
    )
    edges = np.concatenate([edges, edges + n])  # the second half has no source
    source = np.zeros(2 * n)
    source[::97][:10] = 48.0
    network = PowerNetwork(
        np.full(2 * n, 0.5), Lines(edges, np.full(len(edges), 0.01)), Sources(source, np.full(2 * n, 0.05))
    )
    flow = solve_power(network)
    assert flow.live[:n].all()
    assert not flow.live[n:].any()
    assert flow.residual < 1e-11
