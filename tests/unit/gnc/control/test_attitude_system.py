import copy

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_to_matrix
from freefloat.gnc.control.allocation import Desaturation, ThrusterAllocation, WheelAllocation, pyramid_axes
from freefloat.gnc.control.attitude import POINTING, AttitudeController, AttitudeGains, Detumble
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.dead_band import DeadBand
from freefloat.gnc.control.pointing import InertialPointing, LVLHPointing
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF, TrackerModel
from freefloat.gnc.estimation.belief import GyroModel

I_B = np.diag([12.0, 10.0, 8.0])
RADIUS, ORBIT_RATE = 6.778e6, 1.1314e-3  # [m], [rad/s] about 400 km
PERIOD = 0.25
GYRO = GyroModel(noise=1e-5, walk=1e-8, bias_sigma=5e-5)
TRACKER = TrackerModel(across=3e-5, about=2e-4, q_BT=quat_exp([1.2, 0.0, 0.4]))


def orbit(t: float) -> dict[str, np.ndarray]:
    c, s = np.cos(ORBIT_RATE * t), np.sin(ORBIT_RATE * t)
    return {
        "p_ECI": RADIUS * np.array([c, 0.6 * s, 0.8 * s]),
        "v_ECI": RADIUS * ORBIT_RATE * np.array([-s, 0.6 * c, 0.8 * c]),
    }


def wheels(bias_speed: float = 50.0) -> WheelAllocation:
    """Four wheels of 2 N m s at 400 rad/s."""
    bias = bias_speed * np.array([1.0, -1.0, 1.0, -1.0])
    return WheelAllocation(pyramid_axes(), 5e-3, 0.05, 400.0, bias, horizon=PERIOD)


