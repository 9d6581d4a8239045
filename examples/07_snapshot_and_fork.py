"""Snapshots: stop a run, save it, and let it go on in several ways. The unchanged way repeats the original exactly."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import freefloat as ff
from freefloat.scenario.files import load

FORK, END = 5.0, 20.0  # [s]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the pushed run")
    plot = parser.parse_args().plot

    noisy = {"sensors.rate_noise": "0.1 deg/s", "sensors.delay": "2 ms"}
    mission = load("free-floating-arm", noisy).build()
    original = mission.run(END, seed=3)

    session = mission.session(seed=3)
    session.step(FORK)
    with tempfile.TemporaryDirectory() as folder:
        file = session.snapshot().save(Path(folder) / "fork.snapshot")
        snapshot = ff.Snapshot.load(file)

    session.restore(snapshot)
    same = mission.complete(session, END)
    equal = np.array_equal(same["arm.q"], original["arm.q"]) and same.metrics == original.metrics
    print(f"restored at t = {FORK:g} s and left alone: {'identical to' if equal else 'different from'} the original")

    for force in (5.0, 20.0):
        session.restore(snapshot)
        session.write("bus.wrench", (0, 0, 0, force, 0, 0))  # a thruster fires for a second
        session.step(1.0)
        session.write("bus.wrench", np.zeros(6))
        pushed = mission.complete(session, END)
        shift = np.linalg.norm(pushed["bus.p_WB"][-1] - original["bus.p_WB"][-1])
        print(f"pushed with {force:g} N for 1 s: the bus ends {shift:.4f} m away; audit passed: {pushed.audit.passed}")
    if plot:
        pushed.plot("bus.v_WB", "bus.wrench", "arm.error", path=plot)


if __name__ == "__main__":
    main()
