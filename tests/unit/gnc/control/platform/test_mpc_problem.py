"""The pulse MPC's parts against independent oracles: cost by integration, search by enumeration, dwell by counting."""

import itertools
import math

import daqp
import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.dwell import Dwell, DwellConstraint, dwell_rows
from freefloat.gnc.control.platform.mpc_branch import NODE_ITERATIONS, branch_and_bound
from freefloat.gnc.control.platform.mpc_problem import PulseCost, PulseHorizon
from freefloat.gnc.control.platform.mpc_tick import SPEED, TARGET, sense
from freefloat.gnc.control.platform.mpc_tracker import MpcTracker
from freefloat.gnc.planning.platform.hermite_reference import line, rest_to_rest


def random_problem(seed, n=14):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((n, n))
    return M.T @ M + 0.1 * np.eye(n), 4.0 * rng.standard_normal(n)


def integrated_cost(controller, t, state, stored, u):
    """J of `mpc_problem` by integrating the platform in steps of 10 ms, pulse by pulse."""
    h, cost, m, dt = controller.horizon, controller.cost, controller.model, 0.01
    n, groups = m.thrusters.shape[1], controller._directions.shape[1]
    p, v, slope = (state[:2, i].copy() for i in range(3))
    errors = {}
    for k in range(round(h.blocks[-1] / dt)):
        slot = next(i for i, (a, b) in enumerate(h.spans) if a - 1e-9 <= k * dt < b - 1e-9)
        a, b = h.spans[slot]
        if slot < h.binary:
            force = m.thrusters[:2] @ u[slot * n : (slot + 1) * n]
        else:
            start = h.binary * n + (slot - h.binary) * groups
            force = controller._directions @ u[start : start + groups] * h.tick / (b - a)
        angle = controller.reference.at(t + 0.5 * (a + b))[0][2]
        R = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        acceleration = m.thrust / m.mass * (R @ force) + slope * math.exp(-(k + 0.5) * dt / cost.fade)
        p, v = p + dt * v + 0.5 * dt**2 * acceleration, v + dt * acceleration
        errors[k + 1] = p - controller.reference.at(t + (k + 1) * dt)[0][:2]
    T = h.blocks[-1]
    at_nodes = [errors[round(s / dt)] for s in controller._nodes[:-1]]
    total = sum(h.node * e @ e for e in at_nodes) + (cost.end - 0.5 * h.node) * at_nodes[-1] @ at_nodes[-1]
    rate = v - controller.reference.at(t + T)[1][:2]
    total = (total + cost.end * cost.end_rate**2 * rate @ rate) / cost.error**2
    torque = np.tile(m.thrusters[2] / np.abs(m.thrusters[2]).max(), h.binary)
    dear = cost.momentum * (1.0 + (stored / cost.full) ** 2)
    return 0.5 * (total + dear * (stored + torque @ u[: torque.size]) ** 2) + cost.pulse * u.sum()


@pytest.mark.parametrize("t", [0.0, 50.0])
def test_the_condensed_cost_is_the_cost_of_the_integrated_plan(t):
    controller = MpcTracker(line(), cost=PulseCost(convex=1e-9))
    pose, rate, _ = controller.reference.at(t)
    off = np.array([[0.01, -0.02, 0.0], [2e-3, 3e-3, 0.0], [2e-3, -1e-3, 0.0]])
    state = np.column_stack([pose + off[0], rate + off[1], off[2]])
    controller._x[:] = state
    controller._memory[[TARGET, SPEED]] = 9.0
    controller._plan(t)
    m, ahead = controller.model, controller.reference.at(t + controller.cost.ahead)[1][2]
    momentum = m.wheel_inertia * 9.0 + 0.5 * m.inertia * (rate[2] - ahead)
    stored = momentum / (m.thrust * 0.1 * 0.35)
    rng = np.random.default_rng(7)
    base = integrated_cost(controller, t, state, stored, np.zeros(controller._f.size))
    for _ in range(3):
        u = np.concatenate([rng.integers(0, 2, 16), rng.uniform(0.0, 2.0, controller._f.size - 16)])
        condensed = 0.5 * u @ controller._H @ u + controller._f @ u
        assert condensed == pytest.approx(integrated_cost(controller, t, state, stored, u) - base, rel=1e-3)


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


def test_a_repeated_pose_is_a_lost_sample():
    controller = MpcTracker(rest_to_rest((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 10.0))
    c, pose = controller, np.array([1e-3, 2e-3, 3e-3])

    def spread_after(measured):
        sense(measured, 0.0, np.zeros(8), c._wrenches, c._platform, *c._filter, c._memory)
        return c._filter[2][0, 0, 0]

    first = spread_after(pose)
    lost = spread_after(pose.copy())
    assert lost > first
    assert spread_after(pose + 1e-9) < lost


def test_the_wheels_measured_change_of_speed_turns_the_predicted_body():
    c = MpcTracker(rest_to_rest((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 10.0))
    sense(np.full(3, np.nan), 1.0, np.zeros(8), c._wrenches, c._platform, *c._filter, c._memory)
    m = c.model
    assert c._x[2, 1] == pytest.approx(-m.wheel_inertia * 1.0 / (m.inertia + m.wheel_inertia), rel=1e-9)


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
