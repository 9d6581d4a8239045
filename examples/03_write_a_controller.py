"""A controller of your own: a small class, sampled at 250 Hz, that sees the joints through imperfect sensors."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.robots import asset

START = np.array([0.0, -0.9, 0.0, 1.6, 0.0, 0.7, 0.0])  # [rad]
GOAL = START + 0.3


class JointPD:
    """tau = kp (q_ref - q) - kd q', with the goal approached along a cosine."""

    kp = np.array([300.0, 300.0, 150.0, 150.0, 20.0, 20.0, 0.2])  # [N m/rad] smaller where the inertia is smaller
    kd = np.array([200.0, 200.0, 60.0, 60.0, 5.0, 3.0, 0.05])  # [N m s/rad]

    def update(self, t: float, meas: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        share = 0.5 * (1.0 - np.cos(np.pi * min(t / 8.0, 1.0)))
        error = START + share * (GOAL - START) - meas["q"]
        return {"tau": self.kp * error - self.kd * meas["qd"], "error": error}


def mission(sensors: dict[str, ff.Sensor]) -> ff.Mission:
    """A 1000 kg satellite with the shipped arm and the controller above."""
    bus = ff.RigidBody("bus", 1000.0, size=(1.6, 1.6, 2.0), frames={"mount": ff.Pose.from_rpy((0, 0, 0), (0, 0, 1))})
    arm = ff.Arm("arm", ff.load_urdf(asset("arm7")), on="bus.mount", q=START)
    task = ff.Task(
        JointPD(),
        period=0.004,
        reads={"q": "arm.q", "qd": "arm.qd"},
        writes={"tau": "arm.tau"},
        sensors=sensors,
        records={"error": ff.Signal("arm.error", "rad", (7,), meaning="reference minus measured joint position")},
    )
    return ff.Mission([bus, arm], tasks=[task])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the run with noisy sensors")
    plot = parser.parse_args().plot

    encoder = ff.Sensor(quantum=2 * np.pi / 2**16, delay=0.002)  # 16 bits per turn, 2 ms old
    tachometer = ff.Sensor(noise=2e-3, delay=0.002, dropout=0.01)  # [rad/s]
    for label, sensors in {"ideal": {}, "noisy": {"q": encoder, "qd": tachometer}}.items():
        result = mission(sensors).run(12.0, seed=1)
        offset = np.abs(result["arm.q"][-1] - GOAL).max()
        ripple = np.diff(result["arm.tau_applied"], axis=0).std()
        print(f"{label}: goal missed by {1e3 * offset:.2f} mrad, torque ripple {ripple:.2f} N m")
    print("The same seed gives the same noise; another task would not change it.")
    if plot:
        result.plot("arm.q", "arm.error", "arm.tau_applied", path=plot)


if __name__ == "__main__":
    main()
