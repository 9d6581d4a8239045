import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.verify.oracles.drive_equations import derivatives, equations, evaluator, scalar_evaluator
from freefloat.verify.oracles.drive_symbols import INPUTS, SET, STATES, parameters

SIZES = np.array([3.0, 1e-3, 5.0, 5.0, 8.0, 8.0, 4e-4, 1.0, 20.0])  # of the states
NAMES = [quantity.name for quantity in STATES]
KINDS = {
    "current loop": {},
    "all imperfections": {
        "motor__unbalance": 0.1,
        "motor__third_harmonic": 0.05,
        "motor__viscous": 1e-4,
        "driver__offset": (0.3, -0.2),
        "driver__gain": (0.05, -0.02),
        "gear__cubic": 1e9,
        "gear__kinematic_phase": 0.4,
        "motor_resolver__error": 0.01,
    },
    "saturated": {"driver__supply": 3.0},
    "voltage amplifier": {"driver__kind": "voltage"},
    "dc": {"motor__kind": "dc"},
    "torque source": {"motor__kind": "ideal"},
    "backlash": {"gear__backlash": 2e-3},
    "no bristles": {"friction__coulomb": 0.0},
    "no hysteresis": {"gear__hysteresis": 0.0, "gear__hysteresis_stiffness": 0.0},
}


def random_point(rng: np.random.Generator, drive, count: int):
    x = SIZES[:, None] * rng.uniform(-1.0, 1.0, (9, count))
    x[7] *= drive.gear.hysteresis > 0.0
    x[8] += 310.0
    inputs = rng.uniform(-1.0, 1.0, (len(INPUTS), count)) * np.array([[200.0], [1.0], [0.3], [0.0], [0.1]])
    d = rng.uniform(-2e-3, 2e-3, count)
    inputs[1] = x[0] / drive.gear.ratio - d  # wind-ups on either side of a gap
    return x, inputs, parameters(drive)[:, None]


@pytest.fixture(scope="module")
def power():
    return evaluator(["P_e", "P_h", "tau"])


@pytest.fixture(scope="module")
def energy():
    return evaluator(["U", "E_r"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_electric_power_is_heat_work_and_the_change_of_what_is_stored(kind, shoulder, power, energy):
    """Along the flow, by central differences of the stored energy: nothing is lost and nothing comes from nowhere."""
    drive = shoulder(**KINDS[kind])
    x, inputs, params = random_point(np.random.default_rng(3), drive, 40)
    xd = derivatives()(0.0, x, inputs, params)
    P_e, P_h, tau = power(x, inputs, params)
    dt, moving = 1e-8, np.zeros_like(inputs)
    moving[1] = inputs[2]
    ahead, behind = (energy(x + s * xd, inputs + s * moving, params).sum(axis=0) for s in (dt, -dt))
    stored = (ahead - behind) / (2.0 * dt)
    scale = np.abs(P_e) + np.abs(P_h) + np.abs(tau * inputs[2]) + 1.0
    assert np.max(np.abs(P_e - P_h - tau * inputs[2] - stored) / scale) < 2e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scalars_and_arrays_agree(kind, shoulder):
    names = [f"{name}_t" for name in NAMES] + ["tau", "T", "P_e", "P_h", "U"]
    x, inputs, params = random_point(np.random.default_rng(5), shoulder(**KINDS[kind]), 6)
    arrays, one = evaluator(names)(x, inputs, params), scalar_evaluator(names)
    for j in range(6):
        np.testing.assert_allclose(one(x[:, j], inputs[:, j], params[:, 0]), arrays[:, j], rtol=1e-13, atol=1e-13)


def test_a_gear_with_backlash_is_slack_in_its_gap_and_never_pulls(shoulder):
    drive = shoulder(gear__backlash=2e-3)
    x, inputs, params = random_point(np.random.default_rng(7), drive, 400)
    ds, tau_s, tau_d = evaluator(["ds", "tau_s", "tau_d"])(x, inputs, params)
    assert np.any(ds == 0.0)
    assert np.all((tau_s + tau_d)[ds == 0.0] == 0.0)
    assert np.all((tau_s + tau_d) * ds >= 0.0)
    assert np.any(((tau_s + tau_d) == 0.0) & (ds != 0.0))  # leaving the flank faster than the spring pushes


def test_a_dc_motor_has_one_phase(shoulder):
    drive = shoulder(motor__kind="dc", motor__unbalance=0.1, motor__third_harmonic=0.1, driver__offset=(0.0, 1.0))
    x, inputs, params = random_point(np.random.default_rng(9), drive, 5)
    f_A, f_B, r_B, K, i_A = evaluator(["fA", "fB", "rB", "K", "iA"])(x, inputs, params)
    np.testing.assert_array_equal([f_A, f_B, r_B], [np.ones(5), np.zeros(5), np.zeros(5)])
    assert np.all(K == 0.1)
    np.testing.assert_array_equal(i_A, x[2])


def test_the_current_is_limited_by_effort_and_by_the_driver(shoulder):
    current = scalar_evaluator(["I"])
    drive, x, inputs = shoulder(), [0.0] * 9, [1000.0, 0.0, 0.0, 0.0, 0.0]
    assert current(x, inputs, parameters(drive))[0] == 10.0
    assert current(x, inputs, parameters(drive, effort=80.0))[0] == pytest.approx(5.0)


def test_every_parameter_acts_and_every_equation_uses_only_what_comes_before():
    known = {q.name for q in (*STATES, *INPUTS, *SET)}
    used = set()
    for equation in equations():
        needs = {symbol.name for symbol in equation.expression.free_symbols}
        assert needs <= known, equation.name
        used |= needs
        known.add(equation.name)
    assert {q.name for q in (*STATES, *INPUTS, *SET)} <= used
    assert {f"{name}_t" for name in NAMES} <= known


def test_an_unknown_quantity_is_refused_with_the_valid_ones():
    with pytest.raises(InputError, match="unknown quantity of a drive 'tauu'"):
        evaluator(["tauu"])
