"""Two worlds in one mission: a satellite in free flight, and a mock-up in the laboratory that follows it."""

import argparse

import numpy as np

import freefloat as ff

UP = np.array([0.0, 0.0, 1.5])  # [m] where the laboratory puts the satellite's origin
MASS, G = 25.0, 9.81  # [kg] of the mock-up, [m/s^2]
WEIGHT = np.array([0.0, 0.0, MASS * G])  # [N]


class Carrier:
    """Moves the mock-up as the satellite moves: PD on position, its weight carried."""

    def update(self, t, meas):
        force = 8000.0 * (meas["goal"] + UP - meas["p"]) + 900.0 * (meas["v_goal"] - meas["v"])
        return {"wrench": np.concatenate([np.zeros(3), force + WEIGHT])}


class Thruster:
    """Pulses of the satellite: half a second to the right, half a second to the left."""

    def update(self, t, meas):
        return {"wrench": [0.0, 0.0, 0.0, 40.0 if t % 2.0 < 0.5 else -40.0 if 1.0 <= t % 2.0 < 1.5 else 0.0, 0.0, 0.0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of both positions")
    plot = parser.parse_args().plot

    weight = ff.uniform_gravity((0.0, 0.0, -G))
    start = ff.Motion(ff.Pose(np.eye(3), UP))
    setups = [
        ff.WorldSetup("space", [ff.RigidBody("satellite", 200.0)], integrator=ff.RK4(5e-3)),
        ff.WorldSetup("lab", [ff.RigidBody("mockup", MASS, motion=start)], rows=[weight], integrator=ff.RK4(1e-3)),
    ]
    reads = {"goal": "satellite.p_WB", "v_goal": "satellite.v_WB", "p": "mockup.p_WB", "v": "mockup.v_WB"}
    late = {name: ff.Sensor(delay=0.012) for name in ("goal", "v_goal")}  # what the laboratory hears is 12 ms old
    tasks = [
        ff.Task(Thruster(), 0.1, writes={"wrench": "satellite.wrench"}),
        ff.Task(Carrier(), 0.004, reads, {"wrench": "mockup.wrench"}, late),
    ]

    def worlds_agree(session: ff.Session) -> str:
        times = {name: world.time for name, world in session.worlds.items()}
        return f"both worlds at {times['space']:.9f} s: {times['space'] == times['lab']}"

    seen = ff.Event("10 cm", worlds_agree, signal="mockup.p_WB", level=0.1, times=1)
    result = ff.Mission(worlds=setups, tasks=tasks, events=[seen]).run(6.0)

    behind = result["satellite.p_WB"] + UP - result["mockup.p_WB"]
    print(f"the mock-up is at most {1e3 * np.abs(behind[:, 0]).max():.2f} mm behind")
    print(f"the event stopped {result.events[0].result}")
    m = result.metrics
    print(f"energy drift: {m['audit.space.energy_drift']:.0e} in space, {m['audit.lab.energy_drift']:.0e} in the lab")
    if plot:
        result.plot("satellite.p_WB", "mockup.p_WB", path=plot)


if __name__ == "__main__":
    main()