def jets(thrust: float, **more: float) -> ThrusterAllocation:
    """Twelve thrusters, four about each axis."""
    p, d = [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            p += [sign * np.roll([0.5, 0.4, 0.0], axis), sign * np.roll([0.5, -0.4, 0.0], axis)]
            d += [-sign * np.roll([1.0, 0.0, 0.0], axis)] * 2
    return ThrusterAllocation(p, d, thrust=thrust, period=PERIOD, **more)


def tumbling(spacecraft):
    w = np.deg2rad(5.0) * np.array([0.6, -0.64, 0.48])
    return spacecraft(I_B, axes=pyramid_axes(), J=5e-3, q=quat_exp([2.0, 1.0, 0.5]), w=w)


class Sensors:
    """Gyro with a constant bias; a tracker at 1 Hz that sees nothing above 1 deg/s."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.bias = 5e-5 * self.rng.normal(size=3)
        self.q_WT = np.full(4, np.nan)

    def read(self, t: float, meas: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if round(t / PERIOD) % 4 == 0:
            noise = np.array([TRACKER.across, TRACKER.across, TRACKER.about]) * self.rng.normal(size=3)
            seen = np.linalg.norm(meas["w_WB_B"]) < np.deg2rad(1.0)
            q_WT = quat_mul(quat_mul(meas["q_WB"], TRACKER.q_BT), quat_exp(noise))
            self.q_WT = q_WT if seen else np.full(4, np.nan)
        w = meas["w_WB_B"] + self.bias + GYRO.noise / np.sqrt(PERIOD) * self.rng.normal(size=3)
        return {"w_gyro": w, "q_WT": self.q_WT, "speed": meas["speed"]}


def test_a_tumbling_satellite_detumbles_and_points_to_nadir_with_noisy_sensors(spacecraft):
    craft, sensors = tumbling(spacecraft), Sensors(7)
    control = AttitudeController(
        I_B, LVLHPointing(), torque_limit=0.08, rate_limit=0.01, detumble=Detumble(handover=5e-3)
    )
    system = AttitudeSystem(control, wheels(), AttitudeEKF(GYRO, TRACKER))
    before = quat_to_matrix(craft.q) @ craft.momentum()

    def command(t, meas):
        return system.update(t, sensors.read(t, meas) | orbit(t))["tau_wheel"], np.zeros(3)

    times, states = craft.run(command, 1500.0, PERIOD)
    errors = [
        quat_log(quat_mul(quat_conj(LVLHPointing().at(t, orbit(t)).q_WR), x[:4]))
        for t, x in zip(times[-2000:], states[-2000:], strict=True)
    ]
    assert control.mode == POINTING
    assert np.rad2deg(3.0 * np.sqrt(np.mean(np.square(errors), axis=0))).max() < 0.03
    assert np.abs(states[:, 7:]).max() < 400.0
    np.testing.assert_allclose(quat_to_matrix(craft.q) @ craft.momentum(), before, atol=1e-6)


def test_thrusters_unload_the_wheels_while_the_attitude_is_held(spacecraft):
    craft = spacecraft(I_B, axes=pyramid_axes(), J=5e-3, speed=np.array([250.0, 150.0, 60.0, 100.0]))
    thrusters = jets(0.5, min_on=0.02)
    dump = Desaturation(start=1.0, stop=0.1, max_torque=0.03)
    system = AttitudeSystem(AttitudeController(I_B), wheels(0.0), desaturation=dump, thrusters=thrusters)
    held = [float(np.linalg.norm(craft.momentum()))]

    def command(t, meas):
        out = system.update(t, meas)
        held.append(float(np.linalg.norm(system.wheels.momentum(meas["speed"]))))
        return out["tau_wheel"], out["wrench_made"][:3]

    _, states = craft.run(command, 400.0, PERIOD)
    assert held[0] > 1.0
    assert held[-1] < 0.11
    assert not dump.active
    error = np.array([np.linalg.norm(quat_log(x[:4])) for x in states])
    assert np.rad2deg(error.max()) < 0.01


def held_by_pulses(spacecraft, band: DeadBand | None) -> tuple[float, float, int]:
    """Largest error in the last 100 s [deg], on-time in them [s], and pulses, from 0.3 deg and 0.05 deg/s at first."""
    craft = spacecraft(I_B, axes=np.zeros((0, 3)), q=quat_exp([5e-3, -3e-3, 2e-3]), w=np.array([9e-4, 4e-4, -6e-4]))
    control = AttitudeController(I_B, InertialPointing(), AttitudeGains(integral=0.0))
    system = AttitudeSystem(control, thrusters=jets(0.1, min_on=0.01, tick=0.005), dead_band=band)
    rng, on = np.random.default_rng(3), []

    def command(t, meas):
        seen = {
            "q_WB": quat_mul(meas["q_WB"], quat_exp(1e-5 * rng.normal(size=3))),
            "w_WB_B": meas["w_WB_B"] + 2e-5 * rng.normal(size=3),
        }
        out = system.update(t, seen)
        assert "tau_wheel" not in out
        on.append(out["on_time"])
        return np.zeros(0), out["wrench_made"][:3]

    _, states = craft.run(command, 200.0, PERIOD)
    error = np.array([np.linalg.norm(quat_log(x[:4])) for x in states])
    late = np.array(on[len(on) // 2 :])
    assert not np.any((late > 0.0) & (late < 0.01 - 1e-12)), "shorter than the least pulse"
    return float(np.rad2deg(error[-len(late) :].max())), float(late.sum()), int(np.count_nonzero(late))


def test_thrusters_alone_point_and_with_a_dead_band_they_do_not_chatter(spacecraft):
    width = np.deg2rad(0.03)
    error, on, pulses = held_by_pulses(spacecraft, DeadBand(width))
    assert error < 0.06
    _, chattering, _ = held_by_pulses(spacecraft, None)
    assert on < 0.4 * chattering
    # an axis swings at best with half the rate that a least pulse of a pair gives: 8 width / dw seconds for two pairs
    dw = 2.0 * 0.1 * 0.4 * 0.01 / np.diag(I_B)
    assert pulses <= 1.5 * float(np.sum(100.0 * dw / (8.0 * width) * 2 * 2))


def test_without_wheels_or_with_a_dead_band_beside_them_a_system_says_what_it_needs():
    control = AttitudeController(I_B)
    with pytest.raises(InputError, match="needs thrusters"):
        AttitudeSystem(control)
    with pytest.raises(InputError, match="no momentum to take out"):
        AttitudeSystem(control, thrusters=jets(0.1), desaturation=Desaturation(1.0, 0.1, 0.03))
    with pytest.raises(InputError, match="dead band is for thrusters alone"):
        AttitudeSystem(control, wheels(), dead_band=DeadBand(1e-3))


def test_a_copied_system_gives_the_same_commands(spacecraft):
    system = AttitudeSystem(AttitudeController(I_B, LVLHPointing()), wheels(), AttitudeEKF(GYRO, TRACKER))
    meas = {"w_gyro": np.array([0.01, 0.0, 0.0]), "q_WT": quat_exp([0.2, 0.0, 0.0]), "speed": np.zeros(4)}
    system.update(0.0, meas | orbit(0.0))
    other = copy.deepcopy(system)
    a, b = (s.update(PERIOD, meas | orbit(PERIOD)) for s in (system, other))
    np.testing.assert_array_equal(a["tau_wheel"], b["tau_wheel"])
    assert {"q_WB", "tau", "mode", "error", "tau_wheel", "h_B", "sigma"} <= a.keys()
