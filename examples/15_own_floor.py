"""A floor of your own as an array of heights: a tilted plane with a ridge, on which the platform holds its place."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import freefloat as ff
from freefloat.platforms.height_map import loaded

SIZE = (4.8, 9.0)  # [m] along x and y, as in the scenario
TILT = 0.4e-3  # [m/m] the floor rises along x
RIDGE = 0.3e-3  # [m] height of a ridge along x at y = 1 m, 0.8 m wide
STEP = 0.05  # [m] between two points of the array
WEIGHT, THRUST = 221.67 * 9.80665, 10.36  # [N] of the platform, [N] of a thruster


def heights() -> np.ndarray:
    """(nx, ny) [m]: the first index goes along x, the second along y, both from the negative end."""
    x, y = (np.linspace(-0.5 * s, 0.5 * s, round(s / STEP) + 1) for s in SIZE)
    return TILT * x[:, None] + RIDGE * np.exp(-(((y - 1.0) / 0.4) ** 2))[None, :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of pose, thrust and estimated slope")
    plot = parser.parse_args().plot

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.npy"
        np.save(file, heights())
        floor = loaded(file, SIZE[1], smoothing=0.0)
        print(f"map of {floor.size[0]:.1f} x {floor.size[1]:.1f} m, {1e3 * np.ptp(floor.heights):.2f} mm peak to peak")
        changes = {"floor.map": str(file), "floor.smoothing": 0.0, "push.force": [0.0, 0.0], "push.torque": 0.0}
        result = ff.run("reacsa-stabilise", changes, duration=120.0)

    slope = floor.at([0.0, 0.0])[1]
    print(f"slope at the origin: {1e3 * slope[0]:.3f} and {1e3 * slope[1]:.3f} mm/m")
    felt = -result["onboard.slope"][result.time("onboard.slope") > 30.0, :2].mean(axis=0) / 9.80665
    print(f"  as the tracker felt it: {1e3 * felt[0]:.3f} and {1e3 * felt[1]:.3f} mm/m")
    m = result.metrics
    print(f"held within {1e3 * m['hold_position_max_m']:.1f} mm and {m['hold_angle_max_deg']:.2f} deg")
    print(f"valves open {m['total_on_time_s']:.1f} s of 120 s; against the slope {WEIGHT * TILT / THRUST * 120:.1f} s")
    print(f"the platform that nobody controls went {m['uncontrolled_distance_max_m']:.2f} m down")
    if plot:
        result.plot("reacsa.pose", "uncontrolled.pose", "thrusters.thrust", "onboard.slope", path=plot)


if __name__ == "__main__":
    main()
