"""The pulse MPC's parts against independent oracles: cost by integration, search by enumeration, dwell by counting."""

import itertools
import math

import daqp
import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.dwell import Dwell, DwellConstraint, dwell_rows
from freefloat.gnc.control.platform.mpc_branch import NODE_ITERATIONS, branch_and_bound
from freefloat.gnc.control.platform.mpc_problem import PulseCost, PulseHorizon, assemble, grid, thrust_directions
from freefloat.gnc.control.platform.mpc_tick import GAIN_ANGLE, INERTIA, MASS, MEMORY, SPEED, TARGET, THRUST, WHEEL
from freefloat.gnc.planning.platform.hermite_reference import line
from freefloat.gnc.planning.platform.model import PlatformModel


def random_problem(seed, n=14):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((n, n))
    return M.T @ M + 0.1 * np.eye(n), 4.0 * rng.standard_normal(n)


HORIZON, COST, MODEL = PulseHorizon(), PulseCost(convex=1e-9), PlatformModel()
DIRECTIONS, _ = thrust_directions(np.array(MODEL.thrusters, order="C"))
BANDWIDTH = 1.0  # [rad/s] of the angle's loop


def condensed(t, reference, state, speed):
    """H and f at t [s] for the state of the filter and the wheel's speed [rad/s]."""
    h, c, m = HORIZON, COST, MODEL
    nodes, C, K, slots = grid(h, c)
    size = m.thrusters.shape[1] * h.binary + DIRECTIONS.shape[1] * len(h.blocks)
    platform, memory = np.zeros(10), np.zeros(MEMORY)
    platform[[MASS, INERTIA, WHEEL, THRUST, GAIN_ANGLE]] = m.mass, m.inertia, m.wheel_inertia, m.thrust, BANDWIDTH**2
    memory[[TARGET, SPEED]] = speed
    lever = np.abs(m.thrusters[2]).max()
    weights = np.array([c.pulse, c.convex, c.momentum, c.ahead, c.fade, h.tick, lever, c.full])
    knots = (np.array(reference.times), np.array(reference.poses, order="C"), np.array(reference.rates, order="C"))
    H, f, scratch = np.zeros((size, size)), np.zeros(size), (np.zeros((nodes.size, 2)), np.zeros((3, size)))
    assemble(
        t, state, memory, platform, np.array(m.thrusters, order="C"), DIRECTIONS, knots, nodes, C, K, slots, h.binary,
        weights, H, f, *scratch, np.zeros((3, 3)),
    )  # fmt: skip
    return H, f


def integrated_cost(t, reference, state, stored, u):
    """J of `mpc_problem` by integrating the platform in steps of 10 ms, pulse by pulse."""
    h, cost, m, dt = HORIZON, COST, MODEL, 0.01
    n, groups = m.thrusters.shape[1], DIRECTIONS.shape[1]
    p, v, slope = (state[:2, i].copy() for i in range(3))
    errors = {}
    for k in range(round(h.blocks[-1] / dt)):
        slot = next(i for i, (a, b) in enumerate(h.spans) if a - 1e-9 <= k * dt < b - 1e-9)
        a, b = h.spans[slot]
        if slot < h.binary:
            force = m.thrusters[:2] @ u[slot * n : (slot + 1) * n]
        else:
            start = h.binary * n + (slot - h.binary) * groups
            force = DIRECTIONS @ u[start : start + groups] * h.tick / (b - a)
        angle = reference.at(t + 0.5 * (a + b))[0][2]
        R = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        acceleration = m.thrust / m.mass * (R @ force) + slope * math.exp(-(k + 0.5) * dt / cost.fade)
        p, v = p + dt * v + 0.5 * dt**2 * acceleration, v + dt * acceleration
        errors[k + 1] = p - reference.at(t + (k + 1) * dt)[0][:2]
    T = h.blocks[-1]
    at_nodes = [errors[round(s / dt)] for s in grid(h, cost)[0][:-1]]
    total = sum(h.node * e @ e for e in at_nodes) + (cost.end - 0.5 * h.node) * at_nodes[-1] @ at_nodes[-1]
    rate = v - reference.at(t + T)[1][:2]
    total = (total + cost.end * cost.end_rate**2 * rate @ rate) / cost.error**2
    torque = np.tile(m.thrusters[2] / np.abs(m.thrusters[2]).max(), h.binary)
    dear = cost.momentum * (1.0 + (stored / cost.full) ** 2)
    return 0.5 * (total + dear * (stored + torque @ u[: torque.size]) ** 2) + cost.pulse * u.sum()


