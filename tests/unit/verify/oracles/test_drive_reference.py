import numpy as np
import pytest
from scipy.optimize import brentq

from freefloat.verify.oracles.drive_reference import OneJoint, run, unwound_angle
from freefloat.verify.oracles.gear import steady_motor_torque
from freefloat.verify.oracles.motor_ripple import mean_torque


def test_a_gear_wound_up_between_link_and_rotor_swings_as_two_masses_do(elastic):
    joint = OneJoint(elastic(gear__damping=0.0), inertia=3.0)
    geared = 160.0**2 * 1e-4
    w = np.sqrt(1e4 * (1.0 / 3.0 + 1.0 / geared))
    t = np.linspace(0.0, 0.5, 51)
    found = run(joint, lambda k, t, x: 0.0, t, start={"th": 160.0 * 1e-3})
    share = geared / (3.0 + geared)
    np.testing.assert_allclose(found.x["q"], 1e-3 * share * (1.0 - np.cos(w * t)), atol=1e-10)
    np.testing.assert_allclose(found.x["th"] / 160.0, 1e-3 * (share + (1.0 - share) * np.cos(w * t)), atol=1e-10)
    assert np.max(np.abs(found.residual)) < 1e-10


def test_an_ideal_motor_turns_link_and_rotor_by_the_held_commands(elastic):
    """The mean of link and rotor, weighted with their inertias, moves as if the gear were rigid."""
    joint = OneJoint(elastic(), inertia=3.0, effort=20.0, load=1.0)
    found = run(joint, lambda k, t, x: (10.0, -30.0)[k], [0.0, 0.1, 0.2], period=0.1)
    geared = 160.0**2 * 1e-4
    mean = (3.0 * found.x["qd"] + geared * found.x["h"] / 1e-4 / 160.0) / (3.0 + geared)
    np.testing.assert_allclose(mean, np.array([0.0, 1.1, 1.1 - 1.9]) / (3.0 + geared), atol=1e-10)


def test_energy_balances_with_every_imperfection_and_a_controller(shoulder):
    drive = shoulder(gear__backlash=2e-4, motor__unbalance=0.05, motor__third_harmonic=0.02, motor_resolver__error=3e-4)
    joint = OneJoint(drive, inertia=5.0, load=3.0)

    def pd(k: int, t: float, x: np.ndarray) -> float:
        return 2000.0 * (0.01 - x[0]) - 150.0 * x[1]

    found = run(joint, pd, np.linspace(0.0, 0.15, 16), period=0.005)
    assert found.x["q"][-1] > 0.003
    assert found.heat[-1] > 0.05
    assert np.max(np.abs(found.residual)) < 1e-8 * found.supplied[-1]


def test_tolerances_a_hundred_times_tighter_change_nothing_that_matters(shoulder):
    def command(k: int, t: float, x: np.ndarray) -> float:
        return 30.0 * np.sin(10.0 * t)

    t = np.linspace(0.0, 0.2, 21)
    loose, tight = (run(OneJoint(shoulder()), command, t, period=0.02, rtol=rtol) for rtol in (1e-10, 1e-12))
    assert np.max(np.abs(tight.x["th"])) > 2.0
    assert np.max(np.abs(loose.x["q"] - tight.x["q"])) < 1e-10
    assert np.max(np.abs(loose.x["th"] - tight.x["th"])) < 1e-8


def test_a_motor_at_the_speed_where_closed_forms_balance_keeps_it(shoulder):
    """Mean torque of the current loop against Coulomb and viscous friction."""
    drive = shoulder(motor__cogging=0.0, gear__kinematic_error=0.0, gear__hysteresis=0.0)
    current = 0.6

    def surplus(speed: float) -> float:
        return mean_torque(drive, speed, current) - steady_motor_torque(drive, speed, 0.0)

    speed = float(brentq(surplus, 10.0, 100.0))
    tau = current * 0.1 * 160.0
    found = run(OneJoint(drive, inertia=1.0), lambda k, t, x: tau, [0.0, 2.0], start={"qd": speed / 160.0})
    assert found.x["h"][-1] / 1e-4 == pytest.approx(speed, rel=1e-5)


def test_the_unwound_motor_angle_meets_the_kinematic_error(shoulder):
    drive = shoulder(gear__kinematic_phase=0.7)
    for q in (-1.2, 0.0, 0.4321):
        th = unwound_angle(drive, q)
        assert th / 160.0 + 1.5e-4 * np.sin(2.0 * th + 0.7) == pytest.approx(q, abs=1e-14)
