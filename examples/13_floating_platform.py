"""A floating platform on an uneven floor: the same line with the published tracker and with a better one."""

import argparse

import numpy as np

import freefloat as ff


def tell(name: str, result: ff.Result) -> None:
    """Errors against the reference, and what the thrusters were open for."""
    m = result.metrics
    print(f"{name}: {1e3 * m['rms_position_m']:.1f} mm, {m['rms_angle_deg']:.2f} deg (root mean square)")
    print(f"  valves open {m['total_on_time_s']:.1f} s; slope and inertia alone need {m['slope_on_time_s']:.1f} s")
    print(f"  gas {1e3 * m['propellant_kg']:.0f} g, wheel up to {m['wheel_speed_max_rpm']:.0f} rpm")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of pose, thrust, wheel and estimated slope")
    plot = parser.parse_args().plot

    results = {}
    for controller in ("paper", "best"):
        results[controller] = ff.run("reacsa-line", {"controller": controller, "floor.seed": 1}, seed=3)
        tell(controller, results[controller])

    best = results["best"]
    t, force = best.time("reacsa.floor"), best["reacsa.floor"][:, 1:3]  # potential, force x and y, torque
    felt = best["onboard.slope"][:, :2]  # [m/s^2] what the tracker's filter makes of it, without a map
    true = np.column_stack([np.interp(best.time("onboard.slope"), t, f) for f in force.T]) / 221.67
    settled = best.time("onboard.slope") > 10.0
    off = np.sqrt(np.mean((felt - true)[settled] ** 2))
    print(f"slope of the floor, root mean square: true {1e3 * np.sqrt(np.mean(true[settled] ** 2)):.2f} mm/s^2")
    print(f"  error of the filter's estimate of it: {1e3 * off:.2f} mm/s^2")
    print(f"energy drift {best.metrics['audit.energy_drift']:.0e}")
    if plot:
        best.plot("reacsa.pose", "thrusters.thrust", "wheel.speed", "onboard.slope", path=plot)


if __name__ == "__main__":
    main()