@pytest.mark.parametrize("t", [0.0, 50.0])
def test_the_condensed_cost_is_the_cost_of_the_integrated_plan(t):
    reference = line()
    pose, rate, _ = reference.at(t)
    off = np.array([[0.01, -0.02, 0.0], [2e-3, 3e-3, 0.0], [2e-3, -1e-3, 0.0]])
    state = np.column_stack([pose + off[0], rate + off[1], off[2]])
    H, f = condensed(t, reference, state, 9.0)
    ahead = reference.at(t + COST.ahead)[1][2]
    momentum = MODEL.wheel_inertia * 9.0 + 0.5 * MODEL.inertia * (rate[2] - ahead)
    stored = momentum / (MODEL.thrust * 0.1 * 0.35)
    rng = np.random.default_rng(7)
    base = integrated_cost(t, reference, state, stored, np.zeros(f.size))
    for _ in range(3):
        u = np.concatenate([rng.integers(0, 2, 16), rng.uniform(0.0, 2.0, f.size - 16)])
        cost = integrated_cost(t, reference, state, stored, u) - base
        assert 0.5 * u @ H @ u + f @ u == pytest.approx(cost, rel=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_optimum_of_all_binaries_and_so_does_daqp(seed):
    H, f = random_problem(seed)
    binaries, upper, lower = 6, np.ones(14), np.zeros(14)
    found = branch_and_bound(H, f, np.zeros((0, 14)), upper, lower, binaries, 10**6)
    costs = []
    for chosen in itertools.product((0.0, 1.0), repeat=binaries):
        fixed_up, fixed_low = upper.copy(), lower.copy()
        fixed_up[:binaries] = fixed_low[:binaries] = chosen
        costs.append(daqp.solve(H, f, np.zeros((0, 14)), fixed_up, fixed_low, np.zeros(14, np.int32))[1])
    kind = np.zeros(14, np.int32)
    kind[:binaries] = 16
    assert found.optimal
    assert found.u is not None
    assert found.cost == pytest.approx(min(costs), abs=1e-6)
    assert daqp.solve(H, f, np.zeros((0, 14)), upper, lower, kind)[1] == pytest.approx(min(costs), abs=1e-6)
    assert 0.5 * found.u @ H @ found.u + f @ found.u == pytest.approx(found.cost, abs=1e-6)
    np.testing.assert_allclose(found.u[:binaries], np.rint(found.u[:binaries]), atol=1e-6)


def test_the_search_stops_by_its_iterations_with_the_best_so_far():
    H, f = random_problem(3, 30)
    args = (H, f, np.zeros((0, 30)), np.ones(30), np.zeros(30), 20)
    whole = branch_and_bound(*args, 10**6)
    limit = whole.iterations // 2
    cut = branch_and_bound(*args, limit)
    assert whole.optimal
    assert not cut.optimal
    assert limit <= cut.iterations < limit + NODE_ITERATIONS
    assert cut.nodes < whole.nodes
    assert cut.u is not None
    assert cut.cost >= whole.cost
    again = branch_and_bound(*args, limit)
    assert again.u is not None
    assert cut.u.tobytes() == again.u.tobytes()
    assert cut.iterations == again.iterations


def test_a_wall_clock_limit_ends_the_search_before_it_begins_another_node():
    H, f = random_problem(3, 30)
    cut = branch_and_bound(H, f, np.zeros((0, 30)), np.ones(30), np.zeros(30), 20, 10**6, wall=1e-9)
    assert cut.nodes <= 1
    assert not cut.optimal


def allowed(row, past, least, most, shut):
    """By counting runs: those that end within the row, the first and the last run may go on beyond it."""
    runs = [(value, len(list(group))) for value, group in itertools.groupby(row)]
    for i, (value, n) in enumerate(runs):
        if value == 1 and 0 < most < n:
            return False
        if 0 < i < len(runs) - 1 and n < (least if value == 1 else shut):
            return False
    return True


@pytest.mark.parametrize(("least", "most", "shut"), [(1, 3, 2), (2, 3, 4), (1, 0, 3), (3, 5, 1), (1, 1, 1)])
def test_the_dwell_rows_admit_exactly_the_allowed_sequences(least, most, shut):
    past = max(least, most, shut)
    rows, bounds = dwell_rows(least, most, shut, past, 5)
    for row in itertools.product((0, 1), repeat=past + 5):
        if allowed(row[:past], past, least, most, shut):  # what has been was allowed
            legal = allowed(row, past, least, most, shut)
            assert bool((rows @ row <= bounds).all()) == legal, row


def test_without_dwell_limits_there_is_no_constraint():
    assert DwellConstraint.of(Dwell(), 0.1, 8, 4).rows.shape == (0, 32)
    assert Dwell(0.1, 0.3, 0.2).duty(0.1) == pytest.approx(0.6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PulseHorizon(binary=0),
        lambda: PulseHorizon(blocks=(0.1, 1.0)),
        lambda: PulseHorizon(node=20.0),
        lambda: PulseCost(pulse=0.0),
        lambda: Dwell(0.3, 0.2),
        lambda: Dwell(min_off=math.inf),
    ],
)
def test_settings_out_of_range_are_refused(make):
    with pytest.raises(InputError, match="allowed"):
        make()
