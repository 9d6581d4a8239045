import copy

import numpy as np

from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_to_matrix
from freefloat.gnc.control.allocation import Desaturation, ThrusterAllocation, WheelAllocation, pyramid_axes
from freefloat.gnc.control.attitude import POINTING, AttitudeController, Detumble
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.pointing import LVLHPointing
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
    p, d = [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            p += [sign * np.roll([0.5, 0.4, 0.0], axis), sign * np.roll([0.5, -0.4, 0.0], axis)]
            d += [-sign * np.roll([1.0, 0.0, 0.0], axis)] * 2
    thrusters = ThrusterAllocation(p, d, thrust=0.5, period=PERIOD, min_on=0.02)
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


def test_a_copied_system_gives_the_same_commands(spacecraft):
    system = AttitudeSystem(AttitudeController(I_B, LVLHPointing()), wheels(), AttitudeEKF(GYRO, TRACKER))
    meas = {"w_gyro": np.array([0.01, 0.0, 0.0]), "q_WT": quat_exp([0.2, 0.0, 0.0]), "speed": np.zeros(4)}
    system.update(0.0, meas | orbit(0.0))
    other = copy.deepcopy(system)
    a, b = (s.update(PERIOD, meas | orbit(PERIOD)) for s in (system, other))
    np.testing.assert_array_equal(a["tau_wheel"], b["tau_wheel"])
    assert {"q_WB", "tau", "mode", "error", "tau_wheel", "h_B", "sigma"} <= a.keys()
