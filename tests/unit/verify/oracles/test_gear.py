import numpy as np
import pytest
from scipy.integrate import solve_ivp

from freefloat.verify.oracles.drive_equations import evaluator, scalar_evaluator
from freefloat.verify.oracles.drive_symbols import parameters
from freefloat.verify.oracles.gear import (
    back_driving_efficiency,
    brake_motion,
    dahl_area,
    dahl_branch,
    dahl_peak,
    driving_efficiency,
    hysteresis_loss,
    lost_motion,
    lost_motor_motion,
    steady_motor_torque,
    wind_up,
)


@pytest.mark.parametrize("amplitude", [1e-5, 1e-4, 1e-3])
def test_the_hysteresis_of_the_equations_goes_round_the_closed_loop(amplitude, shoulder):
    """The output swings with the motor held, one cycle from the loop's lower end: torque and energy."""
    drive = shoulder(gear__kinematic_error=0.0)
    limit, stiffness = drive.gear.hysteresis, drive.gear.hysteresis_stiffness
    rate, params = scalar_evaluator(["tau_h_t"]), parameters(drive).tolist()

    def rates(t, y):
        d, dd = -amplitude * np.cos(t), amplitude * np.sin(t)
        (tau_t,) = rate([0.0] * 7 + [y[0], 293.15], [0.0, -d, -dd, 0.0, 0.0], params)
        return [tau_t, y[0] * dd]

    start, tau = [-dahl_peak(limit, stiffness, amplitude), 0.0], []
    for quarter in range(4):  # one at a time: the rate has a kink at each turn
        span = 0.5 * np.pi * quarter, 0.5 * np.pi * (quarter + 1)
        start = solve_ivp(rates, span, start, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        tau.append(start[0])
    middle = [float(dahl_branch(limit, stiffness, 0.0, amplitude, rising)) for rising in (True, False)]
    peak = dahl_peak(limit, stiffness, amplitude)
    assert tau == pytest.approx([middle[0], peak, middle[1], -peak], rel=1e-8)
    assert start[1] == pytest.approx(dahl_area(limit, stiffness, amplitude), rel=1e-7)


def test_a_small_loop_loses_little_and_a_wide_one_as_dry_friction_does():
    assert dahl_area(1.5, 2e4, 1e-7) == pytest.approx(4.0 * 2e4**2 * 1e-21 / (3.0 * 1.5), rel=1e-5)
    assert dahl_area(1.5, 2e4, 1.0) == pytest.approx(4.0 * 1.5, rel=1e-4)


def test_the_wind_up_carries_its_torque(shoulder):
    gear = shoulder(gear__backlash=1e-3, gear__cubic=1e9).gear
    for torque in (-50.0, 3.0, 200.0):
        d = wind_up(gear, torque)
        spring = d - np.sign(torque) * 5e-4
        assert 1e4 * spring + 1e9 * spring**3 == pytest.approx(torque, rel=1e-12)
    assert lost_motion(gear, 200.0) == 2.0 * wind_up(gear, 200.0)


def test_the_gap_is_lost_motion_in_which_the_equations_give_no_torque(shoulder):
    drive = shoulder(gear__backlash=1e-3, gear__kinematic_error=0.0)
    assert (lost_motion(drive.gear), lost_motor_motion(drive.gear)) == (1e-3, pytest.approx(0.16))
    th = np.linspace(-0.079, 0.079, 9)
    x, inputs = np.zeros((9, 9)), np.zeros((5, 9))
    x[0], x[1], x[8] = th, 1e-3, 293.15
    (tau,) = evaluator(["tau"])(x, inputs, parameters(drive)[:, None])
    assert np.all(tau == 0.0)
    x[0] += 0.16
    (tau,) = evaluator(["tau"])(x, inputs, parameters(drive)[:, None])
    assert np.all(tau > 0.0)


def test_the_default_hysteresis_is_the_minute_of_arc_of_catalogues(shoulder):
    assert hysteresis_loss(shoulder().gear) == pytest.approx(np.pi / 180.0 / 60.0, rel=0.04)


@pytest.mark.parametrize(("torque", "speed"), [(50.0, 8.0), (-50.0, 8.0), (50.0, -8.0)])
def test_a_steadily_turning_motor_needs_the_torque_of_the_equations(torque, speed, shoulder):
    """Rotor of the equations with its bristle at rest and a wind-up for the torque: T = 0 at the closed form's T_m."""
    drive = shoulder(gear__kinematic_error=0.0, motor__kind="ideal", gear__hysteresis=0.0)
    T_m = steady_motor_torque(drive, speed, torque)
    g = 4.0 + 2.0 * np.exp(-((speed / 160.0 / 0.01) ** 2)) + 0.1 * abs(torque)
    z = np.sign(speed) * g / 1e4
    inputs = [160.0 * T_m, -torque / 1e4, speed / 160.0, 0.0, 0.0]
    x = [0.0, 1e-4 * speed, 0.0, 0.0, 0.0, 0.0, z, 0.0, 293.15]
    on_rotor, on_link = scalar_evaluator(["T", "tau"])(x, inputs, parameters(drive).tolist())
    assert on_link == pytest.approx(torque)
    assert on_rotor == pytest.approx(0.0, abs=1e-12)


def test_efficiency_is_the_share_of_torque_beyond_friction(shoulder):
    drive = shoulder()
    dry = 4.0 + 10.0 * 2.0  # Coulomb and viscous at 2 rad/s, far beyond the Stribeck speed
    driving = 160.0 * steady_motor_torque(drive, 320.0, 80.0) - dry
    assert 80.0 / driving == pytest.approx(driving_efficiency(drive.gear), rel=1e-12)
    driven = 160.0 * steady_motor_torque(drive, -320.0, 80.0) + dry
    assert driven / 80.0 == pytest.approx(back_driving_efficiency(drive.gear), rel=1e-12)


@pytest.mark.parametrize(
    ("speed", "torque"), [(20.0, 0.0), (-20.0, 0.2), (20.0, 0.8), (20.0, -0.8), (0.0, 0.4), (0.0, -0.9), (-5.0, -0.3)]
)
def test_a_closed_brake_slips_and_holds_as_small_steps_say(speed, torque):
    J, brake, dt = 1e-4, 0.5, 1e-7
    rate, angle = speed, 0.0
    for _ in range(100_000):
        free = rate + dt * torque / J
        grip = dt * brake / J
        rate = np.sign(free) * max(abs(free) - grip, 0.0)
        angle += dt * rate
    found = brake_motion(J, brake, speed, torque, [0.0, 0.01])
    assert found[0][0] == speed
    assert found[1][0] == 0.0
    assert found[0][1] == pytest.approx(rate, abs=1e-3)
    assert found[1][1] == pytest.approx(angle, abs=1e-5)
