"""A trajectory file for the docking facility: write it, check it, rehearse it; then the same one too fast."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import freefloat as ff
from freefloat.facility.axes import CYCLE
from freefloat.facility.check import check_trajectory
from freefloat.facility.clearance import Clearance
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.limits import Limits
from freefloat.facility.part import START
from freefloat.facility.record import Frame, Record
from freefloat.facility.trajectory import Trajectory, write_trajectory


def approach(duration: float) -> Trajectory:
    """User tool 1 comes from 3 m to 1 m before user tool 2, which turns by 90 deg; lab coordinates, m and deg."""
    rows = []
    for t in np.arange(0.0, duration + 2.0, CYCLE):
        u = min(t / duration, 1.0)
        s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)  # from rest to rest
        values = np.zeros(22)
        values[0:6] = [1.9 + 3.0 - 2.0 * s, 0.0, 0.0, 0.0, 0.0, 0.0]  # robot 1: x y z A B C
        values[7:13] = [1.9, 0.0, 0.0, 0.0, 0.0, 90.0 * s]  # robot 2
        values[21] = 1.5  # data lin: robot 1's plate before its base
        rows.append(Record(Frame.GLC, values))
    return Trajectory.of(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a picture of the end")
    plot = parser.parse_args().plot

    kinematics = Kinematics()
    limits, clearance = Limits(kinematics), Clearance()
    for duration in (8.0, 2.0):
        report = check_trajectory(approach(duration), limits, clearance, START)
        print(f"in {duration:g} s: {'fine' if report.ok else 'not executable'}")
        for finding in report.findings:
            print(f"  line {finding.line}: {finding}")

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "approach.txt"
        for duration in (8.0, 2.0):
            write_trajectory(file, approach(duration))
            result = ff.run("epos-approach", {"trajectory": str(file), "duration": "12 s"})
            m, operation = result.metrics, result.controllers["fmc"].operation
            print(f"rehearsed: {m['rows']:.0f} rows, {m['rows_missing']:.0f} missing; {operation.reason.text}")
            if plot and duration == 8.0:
                result.picture(result.duration, path=plot)


if __name__ == "__main__":
    main()
