"""An industrial robot follows a set-point: exactly while it may, jerk-limited after a jump; what its wrist feels."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.gnc.control.follower import Follower, FollowerLimits, lead_of
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.robots import IndustrialRobot, Mockup

CYCLE, DELAY = 0.004, 0.012  # [s] of the robot's controller, and of the way there
RADIUS, RATE, JUMP = 0.1, 0.8, 0.02  # [m], [rad/s], [m] to the side after 2 s
Q = np.radians([0.0, -80.0, 95.0, 0.0, 40.0, 0.0])


class Circle:
    """Set-points on a circle, from rest at its rim; after 2 s it stands JUMP beside."""

    def __init__(self, start: ff.Pose) -> None:
        self.start = start

    def place(self, t: float) -> np.ndarray:
        """p_WT [m]."""
        c, s = np.cos(RATE * t), np.sin(RATE * t)
        return self.start.p + np.array([JUMP * (t >= 2.0), RADIUS * s, RADIUS * (c - 1.0)])

    def update(self, t: float, meas: dict) -> dict:
        c, s = np.cos(RATE * t), np.sin(RATE * t)
        v, a = RADIUS * RATE * np.array([0.0, c, -s]), RADIUS * RATE**2 * np.array([0.0, -s, -c])
        return {"setpoint": np.concatenate([self.place(t), self.start.q, v, np.zeros(3), a, np.zeros(3)])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of tool, axes and wrist")
    plot = parser.parse_args().plot

    mockup = Mockup(mass=10.0, p_FFcm=(0.0, 0.0, 0.1), X_FT=ff.Pose(np.eye(3), [0.0, 0.0, 0.25]))
    robot = IndustrialRobot("robot", "kr16-2", q=Q, tool=mockup)
    known = SixAxis.of("kr16-2", X_FT=mockup.X_FT)
    circle = Circle(known.forward(Q))
    ways = known.inverse(circle.start)
    print(f"{len(ways)} ways to stand there, such as {ways[0].name}; {known.singularity(Q)}")

    follower = Follower(known, Q, CYCLE, FollowerLimits(acceleration=0.5), lead_of(CYCLE, DELAY), name="robot")
    told = {"state": ff.Signal("robot.follows", "-, m", (2,), labels=("chases", "behind"))}
    tasks = [
        ff.Task(circle, CYCLE, writes={"setpoint": "robot.setpoint"}),
        ff.Task(
            follower,
            CYCLE,
            reads={"setpoint": "robot.setpoint"},
            sensors={"setpoint": ff.Sensor(delay=DELAY)},
            writes={"course": "robot.course"},
            records=told,
        ),
    ]
    gravity = ff.uniform_gravity((0.0, 0.0, -9.81))
    mission = ff.Mission([robot], tasks, rows=[gravity], integrator=ff.Dopri5(1e-3), record_rate=250.0)
    result = mission.run(4.0)

    t, chases = result.time("robot.follows"), result["robot.follows"][:, 0] > 0.0
    print(
        f"chases from rest until {t[chases & (t < 2.0)].max():.3f} s, then after the jump until {t[chases].max():.3f} s"
    )
    times = result.time("robot.tool.p_WF")
    off = np.array([p - circle.place(x - DELAY) for x, p in zip(times, result["robot.tool.p_WF"], strict=True)])
    behind = np.linalg.norm(off, axis=1)
    print(f"largest distance from the set-point {1e3 * DELAY:g} ms ago: {1e3 * behind.max():.1f} mm")
    print(f"  once caught up: {behind[times > 3.5].max():.0e} m")

    wrist = WristCompensation(known, mockup.mass, mockup.p_FFcm, mockup.inertia)
    signals = [result[f"robot.{name}"] for name in ("motor_q", "motor_qd", "motor_qdd", "wrist")]
    felt = np.array([wrist.contact(*row)[:3] for row in zip(*signals, strict=True)])
    bare = np.array([wrist.contact(q, np.zeros(6), np.zeros(6), f)[:3] for q, _, _, f in zip(*signals, strict=True)])
    print(
        f"nothing touches: {np.abs(felt).max():.0e} N felt, {np.abs(bare).max():.1f} N with the weight alone taken out"
    )
    if plot:
        result.plot("robot.tool.p_WF", "robot.q", "robot.wrist", path=plot)


if __name__ == "__main__":
    main()
