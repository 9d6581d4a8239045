"""One rigid body, no force: spun about its middle axis, it flips over and over while momentum and energy stay."""

import argparse

import numpy as np

import freefloat as ff

INERTIA = np.array([1.0, 2.0, 3.0])  # [kg m^2] principal moments; y is the middle one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the angular velocity")
    plot = parser.parse_args().plot

    spin = ff.Motion(w_WL_L=(0.01, 2.0, 0.0))  # [rad/s] almost, but not quite, about y
    body = ff.RigidBody("body", mass=12.0, inertia=INERTIA, motion=spin)
    result = ff.Mission([body]).run(60.0)

    t, w = result.time("body.w_WB_B"), result["body.w_WB_B"]
    flips = t[1:][np.diff(np.sign(w[:, 1])) != 0]
    print(f"the body flips at t = {', '.join(f'{x:.1f}' for x in flips)} s")

    energy = 0.5 * (w**2 @ INERTIA)
    momentum = np.linalg.norm(w * INERTIA, axis=1)
    print(f"kinetic energy    {energy[0]:.6f} J,     spread {np.ptp(energy):.1e}")
    print(f"angular momentum  {momentum[0]:.6f} N m s, spread {np.ptp(momentum):.1e}")
    print(f"audit of the run: {'passed' if result.audit.passed else 'failed'}")

    if plot:
        result.plot("body.w_WB_B", path=plot)


if __name__ == "__main__":
    main()
