"""The nonlinear program, its steps and the integration that judges it."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from freefloat.errors import InputError
from freefloat.gnc.planning.platform.check import defects, simpson_motion, true_motion
from freefloat.gnc.planning.platform.collocation import Program, ProgramForm, Scales
from freefloat.gnc.planning.platform.collocation_step import Physics, explicit_step
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.gnc.planning.platform.problem import PlanLimits, SlopeMap
from freefloat.units import G0

ca = pytest.importorskip("casadi")

MODEL = PlatformModel()
BEARINGS = 0.25 * np.array([[math.cos(a), math.sin(a)] for a in (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0)])


def hills(contacts=BEARINGS, error: float = 0.0) -> SlopeMap:
    x, y = np.linspace(-3.0, 3.0, 31), np.linspace(-5.0, 5.0, 41)
    height = 2e-4 * np.sin(2.0 * x)[:, None] * np.cos(1.5 * y)[None, :]
    return SlopeMap(x, y, height, error, contacts)


def random_controls(n: int, seed: int = 3):
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 0.6, n - 1))])
    controls = np.column_stack([rng.uniform(-0.5, 0.5, n), rng.uniform(0.0, 3.0, (n, 8))])
    return times, controls, np.array([0.2, -0.4, 0.7, 0.02, -0.05, 0.1, 3.0])


def integrated(times, controls, x, slope):
    def rate(t, x, k):
        share = (t - times[k]) / (times[k + 1] - times[k])
        f = MODEL.derivative(x, (1.0 - share) * controls[k] + share * controls[k + 1])
        if slope is not None:
            f[3:6] += slope.acceleration(MODEL, x[:3])
        return f

    for k in range(len(times) - 1):
        x = solve_ivp(rate, times[k : k + 2], x, method="DOP853", args=(k,), rtol=1e-12, atol=1e-13).y[:, -1]
    return x


@pytest.mark.parametrize("slope", [None, hills(), hills(np.zeros((1, 2)))], ids=["flat", "three", "single"])
def test_true_motion_agrees_with_dop853(slope):
    times, controls, start = random_controls(12)
    ours = true_motion(MODEL, times, controls, start, slope)[-1, -1]
    np.testing.assert_allclose(ours, integrated(times, controls, start, slope), atol=1e-9)


@pytest.mark.parametrize("slope", [None, hills()], ids=["flat", "three"])
def test_simpson_motion_has_no_defects_and_converges_with_fourth_order(slope):
    times, controls, start = random_controls(9)
    errors = []
    for parts in (1, 2, 4):
        fine = np.interp(np.arange(8 * parts + 1) / parts, np.arange(9), times)
        u = np.column_stack([np.interp(fine, times, column) for column in controls.T])
        states = simpson_motion(MODEL, fine, u, start, slope)
        assert np.abs(defects(MODEL, fine, states, u, slope)).max() < 1e-11
        errors.append(np.abs(states[-1] - integrated(times, controls, start, slope)).max())
    assert errors[0] / errors[1] > 12.0
    assert errors[1] / errors[2] > 12.0


def test_the_explicit_step_is_the_implicit_one():
    times, controls, start = random_controls(2)
    x, w0, w1 = ca.SX.sym("x", 7), ca.SX.sym("w0", 4), ca.SX.sym("w1", 4)
    physics = Physics.of(MODEL)
    step = ca.Function("step", [x, w0, w1], [explicit_step(physics, x, w0, w1, times[1])])
    end = np.array(step(start, physics.mixing @ controls[0], physics.mixing @ controls[1])).ravel()
    assert np.abs(defects(MODEL, times, np.array([start, end]), controls, None)).max() < 1e-14


def test_programs_pack_and_unpack_knots_and_durations():
    rng = np.random.default_rng(0)
    one = Program(ProgramForm(Physics.of(MODEL), (4, 5), "propellant"))
    scales = Scales(rng.uniform(0.1, 2.0, 7), 0.3, 0.7, 5.0)
    states, controls, durations = rng.normal(size=(10, 7)), rng.normal(size=(10, 9)), np.array([3.0, 7.0])
    back = one.unpacked(one.packed(states, controls, durations, scales), scales)
    for given, found in zip((states, controls, durations), back, strict=True):
        np.testing.assert_allclose(found, given, rtol=1e-14)


def test_models_with_equal_numbers_share_their_program():
    forms = {ProgramForm(Physics.of(PlatformModel()), (9,), "time") for _ in range(3)}
    assert len(forms) == 1


def test_the_floor_pushes_down_its_slope_and_does_no_work_around_a_loop():
    floor, pose = hills(), np.array([0.3, -0.2, 0.4])
    step = 1e-5

    def potential(q):
        c, s = math.cos(q[2]), math.sin(q[2])
        places = q[:2] + BEARINGS @ np.array([[c, s], [-s, c]])
        return MODEL.mass * G0 * np.mean([floor.spline(*p, grid=False) for p in places])

    inertia = np.array([MODEL.mass, MODEL.mass, MODEL.inertia])
    for axis in range(3):
        e = step * np.eye(3)[axis]
        force = (potential(pose - e) - potential(pose + e)) / (2.0 * step)
        assert floor.acceleration(MODEL, pose)[axis] * inertia[axis] == pytest.approx(force, rel=1e-5, abs=1e-7)


def test_a_plan_with_the_map_reaches_its_goal_over_the_slopes():
    floor = hills(np.zeros((1, 2)), error=1e-4)
    ends = ((-0.5, -1.0, 0.0), (0.5, 0.5, 0.5))
    aware = Planner(knots=40, slope=floor).in_duration(*ends, 40.0)
    end = integrated(aware.times, aware.controls, aware.states[0], floor)
    assert np.hypot(*(end - aware.goal)[:2]) <= 1e-3
    blind = Planner(knots=40).in_duration(*ends, 40.0)
    missed = integrated(blind.times, blind.controls, blind.states[0], floor)
    assert np.hypot(*(missed - blind.goal)[:2]) > 0.05


def test_the_maps_stated_error_keeps_thrust_back():
    margin = hills(error=1e-3).margin(MODEL)
    assert margin == pytest.approx(MODEL.mass * G0 * 1e-3 / 2.0)  # two thrusters push alike
    assert PlanLimits().controls(MODEL, margin)[1][1:].max() == pytest.approx(MODEL.thrust - margin)
    with pytest.raises(InputError, match=r"the map's error needs 109 N of each thruster"):
        PlanLimits().controls(MODEL, hills(error=0.1).margin(MODEL))


@pytest.mark.parametrize("wrong", [{"speed": 0.0}, {"clearance": -1.0}, {"floor": (0.0, 0.5, 0.0, 4.0)}])
def test_limits_that_leave_no_room_are_refused(wrong):
    with pytest.raises(InputError, match=f"plan limit {next(iter(wrong))}"):
        PlanLimits(**wrong)
