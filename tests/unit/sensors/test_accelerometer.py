import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import InputError
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.sensors import Accelerometer

IMU = ff.Pose.from_rpy((0.3, -0.5, 0.8), (0.4, -0.2, 0.1))


class Echo:
    def update(self, t, meas):
        return meas


def test_noise_integrates_to_the_velocity_random_walk():
    rng, dt, n = np.random.default_rng(1), 0.1, 400
    speeds = []
    for _ in range(300):
        sensor = Accelerometer(noise=1e-3, walk=0.0, bias=0.0)
        speeds.append(sum(sensor.measure(k * dt, np.zeros(3), rng) * dt for k in range(n)))
    assert np.std(speeds) == pytest.approx(1e-3 * np.sqrt(n * dt), rel=0.06)


def test_bias_and_scale_stay_within_a_run():
    rng, sensor = np.random.default_rng(2), Accelerometer(noise=0.0, walk=0.0, bias=1e-2, scale=1e-3)
    still = sensor.measure(0.0, np.zeros(3), rng)
    moved = sensor.measure(1.0, np.ones(3), rng)
    again = sensor.measure(2.0, 2.0 * np.ones(3), rng)
    assert np.all(still != 0.0)
    assert again - moved == pytest.approx(moved - still, rel=1e-12)


def test_a_reading_ends_at_the_limit():
    sensor = Accelerometer(noise=0.0, walk=0.0, bias=0.0, limit=0.5)
    assert sensor.measure(0.0, np.array([2.0, -3.0, 0.1]), np.random.default_rng(0)) == pytest.approx([0.5, -0.5, 0.1])


def test_in_orbit_it_feels_the_thrust_and_not_the_gravity_difference():
    frame = OrbitSettings().frame(10.0)
    far = ff.Motion(ff.Pose(np.eye(3), np.array([300.0, -200.0, 100.0])))
    body = ff.RigidBody("b", 50.0, (4.0, 5.0, 6.0), p_BBcm=(0.4, -0.2, 0.1), frames={"imu": IMU}, motion=far)
    task = Task(
        Echo(),
        1.0,
        reads={"f": "b.imu.f_WF_F"},
        sensors={"f": Sensor(model=Accelerometer(noise=0.0, walk=0.0, bias=0.0))},
        records={"f": Signal("imu.f", "m/s^2", (3,), "F", "reading")},
        name="imu",
    )
    mission = ff.Mission([frame, body], tasks=[task], integrator=ff.RK4(0.1), record_rate=1.0)
    quiet = mission.run(5.0)["imu.f"]
    # what is left is the turn that the gradient torque makes, at the centre of mass nothing
    assert np.abs(quiet).max() < 1e-9
    session = mission.session()
    force = np.array([1.0, -2.0, 3.0])
    session.write("b.wrench", np.concatenate([np.cross([0.4, -0.2, 0.1], force), force]))
    pushed = mission.complete(session, 5.0)["imu.f"]
    assert pushed[1:] == pytest.approx(np.tile(IMU.R.T @ force / 50.0, (pushed.shape[0] - 1, 1)), abs=1e-9)


@pytest.mark.parametrize("bad", [{"noise": -1.0}, {"limit": 0.0}, {"bias": -1e-3}])
def test_an_accelerometer_that_cannot_be_is_refused(bad):
    with pytest.raises(InputError, match="accelerometer"):
        Accelerometer(**bad)
