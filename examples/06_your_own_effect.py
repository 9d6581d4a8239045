"""An effect of your own inside the plant: an eddy-current brake stops a tumbling satellite without touching it."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.effects import add_torque_pair


def brake(t, p, x, u, view, dx, tau, wrench, y, power):
    """Torque -c (w_b - w_a) on body b and its reaction on body a.

    Compiled with Numba and evaluated at every stage of every step. Angular velocities are the first half of `cvel`.
    """
    for r in range(p.i.shape[0]):
        a, b, c = p.i[r, 0], p.i[r, 1], p.f[r, 0]
        dw = view.cvel[b, :3] - view.cvel[a, :3]
        add_torque_pair(wrench, a, b, -c * dw[0], -c * dw[1], -c * dw[2])
        y[r] = c * (dw @ dw)
        power[2] += y[r]  # dissipated; [0] is supplied, [1] stored


BRAKE = ff.Effect(
    "brake",
    brake,
    columns=[ff.Column("c", "N m s", meaning="torque over relative rate")],
    references={"a": ff.Body, "b": ff.Body},
    outputs=[ff.Column("heat_flow", "W")],
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of both angular velocities")
    plot = parser.parse_args().plot

    chaser = ff.RigidBody("chaser", mass=800.0, size=(2.0, 2.0, 2.0))
    away = ff.Pose.from_rpy((0, 0, 0), (3.0, 0, 0))
    target = ff.RigidBody("target", mass=200.0, size=(1.0, 1.5, 1.0), motion=ff.Motion(away, (0.05, 0.02, 0.30)))
    row = BRAKE.row("eddies", a="chaser", b="target", c=2.0)
    result = ff.Mission([chaser, target], rows=[row], record_rate=10.0).run(180.0)

    w = np.linalg.norm(result["target.w_WB_B"], axis=1)
    print(f"the target slows down from {np.rad2deg(w[0]):.2f} to {np.rad2deg(w[-1]):.2f} deg/s")
    w = np.linalg.norm(result["chaser.w_WB_B"], axis=1)
    print(f"the chaser takes its momentum and turns at {np.rad2deg(w[-1]):.2f} deg/s")
    m = result.metrics
    print(f"{result['eddies.heat_flow'][0, 0]:.4f} W of heat at first")
    print(f"{m['audit.heat_J']:.4f} J of heat; energy drift {m['audit.energy_drift']:.0e}")
    print(f"angular momentum drift {m['audit.angular_momentum_drift']:.0e}: the audit checks the reaction")
    if plot:
        result.plot("target.w_WB_B", "chaser.w_WB_B", path=plot)


if __name__ == "__main__":
    main()
